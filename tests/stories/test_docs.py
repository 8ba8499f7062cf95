"""`make docs` builds the site without warnings, with every page, picture and public name on it."""

import importlib
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest
import scipy.special
import torch
from pages import DOCS, names_of

import adjoint
import adjoint.linalg
import adjoint.special
import adjoint.stats

ROOT = Path(__file__).parents[2]


class Targets(HTMLParser):
    """The links and pictures of a page that point into the site."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        target = dict(attributes).get({"a": "href", "img": "src"}.get(tag, ""))
        if target and "://" not in target and not target.startswith("#"):
            self.found.append((tag, target.partition("#")[0]))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def test_every_page_is_on_the_site(site):
    pages = [page.stem for page in (ROOT / "docs").glob("*.md")]
    assert len(pages) >= 3
    for page in (*pages, "CHANGELOG", "CONTRIBUTING"):
        assert (site / f"{page}.html").exists(), page
    assert not list(site.rglob("*.py"))


def test_links_lead_to_pages_and_pictures_of_the_site(site):
    for page in {*site.rglob("*.html")} - {site / "404.html"}:  # a server shows that one at any address
        for _, target in Targets(page).found:
            assert (page.parent / target).resolve().is_file(), f"{page}: {target}"
    assert ("img", "images/lab.gif") in Targets(site / "index.html").found
    assert ("a", "explain.html") in Targets(site / "index.html").found
    assert ("img", "images/neuron.svg") in Targets(site / "explain.html").found


def public_names() -> set[str]:
    packages = ("nn", "nn.init", "optim", "data", "metrics", "sklearn", "linalg", "special", "stats", "see.plots")
    names = {f"adjoint.errors.{name}" for name, x in vars(adjoint.errors).items() if isinstance(x, type)}
    for package in (adjoint, *(importlib.import_module(f"adjoint.{name}") for name in packages)):
        names |= {f"{package.__name__}.{n}" for n in dir(package) if not isinstance(getattr(package, n), ModuleType)}
    return names


def test_every_public_name_has_a_page_whose_heading_is_the_name(site):
    folder = site / "reference"
    headings = [
        (page.relative_to(folder).as_posix(), name)
        for page in folder.glob("*/**/*.html")
        for name in re.findall(r'<h1 id="([\w.]+)"', page.read_text(encoding="utf-8"))
    ]
    assert public_names() <= {name for _, name in headings}
    assert len({name for _, name in headings}) == len(headings)
    assert ("nn/LSTM.html", "adjoint.nn.LSTM") in headings
    assert ("adjoint/grad.html", "adjoint.grad") in headings


def test_pages_of_the_reference_have_different_addresses_where_capitals_do_not_count(site):
    pages = [str(page.relative_to(site)).lower() for page in site.rglob("*.html")]
    assert len(pages) == len(set(pages))


def test_an_index_page_has_the_anchor_of_each_name_with_a_link_to_its_page(site):
    found = {}
    for index in (site / "reference").glob("*.html"):
        rows = re.findall(r'<a href="([^"]+)"><code id="([\w.]+)">', index.read_text(encoding="utf-8"))
        found |= {name: index.parent / target for target, name in rows}
    assert public_names() <= set(found)
    for name, page in found.items():
        assert f'<h1 id="{name}"' in page.read_text(encoding="utf-8"), name


def test_the_menu_lists_the_index_pages_and_not_the_names(site):
    menu = (site / "reference" / "nn" / "LSTM.html").read_text(encoding="utf-8").partition("<article")[0]
    assert re.search(r'md-nav__item--active">\s*<a href="../nn.html"', menu)
    assert len(re.findall(r'class="md-nav__link', menu)) < 60


def test_a_function_that_a_function_makes_has_its_signature_and_docstring(site):
    page = (site / "reference" / "adjoint" / "sum.html").read_text(encoding="utf-8")
    assert "Return the sum of the elements" in page
    assert "keepdims" in page


def test_examples_in_the_reference_are_highlighted_code(site):
    page = (site / "reference" / "adjoint" / "grad.html").read_text()
    assert "<blockquote>" not in page
    assert "&gt;&gt;&gt;" in page


def test_the_reference_hides_private_parameters_and_bases(site):
    page = (site / "reference" / "adjoint" / "Value.html").read_text()
    assert "_children" not in page
    assert "MicrogradNames" not in page


def test_the_reference_of_networks_starts_with_module_sequential_and_linear(site):
    page = (site / "reference" / "nn.html").read_text()
    names = re.findall(r'id="adjoint\.nn\.(\w+)"', page)
    assert names[:3] == ["Module", "Sequential", "Linear"]


def test_the_diagnosis_on_the_page_is_that_of_its_program():
    assert str(names_of("training.md")["report"]) in (DOCS / "training.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "text"), [("index", "134 lines"), ("internals", "<code>ops.py</code>")])
def test_source_code_is_named_and_not_linked(site, page, text):
    assert text in (site / f"{page}.html").read_text(encoding="utf-8")
    assert not [target for _, target in Targets(site / f"{page}.html").found if "src/" in target]


@pytest.mark.parametrize("name", ["nn.LSTM", "optim.AdamW", "nn.cross_entropy", "data.DataLoader", "optim.Adam"])
def test_the_search_gives_a_name_more_weight_than_names_that_extend_it_and_other_pages(site, name):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    location = f"reference/{name.replace('.', '/')}.html"
    short = name.rpartition(".")[2].lower()
    (own,) = [entry for entry in index["docs"] if entry["location"] == location]
    assert own["title"].lower() == short
    words = {(word.lower(), entry.get("boost", 1)) for entry in index["docs"] for word in entry["title"].split(".")}
    assert all(boost < own["boost"] for word, boost in words if word.startswith(short) and word != short)


# --- NumPy and PyTorch, function by function -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def functions_page():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield importlib.import_module("functions_page")


def is_function(x) -> bool:
    return callable(x) and not isinstance(x, (type, ModuleType)) and getattr(x, "__module__", "") != "typing"


def public_functions(room, names) -> list[str]:
    return sorted(n for n in set(names) if n[0] != "_" and n[-1] != "_" and is_function(getattr(room, n, None)))


def test_the_page_of_functions_knows_every_function_of_pytorch_and_scipy(functions_page):
    peers = functions_page.peers
    functional = torch.nn.functional
    ours = public_functions(torch, [*dir(torch._C._VariableFunctions), *torch.functional.__all__])
    assert peers.TORCH.split() == ours
    assert peers.FUNCTIONAL.split() == [n for n in public_functions(functional, dir(functional)) if n not in ours]
    known = {*ours, *peers.FUNCTIONAL.split()}
    assert peers.TENSOR.split() == [n for n in public_functions(torch.Tensor, dir(torch.Tensor)) if n not in known]
    assert peers.SPECIAL.split() == public_functions(scipy.special, scipy.special.__all__)


def test_every_name_of_adjoint_on_the_page_of_functions_exists(functions_page):
    names = re.findall(r"(?<![\w.])(adjoint|linalg|nn|special|fft|v)\.(\w+)", functions_page.page())
    assert len(names) > 500
    rooms = {
        "adjoint": adjoint,
        "v": adjoint.Tensor,
        **{n: getattr(adjoint, n) for n in ("linalg", "nn", "special", "fft")},
    }
    assert [f"{room}.{name}" for room, name in names if not hasattr(rooms[room], name)] == []


def test_every_decision_on_the_page_of_functions_is_about_a_function_that_adjoint_lacks(functions_page):
    for reason, patterns in functions_page.peers.DECISIONS:
        for library, words in patterns.items():
            found, absent = functions_page.entries(library)
            assert not functions_page.peers.NAMES[library].keys() - found.keys()
            for pattern in words.split():
                assert any(re.fullmatch(pattern, name) for name in absent[reason]), f"{library}: {pattern}"


def test_the_page_of_functions_is_on_the_site(site):
    text = (site / "functions.html").read_text(encoding="utf-8")
    assert "<code>movedim</code></td>\n<td><code>adjoint.moveaxis</code>" in text
