"""Accessibility: keyboard alone, narrow screens, light and dark, reduced motion, and the rules of axe."""

import re

import pytest
from accessibility import violations
from playwright.sync_api import expect
from seen import gradient, graph, node, preset, sentence, value

NEURON = "sigmoid neuron with loss"
FOCUSED = """() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const ring = element.querySelector(".focus");
  const isOutlined = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  return {
    name: element.getAttribute("aria-label") ?? element.textContent.trim(),
    label: element.labels?.[0]?.textContent ?? "",
    node: element.dataset?.node ?? null,
    isShown: isOutlined || (ring !== null && getComputedStyle(ring).stroke !== "none"),
  };
}"""


def tab_to(page, until, most=80):
    """Press Tab until a condition on the focused element holds; return all elements on the way."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        assert at["isShown"], f"the focus is not visible at {at['name']}"
        passed.append(at)
        if until(at):
            return passed
    raise AssertionError(f"Tab did not reach it; it reached {[at['name'] for at in passed]}")


# --- keyboard ------------------------------------------------------------------------------------------------


def test_everything_is_usable_with_the_keyboard_alone(page, open_lab):
    open_lab(page)
    expect(value(page, "out")).to_have_text("0.7071")
    tab_to(page, lambda at: at["name"] == "Explore")
    tab_to(page, lambda at: at["label"] == "Expression")
    page.keyboard.press("Control+A")
    page.keyboard.type("p*q + p")
    expect(value(page, "out")).to_have_text("−4")
    tab_to(page, lambda at: at["name"] == NEURON)
    page.keyboard.press("Enter")
    expect(value(page, "out")).to_have_text("0.1792")
    tab_to(page, lambda at: at["name"] == "w1, slider")
    page.keyboard.press("ArrowRight")
    expect(value(page, "w1")).to_have_text("0.55")
    tab_to(page, lambda at: at["name"] == "w1, number")
    page.keyboard.press("Control+A")
    page.keyboard.type("0.5")
    expect(value(page, "out")).to_have_text("0.1792")
    tab_to(page, lambda at: at["name"].startswith("Back to the start"))
    page.keyboard.press("Enter")
    expect(page.locator(".place")).to_have_text("21 steps")
    tab_to(page, lambda at: at["name"].startswith("One step forward"))
    for i in range(3):
        page.keyboard.press("Space")
        expect(page.locator(".place")).to_have_text(f"forward {i + 1} of 8")
    expect(sentence(page)).to_have_text("v3 = v1 + v2 = 1 + (−1.5) = −0.5")
    assert sentence(page).get_attribute("aria-live") == "polite"
    assert page.evaluate("document.activeElement.ariaLabel").startswith("One step forward")
    tab_to(page, lambda at: at["name"] == "Step")
    page.keyboard.press("End")
    expect(gradient(page, "b")).to_have_text("−0.1438")
    # Tab visits the nodes in the order of evaluation, and each has a label.
    nodes = [at for at in tab_to(page, lambda at: at["node"] == "out") if at["node"]]
    names = [at["node"] for at in nodes]
    assert len(names) == 13
    assert names == list(graph(page)["nodes"])
    for i, at in enumerate(nodes):
        operands = re.findall(r"\b[vwxb]\d?\b", at["name"].partition(" = ")[2].partition(";")[0])
        assert {*operands} <= {*names[:i]}
    assert nodes[-1]["name"] == "out = 0.5 * v7; value 0.1792, gradient 1"
    expect(page.get_by_test_id("details").locator("h3")).to_have_text("out")
    page.keyboard.press("r")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place")).to_have_text("forward 1 of 8")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    tab_to(page, lambda at: "show gradients" in at["label"])
    page.keyboard.press("Space")
    expect(page.locator(".graph .grad")).to_have_count(0)
    tab_to(page, lambda at: at["name"] == "Copy as Python")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("program")).to_be_visible()
    tab_to(page, lambda at: at["name"] == "Program")
    tab_to(page, lambda at: page.evaluate("document.activeElement.closest('.nudge select') !== null"))


def test_arrow_keys_on_the_tabs_change_the_room_and_not_the_step(page, open_lab):
    open_lab(page, "explore", **preset("diamond"), at=3)
    expect(page.locator(".place")).to_have_text("forward 3 of 3")
    page.get_by_role("tab", name="Explore").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Train")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Explore")).to_be_focused()
    expect(page.locator(".place")).to_have_text("forward 3 of 3")


def test_the_focus_stays_on_a_button_that_becomes_disabled(page, open_lab):
    open_lab(page, "explore", **preset("a + a"), at=3)
    forward = page.get_by_role("button", name="One step forward")
    forward.focus()
    page.keyboard.press("Enter")
    expect(forward).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(forward).to_be_focused()
    expect(page.locator(".place")).to_have_text("backward 3 of 3")


# --- motion, width, colors ---------------------------------------------------------------------------------------


# The largest number of animations that run at the same time, until the player has taken all steps.
RUNNING = """async () => {
  let most = 0;
  while (!document.querySelector(".place").textContent.startsWith("backward 5")) {
    most = Math.max(most, document.getAnimations().length);
    await new Promise(requestAnimationFrame);
  }
  return most;
}"""


@pytest.mark.parametrize("preference", ["no-preference", "reduce"])
def test_nothing_is_animated_for_users_who_prefer_reduced_motion(new_context, open_lab, preference):
    page = open_lab(new_context(reduced_motion=preference).new_page(), "explore", **preset("diamond"), at=0, speed=4)
    expect(page.locator(".graph .waiting")).to_have_count(3)
    page.get_by_role("button", name="Play").click()
    most = page.evaluate(RUNNING)
    assert most == 0 if preference == "reduce" else most > 0


OUT_OF_REACH = """() => [...document.querySelectorAll("button, select, input, .node")].flatMap((control) => {
  control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const touched = control.matches("[type=checkbox]") ? control.closest("label") : control;
  const { left, right, width, height } = touched.getBoundingClientRect();
  const isReached = left > -1 && right < 361 && Math.min(width, height) >= 24;
  return isReached ? [] : [[control.outerHTML, left, right, width, height]];
})"""


@pytest.mark.parametrize("title", ["tanh neuron", NEURON, "vanishing sigmoids"])
def test_at_360_pixels_everything_is_within_reach(new_context, open_lab, title):
    page = open_lab(new_context(viewport={"width": 360, "height": 740}).new_page(), "explore", **preset(title), at=4)
    expect(page.locator(".graph .node").first).to_be_visible()
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_test_id("program")).to_be_visible()
    node(page, "out").scroll_into_view_if_needed()
    node(page, "out").hover()
    expect(page.get_by_test_id("details")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 360
    assert page.evaluate(OUT_OF_REACH) == []
    page.get_by_role("textbox", name="Expression").fill("tanh(")
    expect(page.locator("#expression-error")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 360


def background(page):
    red, green, blue = map(
        int,
        re.findall(r"\d+", page.evaluate("getComputedStyle(document.querySelector('.adjoint')).backgroundColor"))[:3],
    )
    return "light" if red + green + blue > 600 else "dark" if red + green + blue < 150 else "between"


def test_colors_follow_the_system_until_a_scheme_is_chosen(new_context, open_lab):
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page = open_lab(new_context(color_scheme=scheme).new_page())
        assert background(page) == scheme
        page.get_by_label("Colors").select_option(other)
        assert background(page) == other
        page.reload()
        expect(page.get_by_label("Colors")).to_have_value(other)
        assert background(page) == other
        page.get_by_label("Colors").select_option("auto")
        assert background(page) == scheme
        page.close()


# --- axe -------------------------------------------------------------------------------------------------------

LOOKS = {
    "light and wide": {"color_scheme": "light"},
    "dark and narrow": {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}},
}


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious_in_any_state(new_context, open_lab, look):
    page = open_lab(new_context(reduced_motion="reduce", **LOOKS[look]).new_page(), "explore", **preset(NEURON))
    expect(page.get_by_test_id("nudge")).to_be_visible()
    assert violations(page) == []
    for key in ("r", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator(".place")).to_contain_text("forward 2")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    node(page, "w1").hover()
    assert violations(page) == []
    page.keyboard.press("Space")
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_test_id("program")).to_be_visible()
    page.get_by_role("textbox", name="w1, number").fill("much")
    page.get_by_role("textbox", name="Expression").fill("tanh(")
    expect(page.locator("#expression-error")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious_in_the_other_rooms(new_context, open_lab, look):
    page = new_context(reduced_motion="reduce", **LOOKS[look]).new_page()
    open_lab(page, "train", data="blobs", samples=12, hidden="3", steps=4, case=2)
    expect(page.get_by_role("heading", name="Activations for case 2")).to_be_visible()
    page.get_by_role("button", name="Neuron 2 of layer 1").focus()
    expect(page.get_by_role("heading", name="Response of neuron 2 of layer 1")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sample 1 of blobs")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("tab", name="Mistakes").click()
    expect(page.get_by_text("Warning", exact=True)).to_be_visible()
    assert violations(page) == []
    page.get_by_role("tab", name="Quiz").click()
    expect(page.get_by_role("button", name="Check")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Show answer").click()
    expect(page.get_by_role("button", name=re.compile("Next"))).to_be_visible()
    assert violations(page) == []
