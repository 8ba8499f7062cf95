"""The room Explore in a browser: typing, moving sliders, stepping, pointing."""

import re

from expressions import in_torch, random_expression
from messages import record_messages
from playwright.sync_api import expect
from seen import gradient, graph, is_shown, node, number, preset, sentence, state, turn_to, value
from serving import eventually

from adjoint_lab.rooms.explore import PRESETS

NEURON = "sigmoid neuron with loss"
NEURON_INPUTS = {"w1": "−0.2877", "x1": "−0.07192", "w2": "−0.4315", "x2": "0.07192", "b": "−0.1438"}


def expression_box(page):
    return page.get_by_role("textbox", name="Expression")


# --- typing --------------------------------------------------------------------------------------------------


def test_typing_an_expression_draws_its_graph(page, open_lab):
    open_lab(page)
    box = expression_box(page)
    box.fill("")
    box.press_sequentially("p*q + p")
    expect(page.locator(".graph .node")).to_have_count(4)
    assert graph(page)["nodes"] == {"p": ["2", "−2"], "q": ["−3", "2"], "v1": ["−6", "1"], "out": ["−4", "1"]}
    assert [page.locator(".graph .op text").nth(i).text_content() for i in range(2)] == ["×", "+"]


def test_a_typo_is_located_and_the_last_graph_stays_until_it_is_corrected(page, open_lab):
    open_lab(page, "explore", **state("a*b", {"a": 2, "b": 3}))
    expect(value(page, "out")).to_have_text("6")
    box = expression_box(page)
    box.fill("a*b + tanh(")
    error = page.get_by_role("alert")
    expect(error).to_contain_text("never closed")
    _, shown, caret = error.text_content().split("\n")
    assert caret.index("^") == shown.index("(")
    expect(value(page, "out")).to_have_text("6")
    expect(box).to_have_attribute("aria-invalid", "true")
    box.fill("a*b + tanh(a)")
    expect(error).to_have_count(0)
    expect(box).to_have_attribute("aria-invalid", "false")
    expect(page.locator(".graph .node")).to_have_count(5)
    assert is_shown(value(page, "out").text_content(), in_torch("a*b + tanh(a)", {"a": 2, "b": 3})[0])


def test_an_unknown_function_suggests_the_nearest(page, open_lab):
    open_lab(page)
    expression_box(page).fill("tanhh(a)")
    expect(page.get_by_role("alert")).to_contain_text("tanh")


# --- known numbers -------------------------------------------------------------------------------------------


def test_the_tanh_neuron_is_shown_first(page, open_lab):
    open_lab(page)
    expect(value(page, "out")).to_have_text("0.7071")
    seen = graph(page)
    assert {name: seen["nodes"][name][1] for name in ("w1", "x1", "x2", "w2")} == {
        "w1": "1", "x1": "−1.5", "x2": "0.5", "w2": "0",
    }  # fmt: skip
    assert seen["inputs"] == {"x1": "−1.5", "w1": "1", "x2": "0.5", "w2": "0", "b": "0.5"}


