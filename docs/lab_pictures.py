"""Records docs/images/lab.gif, and takes the picture of Explore, from a running lab: `make pictures`.

The film moves a slider, then steps through the forward and the backward pass. Colors are reduced to one palette for all
frames, and equal frames are shown once for longer, so that the file stays small.
"""

import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "tests/support"))

from seen import preset  # noqa: E402
from serving import lab_process  # noqa: E402

_IMAGES = _ROOT / "docs/images"
_PRESET = "L = (a·b + c)·f"
_SLIDER = [2 + 0.25 * i for i in (*range(9), *range(8, -1, -1))]  # from 2 to 4 and back
_MOVE, _STEP, _REST = 90, 750, 1600  # how long a frame is shown, in milliseconds
_COLORS = 96


def main() -> None:
    with lab_process() as (lab, _), sync_playwright() as driver:
        executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1140, "height": 1000}, color_scheme="light")
        page.goto(lab.address("explore", **preset(_PRESET)))
        page.locator(".graph .node").first.wait_for()
        save_film(list(frames(page)), _IMAGES / "lab.gif")
        page = browser.new_page(viewport={"width": 1280, "height": 820}, device_scale_factor=1.25)
        page.goto(lab.address("explore", **preset(_PRESET)))
        page.locator(".graph .node").first.wait_for()
        page.keyboard.press("r")
        for _ in range(6):
            page.keyboard.press("ArrowRight")
        page.locator(".graph .node[data-node='e']").hover()
        page.wait_for_timeout(500)
        page.screenshot(path=_IMAGES / "lab.png")
        browser.close()


def frames(page: Page) -> Iterator[tuple[Image.Image, int]]:
    """Yield pictures of the inputs and the graph, each with the time for which it is shown."""
    number = page.locator(".inputs li").first.locator("input[type=number], input[type=text]").first
    for x in _SLIDER:
        number.fill(str(x))
        number.blur()
        page.wait_for_timeout(60)
        yield picture(page), _REST if x == _SLIDER[0] else _MOVE
    page.mouse.click(5, 5)
    page.keyboard.press("r")
    page.wait_for_timeout(300)
    yield picture(page), _STEP
    for _ in range(10):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(500)
        yield picture(page), _STEP
    yield picture(page), _REST


def picture(page: Page) -> Image.Image:
    """Return the lower part of the page: inputs, steps and graph."""
    inputs, graph = page.locator(".inputs").bounding_box(), page.locator(".explore .graph").bounding_box()
    assert inputs
    assert graph
    top, bottom = inputs["y"] - 54, graph["y"] + graph["height"] + 12
    clip = {"x": 0, "y": top, "width": 1140, "height": bottom - top}
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def save_film(shown: list[tuple[Image.Image, int]], path: Path) -> None:
    """Write an animated GIF that repeats forever."""
    palette = shown[-1][0].quantize(_COLORS, dither=Image.Dither.NONE)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in shown]
    images[0].save(
        path, save_all=True, append_images=images[1:], duration=[time for _, time in shown], loop=0, optimize=True
    )
    print(f"{path}: {len(images)} frames, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
