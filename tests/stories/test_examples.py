"""The examples, each as a user runs it: a process of its own, in another folder, and what it prints.

Those that are slow get a smaller count. What their first lines say of a full run was measured with the seed that is
there; where a run is exact enough to be repeated to the digit, the test holds the lines to it.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import adjoint

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


def run(name: str, *options: str, cwd: Path) -> str:
    """Return what an example prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(adjoint.__file__).parents[1]),  # the package under test, from any folder
        "PYTHONIOENCODING": "utf-8",
        "MPLBACKEND": "agg",
    }
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *options]
    ended = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert "Warning" not in ended.stderr
    return ended.stdout


def docstring(name: str) -> str:
    return ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""


def numbers(pattern: str, printed: str) -> list[float]:
    return [float(number) for number in re.findall(pattern, printed)]


def accuracies(printed: str) -> list[float]:
    return numbers(r"accuracy ([\d.]+)%", printed)


# --- all of them ---


def test_the_table_lists_every_example_once():
    listed = re.findall(
        r"^\| \[\w+\.py\]\((\w+)\.py\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_first_lines_say_how_to_run_it(name):
    assert f"\n\n    python examples/{name}.py" in docstring(name)


@pytest.mark.parametrize("name", ["tour", "nudge", "neuron", "four_points", "xor", "bigram"])
def test_an_example_prints_the_numbers_of_its_first_lines(name, tmp_path):
    printed = run(name, cwd=tmp_path)
    claimed = re.findall(r"\b\d+\.\d{4,5}\b", docstring(name))
    assert claimed
    for number in claimed:
        assert number in printed, number


# --- one by one ---


def test_the_tour_shows_gradients_a_graph_and_a_network(tmp_path):
    printed = run("tour", cwd=tmp_path)
    assert "∂L/∂a = 6" in printed
    assert "└── f  data -2.0000  grad 4.0000" in printed
    assert "1 xor 1 = 0" in printed


def test_nudges_and_gradients_agree(tmp_path):
    rows = re.findall(r"^  (\w) +(-?[\d.]+) +(-?[\d.]+)$", run("nudge", cwd=tmp_path), re.MULTILINE)
    assert [row[0] for row in rows] == ["a", "b", "c", "f"]
    assert [float(row[2]) for row in rows] == [6.0, -4.0, -2.0, 4.0]  # b·f, a·f, f, a·b + c
    assert all(nudge == gradient for _, nudge, gradient in rows)


def test_the_neuron_has_the_gradients_of_the_tutorial(tmp_path):
    printed = run("neuron", cwd=tmp_path)
    assert printed.startswith("out = 0.7071\n")
    assert numbers(r"∂out/∂\w+ += ([+-][\d.]+)", printed) == [-1.5, 1.0, 0.5, 0.0, 0.5]


def test_four_points_come_out_near_their_targets(tmp_path):
    cases = re.findall(r"target ([+-]\d) +prediction ([+-][\d.]+)", run("four_points", cwd=tmp_path))
    assert len(cases) == 4
    assert all(abs(float(target) - float(prediction)) < 0.04 for target, prediction in cases)


def test_xor_needs_a_hidden_layer(tmp_path):
    alone, network = run("xor", cwd=tmp_path).split("\n\n")[:2]
    assert numbers(r"says ([+-][\d.]+)", alone) == [0.5] * 4
    assert numbers(r"says ([+-][\d.]+)", network) == pytest.approx([0, 1, 1, 0], abs=0.05)


def test_moons_are_parted_and_drawn(tmp_path):
    printed = run("moons", cwd=tmp_path)
    assert accuracies(printed) == [100.0]
    assert numbers(r"loss ([\d.]+)", printed)[-1] < 0.02
    assert (tmp_path / "moons.png").read_bytes().startswith(b"\x89PNG")


def test_a_spiral_needs_a_hidden_layer(tmp_path):
    linear, hidden = accuracies(run("spiral", "--steps", "500", cwd=tmp_path))
    assert linear < 60
    assert hidden >= 99


def test_digits_are_read_by_a_network(tmp_path):
    (accuracy,) = accuracies(run("digits_mlp", "--epochs", "15", cwd=tmp_path))
    assert accuracy >= 96


def test_digits_are_read_by_compiled_convolutions(tmp_path):
    (accuracy,) = accuracies(run("digits_cnn", "--epochs", "3", cwd=tmp_path))
    assert accuracy >= 96


def test_gradients_find_the_bigrams_that_counting_finds(tmp_path):
    printed = run("bigram", cwd=tmp_path)
    counted, first, *_, last = numbers(r"loss ([\d.]+)", printed)
    assert first == 3.2958  # log 27
    assert last == pytest.approx(counted, abs=1e-4)
    assert numbers(r"two probabilities: ([\d.]+)", printed)[0] < 1e-4


def new_names(printed: str) -> list[str]:
    return printed.split("new names: ")[1].strip().split(", ")


def test_the_scalar_gpt_makes_up_names(tmp_path):
    steps = "60" if adjoint.accelerated else "3"  # plain Python takes its time
    made = new_names(run("scalar_gpt", "--steps", steps, "--samples", "5", cwd=tmp_path))
    assert len(made) == 5
    assert not set(made) & set(adjoint.data.names())


def test_the_compiled_gpt_learns_and_makes_up_names(tmp_path):
    printed = run("gpt", "--steps", "60", "--samples", "8", cwd=tmp_path)
    losses = numbers(r"step +\d+ +loss ([\d.]+)", printed)
    assert losses[0] == pytest.approx(3.3, abs=0.2)  # knowing nothing: log 27
    assert losses[-1] < 2.5
    made = new_names(printed)
    assert len(set(made)) == 8
    assert not set(made) & set(adjoint.data.names())
    assert all(any(vowel in name for vowel in "aeiouy") for name in made)


def test_pytorch_beside_goes_through_the_same_losses(tmp_path):
    rows = re.findall(r"^ *\d+ +([\d.]+) +([\d.]+)$", run("torch_beside_adjoint", cwd=tmp_path), re.MULTILINE)
    ours, theirs = ([float(loss) for loss in column] for column in zip(*rows))
    assert len(rows) == 7
    assert ours == pytest.approx(theirs, rel=1e-12)
    assert f"{ours[0]:.4f} to {ours[-1]:.4f}" in docstring("torch_beside_adjoint").replace("\n", " ")
