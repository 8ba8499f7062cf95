"""The room Mistakes in a browser."""

import pytest
from playwright.sync_api import expect

from adjoint_lab.faults import FAULTS

# A mistake that a guard reports, one that a check finds, and two in the initial weights; tests/lab/rooms has them all.
FINDINGS = {
    "unzeroed": "Call optimizer.zero_grad() once in each step",
    "assigned": "by central differences",
    "zeros": "no gradient",
    "exploding": "exploding",
}


@pytest.mark.parametrize("name", FINDINGS)
def test_a_mistake_shows_its_symptoms_and_how_to_find_it(page, open_lab, name):
    open_lab(page, "mistakes")
    for fault in FAULTS.values():
        expect(page.get_by_role("button", name=fault.title)).to_be_visible()
    page.get_by_role("button", name=FAULTS[name].title).click()
    expect(page.get_by_role("heading", name=FAULTS[name].title)).to_be_visible()
    expect(page.get_by_test_id("finding")).to_contain_text(FINDINGS[name])
    expect(page.get_by_test_id("story")).to_contain_text("in the healthy run it is")
    expect(page.locator("code.now")).to_contain_text(FAULTS[name].wrong)
    page.wait_for_function("(name) => location.hash === `#mistakes?mistake=${name}`", arg=name)


def test_the_switch_repairs_the_training_while_it_runs(page, open_lab):
    open_lab(page, "mistakes", mistake="unzeroed")
    switch = page.get_by_role("switch")
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(page.get_by_role("heading", name="Fixed")).to_be_visible()
    expect(switch).to_have_attribute("aria-checked", "false")


def test_the_keyboard_plays_pauses_resets_and_steps(page, open_lab):
    open_lab(page, "mistakes", mistake="slow")
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    page.keyboard.press("r")
    expect(page.get_by_test_id("mistake-step")).to_have_text("step 0 of 300")
    page.keyboard.press("s")
    expect(page.get_by_test_id("mistake-step")).to_have_text("step 1 of 300")


def test_everything_fits_on_a_narrow_screen(page, open_lab):
    page.set_viewport_size({"width": 360, "height": 740})
    open_lab(page, "mistakes")
    expect(page.get_by_test_id("story")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
