"""Statements in Explore: named nodes, numbers in the text, targets, notes and errors."""

import re

from accessibility import violations
from playwright.sync_api import expect
from seen import gradient, graph, node, preset, sentence, state, turn_to, value

LECTURE = "a = 2; b = -3; c = 10; f = -2; d = a*b; e = d + c; L = e*f"


def expression_box(page):
    return page.get_by_role("textbox", name="Expression", exact=True)


def test_a_pasted_line_names_the_nodes_and_its_numbers_follow_the_sliders(page, open_lab):
    open_lab(page)
    box = expression_box(page)
    box.fill(LECTURE)
    expect(value(page, "L")).to_have_text("−8")
    seen = graph(page)
    assert seen["nodes"] == {
        "a": ["2", "6"], "b": ["−3", "−4"], "d": ["−6", "−2"], "c": ["10", "−2"], "e": ["4", "−2"], "f": ["−2", "4"],
        "L": ["−8", "1"],
    }  # fmt: skip
    assert seen["inputs"] == {"a": "6", "b": "−4", "c": "−2", "f": "4"}
    assert seen["root"] == "L"
    page.get_by_role("textbox", name="a, number").fill("5")
    expect(value(page, "L")).to_have_text("10")
    expect(box).to_have_value(LECTURE.replace("a = 2", "a = 5"))
    slider = page.get_by_role("slider", name="f, slider")
    slider.focus()
    slider.press("ArrowRight")
    expect(value(page, "f")).to_have_text("−1.95")
    expect(box).to_have_value(re.compile(r"f = -1\.95; d = a\*b"))
    box.fill(LECTURE.replace("-3", "-1"))
    expect(page.get_by_role("textbox", name="b, number")).to_have_value("-1")
    expect(value(page, "L")).to_have_text("−16")
    page.wait_for_function("() => location.hash.includes('b+=+-1;') && !location.hash.includes('n.')")
    page.reload()
    expect(value(page, "L")).to_have_text("−16")


def test_lines_are_typed_with_enter_and_the_field_grows(page, open_lab):
    open_lab(page, "explore", **state("a", {"a": 2}))
    expect(value(page, "a")).to_have_text("2")
    expect(gradient(page, "a")).to_have_text("1")
    box = expression_box(page)
    before = box.bounding_box()["height"]
    box.fill("")
    box.press_sequentially("out = tanh(w*x + b)\nloss = (out - y)**2\n")
    expect(page.locator(".inputs .name")).to_have_text(["w", "x", "b", "y"])
    assert box.bounding_box()["height"] > 2 * before
    assert box.evaluate("(field) => field.scrollHeight <= field.clientHeight")
    page.get_by_role("slider", name="y, slider").focus()
    page.keyboard.press("Home")
    expect(value(page, "y")).to_have_text("−10")
    page.get_by_role("slider", name="Step").fill("3")
    expect(sentence(page)).to_have_text(re.compile(r"^out = tanh\(v2\)"))


def test_notes_and_errors_are_shown_below_the_field(page, open_lab):
    open_lab(page, "explore", **state("d = a*b\nL = c", {"c": 4}))
    expect(page.get_by_test_id("notes")).to_have_text(
        "L is another name for c. L does not use d; the graph does not show it."
    )
    assert graph(page)["nodes"] == {"c": ["4", "1"]}
    assert graph(page)["inputs"].keys() == {"c"}
    expression_box(page).fill("d = e*b\ne = d + 1")
    error = page.get_by_role("alert")
    expect(error).to_contain_text("line 1: d depends on itself: d → e → d")
    _, shown, caret = error.text_content().split("\n")
    assert caret.index("^") == shown.index("e*b")
    expect(page.get_by_test_id("notes")).to_have_count(0)


def test_the_classics_have_named_nodes(page, open_lab):
    open_lab(page)
    chip = page.get_by_role("button", name="L = (a·b + c)·f")
    chip.click()
    expect(value(page, "L")).to_have_text("−8")
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="tanh neuron, named").click()
    expect(value(page, "o")).to_have_text("0.7071")
    assert graph(page)["nodes"].keys() == {"x1", "w1", "x1w1", "x2", "w2", "x2w2", "x1w1x2w2", "b", "n", "o"}
    expect(gradient(page, "n")).to_have_text("0.5")
    page.get_by_role("button", name="Copy as Python").click()
    program = page.get_by_test_id("program")
    expect(program).to_contain_text("n = x1w1x2w2 + b")
    page.get_by_role("button", name="PyTorch").click()
    expect(program).to_contain_text("n.retain_grad()")
    node(page, "n").hover()
    expect(page.get_by_test_id("details")).to_contain_text("x1w1x2w2")


def test_statements_fit_into_360_pixels(new_context, open_lab):
    context = new_context(viewport={"width": 360, "height": 740}, color_scheme="dark", reduced_motion="reduce")
    page = open_lab(context.new_page(), "explore", **preset("tanh neuron, named"))
    expect(value(page, "o")).to_be_visible()
    line = "d = a*b; " + " + ".join(f"long_name_{i}" for i in range(8))
    for text in (line, f"{line}; d"):  # drawn, and an error
        turn_to(page, **state(text))
        expect(expression_box(page)).to_have_value(text)
        expect(page.locator("#expression-error")).to_have_count(int(text.endswith("; d")))
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 360
        assert expression_box(page).evaluate("(field) => field.scrollHeight <= field.clientHeight")
    assert violations(page) == []
