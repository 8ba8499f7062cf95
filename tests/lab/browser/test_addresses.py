"""Addresses of Explore: they hold what is shown, come from untrusted sources, and may outlive their lab."""

import random
import signal
import string
from urllib.parse import quote, urlencode

import pytest
from expressions import in_torch
from playwright.sync_api import expect
from seen import gradient, graph, preset, sentence, state, turn_to, value
from serving import TIMEOUT, eventually, lab_process

# Chromium logs these when a connection or a socket is refused.
REFUSED = ("WebSocket connection to 'ws://", "Failed to load resource: net::ERR_")


def expression_box(page):
    return page.get_by_role("textbox", name="Expression")


# --- sharing -------------------------------------------------------------------------------------------------


def change_everything(page):
    """Change everything that a user can change, and return what the page then shows."""
    expression_box(page).fill("tanh(a*b) + a**2")
    page.get_by_role("textbox", name="a, number").fill("0.25")
    page.get_by_role("slider", name="b, slider").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("slider", name="Step").fill("6")
    page.get_by_label("speed").select_option("2")
    page.get_by_role("region", name="Nudge").get_by_label("move").select_option("b")
    page.get_by_role("region", name="Nudge").get_by_label("by").fill("0.5")
    expect(value(page, "b")).to_have_text("6.95")
    slope = in_torch("tanh(a*b) + a**2", {"a": 0.25, "b": 6.95})[1]["b"]
    expect(page.get_by_test_id("nudge")).to_contain_text(f"{slope * 0.5:.5g}")
    page.wait_for_function("() => location.hash.endsWith('&h=0.5')")  # the address follows with a delay
    return contents(page)


def contents(page):
    return {
        "expression": expression_box(page).input_value(),
        "graph": graph(page),
        "sentence": sentence(page).text_content(),
        "place": page.locator(".place").text_content(),
        "speed": page.get_by_label("speed").input_value(),
        "nudge": page.get_by_test_id("nudge").text_content(),
    }


def test_a_reload_restores_everything(page, open_lab):
    open_lab(page)
    before = change_everything(page)
    assert before["place"] == "backward 2 of 7"
    page.reload()
    eventually(lambda: page.get_by_test_id("nudge").count() and contents(page) == before, lambda: f"{contents(page)}")


def test_a_shared_address_shows_the_same_to_another_user(page, open_lab, lab, visit, new_context):
    open_lab(page)
    before = change_everything(page)
    page.get_by_label("show gradients").uncheck()
    page.wait_for_function("() => location.hash.includes('gradients=off')")
    other = visit(new_context().new_page(), f"{page.url}&token={lab.token}")
    expect(other.get_by_label("show gradients")).not_to_be_checked()
    other.get_by_label("show gradients").check()
    eventually(lambda: other.get_by_test_id("nudge").count() and contents(other) == before)
    assert lab.token not in other.url


def test_changes_of_the_address_do_not_fill_the_history(page, open_lab):
    open_lab(page, "explore", **preset("diamond"))
    expect(page.locator(".place")).to_have_text("backward 5 of 5")
    before = page.evaluate("history.length")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => location.hash.endsWith('at=5')")
    assert page.evaluate("history.length") == before
    page.get_by_role("tab", name="Quiz").click()
    page.go_back()
    expect(page.locator(".place")).to_have_text("backward 2 of 5")


def test_an_edited_address_is_followed(page, open_lab):
    open_lab(page, "explore", **preset("a + a"))
    expect(value(page, "out")).to_have_text("6")
    turn_to(page, **state("a*b", {"a": 5, "b": 0.5}, at=2))
    expect(value(page, "out")).to_have_text("2.5")
    expect(page.locator(".place")).to_have_text("backward 1 of 3")


# --- untrusted addresses ---------------------------------------------------------------------------------------

INJECTED = "<img src=x onerror='window.injected=1'><script>window.injected=1</script>"
STRANGE = [
    "explore?e=",
    "explore?e=%",
    "explore?e=%ff%fe%00",
    "explore?e=a&n.a=NaN&at=-1",
    "explore?e=a*b&n.a=1e400&n.b=[1,2]&at=1e3",
    "explore?e=a*b&n.a=9e99&n.b=&at=999999",
    "explore?e=a*b&n.=1&n.a=true&n.__proto__=1&n.constructor=2&at[]=3",
    "explore?e=__proto__&n.__proto__=2",
    "explore?e=constructor*toString",
    "explore?e=a&e=b&speed=Infinity&gradients=2&h=NaN&nudge=__proto__",
    "explore?e=a*b&h=1e308&nudge=" + quote(INJECTED),
    "explore?e=" + quote(INJECTED),
    "explore?e=a&n." + quote(INJECTED) + "=" + quote(INJECTED),
    "explore?e=a*b&at=" + quote(INJECTED),
    "explore?e=" + quote("__import__('os').system('true')"),
    "explore?e=" + quote("(" * 1500),
    "explore?e=" + quote("+".join(["a"] * 900)),
    "explore?e=" + quote("a*" * 100_000),
    "explore?e=" + "x" * 300_000,
    "explore?" + urlencode({f"n.{i}": i for i in range(5000)}),
    "nowhere?e=a",
    "?",
    "&&==",
    "explore",
]


