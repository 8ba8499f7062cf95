"""The static site in a browser: its start page, frames in other pages, the documentation, and its service worker."""

import math
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from accessibility import violations
from playwright.sync_api import BrowserContext, Page, expect
from seen import graph, is_shown
from serving import Lab, eventually
from static_site import Handler, builder, built_site, served

pytestmark = [pytest.mark.site, pytest.mark.long, pytest.mark.full]

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NEURON = {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.881373587019543}
SUBFOLDER = "lessons/adjoint"  # where the site is served, as in a project of GitHub Pages


@pytest.fixture(scope="module")
def served_site(tmp_path_factory) -> Iterator[tuple[Lab, Path]]:
    """A copy of the site in a subfolder of a server."""
    folder = tmp_path_factory.mktemp("server")
    shutil.copytree(built_site(), folder / SUBFOLDER)
    with served(folder) as port:
        yield Lab(port, None), folder / SUBFOLDER


@pytest.fixture
def open_site(
    new_context: Callable[..., BrowserContext], served_site: tuple[Lab, Path]
) -> Callable[..., tuple[Page, str]]:
    """Open an address of the site in a new profile, and return the page and the address of the site."""

    def open_page(path: str = "", **options) -> tuple[Page, str]:
        lab, _ = served_site
        address = f"http://{lab.place}/{SUBFOLDER}/"
        page = new_context(lab, **options).new_page()
        page.goto(address + path)
        return page, address

    return open_page


def hold_engine(page: Page) -> list[str]:
    """Keep all requests for Python waiting, and return the list of their addresses."""
    held: list[str] = []
    page.context.route("**/engine/**", lambda route: held.append(route.request.url))
    return held


def wait_for_controller(page: Page) -> None:
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def neuron(**changed: float) -> float:
    x = NEURON | changed
    return math.tanh(x["x1"] * x["w1"] + x["x2"] * x["w2"] + x["b"])


def wait_for_result(page: Page, name: str, expected: float) -> None:
    eventually(lambda: is_shown(graph(page)["nodes"][name][0], expected), lambda: f"{name} is not {expected}")


def wait_for_slope(page: Page, name: str, expected: float) -> None:
    eventually(lambda: is_shown(graph(page)["inputs"][name], expected), lambda: f"{name} has not the slope {expected}")


# --- the start page --------------------------------------------------------------------------------------------------


def test_the_neuron_responds_before_python_is_loaded(new_context, served_site):
    lab, _ = served_site
    page = new_context(lab).new_page()
    held = hold_engine(page)
    page.goto(f"http://{lab.place}/{SUBFOLDER}/")
    page.locator(".engine [role=status]", has_text="Loading Python").wait_for()
    for w1 in (-2.5, -3.5):
        page.get_by_label("w1, slider").fill(str(w1))
        wait_for_result(page, "out", neuron(w1=w1))
        wait_for_slope(page, "w1", (1 - neuron(w1=w1) ** 2) * NEURON["x1"])
    assert held


