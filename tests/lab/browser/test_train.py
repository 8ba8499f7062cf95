"""The room Train in a browser: with the mouse, with the keyboard, and from a shared address."""

import math
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from adjoint_lab.configurations import Configuration
from adjoint_lab.experiments import Experiment


def text_of(page: Page, name: str) -> str:
    return page.get_by_test_id(name).inner_text()


@pytest.fixture
def train(page, open_lab):
    """Open the room Train: `train(data="moons", steps=5)`."""

    def open_room(**state):
        open_lab(page, "train", **state)
        page.get_by_role("region", name="Network").wait_for()
        return page

    return open_room


def wait_for_steps(page: Page, least: int) -> None:
    page.wait_for_function(
        "least => Number((document.querySelector('.standing dd')?.textContent ?? '').replace(/,/g, '')) >= least",
        arg=least,
    )


def click_at(page: Page, across: float, down: float) -> None:
    box = page.locator(".output .plane").bounding_box()
    assert box
    page.locator(".output .plane").click(position={"x": across * box["width"], "y": down * box["height"]})


def test_xor_is_learned_after_one_click_and_play(train):
    page = train(data="moons")
    page.get_by_role("button", name="XOR").click()
    expect(page.get_by_test_id("train-accuracy")).to_have_text("2 of 4")
    page.get_by_role("button", name="Play (Space)").click()
    expect(page.get_by_test_id("train-accuracy")).to_have_text("4 of 4")
    page.get_by_role("button", name="Pause (Space)").click()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    page.wait_for_function("() => /data=xor.*steps=\\d+/.test(location.hash)")


def test_the_buttons_take_a_step_take_an_epoch_and_reset(train):
    page = train(data="moons", samples=20, held_out=0, batch_size=5)
    page.get_by_role("button", name="Step", exact=True).click()
    wait_for_steps(page, 1)
    page.get_by_role("button", name="Epoch", exact=True).click()
    wait_for_steps(page, 4)
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    expect(page.locator(".standing dd").first).to_have_text("4")
    page.get_by_role("button", name="Reset: start over with the same initial weights (R)").click()
    expect(page.locator(".standing dd").first).to_have_text("0")


def test_a_shared_address_shows_the_same_network(train, context, open_lab):
    page = train(data="circles", samples=20, hidden="3", engine="scalar", batch_size=5)
    for _ in range(3):
        page.keyboard.press("s")
    wait_for_steps(page, 3)
    page.get_by_role("button", name="Increase learning rate").click()
    click_at(page, 0.5, 0.3)
    expect(page.get_by_text("16 training samples")).to_be_visible()
    page.keyboard.press("s")
    wait_for_steps(page, 4)
    page.wait_for_function("() => location.hash.includes('steps=4')")
    page.wait_for_function("() => location.hash.includes('changes=')")
    loss, fragment = text_of(page, "train-loss"), page.evaluate("location.hash")
    page.reload()
    wait_for_steps(page, 4)
    expect(page.get_by_test_id("train-loss")).to_have_text(loss)
    expect(page.get_by_text("16 training samples")).to_be_visible()
    page.wait_for_function("(fragment) => location.hash === fragment", arg=fragment)


