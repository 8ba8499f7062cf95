"""The README and the pages of docs/: their programs run, and the commands do what they say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_readme_runs(program, capsys):
    exec(compile(program, "README.md", "exec"), {})


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_the_programs_of_a_page_run_in_order(page):
    names = {}
    for program in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(program, page.name, "exec"), names)


def test_the_first_program_prints_what_the_readme_says(capsys):
    exec(compile(PROGRAMS[0], "README.md", "exec"), {})
    out, grads, *tree = capsys.readouterr().out.splitlines()
    assert out.startswith("0.70710678118654")
    assert [float(grad) for grad in grads.split()] == pytest.approx([1.0, -1.5])
    assert len(tree) == 10


def test_make_demo_shows_gradients_graph_and_training():
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    printed = subprocess.run(["make", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "∂L/∂a = 6" in printed
    assert "└── f  data -2.0000  grad 4.0000" in printed
    assert "1 xor 1 = 0" in printed


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert command in targets
