"""Every lesson fits on a narrow screen, and each of its links to the lab opens the state that it names."""

import json
from urllib.parse import parse_qsl

from playwright.sync_api import Page, expect
from serving import eventually

from adjoint.learn.course import load
from adjoint.learn.lesson_text import lab_states

COURSE = load()


class Requests:
    """Whether the lab has answered all requests of a page, and the errors among the answers."""

    def __init__(self, page: Page):
        self.sent = self.answered = 0
        self.errors: list[str] = []
        page.on("websocket", self._listen)

    def _listen(self, socket) -> None:
        socket.on("framesent", lambda text: self._send(json.loads(text)))
        socket.on("framereceived", lambda text: self._receive(json.loads(text)))

    def _send(self, message) -> None:
        self.sent = message["id"]

    def _receive(self, message) -> None:
        self.answered = message.get("id", self.answered)
        if "error" in message:
            self.errors.append(message["error"])


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
    requests = Requests(page)
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
        before = requests.sent
        page.evaluate(OPEN, link)
        expected = {"room": room, "parameters": parse_qsl(query)}
        eventually(lambda: page.evaluate(IS_RESTORED, expected), lambda: f"{link} became {page.url}")  # noqa: B023
        eventually(lambda: page.evaluate("true") and before < requests.sent == requests.answered)  # noqa: B023
        assert requests.errors == [], link
        expect(page.get_by_role("alert"), link).to_have_count(0)
        tab = page.get_by_role("tab", selected=True)
        assert tab.evaluate("tab => tab.scrollWidth <= tab.clientWidth"), f"the name of the room does not fit: {link}"

    page.evaluate("(address) => { location.hash = address }", f"#train?data={'x' * 60}")
    expect(page.get_by_role("alert")).to_contain_text("unknown dataset")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