def test_the_sigmoid_neuron_is_explained_step_by_step(page, open_lab):
    open_lab(page)
    page.get_by_role("button", name=NEURON).click()
    expect(value(page, "out")).to_have_text("0.1792")
    page.keyboard.press("r")
    expect(page.locator(".place")).to_have_text("21 steps")
    results = ["1", "−1.5", "−0.5", "−0.4", "0.401312", "−0.598688", "0.358427", "0.179213"]
    for i, result in enumerate(results):
        # Before a step, its result is nowhere on the page, neither in the graph nor in texts for screen readers.
        before = page.content()
        assert ("0.4013" in before) is (i > 4)
        assert "0.1792" not in before
        page.keyboard.press("ArrowRight")
        expect(page.locator(".sentence h3")).to_have_text(f"Forward · step {i + 1}")
        name = "out" if i == 7 else f"v{i + 1}"
        expect(sentence(page)).to_have_text(re.compile(rf"^{name} = .* = {re.escape(result)}$"))
        expect(node(page, name)).to_have_class(re.compile(r"\blit\b"))
        expect(value(page, name)).not_to_have_text("·")
        assert is_shown(value(page, name).text_content(), number(result))
    assert {grad for _, grad in graph(page)["nodes"].values()} == {"·"}
    page.keyboard.press("ArrowRight")
    expect(sentence(page)).to_have_text("out.grad = 1, because ∂out/∂out = 1")
    for i in range(12):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".sentence h3")).to_have_text(f"Backward · step {2 + i}")
        parent, after = re.fullmatch(r"(\w+)\.grad \+= .* → (\S+) \(was 0\)", sentence(page).text_content()).groups()
        expect(node(page, parent)).to_have_class(re.compile(r"\bback\b"))
        assert is_shown(gradient(page, parent).text_content(), number(after))
    expect(page.locator(".place")).to_have_text("backward 13 of 13")
    seen = graph(page)
    assert {name: seen["nodes"][name][1] for name in NEURON_INPUTS} == seen["inputs"] == NEURON_INPUTS


def test_a_value_used_twice_receives_both_contributions(page, open_lab):
    open_lab(page)
    page.get_by_role("button", name="a + a").click()
    expect(value(page, "out")).to_have_text("6")
    page.keyboard.press("r")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(gradient(page, "a")).to_have_text("1")
    page.keyboard.press("ArrowRight")
    expect(gradient(page, "a")).to_have_text("2")
    expect(sentence(page)).to_contain_text("a is used twice, so its gradients add up")
    page.keyboard.press("ArrowLeft")
    expect(gradient(page, "a")).to_have_text("1")
    page.keyboard.press("ArrowLeft")
    expect(gradient(page, "a")).to_have_text("·")


CASES = [(preset["expression"], preset["numbers"]) for preset in PRESETS]
CASES += [random_expression(seed) for seed in range(20)]


def test_the_numbers_on_the_page_agree_with_pytorch(page, open_lab):
    open_lab(page)
    expect(page.locator(".graph .node").first).to_be_visible()
    for expression, numbers in CASES:
        turn_to(page, **state(expression, numbers))
        expected = in_torch(expression, numbers)
        eventually(
            lambda expected=expected: agrees(graph(page), *expected),
            lambda case=(expression, numbers, expected): f"{case}, not {graph(page)}",
        )


def agrees(seen, result, gradients):
    return (
        seen["error"] is None
        and seen["inputs"].keys() == gradients.keys()
        and is_shown(seen["nodes"][seen["root"]][0], result)
        and all(is_shown(seen["nodes"][name][1], x) for name, x in gradients.items())
        and all(is_shown(seen["inputs"][name], x) for name, x in gradients.items())
    )


# --- sliders -------------------------------------------------------------------------------------------------


def test_a_slider_dragged_with_the_mouse_changes_value_and_gradients(page, open_lab):
    open_lab(page, "explore", **state("a*b", {"a": 2, "b": 3}))
    expect(value(page, "out")).to_have_text("6")
    slider = page.get_by_role("slider", name="a, slider")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.6, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, middle, steps=4)
    page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=4)
    page.mouse.up()
    moved = float(slider.input_value())
    assert 4 < moved < 10
    expect(page.get_by_role("textbox", name="a, number")).to_have_value(f"{moved:g}")
    eventually(lambda: is_shown(graph(page)["nodes"]["out"][0], 3 * moved))
    assert is_shown(gradient(page, "b").text_content(), moved)


def test_a_slider_moves_by_keys_and_the_step_stays(page, open_lab):
    open_lab(page, "explore", **state("a*a*b", {"a": 2, "b": 3}, at=3))
    slider = page.get_by_role("slider", name="a, slider")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(value(page, "a")).to_have_text("2.2")
    expect(slider).to_have_value("2.2")
    expect(page.locator(".place")).to_have_text("backward 1 of 5")
    page.keyboard.press("Home")
    expect(value(page, "a")).to_have_text("−10")
    expect(value(page, "out")).to_have_text("300")


