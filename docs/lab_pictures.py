"""Takes the pictures in docs/images from a running lab and from the static site, and records lab.gif: `make pictures`.

The film moves a slider, then steps through the forward and the backward pass. Colors are reduced to one palette for all
frames, and equal frames are shown once for longer, so that the file stays small. Names of files as arguments select
some of the pictures: `python docs/lab_pictures.py lab-quiz.png`.
"""

import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "tests/support"))

from seen import preset  # noqa: E402
from serving import Lab, lab_process  # noqa: E402
from static_site import served  # noqa: E402

from adjoint_learn.course import load  # noqa: E402

_IMAGES = _ROOT / "docs/images"
_PRESET = "L = (a·b + c)·f"
_SLIDER = [2 + 0.25 * i for i in (*range(9), *range(8, -1, -1))]  # from 2 to 4 and back
_MOVE, _STEP, _REST = 90, 750, 1600  # how long a frame is shown, in milliseconds
_COLORS = 96


def main(names: Sequence[str]) -> None:
    with lab_process() as (lab, _), sync_playwright() as driver:
        executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        if not names or "lab.gif" in names:
            page = browser.new_page(viewport={"width": 1140, "height": 1000}, color_scheme="light")
            explore(page, lab)
            save_film(list(frames(page)), _IMAGES / "lab.gif")
        for name, (show, height) in PICTURES.items():
            if not names or name in names:
                size: ViewportSize = {"width": 1280, "height": height}
                page = browser.new_page(viewport=size, device_scale_factor=1.25, color_scheme="light")
                show(page, lab)
                page.wait_for_timeout(500)
                save_picture(page.screenshot(), _IMAGES / name)
        if not names or "site.png" in names:
            with served(_ROOT / "site") as port:
                page = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light")
                start(page, f"http://127.0.0.1:{port}/")
                save_picture(page.screenshot(), _IMAGES / "site.png")
        browser.close()


# --- the states of the pictures, as docs/lab.md describes them ---


def start(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_text("Ready: everything here runs in your browser").wait_for()


def explore(page: Page, lab: Lab) -> None:
    page.goto(lab.address("explore", **preset(_PRESET)))
    page.locator(".graph .node").first.wait_for()


def explore_backward(page: Page, lab: Lab) -> None:
    explore(page, lab)
    page.keyboard.press("r")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.locator(".graph .node[data-node='e']").hover()


def train(page: Page, lab: Lab) -> None:
    page.goto(lab.address("train", data="moons", steps=240, engine="compiled"))
    page.locator(".standing dd", has_text="240").wait_for()
    page.get_by_role("button", name="Measure all").click()
    page.get_by_text("times as fast as").wait_for()
    page.mouse.move(5, 5)


def cases(page: Page, lab: Lab) -> None:
    page.goto(lab.address("train", data="xor", steps=60, case=2))
    page.get_by_text("Activations for case 2").wait_for()
    page.locator(".standing").evaluate("bar => window.scrollTo(0, bar.getBoundingClientRect().top - 80)")


def mistake(page: Page, lab: Lab) -> None:
    page.goto(lab.address("mistakes", mistake="dead"))
    page.get_by_text("step 300 of 300").wait_for()


def quiz(page: Page, lab: Lab) -> None:
    page.goto(lab.address("quiz", seed=5, number=2, level=2))
    page.get_by_label("Your answer").fill("-19")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("heading", name="Not quite").wait_for()
    page.evaluate("window.scrollTo(0, 0)")


def learn(page: Page, lab: Lab) -> None:
    exercise = next(each for each in load().exercises if each.name == "expression_gradients")
    answer = next(each for each in exercise.wrong_answers if each.advice.startswith("You added"))
    page.goto(lab.address("learn", exercise=exercise.name))
    page.get_by_role("textbox", name="Program").focus()
    page.keyboard.press("Control+A")
    program = answer.source.rpartition('"""')[2].strip()
    page.keyboard.insert_text(program.replace(' "c"', '\n             "c"'))
    page.keyboard.press("Control+Enter")
    page.get_by_test_id("outcome").get_by_text("You added").wait_for()


PICTURES = {  # by file: what to show, and the height of the page
    "lab.png": (explore_backward, 930),
    "lab-train.png": (train, 1460),
    "lab-cases.png": (cases, 620),
    "lab-mistakes.png": (mistake, 960),
    "lab-quiz.png": (quiz, 800),
    "lab-learn.png": (learn, 860),
}


# --- files ---


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


def save_picture(content: bytes, path: Path) -> None:
    """Write a PNG with a palette."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    reduced = image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)  # rare colors stay
    reduced.save(path, optimize=True)
    print(f"{path}: {image.width}×{image.height}, {path.stat().st_size / 1e6:.2f} MB")


def save_film(shown: list[tuple[Image.Image, int]], path: Path) -> None:
    """Write an animated GIF that repeats forever."""
    palette = shown[-1][0].quantize(_COLORS, dither=Image.Dither.NONE)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in shown]
    images[0].save(
        path, save_all=True, append_images=images[1:], duration=[time for _, time in shown], loop=0, optimize=True
    )
    print(f"{path}: {len(images)} frames, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
