"""The pictures of the pages are those that the programs beside them draw."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def drawn():
    """The names that the programs of the page leave behind."""
    names = {}
    for program in re.findall(r"^```python\n(.*?)^```", (DOCS / "explain.md").read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(program, "explain.md", "exec"), names)
    return names


@pytest.mark.parametrize("name", ["neuron", "network", "residual", "layers"])
def test_a_picture_is_what_the_program_beside_it_draws(name, drawn):
    assert (DOCS / "images" / f"{name}.svg").read_text() == f"{drawn[name]}\n"


def test_the_text_on_the_page_is_what_the_program_above_it_prints(drawn):
    page = (DOCS / "explain.md").read_text()
    assert f"```\n{drawn['explain'](drawn['L'])}\n```" in page
