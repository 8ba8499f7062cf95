"""The pictures in docs/explain.md are those that its programs draw."""

import pytest
from pages import DOCS, names_of


@pytest.fixture(scope="module")
def page_names():
    return names_of("explain.md")


@pytest.mark.parametrize("name", ["neuron", "network", "residual", "layers"])
def test_a_picture_is_the_output_of_the_program_on_its_page(name, page_names):
    assert (DOCS / "images" / f"{name}.svg").read_text() == f"{page_names[name]}\n"


def test_the_text_on_the_page_is_the_output_of_the_program(page_names):
    page = (DOCS / "explain.md").read_text()
    assert f"```\n{page_names['explain'](page_names['L'])}\n```" in page
