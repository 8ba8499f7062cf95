"""Export a scene as one HTML file that plays its steps without a server: the page's component and a recording."""

import json
from html import escape
from importlib.resources import files

from adjoint_lab.scenes import Scene

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>body {{ margin: 0; }} #explore {{ min-height: 100vh; padding: 20px; }}
{style}</style>
</head>
<body>
<main id="explore" class="adjoint"></main>
<script type="application/json" id="adjoint-recording">{recording}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page_of(scene: Scene, title: str, at: int | None = None) -> str:
    """Return the page; it opens at step `at`, by default the last one."""
    recording = {"scene": scene, "title": title, "at": at}
    return _PAGE.format(
        title=escape(title),
        style=asset("explore.css"),
        script=asset("explore.js").replace("</script", "<\\/script"),
        recording=json.dumps(recording, allow_nan=False).replace("<", "\\u003c"),  # so that nothing ends the script
    )


def asset(name: str) -> str:
    """Return the text of a file of the built page."""
    return (files("adjoint_lab") / "assets" / name).read_text(encoding="utf-8")