def test_the_texts_of_this_and_later_steps_follow_the_slider(page, open_lab):
    open_lab(page, "explore", **state("a*b + a", {"a": 2, "b": 3}, at=1))
    expect(sentence(page)).to_have_text("v1 = a * b = 2 × 3 = 6")
    page.get_by_role("slider", name="a, slider").focus()
    for step in ("2.05", "2.1", "2.15", "2.2"):
        page.keyboard.press("ArrowRight")
        expect(sentence(page)).to_have_text(f"v1 = a * b = {step} × 3 = {float(step) * 3:g}")
    page.get_by_role("button", name="One step forward").click()
    expect(sentence(page)).to_have_text("out = v1 + a = 6.6 + 2.2 = 8.8")
    page.keyboard.press("End")
    expect(sentence(page)).to_have_text("b.grad += v1.grad · a = 1 · 2.2 → 2.2 (was 0)")
    node(page, "v1").hover()
    expect(page.get_by_test_id("details")).to_contain_text("v1=a·b=2.2·3=6.6")


def test_a_typed_number_is_used_and_invalid_text_is_an_error(page, open_lab):
    open_lab(page, "explore", **state("a*b", {"a": 2, "b": 3}))
    field, slider = page.get_by_role("textbox", name="a, number"), page.get_by_role("slider", name="a, slider")
    field.fill("-1.25")
    expect(value(page, "out")).to_have_text("−3.75")
    expect(gradient(page, "b")).to_have_text("−1.25")
    for wrong in ("", "abc", "1e9", "2..5"):
        field.fill(wrong)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_role("alert")).to_contain_text("a stays -1.25")
        expect(value(page, "out")).to_have_text("−3.75")
    field.blur()
    expect(field).to_have_value("-1.25")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert slider.get_attribute("max") == "10"
    field.fill("250")
    expect(value(page, "out")).to_have_text("750")
    expect(slider).to_have_attribute("max", "250")
    expect(slider).to_have_value("250")


def test_infinity_and_nan_are_written_and_never_used_as_coordinates(page, open_lab):
    open_lab(page, "explore", **state("1/a + log(b)", {"a": 0, "b": -1}))
    expect(value(page, "out")).to_have_text("NaN")
    seen = graph(page)["nodes"]
    assert "∞" in {x for x, _ in seen.values()}
    assert "NaN" not in page.locator(".graph").evaluate(
        "(svg) => svg.outerHTML.replace(/>[^<]*</g, '><').replace(/aria-label=\"[^\"]*\"/g, '')"
    )


# --- the player ----------------------------------------------------------------------------------------------

WATCH = """() => {
  window.lit = [];
  const look = () => {
    const now = document.querySelector(".sentence h3").textContent;
    const node = document.querySelector(".graph .node.lit, .graph .node.back")?.dataset.node ?? null;
    if (window.lit.length ? window.lit.at(-1)[0] !== now : now === "Start") window.lit.push([now, node]);
  };
  const what = { subtree: true, childList: true, characterData: true };
  new MutationObserver(look).observe(document.querySelector(".explore"), what);
}"""


def test_play_highlights_one_node_after_another_and_stops_at_the_end(page, open_lab):
    open_lab(page, "explore", **preset("square of a line"))
    expect(value(page, "out")).to_have_text("16")
    page.get_by_label("speed").select_option("4")
    page.evaluate(WATCH)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".place")).to_have_text("backward 6 of 6")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert page.evaluate("lit") == [
        ["Start", None],
        ["Forward · step 1", "v1"],
        ["Forward · step 2", "v2"],
        ["Forward · step 3", "out"],
        ["Backward begins · step 1", "out"],
        ["Backward · step 2", "v2"],
        ["Backward · step 3", "v1"],
        ["Backward · step 4", "c"],
        ["Backward · step 5", "a"],
        ["Backward · step 6", "b"],
    ]


