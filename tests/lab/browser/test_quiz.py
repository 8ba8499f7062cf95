"""The room Quiz in a browser: right and wrong answers, with the mouse and with the keyboard alone."""

import pytest
from messages import received, record_messages
from playwright.sync_api import Page, expect

from adjoint_lab.rooms.quiz.catalog import LESSON_TOPICS, next_question
from adjoint_lab.rooms.quiz.questions import Question

SEED = 5


def number_of_first(kind: str, level: int) -> int:
    """Return the number of the first question of a kind in the course."""
    return next(i for i in range(200) if next_question(SEED, i, level).kind == kind)


@pytest.fixture
def ask(page: Page, open_lab):
    """Open the quiz at a question of a kind, and return the question."""

    def open_question(kind: str, level: int = 3, **state) -> Question:
        number = number_of_first(kind, level)
        question = next_question(SEED, number, level)
        open_lab(page, "quiz", seed=SEED, number=number, level=level, **state)
        expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
        return question

    return open_question


def enter_answer(page: Page, question: Question, answer) -> None:
    if question.kind == "number":
        page.get_by_label("Your answer").fill(str(answer))
    elif question.kind == "order":
        for name in answer:
            page.locator(".ordered .left").get_by_role("button", name=name, exact=True).click()
    else:
        page.locator(f".option input[value='{answer}']").check()


def wrong_answer(question: Question):
    return question.right[::-1] if question.kind == "order" else question.wrong[0].answer


@pytest.mark.parametrize("kind", ["number", "choice", "node", "order"])
def test_a_right_answer_is_confirmed_and_explained(page: Page, ask, kind: str):
    question = ask(kind)
    enter_answer(page, question, question.right)
    page.get_by_role("button", name="Check").click()
    verdict = page.locator(".verdict")
    expect(verdict.get_by_role("heading")).to_have_text("Correct")
    expect(verdict).to_contain_text(question.because)
    for step in question.steps:
        expect(verdict.locator(".steps")).to_contain_text(step)
    expect(page.locator(".standing")).to_contain_text("1 of 1 correct")


@pytest.mark.parametrize("kind", ["number", "choice", "node", "order"])
def test_a_wrong_answer_names_the_misconception(page: Page, ask, kind: str):
    question = ask(kind)
    answer = wrong_answer(question)
    enter_answer(page, question, answer)
    page.get_by_role("button", name="Check").click()
    verdict = page.locator(".verdict")
    expect(verdict.get_by_role("heading")).to_have_text("Not quite")
    expect(verdict).to_contain_text(question.confusion(answer))
    expect(verdict).to_contain_text(question.text_of(question.right))
    expect(page.locator(".standing")).to_contain_text("0 of 1 correct")


def test_gradients_are_drawn_only_after_the_answer(page: Page, ask):
    question = ask("number", 3)
    assert question.target is not None
    node = page.locator(f".graph [data-node='{question.target.node}'] .grad")
    expect(node).to_have_text("?")
    page.get_by_role("button", name="Show answer").click()
    expect(page.locator(".verdict").get_by_role("heading")).to_have_text("The answer")
    expect(node).to_have_text(question.text_of(question.right))


def test_an_unreadable_answer_is_reported_and_can_be_corrected(page: Page, ask):
    question = ask("number")
    field = page.get_by_label("Your answer")
    field.fill("seven")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("cannot be read as a number")
    field.fill(str(question.right).replace("-", "−"))
    expect(page.get_by_role("alert")).to_have_count(0)
    field.press("Enter")
    expect(page.locator(".verdict h3")).to_have_text("Correct")


FOCUSED = "document.activeElement.value || document.activeElement.textContent"


