"""The rooms of the static site: Python in a worker of the browser answers as the server of the lab does."""

import contextlib
import io
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from seen import graph, is_shown, state
from serving import Lab
from static_site import built_site, served

from adjoint_learn.course import load

pytestmark = [pytest.mark.long, pytest.mark.full]

SLOPE = load().exercise("slope")


@pytest.fixture(scope="module")
def site() -> Iterator[Lab]:
    with served(built_site()) as port:
        yield Lab(port, None)


@pytest.fixture
def open_site(new_context: Callable[..., BrowserContext], site: Lab) -> Callable[..., Page]:
    """Open a room of the site in a new profile."""

    def open_room(room: str, allowed: tuple[str, ...] = (), **shown) -> Page:
        page = new_context(site, allowed=allowed).new_page()
        page.goto(f"http://{site.place}/#{room}?{urlencode(shown)}")
        return page

    return open_room


def check(page: Page, program: str):
    """Put a program into the editor and check it; return the place of the outcome."""
    page.get_by_role("textbox", name="Program").focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(program)
    page.keyboard.press("Control+Enter")
    return page.get_by_test_id("outcome")


def test_explore_computes_explains_and_exports(open_site, new_context, site, tmp_path):
    page = open_site("explore", **state("tanh(a*b) * 3", {"a": 0.5, "b": 1.0}))
    page.locator(".graph .node[data-node='out']").wait_for()
    assert is_shown(graph(page)["nodes"]["out"][0], 1.3863514)  # 3 tanh(0.5)
    assert is_shown(graph(page)["inputs"]["b"], 1.1796717)  # 1.5 (1 - tanh(0.5)²)

    # An error is the same as from the server.
    page.get_by_role("textbox", name="Expression").fill("tanh(a*")
    expect(page.locator("#expression-error")).to_contain_text("this parenthesis is never closed")
    page.get_by_role("textbox", name="Expression").fill("a*b + 1")
    expect(page.locator(".graph .root .data")).to_have_text("1.5")

    # The exported page needs no server.
    with page.expect_download() as waiting:
        page.get_by_role("button", name="HTML", exact=True).click()
    waiting.value.save_as(tmp_path / "graph.html")
    alone = new_context(site).new_page()
    alone.set_content((tmp_path / "graph.html").read_text())
    expect(alone.locator(".graph .root .data")).to_have_text("1.5")

    # The program that computes the same numbers runs.
    page.get_by_role("button", name="Copy as Python").click()
    program = page.get_by_test_id("program")
    expect(program).to_contain_text("a = Value(0.5")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program.text_content() or "", {})
    assert float(printed.getvalue().splitlines()[0]) == 1.5


def test_training_answers_while_it_runs(open_site):
    page = open_site("train")
    page.get_by_role("button", name="Play (Space)").click()
    expect(page.get_by_test_id("train-accuracy")).to_have_text("4 of 4")
    page.get_by_role("button", name="Pause (Space)").click()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def test_programs_are_checked_in_a_worker_of_their_own(open_site):
    page = open_site("learn", exercise="slope")
    expect(check(page, SLOPE.wrong_answers[0].source)).to_contain_text("Not yet")
    expect(check(page, "import os\nos._exit(3)\n")).to_contain_text("ended Python with the exit code 3")
    expect(check(page, "import math\nmath.sin = None\nexit()\n")).to_contain_text("ended itself with exit()")
    endless = "print('so far')\ncount = 0\nwhile True:\n    count += 1\n"
    late = check(page, endless)
    expect(late).to_contain_text("still running after 10 seconds, and was stopped. It was at line")
    expect(late).to_contain_text("so far")
    check(page, endless)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_test_id("outcome")).to_contain_text("You stopped the program.")
    expect(check(page, "input()")).to_contain_text("nobody can type during a check")
    expect(check(page, SLOPE.solution)).to_contain_text("Solved")


def test_a_site_without_python_says_what_is_missing(new_context, site):
    page = new_context(site, allowed=("Failed to load resource",), service_workers="block").new_page()
    page.route("**/engine/adjoint.tar.gz", lambda route: route.fulfill(status=404))
    page.goto(f"http://{site.place}/#quiz")
    expect(page.locator(".notice")).to_contain_text(
        "adjoint.tar.gz could not be downloaded (HTTP status 404). Check the network connection, then reload the page."
    )
