"""What a user sees in Explore: the numbers of the graph, and the state in the address."""

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page

from adjoint_lab.rooms.explore import PRESETS

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_GRAPH = """() => {
  const text = (node, part) => node.querySelector(part)?.textContent ?? null;
  const nodes = [...document.querySelectorAll(".explore .graph .node")];
  const inputs = [...document.querySelectorAll(".inputs li")];
  return {
    nodes: Object.fromEntries(nodes.map((node) => [node.dataset.node, [text(node, ".data"), text(node, ".grad")]])),
    root: document.querySelector(".explore .graph .root")?.dataset.node ?? null,
    inputs: Object.fromEntries(inputs.map((input) => [text(input, ".name"), text(input, ".gradient")])),
    error: document.getElementById("expression-error")?.textContent ?? null,
  };
}"""


def graph(page: Page) -> dict[str, Any]:
    """Return the texts of all boxes (`name: [value, gradient]`), the root, the gradients of the sliders, the error."""
    return page.evaluate(_GRAPH)


def number(text: str) -> float:
    """Parse a number from a text such as `−1.5·10⁻⁷`."""
    mantissa, _, power = text.replace("−", "-").replace("∞", "inf").partition("·10")
    return float(mantissa) * 10.0 ** int(power.translate(_RAISED) or 0)


def is_shown(text: str | None, x: float) -> bool:
    """Return whether a text shows a number with the digits of the page: four, or three before a power of ten."""
    if text is None or text == "·":
        return False
    seen = number(text)
    if math.isnan(x) or math.isinf(x) or x == 0:
        return seen == x or (math.isnan(seen) and math.isnan(x))
    return math.isclose(seen, x, rel_tol=5.01e-3 if "10" in text.partition("·")[2] else 5.01e-4)


def state(expression: str, numbers: Mapping[str, float] = {}, **more: Any) -> dict[str, Any]:
    """Return the parameters in an address of Explore."""
    return {"e": expression, **{f"n.{name}": x for name, x in numbers.items()}, **more}


def preset(title: str) -> dict[str, Any]:
    """Return the parameters in the address of a preset."""
    found = next(preset for preset in PRESETS if preset["title"] == title)
    return state(found["expression"], found["numbers"])


def turn_to(page: Page, **shown: Any) -> None:
    """Change the address of an open page."""
    page.evaluate("(hash) => { location.hash = hash; }", f"explore?{urlencode(shown)}")


def node(page: Page, name: str) -> Locator:
    """Return the box of a value."""
    return page.locator(f".graph .node[data-node='{name}']")


def value(page: Page, name: str) -> Locator:
    """Return the text of a value in its box."""
    return node(page, name).locator(".data")


def gradient(page: Page, name: str) -> Locator:
    """Return the text of a gradient in its box."""
    return node(page, name).locator(".grad")


def sentence(page: Page) -> Locator:
    """Return the text of the current step."""
    return page.get_by_test_id("step-text")
