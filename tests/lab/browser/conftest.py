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
from serving import Lab, lab_process

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
def context(browser: Browser, lab: Lab) -> Iterator[BrowserContext]:
    """A fresh profile, in which all complaints and all requests to others are collected, and fail the test."""
    context, problems = browser.new_context(), []
    context.set_default_timeout(20_000)
    ours = (f"http://{lab.place}/", f"ws://{lab.place}/", "data:", f"blob:http://{lab.place}/", "about:")

    def note(address: str) -> None:
        if not address.startswith(ours):
            problems.append(f"asked {address}")

    context.on(
        "console", lambda said: said.type in ("error", "warning") and problems.append(f"{said.type}: {said.text}")
    )
    context.on("weberror", lambda error: problems.append(f"exception: {error.error}"))
    context.on("request", lambda request: note(request.url))
    context.on("page", lambda page: page.on("websocket", lambda socket: note(socket.url)))
    yield context
    context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page in a fresh profile."""
    return context.new_page()


@pytest.fixture
def open_lab(lab: Lab) -> Callable[..., Page]:
    """What opens a room: `open_lab(page, "explore", e="a*b", a=2)`."""

    def opened(page: Page, room: str = "", **state) -> Page:
        page.goto(lab.address(room, **state))
        page.wait_for_function("!location.hash.includes('token')")
        return page

    return opened
