"""Fixtures for the browser tests: one `adjoint lab` and one Chromium for all tests, and an empty profile for each test.

Tests of a profile without options share one, which is emptied after each: its pages start in half the time.

With `make test FULL=yes`, the tests run a second time on the static site, without a network: the server of the site is
killed as soon as the profile of a test has stored the site. `pytest -m site tests/lab/browser` runs only these.

A test fails if its page logs an error or a warning, raises an exception, or sends a request to any address but the
lab's. Timeouts are long because the suite also runs on busy machines; tests wait for states of the page, not for time.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright
from serving import TIMEOUT, Lab, lab_process
from static_site import OfflineSite, built_site

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
_shared: list[BrowserContext] = []
_problems: list[str] = []  # what the pages of this test reported
_running = ExitStack()


# The tests that do not run on the site, and why.
SERVED_ONLY = {
    "test_site": "these open the site themselves",
    "test_strangers": "the site has no server, no token and no socket that another page could reach",
    "test_an_embedded_graph_has_sliders_and_no_header": "a frame does not store the site; test_site opens frames of it",
    "test_without_a_token_the_page_says_what_to_do": "the site needs no token",
    "test_a_page_says_that_its_lab_has_stopped_and_that_another_has_started": "the site has no server to stop",
    "test_a_broken_connection_is_restored_and_nothing_is_lost": "the site has no socket",
    "test_a_lab_that_others_can_reach_shows_the_text_and_says_why_programs_do_not_run": "an option of `adjoint lab`",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "lab" in metafunc.fixturenames:
        labs: list = ["served"]
        if not {metafunc.module.__name__.rpartition(".")[2], metafunc.function.__name__} & SERVED_ONLY.keys():
            labs.append(pytest.param("site", marks=[pytest.mark.site, pytest.mark.long, pytest.mark.full]))
        metafunc.parametrize("lab", labs, indirect=True, scope="session")


@pytest.fixture(scope="session")
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The lab that all tests share; `lab.address(room, **state)` is the address of a room."""
    if request.param == "site":
        yield OfflineSite(built_site())
    else:
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
        _running.callback(_shared.clear)
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


def watch(context: BrowserContext, place: str, allowed: tuple[str, ...] = ()) -> BrowserContext:
    """Collect what the pages of a profile report, and the addresses that they contact outside the lab at `place`."""
    context.set_default_timeout(1000 * TIMEOUT)
    ours = (f"http://{place}/", f"ws://{place}/", "data:", f"blob:http://{place}/", "about:")

    def report(kind: str, text: str) -> None:
        if not text.startswith(allowed or ("\0",)):
            _problems.append(f"{kind}: {text}")

    def check_address(address: str) -> None:
        if not address.startswith(ours):
            _problems.append(f"request to {address}")

    context.on("console", lambda line: line.type in ("error", "warning") and report(line.type, line.text))
    context.on("weberror", lambda error: report("exception", str(error.error)))
    context.on("request", lambda request: check_address(request.url))
    context.on("page", lambda page: page.on("websocket", lambda socket: check_address(socket.url)))
    return context


@pytest.fixture
def watched() -> Iterator[None]:
    """The test fails if one of its pages reports a problem or contacts another server."""
    _problems.clear()
    yield
    assert not _problems, "\n".join(_problems)


@pytest.fixture
def new_context(browser: Browser, lab: Lab, watched: None) -> Iterator[Callable[..., BrowserContext]]:
    """Create new profiles.

    `new_context(color_scheme="dark")` passes options to Playwright. `at` is the lab to use instead of the shared one,
    and `allowed` lists prefixes of messages that the test expects.
    """
    contexts: list[BrowserContext] = []

    def create(at: Lab = lab, allowed: tuple[str, ...] = (), **options) -> BrowserContext:
        contexts.append(watch(browser.new_context(**options), at.place, allowed))
        return contexts[-1]

    yield create
    for context in contexts:
        context.close()


@pytest.fixture
def context(browser: Browser, lab: Lab, new_context: Callable[..., BrowserContext]) -> Iterator[BrowserContext]:
    """An empty profile, shared but on the site, which a profile stores. Tests change no settings of the shared one."""
    if isinstance(lab, OfflineSite):
        yield new_context()
        return
    if not _shared:
        _shared.append(watch(browser.new_context(), lab.place))
    yield _shared[0]
    pages = _shared[0].pages or [_shared[0].new_page()]
    stored = {"origin": f"http://{lab.place}", "storageTypes": "all"}
    _shared[0].new_cdp_session(pages[0]).send("Storage.clearDataForOrigin", stored)
    for page in pages:
        page.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page in a new profile."""
    return context.new_page()


@pytest.fixture
def visit(lab: Lab) -> Callable[[Page, str], Page]:
    """Open an address of the lab: `visit(page, address)`."""
    stored: set[BrowserContext] = set()

    def open_address(page: Page, address: str) -> Page:
        if isinstance(lab, OfflineSite) and page.context not in stored:
            with lab.online():
                loading = requests_under_way(page.context)
                page.goto(address)
                # The service worker takes over when it has stored all files. What was requested before it did so, such
                # as Python for the exercises, still comes from the server.
                page.wait_for_function("() => navigator.serviceWorker.controller !== null")
                for _ in range(50 * TIMEOUT):
                    if not loading:
                        break
                    page.wait_for_timeout(20)  # milliseconds
                assert not loading, f"never answered: {sorted(request.url for request in loading)}"
            stored.add(page.context)
        else:
            page.goto(address)
        return page

    return open_address


def requests_under_way(context: BrowserContext) -> set[Request]:
    """Return the requests of a profile that are not answered yet; the set changes with them."""
    requests: set[Request] = set()
    context.on("request", lambda request: requests.add(request))
    context.on("requestfinished", lambda request: requests.discard(request))
    context.on("requestfailed", lambda request: requests.discard(request))
    return requests


@pytest.fixture
def open_lab(lab: Lab, visit: Callable[[Page, str], Page]) -> Callable[..., Page]:
    """Open a room: `open_lab(page, "explore", e="a*b", a=2)`."""

    def open_room(page: Page, room: str = "", **state) -> Page:
        visit(page, lab.address(room, **state))
        page.wait_for_function("() => !location.hash.includes('token')")
        return page

    return open_room