def test_the_player_pauses_at_a_step_and_stays_there(new_context, open_lab):
    page = new_context().new_page()
    page.clock.install(time=0)  # the time of all pages of the profile goes on only when the test says so
    open_lab(page, "explore", **preset("diamond"))
    expect(gradient(page, "a")).to_have_text("14")
    page.clock.pause_at(10**6)
    page.keyboard.press("Space")
    page.clock.run_for(2500)  # two steps of 900 ms
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".place")).to_have_text("forward 2 of 3")
    page.keyboard.press("Space")
    page.clock.run_for(10_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".place")).to_have_text("forward 2 of 3")


def test_scrub_step_back_and_reset(page, open_lab):
    open_lab(page, "explore", **preset("diamond"))
    expect(gradient(page, "a")).to_have_text("14")
    scrub = page.get_by_role("slider", name="Step")
    scrub.fill("8")
    expect(gradient(page, "a")).to_have_text("14")
    scrub.fill("7")
    expect(gradient(page, "a")).to_have_text("4")
    back = page.get_by_role("button", name="One step back")
    back.click()
    expect(gradient(page, "a")).to_have_text(re.compile("10|·"))
    for _ in range(2):
        back.click()
    expect(gradient(page, "a")).to_have_text("·")
    page.keyboard.press("End")
    expect(gradient(page, "a")).to_have_text("14")
    page.keyboard.press("R")
    expect(page.locator(".graph .waiting")).to_have_count(3)
    expect(back).to_have_attribute("aria-disabled", "true")
    expect(sentence(page)).to_contain_text("The inputs are given")


def test_no_key_press_is_lost_however_fast_they_arrive(page, open_lab):
    open_lab(page, "explore", **preset(NEURON))
    expect(value(page, "out")).to_have_text("0.1792")
    press = "(key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))"
    page.evaluate(f"['r', ...Array(14).fill('ArrowRight'), 'ArrowLeft'].forEach({press})")
    expect(page.locator(".place")).to_have_text("backward 5 of 13")


# --- pointing ------------------------------------------------------------------------------------------------


def test_pointing_at_a_node_shows_value_gradient_rule_and_neighbors(page, open_lab):
    open_lab(page, "explore", **preset("square of a line"))
    node(page, "v1").hover()
    details = page.get_by_test_id("details")
    expect(details.locator("h3")).to_have_text("v1")
    rows = dict(zip(details.locator("dt").all_text_contents(), details.locator("dd").all_text_contents()))
    assert (rows["value"], rows["gradient"]) == ("−6", "8")
    assert (rows["operands"], rows["used by"]) == ("a, b", "v2")
    assert rows["computed as"] == "v1=a·b=2·(−3)=−6"
    assert details.locator("dt", has_text="derivative").count() == 2
    assert details.locator("dd", has_text="∂v1/∂a").text_content().endswith("b")
    near = page.locator(".graph .near")
    expect(near).to_have_count(3)
    assert {near.nth(i).get_attribute("data-node") for i in range(near.count())} == {"a", "b", "v2"}
    page.mouse.move(5, 5)
    expect(details).to_have_count(0)
    page.keyboard.press("r")
    node(page, "v1").hover()
    expect(details.get_by_text("not computed yet")).to_have_count(2)
    assert "−6" not in details.text_content()


POINT = """(path) => {
  const { x, y } = path.getPointAtLength(path.getTotalLength() * 0.4);
  const at = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());
  return [at.x, at.y];
}"""


def test_pointing_at_an_edge_shows_its_local_derivative(page, open_lab):
    open_lab(page, "explore", **preset("square of a line"))
    expect(value(page, "out")).to_have_text("16")
    page.keyboard.press("r")
    edges = page.locator(".graph .touch")
    seen, previous = {}, ""
    for i in range(edges.count()):
        page.mouse.move(*edges.nth(i).evaluate(POINT))
        details = page.get_by_test_id("details")
        expect(details.locator("h3")).not_to_have_text(previous)
        title = previous = details.locator("h3").text_content()
        seen[title] = details.locator("dd").first.text_content().rpartition("= ")[2]
        expect(page.locator(".graph .local text")).to_have_text(f"×{seen[title]}")
    assert seen == {"a → v1": "−3", "b → v1": "2", "v1 → v2": "1", "c → v2": "1", "v2 → out": "8"}