def test_layers_and_neurons_are_added_and_removed(train):
    page = train(data="xor")
    expect(page.get_by_role("heading", name="2 – 4 – 1")).to_be_visible()
    page.get_by_role("button", name="Add a hidden layer").click()
    expect(page.get_by_role("heading", name="2 – 4 – 4 – 1")).to_be_visible()
    page.get_by_role("button", name="Remove a neuron from layer 2").click()
    expect(page.get_by_role("heading", name="2 – 4 – 3 – 1")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Neuron . of layer 2$"))).to_have_count(3)
    for sizes in ("2 – 4 – 1", "2 – 1"):  # a click removes a layer of the network that is shown
        page.get_by_role("button", name="Remove a hidden layer").click()
        expect(page.get_by_role("heading", name=sizes)).to_be_visible()
    expect(page.get_by_role("button", name="Remove a hidden layer")).to_be_disabled()


def test_points_are_added_by_click_or_by_coordinates_and_removed_by_undo(train):
    page = train(data="points")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_disabled()
    click_at(page, 0.25, 0.5)
    expect(page.get_by_text("1 training samples")).to_be_visible()
    page.get_by_role("button", name="class 1").click()
    page.get_by_label("x1", exact=True).fill("0.6")
    page.get_by_label("x2", exact=True).fill("0")
    page.get_by_label("x2", exact=True).press("Enter")
    expect(page.get_by_text("2 training samples")).to_be_visible()
    page.get_by_role("button", name="Play (Space)").click()
    expect(page.get_by_test_id("train-accuracy")).to_have_text("2 of 2")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 training samples")).to_be_visible()


def test_a_point_outside_the_plane_is_an_error(train):
    page = train(data="xor")
    page.get_by_label("x1", exact=True).fill("9")
    page.get_by_label("x2", exact=True).fill("9")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("outside the plane; x1 must be from")


def test_a_hovered_or_focused_neuron_is_shown_large(train):
    page = train(data="xor")
    page.get_by_role("button", name="Neuron 2 of layer 1").hover()
    expect(page.get_by_role("heading", name="Response of neuron 2 of layer 1")).to_be_visible()
    page.mouse.move(0, 0)
    expect(page.get_by_role("heading", name="Prediction of the network")).to_be_visible()
    page.get_by_role("button", name="Neuron 3 of layer 1").focus()
    expect(page.get_by_role("heading", name="Response of neuron 3 of layer 1")).to_be_visible()
    expect(page.locator(".pointed")).to_contain_text("weights")


def test_a_clicked_sample_opens_in_explore(train):
    page = train(data="xor")
    click_at(page, 0.12 / 1.24, 1.12 / 1.24)  # the corner (0, 0)
    expect(page.get_by_role("heading", name="Sample 1 of xor: (0, 0), class 0")).to_be_visible()
    expect(page.get_by_role("tab", name="Explore")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("step-text")).to_be_visible()
    page.get_by_role("button", name="Back to Train").click()
    expect(page.get_by_role("region", name="Network")).to_be_visible()
    page.get_by_role("tab", name="Explore").click()
    page.get_by_role("button", name="Explore an expression").click()
    expect(page.get_by_role("region", name="Expression")).to_be_visible()


def test_the_graph_of_a_sample_is_restored_from_its_address_and_exported(train, context, open_lab):
    page = train(data="circles", samples=20, hidden="2", batch_size=5, steps=3)
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Sample 1 of circles").wait_for()
    scrub = page.get_by_role("slider", name="Step")
    at = int(scrub.get_attribute("max") or 0) - 3
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(scrub).to_have_value(str(at))
    page.wait_for_function("(at) => location.hash.includes(`at=${at}`)", arg=at)
    before = page.get_by_test_id("step-text").text_content()
    values = page.locator(".graph .data").all_text_contents()
    state = dict(parse_qsl(page.evaluate("location.hash").partition("?")[2]))
    assert {"sample": "0", "steps": "3"}.items() <= state.items()
    again = open_lab(context.new_page(), "explore", **state)  # in another session of the lab, which trains again
    expect(again.get_by_role("heading", name="Sample 1 of circles")).to_be_visible()
    expect(again.get_by_test_id("step-text")).to_have_text(before)
    expect(again.locator(".graph .data")).to_have_text(values)
    with again.expect_download() as download:
        again.get_by_role("button", name="HTML", exact=True).click()
    assert "Sample 1 of circles" in Path(download.value.path()).read_text(encoding="utf-8")


def test_samples_are_reached_with_the_keyboard_alone(train):
    page = train(data="xor")
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#probe")).to_contain_text("Sample 2")
    expect(page.locator("#probe")).to_contain_text("score")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sample 2 of xor: (0, 1), class 1")).to_be_visible()


def test_a_network_is_trained_with_the_keyboard_alone(train):
    page = train(data="xor")
    page.keyboard.press(" ")
    expect(page.get_by_test_id("train-accuracy")).to_have_text("4 of 4")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    page.keyboard.press("r")
    expect(page.locator(".standing dd").first).to_have_text("0")


def test_the_cases_of_a_small_data_set_are_a_table(train):
    page = train(data="four_points", steps=40, case=3)
    table = page.get_by_role("region", name="Cases")
    row = table.get_by_role("row", name="Case 3")
    expect(row.get_by_role("cell")).to_have_text(
        ["0.5", "1", "1", re.compile(r"^−0\.\d+$"), re.compile("−1"), re.compile("yes")]
    )
    expect(table.get_by_role("heading", name="Activations for case 3")).to_be_visible()
    expect(page.locator(".pointed")).to_contain_text("the activation of a neuron for case 3")
    expect(page.get_by_role("application")).to_have_count(0)  # three inputs have no plane
    before = text_of(page, "output-3")
    page.keyboard.press("s")
    expect(page.get_by_test_id("output-3")).not_to_have_text(before)
    table.get_by_role("button", name="Case 1").click()
    page.wait_for_function("() => location.hash === '#train?data=four_points&steps=41&case=1'")
    table.get_by_role("button", name="Graph in Explore").click()
    expect(page.get_by_role("heading", name="Sample 1 of four_points: (2, 3, -1), class 1")).to_be_visible()
    page.get_by_role("button", name="Back to Train").click()
    page.get_by_role("button", name="XOR").click()
    expect(page.get_by_test_id("output-1")).to_have_text(re.compile(r"^0\.\d{3}$"))
    expect(page.get_by_role("application")).to_be_visible()


COLORS = """(canvas, places) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const first = ([x, y]) => 4 * (Math.round(y * canvas.height) * canvas.width + Math.round(x * canvas.width));
  return places.map((place) => [...data.slice(first(place), first(place) + 3)]);
}"""


def test_the_page_computes_what_the_engine_computes(train):
    page = train(data="xor", steps=60, activation="gelu", seed=1)
    wait_for_steps(page, 60)
    experiment = Experiment(Configuration.read({"dataset": "xor", "activation": "gelu", "seed": 1}))
    for _ in range(60):
        experiment.step()
    network, corners = experiment.scalar_network(), [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    scores = [network([*corner]).data for corner in corners]
    for i, score in enumerate(scores, 1):
        expect(page.get_by_test_id(f"output-{i}")).to_have_text(f"{1 / (1 + math.exp(-score)):.3f}")
    places = [((x1 + 0.12) / 1.24, (1.12 - x2) / 1.24) for x1, x2 in corners]
    colors = page.locator(".output canvas").evaluate(COLORS, places)
    # A positive score is orange, and a negative one is blue.
    assert [red > blue for red, _, blue in colors] == [score > 0 for score in scores]
    page.get_by_role("application").focus()
    for i, score in enumerate(scores, 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#probe")).to_contain_text(f"Sample {i}")
        shown = page.locator("#probe").inner_text().partition("score")[2].partition(":")[0].replace("−", "-")
        assert float(shown) == pytest.approx(score, rel=5e-3)


def test_a_csv_file_is_loaded_and_a_broken_one_names_the_place(train):
    page = train()
    table = page.get_by_label("CSV file")
    text = b"x1,x2,class\n0,0,5\n1,1,7\n0,1,5\n1,0,7\n2,2,7\n"
    table.set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": text})
    expect(page.get_by_role("button", name="class 7")).to_be_visible()
    table.set_input_files({"name": "broken.csv", "mimeType": "text/csv", "buffer": b"0,0,1\n1,x,0\n"})
    expect(page.get_by_role("alert")).to_contain_text("broken.csv, line 2, column 2")


def test_all_engines_are_measured(train, lab):
    page = train(data="moons", hidden="4", samples=20)
    page.get_by_role("button", name="Measure all").click()
    engines = ["scalar", "compiled", "array"][: 3 if lab.has_arrays else 2]
    for engine in engines:
        expect(page.get_by_test_id(f"rate-{engine}")).to_have_text(re.compile(r"^[\d,.]+$"))
    expect(page.locator("[data-testid^=rate]")).to_have_count(len(engines))
    expect(page.get_by_role("region", name="Engines")).to_contain_text("times as fast as the scalar engine")
    expect(page.get_by_role("region", name="Engines")).to_contain_text("Compiling took")
    expect(page.get_by_text("The array engine needs NumPy")).to_have_count(int(not lab.has_arrays))
    if not lab.has_arrays:  # an address of a lab that has the engine
        train(data="moons", samples=20, engine="array", steps=2)
        wait_for_steps(page, 2)
        expect(page.get_by_role("combobox", name="Engine")).to_have_value("compiled")
        expect(page.get_by_text("This run uses the engine compiled.")).to_be_visible()


def test_another_engine_continues_the_run(train):
    page = train(data="moons", hidden="3", samples=12, held_out=0, batch_size=4, steps=2)
    wait_for_steps(page, 2)
    loss = text_of(page, "train-loss")
    page.get_by_role("combobox", name="Engine").select_option("compiled")
    page.wait_for_function('() => decodeURIComponent(location.hash).includes(\'"engine":"compiled"\')')
    assert text_of(page, "train-loss") == loss
    assert page.locator(".standing dd").first.inner_text() == "2"
    page.get_by_role("button", name="Step", exact=True).click()
    wait_for_steps(page, 3)
    expect(page.get_by_role("region", name="Engines")).to_contain_text("Compiling took")
    after = text_of(page, "train-loss")
    page.wait_for_function("() => location.hash.includes('steps=3')")
    page.reload()
    page.get_by_role("region", name="Network").wait_for()
    wait_for_steps(page, 3)
    expect(page.get_by_role("combobox", name="Engine")).to_have_value("compiled")
    assert text_of(page, "train-loss") == after


def test_a_diverging_run_says_why(train):
    page = train(data="moons", loss="mse", optimizer="sgd", lr=1e5, activation="relu", samples=20)
    page.keyboard.press(" ")
    expect(page.get_by_role("alert")).to_contain_text("the loss became")
    expect(page.get_by_role("alert")).to_contain_text("The learning rate is often too high")


def test_an_invalid_address_is_an_error(train):
    page = train(data="moons", hidden="99")
    expect(page.get_by_role("alert")).to_contain_text("neurons must be a whole number from 1 to 16")


def test_everything_fits_on_a_narrow_screen(train, page):
    page.set_viewport_size({"width": 360, "height": 740})
    train(data="moons")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
