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


def test_every_public_name_is_in_the_reference(site):
    pages = (site / "reference").rglob("*.html")
    anchors = {name for page in pages for name in re.findall(r'id="([\w.]+)"', page.read_text())}
    packages = (
        getattr(adjoint, name) for name in ("nn", "optim", "data", "metrics", "sklearn", "linalg", "special", "stats")
    )
    for package in (adjoint, *packages):
        for name in dir(package):
            if not isinstance(getattr(package, name), ModuleType):
                assert f"{package.__name__}.{name}" in anchors, f"{package.__name__}.{name}"
    assert {f"adjoint.errors.{name}" for name, x in vars(adjoint.errors).items() if isinstance(x, type)} <= anchors
    assert "adjoint.see.plots.plot_loss" in anchors


def test_examples_in_the_reference_are_highlighted_code(site):
    page = (site / "reference" / "transforms.html").read_text()
    assert "<blockquote>" not in page
    assert "&gt;&gt;&gt;" in page


def test_the_reference_hides_private_parameters_and_bases(site):
    page = (site / "reference" / "values.html").read_text()
    assert "_children" not in page
    assert "MicrogradNames" not in page


def test_the_reference_of_networks_starts_with_module_sequential_and_linear(site):
    page = (site / "reference" / "nn.html").read_text()
    names = re.findall(r'<h2 id="adjoint\.nn\.(\w+)"', page)
    assert names[:3] == ["Module", "Sequential", "Linear"]


def test_the_diagnosis_on_the_page_is_that_of_its_program():
    assert str(names_of("training.md")["report"]) in (DOCS / "training.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "text"), [("index", "300 lines"), ("internals", "<code>ops.py</code>")])
def test_source_code_is_named_and_not_linked(site, page, text):
    assert text in (site / f"{page}.html").read_text(encoding="utf-8")
    assert not [target for _, target in Targets(site / f"{page}.html").found if "src/" in target]


def test_the_search_finds_what_people_look_for(site):
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    titles = {entry["title"] for entry in json.loads(index)["docs"]}
    for name in ("adjoint.nn.LSTM", "adjoint.data.DataLoader", "adjoint.optim.AdamW", "adjoint.grad"):
        assert any(name in title for title in titles), name


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
