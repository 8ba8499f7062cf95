"""The programs of the README and of docs/ run, and the commands of the README do what it says."""

import contextlib
import functools
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, names_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@functools.cache
def output(program: str) -> list[str]:
    """Run a program of the README, once for all tests, and return the printed lines."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {})
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_readme_runs(program):
    output(program)


@pytest.mark.parametrize("page", sorted(page.name for page in DOCS.glob("*.md")))
def test_the_programs_of_a_page_run_in_order(page):
    names_of(page)


def test_the_first_program_prints_what_the_readme_shows():
    lines = output(next(program for program in PROGRAMS if "print(draw(L))" in program))
    assert "```\n" + "\n".join(lines) + "\n```" in README


def test_the_readme_says_what_it_is_before_anything_else():
    first, second, third, commands, *_ = README.split("\n\n")
    assert first == "# adjoint"
    assert second.startswith("**An autograd engine and neural-network library in Python")
    assert "docs/images/site.png" in third
    assert re.findall(r"^make \w+", commands, re.MULTILINE) == ["make demo", "make test"]


def test_the_network_of_the_readme_reaches_the_stated_accuracy():
    assert output(next(program for program in PROGRAMS if "from adjoint import data, fit" in program))[0] == "1.0"


def test_make_demo_trains_a_network_and_draws_it():
    if shutil.which("make") is None:
        pytest.skip("this machine has no make")
    picture = ROOT / "moons.png"
    picture.unlink(missing_ok=True)
    # Everything but the installation: the environment that runs the tests replaces .venv.
    command = ["make", "--old-file=.venv/demo", f"BIN={Path(sys.executable).parent}", "demo"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "accuracy 100.0%" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_pictures_and_pages_that_the_readme_links_to_exist():
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert command in targets


def test_the_course_says_what_the_readme_shows(tmp_path):
    shown = re.search(r"^```\n(NOT YET .*?)^```", README, re.DOTALL | re.MULTILINE)
    assert shown
    command = [sys.executable, "-m", "adjoint", "learn"]
    subprocess.run(command, cwd=tmp_path, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    wrong = ROOT / "src/adjoint_learn/course/01_nudge/slope/wrong/half.py"
    shutil.copy(wrong, tmp_path / "adjoint-course/01_nudge/slope.py")
    done = subprocess.run([*command, "run", "slope"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 1
    assert done.stdout.split() == shown[1].split()