def test_presets_work_before_python_is_loaded(new_context, served_site):
    lab, _ = served_site
    page = new_context(lab).new_page()
    hold_engine(page)
    page.goto(f"http://{lab.place}/{SUBFOLDER}/#explore")
    page.get_by_role("button", name="a + a").click()
    page.locator(".graph .node[data-node='out']").wait_for()
    wait_for_result(page, "out", 6.0)
    wait_for_slope(page, "a", 2.0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_start_page_is_accessible_and_fits_a_phone(open_site, scheme):
    page, _ = open_site(color_scheme=scheme, viewport={"width": 360, "height": 800})
    page.locator(".graph .node").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert violations(page) == []
    page.get_by_role("link", name="Documentation").click()
    page.wait_for_url("**/docs/index.html")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_tabs_and_the_back_button_lead_through_the_site(open_site):
    page, address = open_site()
    page.get_by_role("link", name="Explore").first.click()
    expect(page.get_by_role("tab", name="Explore")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.get_by_role("tab", name="Start")).to_have_attribute("aria-selected", "true")
    assert page.url == address
    page.get_by_role("link", name="Docs").click()
    page.get_by_role("link", name="Lab").first.click()
    expect(page.get_by_role("tab", name="Explore")).to_have_attribute("aria-selected", "true")


class BrokenConnection(Handler):
    """A server whose connection breaks in the middle of Python."""

    def copyfile(self, source, outputfile) -> None:
        if "pyodide.asm.wasm" in self.path:
            outputfile.write(source.read(100_000))
            self.close_connection = True
        else:
            super().copyfile(source, outputfile)


def test_a_page_whose_connection_breaks_while_python_is_loaded_says_so(new_context):
    messages = ("wasm instantiation failed", "TypeError", "Failed to load resource", "Uncaught (in promise)")
    with served(built_site(), handler=BrokenConnection) as port:
        page = new_context(Lab(port, None), allowed=messages).new_page()
        page.goto(f"http://127.0.0.1:{port}/#train")
        said = page.get_by_text("Python could not be started")  # once
        expect(said).to_contain_text("Check the network connection, then reload the page.")


# --- frames ----------------------------------------------------------------------------------------------------------


def test_a_known_graph_in_a_frame_needs_no_python(new_context, served_site):
    lab, _ = served_site
    page = new_context(lab).new_page()
    held = hold_engine(page)
    page.goto(f"http://{lab.place}/{SUBFOLDER}/#explore?e=(a*b+%2B+c)**2&n.a=1&n.b=2&n.c=3&embed")
    page.locator(".graph .node").first.wait_for()
    assert is_shown(graph(page)["nodes"]["out"][0], 25.0)
    page.get_by_label("a, slider").fill("2")
    wait_for_result(page, "out", 49.0)
    expect(page.locator("header")).to_have_count(0)
    assert violations(page) == []
    page.wait_for_timeout(500)  # for what must not come: longer than the engine would wait after a move
    assert held == []


def test_a_frame_loads_python_for_any_other_expression(open_site):
    page, _ = open_site("#explore?expression=tanh(a*b)*3&n.a=0.5&n.b=1&embed", viewport={"width": 500, "height": 300})
    page.locator(".graph .node").first.wait_for()
    assert is_shown(graph(page)["nodes"]["out"][0], 3 * math.tanh(0.5))
    assert page.evaluate("document.documentElement.scrollHeight") == 300


def test_graphs_of_the_documentation_become_frames_when_they_are_visible(open_site):
    page, _ = open_site("docs/course/chain_rule.html", viewport={"width": 1000, "height": 700})
    figures = page.locator("figure[data-graph]")
    page.locator("iframe.drawn").first.wait_for()
    assert page.locator("figure iframe").count() < figures.count()
    tops = "() => [...document.querySelectorAll('h2, h3')].map((title) => Math.round(title.offsetTop))"
    before = page.evaluate(tops)
    figures.last.scroll_into_view_if_needed()
    figures.last.locator("iframe.drawn").wait_for()
    assert page.evaluate(tops) == before
    page.emulate_media(media="print")
    expect(figures.last.locator("svg").first).to_be_visible()
    expect(figures.last.locator("iframe")).to_be_hidden()


def test_documentation_that_was_opened_as_a_file_keeps_its_pictures(browser, served_site):
    page = browser.new_page()
    page.goto((served_site[1] / "docs/course/chain_rule.html").as_uri())
    expect(page.locator("figure[data-graph] svg").first).to_be_visible()
    page.wait_for_timeout(500)  # for what must not come
    assert page.locator("iframe[src*=embed]").count() == 0
    page.close()


@pytest.mark.parametrize(
    ("query", "page_name"),
    [
        ("LSTM", "nn/LSTM"),
        ("adjoint.nn.LSTM", "nn/LSTM"),
        ("AdamW", "optim/AdamW"),
        ("Adam", "optim/Adam"),
        ("cross_entropy", "nn/cross_entropy"),
        ("sum", "adjoint/sum"),
    ],
)
def test_the_search_shows_the_page_of_a_name_first(open_site, query, page_name):
    page, _ = open_site("docs/index.html")
    box = page.get_by_role("textbox", name="Search")
    box.click()
    box.press_sequentially(query)
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile(rf"docs/reference/{page_name}\.html"))


def test_an_address_with_an_anchor_of_an_index_page_leads_to_the_page_of_the_name(open_site):
    page, address = open_site("docs/reference/values.html#adjoint.Value.backward")
    page.wait_for_url(f"{address}docs/reference/adjoint/Value.html#adjoint.Value.backward")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "course/chain_rule", "reference/values", "reference/nn/LSTM"])
def test_the_documentation_is_accessible(open_site, name, scheme):
    page, _ = open_site(f"docs/{name}.html", color_scheme=scheme)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert violations(page) == []


def test_the_pages_have_the_colors_that_were_chosen_in_the_lab(open_site):
    page, address = open_site(color_scheme="light")
    page.get_by_label("Colors").select_option("dark")
    page.goto(f"{address}docs/explain.html")
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 21, 26)")  # --paper in theme.css


# --- the same addresses as in the served lab -------------------------------------------------------------------------