def answer_by_keys(page: Page, question: Question) -> None:
    """Answer with key presses alone; each waits until the page shows the effect of the one before."""
    if question.kind == "number":
        # The page focuses the field together with showing the question: no key press may be lost.
        page.keyboard.type(str(question.right))
        expect(page.get_by_label("Your answer")).to_have_value(str(question.right))
        page.keyboard.press("Enter")
        return
    if question.kind == "choice":
        page.keyboard.press(str(question.right))
        expect(page.locator(f".option input[value='{question.right}']")).to_be_checked()
        page.keyboard.press("Enter")
        return
    page.locator(".ordered .left button, .options input").first.focus()
    names = question.right if question.kind == "order" else [question.right]
    for count, name in enumerate(names, 1):
        for _ in range(20):
            if page.evaluate(FOCUSED) == name:
                break
            page.keyboard.press("ArrowRight" if question.kind == "node" else "Tab")
        page.keyboard.press("Space")
        if question.kind == "order":
            expect(page.locator(".ordered .taken button")).to_have_count(count)
        else:
            expect(page.locator(f".option input[value='{name}']")).to_be_checked()
    page.locator("button[type=submit]").press("Enter")


def test_a_course_is_completed_with_the_keyboard_alone(page: Page, open_lab):
    open_lab(page, "quiz", seed=SEED, number=0, level=1)
    level = 1
    for number in range(7):
        question = next_question(SEED, number, level)
        expect(page.locator(".course")).to_contain_text(f"question {number + 1}")
        expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
        answer_by_keys(page, question)
        expect(page.locator(".verdict h3")).to_have_text("Correct")
        expect(page.get_by_role("button", name="Next question")).to_be_focused()
        level += (number + 1) % 3 == 0
        page.keyboard.press("Enter" if number % 2 else "n")
    expect(page.locator(".standing")).to_contain_text("7 of 7 correct")
    expect(page.locator(".standing")).to_contain_text("7 in a row")
    expect(page.get_by_label("Level")).to_have_value("3")


# The id of the element that has the focus at the moment when the prompt appears.
AT_ONCE = """() => new Promise((resolve) => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(".quiz .prompt")) return;
    watch.disconnect();
    resolve(document.activeElement.id);
  });
  watch.observe(document, { subtree: true, childList: true });
})"""


def test_the_number_field_has_the_focus_as_soon_as_its_question_is_visible(page: Page, open_lab):
    page.add_init_script(f"window.focusedFirst = ({AT_ONCE})()")
    open_lab(page, "quiz", seed=SEED, number=number_of_first("number", 3), level=3)
    assert page.evaluate("focusedFirst") == "quiz-answer"


def test_a_node_can_be_chosen_in_the_graph(page: Page, ask):
    question = ask("node")
    page.locator(f".graph [data-node='{question.right}']").click()
    expect(page.locator(f".option input[value='{question.right}']")).to_be_checked()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".verdict h3")).to_have_text("Correct")


def test_a_shared_address_shows_the_same_question_and_score(page: Page, context, ask):
    question = ask("choice", 2, right=4, asked=6, streak=2)
    page.locator(".option input").first.check()
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".quiz .prompt")).to_have_text(question.prompt)
    expect(other.locator(".standing")).to_contain_text("4 of 6 correct")
    expect(other.locator(".option .said")).to_have_count(len(question.options))
    page.reload()
    expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)


@pytest.mark.parametrize("state", [{"seed": "x"}, {"level": 9}, {"number": -1}, {"seed": 10**9, "right": "<b>"}])
def test_an_invalid_address_starts_a_new_course(page: Page, open_lab, state):
    open_lab(page, "quiz", **state)
    expect(page.locator(".quiz .prompt")).to_be_visible()
    page.wait_for_function(r"() => /seed=\d+&number=0&/.test(location.hash)")


@pytest.mark.parametrize("lesson", ["nudge", "gpt"])
def test_a_lesson_opens_its_own_questions(page: Page, open_lab, lesson: str):
    open_lab(page, "quiz", lesson=lesson, seed=SEED)
    names = {template.name for template in LESSON_TOPICS[lesson].templates}
    for number in range(3):
        question = next_question(SEED, number, 1, [lesson])
        assert question.id.partition(".")[0] in names
        expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
        page.get_by_role("button", name="Skip").click()
    expect(page.locator(".topics summary")).to_contain_text(f"lesson “{LESSON_TOPICS[lesson].title}”")
    page.wait_for_function("(name) => location.hash.startsWith(`#quiz?lesson=${name}&`)", arg=lesson)


