"""The pictures in docs/explain.md are those that its programs draw."""

import re

import pytest
from pages import DOCS, names_of

import adjoint


@pytest.fixture(scope="module")
def page_names():
    return names_of("explain.md")


@pytest.mark.parametrize("name", ["neuron", "network", "residual", "layers", "weights"])
def test_a_picture_is_the_output_of_the_program_on_its_page(name, page_names):
    assert (DOCS / "images" / f"{name}.svg").read_text() == f"{page_names[name]}\n"


def test_the_picture_of_a_compiled_program_has_the_layers_of_its_network(page_names):
    """The rest of the picture depends on how the native core folds programs."""
    if not adjoint.accelerated:
        pytest.skip("only the native core folds")
    for svg in ((DOCS / "images" / "program.svg").read_text(encoding="utf-8"), page_names["program"]):
        boxes = re.findall(r'class="name">([^<]*)</text>\n<text[^>]*>([^<]*)<', svg)
        for name in ("4 dot products", "4 tanh", "1 dot product", "1 tanh", "4 derivatives of tanh"):
            assert (name, "in lanes of 4") in boxes


def test_the_text_on_the_page_is_the_output_of_the_program(page_names):
    page = (DOCS / "explain.md").read_text()
    for output in (page_names["explain"](page_names["L"]), page_names["own"], page_names["theirs"]):
        assert f"```\n{output}\n```" in page