# Addresses, and a part of the page that is there when the address has been followed.
ADDRESSES = {
    "explore?e=a = 2; b = -3; c = 10; f = -2; d = a*b; e = d + c; L = e*f&at=9": ".node",
    "explore?e=tanh(a*b) + gelu(a)**2&n.a=0.3&n.b=-1.7&at=4": ".node",
    "train?data=circles&samples=20&hidden=3&engine=scalar&batch_size=5&steps=3&seed=4": "[data-testid=train-loss]",
    "train?data=moons&samples=40&hidden=4,3&engine=compiled&batch_size=8&steps=30": "[data-testid=train-loss]",
    "train?data=xor&steps=25": "[data-testid=output-1]",
    "mistakes?mistake=slow": "h2",
    "quiz?seed=5&number=3&level=3": ".prompt",
    "learn?exercise=slope": ".text p",
}
# What depends neither on the speed of the engine nor on time.
SHOWN = """(room) => {
  const names = ["train-loss", "test-loss", "train-accuracy", "output-1"].map((name) => `[data-testid=${name}]`);
  const parts = [".data", ".grad", ".sentence", ".place", ".prompt", ".option", "h2", ".text p", ...names];
  return [...room.querySelectorAll(parts.join())].map((part) => part.textContent);
}"""


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_shows_the_same_in_the_served_lab(open_site, page, visit, lab, address):
    fragment = quote(address, safe="?&=")
    ours, _ = open_site(f"#{fragment}")
    visit(page, f"http://{lab.place}/#{fragment}&token={lab.token}")
    for each in (ours, page):
        each.locator("#room").locator(ADDRESSES[address]).first.wait_for()
    eventually(lambda: hash_of(ours) == hash_of(page), lambda: f"{ours.url}, {page.url}")
    eventually(lambda: shown(ours) == shown(page) != [], lambda: f"{shown(ours)} is not {shown(page)}")


def shown(page: Page) -> list[str]:
    return page.locator("#room").evaluate(SHOWN)


def hash_of(page: Page) -> str:
    page.evaluate("dispatchEvent(new Event('pagehide'))")  # rooms write their state to the address after a delay
    # The engine is left out where it is the default one, which is "compiled" on the site.
    return re.sub(r"&engine=\w+", "", page.evaluate("location.hash"))


# --- the service worker ----------------------------------------------------------------------------------------------


def test_after_the_first_visit_the_site_works_without_a_network(open_site):
    page, _ = open_site()
    wait_for_controller(page)
    page.context.set_offline(True)
    page.reload()
    page.get_by_label("w1, slider").fill("-2.5")
    wait_for_result(page, "out", neuron(w1=-2.5))
    page.get_by_role("tab", name="Explore").click()
    page.get_by_role("textbox", name="Expression").fill("sin(a)*7")
    page.get_by_label("a, slider").fill("1.5")
    page.wait_for_function("() => document.querySelectorAll('.graph .node').length === 3")
    expect(page.get_by_test_id("step-text")).to_contain_text("cos")


def test_the_first_visit_transfers_each_file_once(browser, tmp_path):
    # A private window, as in the other tests, keeps no large files in its cache.
    log: list[tuple[str, int]] = []
    with served(built_site(), log) as port:
        executable = next(filter(None, map(shutil.which, NAMES)))
        start = browser.browser_type.launch_persistent_context
        profile = start(tmp_path, executable_path=executable, args=FLAGS)
        page = profile.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        wait_for_controller(page)
        profile.close()
    transferred = [path for path, status in log if status == 200]
    assert "/engine/pyodide.asm.wasm" in transferred
    assert len(transferred) == len(set(transferred))


def test_the_service_worker_adds_the_policy_of_workers(open_site):
    page, _ = open_site()
    wait_for_controller(page)
    policy = page.evaluate(
        """async () => {
          const names = performance.getEntriesByType("resource").map(({ name }) => name);
          const script = names.find((name) => name.includes("engine.worker"));
          return (await fetch(script)).headers.get("Content-Security-Policy");
        }"""
    )
    assert policy == builder("site_policy").worker_policy()


def test_a_new_version_waits_until_the_reader_wants_it(new_context, tmp_path):
    site = tmp_path / "site"
    shutil.copytree(built_site(), site)
    with served(tmp_path) as port:
        lab = Lab(port, None)
        page = new_context(lab).new_page()
        page.goto(f"http://{lab.place}/site/")
        wait_for_controller(page)
        index = site / "index.html"
        index.write_text(index.read_text("utf-8").replace("<title>adjoint</title>", "<title>adjoint 2</title>"))
        (site / "service-worker.js").write_text(builder().service_worker(site), "utf-8")
        page.reload()
        page.get_by_text("A new version is available").wait_for()
        assert page.title() == "adjoint"
        page.get_by_role("button", name="Load it now").click()
        page.wait_for_function("() => document.title === 'adjoint 2'")


def test_errors_are_not_stored(new_context, tmp_path):
    site = tmp_path / "site"
    shutil.copytree(built_site(), site)
    page_name = "docs/install.html"
    with served(tmp_path) as port:
        lab = Lab(port, None)
        page = new_context(lab, allowed=("Failed to load resource",)).new_page()
        page.goto(f"http://{lab.place}/site/")
        wait_for_controller(page)
        content = (site / page_name).read_text("utf-8")
        (site / page_name).unlink()
        response = page.goto(f"http://{lab.place}/site/{page_name}")
        assert response
        assert response.status == 404
        (site / page_name).write_text(content, "utf-8")
        page.goto(f"http://{lab.place}/site/{page_name}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Install")
        page.context.set_offline(True)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Install")
