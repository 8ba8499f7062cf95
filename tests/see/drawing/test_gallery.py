"""The pictures in docs/explain.md are those that its programs draw."""

import pytest
from pages import DOCS, names_of


@pytest.fixture(scope="module")
def drawn():
    return names_of("explain.md")


@pytest.mark.parametrize("name", ["neuron", "network", "residual", "layers"])
def test_a_picture_is_the_output_of_the_program_on_its_page(name, drawn):
    assert (DOCS / "images" / f"{name}.svg").read_text() == f"{drawn[name]}\n"


def test_the_text_on_the_page_is_the_output_of_the_program(drawn):
    page = (DOCS / "explain.md").read_text()
    assert f"```\n{drawn['explain'](drawn['L'])}\n```" in page
