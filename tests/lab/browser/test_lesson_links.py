"""Every lesson fits on a narrow screen, and each of its links to the lab opens the state that it names."""

from urllib.parse import parse_qsl

from messages import record_messages
from playwright.sync_api import expect
from serving import eventually

from adjoint_learn.course import load
from adjoint_learn.lesson_text import lab_states

COURSE = load()


# Whether the lab has answered the last request of a page, and the errors among the answers.
IS_ANSWERED = """(before) => {
    const last = messages.sent.at(-1).id;
    return before < last && messages.received.some(({ id }) => id === last);
}"""
ERRORS = "() => messages.received.map(({ error }) => error).filter(Boolean)"
OPEN = """(address) => new Promise((resolve) => {
    addEventListener("hashchange", () => resolve(history.replaceState(null, "", "#")), { once: true });
    location.hash = address;
})"""
# Rooms write their state to the address after a delay, and leave out what they do not know.
IS_RESTORED = """(expected) => {
    dispatchEvent(new Event("pagehide"));
    const [room, query] = location.hash.split("?");
    const found = new URLSearchParams(query);
    return room === expected.room && expected.parameters.every(([name, text]) => found.get(name) === text);
}"""


def test_every_lesson_fits_on_a_narrow_screen_and_its_links_open_their_states(new_context, open_lab):
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    record_messages(page)
    open_lab(page, "learn", view="course")
    links = []
    for lesson in COURSE.lessons:
        page.evaluate("(address) => { location.hash = address }", f"#learn?lesson={lesson.name}")
        page.wait_for_selector(f"article[aria-label^='Lesson {lesson.number}:']")
        assert page.evaluate("document.documentElement.scrollWidth") == 360, lesson.name
        found = page.locator(".text a[href^='#']:not(figure a)")
        links += found.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    written = [state for path in COURSE.folder.glob("*/lesson.md") for state in lab_states(path.read_text("utf-8"))]
    assert len(links) == len(written) > 20

    for link in links:
        room, _, query = link.partition("?")
        before = page.evaluate("messages.sent.at(-1).id")
        page.evaluate(OPEN, link)
        expected = {"room": room, "parameters": parse_qsl(query)}
        eventually(lambda: page.evaluate(IS_RESTORED, expected), lambda: f"{link} became {page.url}")  # noqa: B023
        eventually(lambda: page.evaluate(IS_ANSWERED, before))  # noqa: B023
        assert page.evaluate(ERRORS) == [], link
        expect(page.get_by_role("alert"), link).to_have_count(0)
        tab = page.get_by_role("tab", selected=True)
        assert tab.evaluate("tab => tab.scrollWidth <= tab.clientWidth"), f"the name of the room does not fit: {link}"

    page.evaluate("(address) => { location.hash = address }", f"#train?data={'x' * 60}")
    expect(page.get_by_role("alert")).to_contain_text("unknown dataset")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
