"""A film as a self-contained web page with a player.

matplotlib's HTMLWriter does the same with pages three times as large: it keeps the colors of every frame apart.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-content: center; }}
figure {{ margin: 1rem; width: min(92vw, {width}px); }}
img {{ display: block; width: 100%; height: auto; border-radius: 6px; background: white; }}
figcaption {{ display: flex; gap: .8rem; align-items: center; margin-top: .6rem; }}
input {{ flex: 1; }}
button {{ font: inherit; min-width: 4.5rem; padding: .3rem .8rem; }}
output {{ font-variant-numeric: tabular-nums; min-width: 6rem; text-align: right; }}
</style>
</head>
<body>
<figure>
<img alt="{title}" src="{first}">
<figcaption>
<button type="button">Play</button>
<input type="range" min="0" max="{last}" value="0" step="1" aria-label="picture">
<output></output>
</figcaption>
</figure>
<script>
"use strict";
const pictures = {pictures}, words = {words};
const [image, button, slider, output] = ["img", "button", "input", "output"].map(name => document.querySelector(name));
let timer = null;
function show(i) {{
  image.src = "data:image/png;base64," + pictures[i];
  slider.value = i;
  output.textContent = words[i];
  slider.setAttribute("aria-valuetext", words[i]);
}}
function stop() {{ clearInterval(timer); timer = null; button.textContent = "Play"; }}
function play() {{
  if (+slider.value === pictures.length - 1) show(0);
  button.textContent = "Pause";
  timer = setInterval(() => {{
    if (+slider.value === pictures.length - 1) stop(); else show(+slider.value + 1);
  }}, {pause});
}}
button.onclick = () => timer === null ? play() : stop();
slider.oninput = () => {{ stop(); show(+slider.value); }};
show(0);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
</script>
</body>
</html>
"""


def page(title: str, pictures: Sequence[bytes], words: Sequence[str], fps: float, width: int) -> str:
    """Return a page that plays PNG images, with a caption for each. It starts unless the user prefers reduced motion.

    >>> "<title>a &lt; b</title>" in page("a < b", [b"one", b"two"], ["epoch 1", "epoch 2"], fps=10, width=480)
    True
    """
    encoded = [b64encode(picture).decode() for picture in pictures]
    return _PAGE.format(
        title=escape(title),
        width=width,
        first=f"data:image/png;base64,{encoded[0]}",
        last=len(encoded) - 1,
        pictures=json.dumps(encoded),
        words=json.dumps(list(words)).replace("<", "\\u003c"),  # so that no caption can end the script
        pause=round(1000 / fps),
    )