def random_addresses():
    rng = random.Random(0)
    letters = string.printable + "é∂�\U0001f600"
    for _ in range(25):
        noise = "".join(rng.choices(letters, k=rng.randint(1, 60)))
        yield rng.choice(["explore?e=", "explore?e=a&n.a=", "explore?e=a*b&at=", "explore?", ""]) + noise


def test_no_address_breaks_the_page(page, open_lab, lab):
    open_lab(page, "explore", **preset("a + a"))
    for address in [*STRANGE, *random_addresses()]:
        page.evaluate("(hash) => { location.hash = hash; }", address)
        expect(expression_box(page)).to_be_visible()
    for address in STRANGE[6:9]:
        page.goto("about:blank")
        page.goto(f"http://{lab.place}/#{address}")
        expect(page.locator("#expression-error").or_(page.locator(".graph .node").first).first).to_be_visible()
    assert page.evaluate("window.injected") is None
    turn_to(page, **state("a*b", {"a": 2, "b": 3}))
    expect(value(page, "out")).to_have_text("6")
    expect(page.locator("#expression-error")).to_have_count(0)


def test_injected_markup_is_shown_as_text(page, open_lab):
    open_lab(page, "explore", e=INJECTED)
    expect(page.locator("#expression-error")).to_contain_text("window.injected=1")
    assert page.locator(".explore img, .explore script").count() == 0


def test_a_number_out_of_bounds_is_an_error(page, open_lab):
    open_lab(page, "explore", **state("a*b", {"a": 9e99, "b": 1}))
    expect(page.locator("#expression-error")).to_contain_text("a must be a number from -1e+06 to 1e+06")


def test_without_a_token_the_page_says_what_to_do(page, lab):
    page.goto(f"http://{lab.place}/#explore?e=a*b")
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).to_contain_text("Open the address that `adjoint lab` printed")
    page.goto(lab.address("explore", e="a*b"))
    expect(value(page, "out")).to_have_text("−6")
    expect(page.get_by_role("alert")).to_have_count(0)


# --- a lab that stops ------------------------------------------------------------------------------------------


def test_a_page_says_that_its_lab_has_stopped_and_that_another_has_started(new_context):
    with lab_process() as (first, process):
        page = new_context(at=first, allowed=REFUSED).new_page()
        page.goto(first.address("explore", **preset("a + a")))
        expect(value(page, "out")).to_have_text("6")
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The lab does not answer")
    expect(alert).to_contain_text("start it again with `adjoint lab`")
    # The last results stay usable.
    page.keyboard.press("ArrowLeft")
    expect(gradient(page, "a")).to_have_text("1")
    page.get_by_role("textbox", name="a, number").fill("7")
    with lab_process("--port", str(first.port)) as (second, _):
        expect(alert).to_contain_text("This page has the token of an earlier lab")
        page.goto(second.address("explore", **preset("a + a"), at=4))
        expect(alert).to_have_count(0)
        page.get_by_role("textbox", name="a, number").fill("4")
        expect(value(page, "out")).to_have_text("8")
        page.close()


KEPT = """const Plain = WebSocket;
window.sockets = [];
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    sockets.push(this);
  }
};"""


def test_a_broken_connection_is_restored_and_nothing_is_lost(page, open_lab):
    page.add_init_script(KEPT)
    open_lab(page, "explore", **preset("a + a"))
    expect(value(page, "out")).to_have_text("6")
    page.evaluate("sockets[0].close()")
    page.get_by_role("textbox", name="a, number").fill("5")
    expect(value(page, "out")).to_have_text("10")  # the page computes it without the engine
    page.wait_for_function("() => sockets.length === 2 && sockets[1].readyState === WebSocket.OPEN")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.full
def test_an_embedded_graph_has_sliders_and_no_header(page, open_lab):
    open_lab(page, "explore", expression="tanh(a*b)", **{"n.a": 0.5, "n.b": 2, "embed": ""})
    page.get_by_label("a, slider").fill("1")
    page.wait_for_function("() => document.querySelector('.graph .root .data')?.textContent.startsWith('0.964')")
    expect(page.locator("header")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    link = page.get_by_role("link", name="Open in the lab")
    assert "embed" not in (link.get_attribute("href") or "")