def test_topics_are_chosen_in_the_room_and_remembered_in_the_address(page: Page, open_lab):
    open_lab(page, "quiz", seed=SEED)
    page.locator(".topics summary").click()
    page.get_by_role("checkbox", name="Arrays").check()
    expect(page.locator(".quiz .prompt")).to_have_text(next_question(SEED, 0, 1, ["arrays"]).prompt)
    page.get_by_role("checkbox", name="Ideas").check()
    question = next_question(SEED, 0, 1, ["arrays", "ideas"])
    expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
    page.wait_for_function("() => location.hash.startsWith('#quiz?topic=arrays,ideas&')")
    page.reload()
    expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
    expect(page.locator(".topics summary")).to_contain_text("Arrays, Ideas")
    page.locator(".topics summary").click()
    page.get_by_label("or a lesson").select_option("xor")
    expect(page.get_by_role("checkbox", name="Arrays")).not_to_be_checked()
    page.wait_for_function("() => location.hash.startsWith('#quiz?lesson=xor&')")
    page.get_by_role("button", name="All topics").click()
    expect(page.locator(".topics summary")).to_contain_text("all topics")
    expect(page.locator(".quiz .prompt")).to_have_text(next_question(SEED, 0, 1).prompt)


def test_an_unknown_topic_is_reported_and_all_topics_are_asked(page: Page, open_lab):
    open_lab(page, "quiz", topic="chian", seed=SEED)
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'chain'")
    expect(page.locator(".quiz .prompt")).to_have_text(next_question(SEED, 0, 1).prompt)


def test_skipping_does_not_count_and_a_new_course_resets_the_score(page: Page, ask):
    ask("number", 2, right=3, asked=5)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".standing")).to_contain_text("3 of 5 correct")
    expect(page.locator(".course")).to_contain_text(f"question {number_of_first('number', 2) + 2}")
    page.get_by_role("button", name="New course").click()
    expect(page.locator(".standing")).to_contain_text("0 of 0 correct")
    expect(page.locator(".course")).to_contain_text("question 1")


def test_the_level_can_be_chosen(page: Page, ask):
    ask("number", 2)
    page.get_by_label("Level").select_option("5")
    expect(page.locator(".about")).to_contain_text("Level 5")


@pytest.mark.parametrize("kind", ["number", "choice", "node", "order"])
def test_everything_fits_on_a_narrow_screen(page: Page, ask, kind: str):
    page.set_viewport_size({"width": 360, "height": 740})
    question = ask(kind)
    enter_answer(page, question, question.right)
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    sizes = page.evaluate(
        "[...document.querySelectorAll('.quiz button, .quiz .option')].map(x => x.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 24


def test_the_verdict_is_announced_to_screen_readers(page: Page, ask):
    question = ask("number")
    live = page.locator(".ask > [aria-live=polite]")
    expect(live).to_be_empty()
    enter_answer(page, question, question.right)
    page.get_by_label("Your answer").press("Enter")
    expect(live).to_contain_text("Correct")


def test_the_page_does_not_receive_the_answer_in_advance(page: Page, open_lab):
    number = number_of_first("number", 3)
    question = next_question(SEED, number, 3)
    record_messages(page)
    open_lab(page, "quiz", seed=SEED, number=number, level=3)
    expect(page.locator(".quiz .prompt")).to_have_text(question.prompt)
    asked = next(message["ok"]["question"] for message in received(page) if "question" in message.get("ok", {}))
    assert asked["prompt"] == question.prompt
    assert all(node["grad"] is None for node in asked["scene"]["nodes"])