def test_gradients_can_be_hidden_everywhere_and_shown_again(page, open_lab):
    open_lab(page, "explore", **preset(NEURON))
    expect(gradient(page, "w1")).to_have_text("−0.2877")
    toggle = page.get_by_label("show gradients")
    toggle.uncheck()
    node(page, "w1").hover()
    for part in (".graph .grad", ".graph .bar", ".graph .flow", ".inputs .gradient", ".details dt:text('gradient')"):
        expect(page.locator(part)).to_have_count(0)
    expect(node(page, "w1")).not_to_have_attribute("aria-label", re.compile("gradient"))
    toggle.check()
    for name, text in NEURON_INPUTS.items():
        expect(gradient(page, name)).to_have_text(text)


# --- nudge ---------------------------------------------------------------------------------------------------


def test_a_nudge_compares_the_predicted_with_the_actual_change(page, open_lab):
    open_lab(page, "explore", **state("a**2 + b", {"a": 3, "b": 1}))
    nudge = page.get_by_role("region", name="Nudge")
    seen = page.get_by_test_id("nudge").locator("dd.number")
    nudge.get_by_label("by").fill("0.5")
    expect(seen).to_have_text(["3", "3.25", "0.25 7.7 %"])
    nudge.get_by_label("move").select_option("b")
    expect(seen).to_have_text(["0.5", "0.5", "0 exact"])
    nudge.get_by_label("by").fill("much")
    expect(nudge).to_contain_text("enter a number")
    nudge.get_by_label("by").fill("0.1")
    nudge.get_by_label("move").select_option("a")
    page.get_by_role("textbox", name="a, number").fill("5")
    expect(seen).to_have_text(["1", "1.01", re.compile(r"^0\.01 ")])
    expression_box(page).fill("a**3 + b")
    expect(seen.first).to_have_text("7.5")


def test_an_edge_shows_a_gradient_only_after_its_step(page, open_lab):
    open_lab(page, "explore", **preset("tanh neuron"), at=11)
    expect(gradient(page, "v1")).to_have_text("0.5")
    flows = page.locator(".graph .edge .flow.positive, .graph .edge .flow.negative")
    expect(flows).to_have_count(5)  # of nine edges
    page.keyboard.press("End")
    expect(flows).to_have_count(8)  # w2 receives 0


# The number of scenes that the engine has sent.
SCENES = "() => messages.received.filter(({ ok }) => ok?.scene).length"
FIRST_AND_LAST = f"""async () => {{
  const [frame, scenes] = [() => new Promise(requestAnimationFrame), {SCENES}];
  const count = scenes();
  const texts = () => [...document.querySelectorAll(".graph .data, .graph .grad")].map((text) => text.textContent);
  const [before, slider] = [texts(), document.querySelector("input[aria-label='w1, slider']")];
  slider.value = "0.5";
  slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
  for (let i = 0; i < 10; i++) await null; // still in the same task: no answer can arrive
  const first = texts();
  while (scenes() === count) await frame();
  for (let i = 0; i < 3; i++) await frame(); // the page paints the scene
  return [before, first, texts()];
}}"""


def test_a_move_shows_its_final_numbers_at_once(page, open_lab):
    """The page computes the numbers in the event that moves a slider; the scene of the engine changes none of them."""
    record_messages(page)
    open_lab(page, "explore", **preset(NEURON))
    expect(gradient(page, "w1")).to_have_text("−0.2877")
    count = page.evaluate(SCENES)
    page.get_by_role("slider", name="w1, slider").fill("1.5")
    expect(value(page, "w1")).to_have_text("1.5")
    eventually(lambda: page.evaluate(SCENES) > count)
    before, first, last = page.evaluate(FIRST_AND_LAST)
    assert first == last != before
