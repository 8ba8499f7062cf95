"""Fixtures for the browser tests: one `adjoint lab` and one Chromium for all tests, a new profile for each test.

A test fails if its page logs an error or a warning, raises an exception, or sends a request to any address but the
lab's. Timeouts are long because the suite also runs on busy machines; tests wait for states of the page, not for time.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from serving import TIMEOUT, Lab, lab_process

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

expect.set_options(timeout=1000 * TIMEOUT)

_chromium: list[Browser] = []
_running = ExitStack()


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """The lab that all tests share; `lab.address(room, **state)` is the address of a room."""
    with lab_process() as (lab, _):
        yield lab


@pytest.fixture
def browser() -> Browser:
    """The Chromium that all tests share."""
    if not _chromium:
        executable = next(filter(None, map(shutil.which, NAMES)), None)
        if executable is None:
            missing = "Chromium is not installed; install it (on Debian, `make test` does so for root)"
            pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
        driver = _running.enter_context(sync_playwright())
        _chromium.append(driver.chromium.launch(executable_path=executable, args=FLAGS))
        _running.callback(_chromium.clear)
        _running.callback(_chromium[0].close)
    return _chromium[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    # Playwright runs an event loop in this thread. Other tests start their own, so stop it after the last test here.
    try:
        return (yield)
    finally:
        if nextitem is None or not nextitem.path.is_relative_to(HERE):
            _running.close()


@pytest.fixture
def new_context(browser: Browser, lab: Lab) -> Iterator[Callable[..., BrowserContext]]:
    """Create new profiles; the test fails if one of their pages reports a problem or contacts another server.

    `new_context(color_scheme="dark")` passes options to Playwright. `at` is the lab to use instead of the shared one,
    and `allowed` lists prefixes of messages that the test expects.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def create(at: Lab = lab, allowed: tuple[str, ...] = (), **options) -> BrowserContext:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(1000 * TIMEOUT)
        ours = (f"http://{at.place}/", f"ws://{at.place}/", "data:", f"blob:http://{at.place}/", "about:")

        def report(kind: str, text: str) -> None:
            if not text.startswith(allowed or ("\0",)):
                problems.append(f"{kind}: {text}")

        def check_address(address: str) -> None:
            if not address.startswith(ours):
                problems.append(f"request to {address}")

        context.on("console", lambda line: line.type in ("error", "warning") and report(line.type, line.text))
        context.on("weberror", lambda error: report("exception", str(error.error)))
        context.on("request", lambda request: check_address(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: check_address(socket.url)))
        return context

    yield create
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    """A new profile."""
    return new_context()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page in a new profile."""
    return context.new_page()


@pytest.fixture
def open_lab(lab: Lab) -> Callable[..., Page]:
    """Open a room: `open_lab(page, "explore", e="a*b", a=2)`."""

    def open_room(page: Page, room: str = "", **state) -> Page:
        page.goto(lab.address(room, **state))
        page.wait_for_function("() => !location.hash.includes('token')")
        return page

    return open_room
