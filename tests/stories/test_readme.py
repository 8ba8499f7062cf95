"""The README and the pages of docs/: their programs run, and the commands do what they say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import DOCS, names_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_readme_runs(program, capsys):
    exec(compile(program, "README.md", "exec"), {})


@pytest.mark.parametrize("page", sorted(page.name for page in DOCS.glob("*.md")))
def test_the_programs_of_a_page_run_in_order(page):
    names_of(page)


def test_the_neuron_prints_what_the_readme_says(capsys):
    neuron = next(program for program in PROGRAMS if "print(draw(out))" in program)
    exec(compile(neuron, "README.md", "exec"), {})
    out, grads, *tree = capsys.readouterr().out.splitlines()
    assert out.startswith("0.70710678118654")
    assert [float(grad) for grad in grads.split()] == pytest.approx([1.0, -1.5])
    assert len(tree) == 10


def test_the_network_of_the_readme_reaches_what_it_says(capsys):
    network = next(program for program in PROGRAMS if "from adjoint import data, fit" in program)
    exec(compile(network, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == "1.0"


def test_make_demo_trains_a_network_and_draws_it():
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    picture = ROOT / "moons.png"
    picture.unlink(missing_ok=True)
    printed = subprocess.run(["make", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "accuracy 100.0%" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_pictures_and_pages_that_the_readme_shows_are_there():
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert command in targets
