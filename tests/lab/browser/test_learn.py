"""The room Learn in a browser: a newcomer solves the first exercise, and the whole course can be solved."""

import pytest
from accessibility import violations
from playwright.sync_api import Page, expect
from serving import lab_process

from adjoint_learn.course import load

COURSE = load()
FIRST = COURSE.exercises[0]


def outcome(page: Page):
    return page.get_by_test_id("outcome")


def write(page: Page, program: str) -> None:
    """Put a program into the editor, as pasting does."""
    page.get_by_role("textbox", name="Program").focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(program)


def focused(page: Page) -> str:
    return page.evaluate(
        "() => { let at = document.activeElement;"
        "  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
        "  return at.getAttribute('aria-label') ?? at.textContent.trim(); }"
    )


def tab_to(page: Page, name: str, most: int = 60) -> None:
    """Press Tab until the focused element has a name."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if focused(page).startswith(name):
            return
    raise AssertionError(f"Tab did not reach {name}")


def test_a_newcomer_solves_the_first_exercise_with_the_keyboard_alone(page, open_lab):
    open_lab(page, "learn")
    expect(page.get_by_role("heading", name=COURSE.lessons[0].title, exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=FIRST.title).last).to_be_visible()
    page.wait_for_function("(name) => location.hash === `#learn?exercise=${name}`", arg=FIRST.name)

    # A wrong answer gets the message of its author.
    tab_to(page, "Program")
    wrong = FIRST.wrong_answers[0]
    write(page, wrong.source)
    page.keyboard.press("Control+Enter")
    expect(outcome(page)).to_contain_text(plain(wrong.advice)[:60])

    # An exception is marked at the learner's line. Typing over the whole text also works.
    page.keyboard.press("Control+A")
    page.keyboard.type("def slope(f, x):\nreturn 1 / 0\n")  # the editor indents
    page.keyboard.press("Control+Enter")
    expect(outcome(page)).to_contain_text("ZeroDivisionError")
    expect(page.locator(".cm-problem")).to_have_text("    return 1 / 0")

    # Tab indents; Escape and then Tab leaves the editor and reaches the buttons.
    write(page, FIRST.solution)
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    expect(page.locator(".cm-line").first).to_have_text(f"    {FIRST.solution.splitlines()[0]}")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    tab_to(page, "Hint", 3)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Hints")).to_contain_text(plain(FIRST.hints[0])[:30])
    page.keyboard.press("Control+Enter")
    expect(outcome(page)).to_contain_text("Solved")
    expect(outcome(page)).to_contain_text(plain(FIRST.why)[:40])
    assert violations(page) == []

    # It is remembered, and the course continues. The focus follows when its button is gone.
    tab_to(page, "Continue")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=COURSE.exercises[1].title).last).to_be_focused()
    page.wait_for_function("(name) => location.hash === `#learn?exercise=${name}`", arg=COURSE.exercises[1].name)
    page.reload()
    expect(page.get_by_role("heading", name=COURSE.exercises[1].title).last).to_be_visible()
    page.get_by_role("button", name="Next lesson").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Lesson 2", exact=True)).to_be_focused()
    page.go_back()
    expect(page.get_by_role("heading", name=COURSE.exercises[1].title).last).to_be_visible()
    open_lab(page, "learn", view="course")
    expect(page.get_by_role("link", name=FIRST.title).locator("..")).to_contain_text("solved")
    assert violations(page) == []


def plain(markdown: str) -> str:
    return markdown.replace("`", "").replace("*", "").replace("_", "")


def test_the_solution_needs_a_second_request_and_a_reset_keeps_the_text(new_context, open_lab):
    page = new_context(color_scheme="dark", viewport={"width": 360, "height": 740}).new_page()
    open_lab(page, "learn", exercise=FIRST.name)
    write(page, "mine = 1")
    page.get_by_role("button", name="Solution").click()
    expect(page.get_by_test_id("ask-again")).to_be_visible()
    expect(page.get_by_role("region", name="Solution")).to_have_count(0)
    page.get_by_role("button", name="Show it anyway").click()
    expect(page.get_by_role("region", name="Solution")).to_be_visible()
    editor = page.get_by_role("textbox", name="Program")
    page.get_by_role("button", name="Reset").click()
    expect(editor).to_contain_text("TODO")
    page.get_by_role("button", name="Undo reset").click()
    expect(editor).to_have_text("mine = 1")
    page.reload()
    expect(editor).to_have_text("mine = 1")

    # An endless loop can be stopped.
    write(page, "while True: pass")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Stop").click()
    expect(outcome(page)).to_contain_text("You stopped the program.")
    expect(page.get_by_role("button", name="Check")).to_be_visible()
    assert violations(page) == []


# Moves f to 1 and returns the result at the end of the same task, when no answer of the server can have arrived.
MOVE_F = """async (figure) => {
  const slider = [...figure.querySelectorAll("label.slider")].find((label) => label.textContent.startsWith("f"));
  slider.querySelector("input").value = "1";
  slider.querySelector("input").dispatchEvent(new Event("input", { bubbles: true }));
  for (let i = 0; i < 20; i++) await null;
  return figure.querySelector(".node.root .data").textContent;
}"""


def test_links_lead_to_the_rooms_and_back_and_graphs_follow_their_sliders(page, open_lab):
    open_lab(page, "learn", lesson=1)
    page.locator(".text a[href^='#explore']").last.click()
    expect(page.locator(".node").first).to_be_visible()
    page.wait_for_function("() => location.hash.startsWith('#explore') && location.hash.includes('learn=1')")
    page.reload()
    page.get_by_role("link", name="Back to lesson 1").click()
    expect(page.get_by_role("heading", name=COURSE.lessons[0].title, exact=True)).to_be_visible()
    place = page.locator(".text a[href^='#explore']").last
    place.click()
    page.get_by_role("link", name="Back to lesson 1").click()
    expect(place).to_be_in_viewport()  # the text is where it was left

    open_lab(page, "learn", lesson="chain_rule")
    figure = page.locator("figure.live").first
    expect(figure.locator(".node.root")).to_contain_text("−8")
    assert figure.evaluate(MOVE_F) == "4"
    expect(figure.locator(".node.root")).to_contain_text("4")
    figure.get_by_role("link", name="Open in Explore").click()
    expect(page.locator(".node.root")).to_contain_text("4")


def test_a_lab_that_others_can_reach_shows_the_text_and_says_why_programs_do_not_run(new_context):
    with lab_process("--allow-remote") as (lab, _):
        page = new_context(at=lab).new_page()
        page.goto(lab.address("learn"))
        expect(page.get_by_role("note")).to_contain_text("--allow-code")
        expect(page.get_by_role("button", name="Check")).to_be_disabled()
        page.close()


@pytest.mark.long
@pytest.mark.full
def test_the_whole_course_can_be_solved(page, open_lab):
    open_lab(page, "learn")
    for i, exercise in enumerate(COURSE.exercises):
        expect(page.locator("#work-title")).to_have_text(exercise.title)
        write(page, exercise.solution)
        page.keyboard.press("Control+Enter")
        expect(outcome(page).or_(page.get_by_role("alert"))).to_be_visible()
        missing = outcome(page).get_by_text("This exercise needs")
        if missing.count():  # a library that is not installed
            assert exercise.needs
            page.get_by_role("button", name="Next →").click()
            continue
        expect(outcome(page)).to_contain_text("Solved")
        assert "our" not in (outcome(page).locator("p.small").all_inner_texts() or [""])[-1]
        if i + 1 < len(COURSE.exercises):
            outcome(page).get_by_role("button").click()
    page.get_by_role("button", name="All lessons", exact=True).click()
    solved = page.locator(".entry .tick.solved")
    needed = sum(not exercise.needs for exercise in COURSE.exercises)
    expect(solved.nth(needed - 1)).to_be_visible()
