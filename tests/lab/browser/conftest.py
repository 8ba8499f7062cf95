"""The lab in Chromium: one `adjoint lab` and one browser for all tests here, a fresh profile for each.

A page of these tests may complain about nothing and ask nobody but the lab: an error or a warning in the console, an
exception, or a request to any other address fails the test.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from serving import Lab, eventually, lab_process

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
]

_chromium: list[Browser] = []
_running = ExitStack()


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """The lab: its `place`, its `token`, and `address(room, **state)`, what a person types."""
    with lab_process() as (lab, _):
        yield lab


@pytest.fixture
def browser() -> Browser:
    """Chromium, the same for all tests."""
    if not _chromium:
        executable = next(filter(None, map(shutil.which, NAMES)), None)
        if executable is None:
            missing = "no Chromium is here: install chromium, as `make test` does for root on Debian"
            pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
        driver = _running.enter_context(sync_playwright())
        _chromium.append(driver.chromium.launch(executable_path=executable, args=FLAGS))
        _running.callback(_chromium.clear)
        _running.callback(_chromium[0].close)
    return _chromium[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    # Playwright runs an event loop in this thread. Tests elsewhere have their own, so it ends with the last test here.
    try:
        return (yield)
    finally:
        if nextitem is None or not nextitem.path.is_relative_to(HERE):
            _running.close()


@pytest.fixture
def new_context(browser: Browser, lab: Lab) -> Iterator[Callable[..., BrowserContext]]:
    """What opens fresh profiles, in which all complaints and all requests to others are collected, and fail the test.

    `new_context(color_scheme="dark")` takes the options of Playwright; `at` is another lab than that of all tests, and
    `allowed` are beginnings of complaints that the test expects.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(at: Lab = lab, allowed: tuple[str, ...] = (), **options) -> BrowserContext:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(20_000)
        ours = (f"http://{at.place}/", f"ws://{at.place}/", "data:", f"blob:http://{at.place}/", "about:")

        def complain(kind: str, text: str) -> None:
            if not text.startswith(allowed or ("\0",)):
                problems.append(f"{kind}: {text}")

        def note(address: str) -> None:
            if not address.startswith(ours):
                problems.append(f"asked {address}")

        context.on("console", lambda said: said.type in ("error", "warning") and complain(said.type, said.text))
        context.on("weberror", lambda error: complain("exception", str(error.error)))
        context.on("request", lambda request: note(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: note(socket.url)))
        return context

    yield opened
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    """A fresh profile."""
    return new_context()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page in a fresh profile."""
    return context.new_page()


@pytest.fixture
def open_lab(lab: Lab) -> Callable[..., Page]:
    """What opens a room: `open_lab(page, "explore", e="a*b", a=2)`."""

    def opened(page: Page, room: str = "", **state) -> Page:
        page.goto(lab.address(room, **state))
        eventually(lambda: "token" not in page.evaluate("location.hash"))
        return page

    return opened
