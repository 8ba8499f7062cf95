"""The programs of examples/ports: each port changes few lines of its original and reaches its result."""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PORTS = Path(__file__).parents[2] / "examples/ports"
# For each port: the library of its original, how many lines may differ apart from imports, the argument of a short run,
# the number to read from the output, and the bound that it passes.
CASES = {
    "diabetes": ("torch", 8, "40", r"patients: (\S+)", 0.4),
    "digits": ("torch", 5, "3", r"test accuracy (\S+)\n\Z", 0.85),
    "gpt": ("torch", 10, "100", r"validation (\S+)", -2.6),  # at most 2.6
    "pinn": ("jax", 5, "500", r"on \[0, 3\]: (\S+)", -0.05),
    "bayes": ("jax", 0, "", r"accuracy (\S+)", 0.98),
}


def lines_of(name: str) -> list[str]:
    """Return the lines of a program without its imports."""
    lines = (PORTS / f"{name}.py").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not re.match(r"(import|from) \w", line)]


def changed_lines(before: list[str], after: list[str]) -> int:
    """Return the number of lines that are different, new or gone."""
    parts = difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in parts if kind != "equal")


def result(name: str, case: str, folder: Path) -> float:
    """Run a program briefly, and return the number that it prints."""
    _, _, argument, pattern, _ = CASES[case]
    path = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(PORTS / f"{name}.py"), *argument.split()]
    done = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = re.findall(pattern, done.stdout)
    assert found, done.stdout
    return float(found[-1])


def test_changed_lines_are_counted():
    assert changed_lines(["a", "b", "c"], ["a", "b", "c"]) == 0
    assert changed_lines(["a", "b", "c"], ["a", "B", "B2", "c"]) == 2
    assert changed_lines(["a", "b", "c"], ["a", "c", "d"]) == 2


@pytest.mark.parametrize("case", CASES)
def test_a_port_changes_few_lines_of_its_original(case):
    library, limit, *_ = CASES[case]
    assert changed_lines(lines_of(f"{case}_{library}"), lines_of(f"{case}_adjoint")) <= limit


@pytest.mark.long
@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_a_port_reaches_the_result(case, tmp_path):
    bound = CASES[case][-1]
    reached = result(f"{case}_adjoint", case, tmp_path)
    assert reached >= bound if bound > 0 else reached <= -bound


@pytest.mark.long
@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_the_original_reaches_the_same_result(case, tmp_path):
    library, *_, bound = CASES[case]
    reached = result(f"{case}_{library}", case, tmp_path)
    assert reached >= bound if bound > 0 else reached <= -bound
