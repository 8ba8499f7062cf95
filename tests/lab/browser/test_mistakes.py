"""The room Mistakes, as a person uses it."""

import pytest
from playwright.sync_api import expect
from serving import eventually

from adjoint.lab.faults import FAULTS

SAID = {
    "unzeroed": "Call optimizer.zero_grad() once in each step",
    "assigned": "by central differences",
    "fast": "the loss became",
    "slow": "one part in",
    "zeros": "no gradient",
    "equal": "differ by at most 0",
    "dead": "dead",
    "vanishing": "vanishing",
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_mistake_shows_what_happens_and_what_would_have_told(page, open_lab, name):
    open_lab(page, "mistakes")
    page.get_by_role("button", name=FAULTS[name].title).click()
    expect(page.get_by_role("heading", name=FAULTS[name].title)).to_be_visible()
    expect(page.get_by_test_id("finding")).to_contain_text(SAID[name], timeout=40_000)
    expect(page.get_by_test_id("story")).to_contain_text("in the healthy training it is")
    expect(page.locator("code.now")).to_contain_text(FAULTS[name].wrong)
    eventually(lambda: page.evaluate("location.hash") == f"#mistakes?mistake={name}")


def test_the_switch_mends_the_training_while_it_runs(page, open_lab):
    open_lab(page, "mistakes", mistake="unzeroed")
    switch = page.get_by_role("switch")
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(page.get_by_role("heading", name="Mended")).to_be_visible()
    expect(switch).to_have_attribute("aria-checked", "false")


def test_it_is_played_and_reset_by_the_keyboard(page, open_lab):
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
