"""The examples, each run in a separate process and in another folder.

Slow examples get fewer steps. The output of a deterministic example is compared with its docstring.
"""

import ast
import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from closeness import require_close

import adjoint

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@functools.cache
def run(name: str, *options: str) -> str:
    """Run an example, once for all tests; return its output, with a line for each file that it writes."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(adjoint.__file__).parents[1]),  # the package under test, from any folder
        "PYTHONIOENCODING": "utf-8",
        "MPLBACKEND": "agg",
    }
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *options]
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
        assert ended.returncode == 0, ended.stderr
        assert "Warning" not in ended.stderr
        files = [f"{path.name} {path.read_bytes()[:4]!r}\n" for path in sorted(Path(folder).iterdir())]
    return ended.stdout + "".join(files)


def docstring(name: str) -> str:
    return ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""


def numbers(pattern: str, printed: str) -> list[float]:
    return [float(number) for number in re.findall(pattern, printed)]


def accuracies(printed: str) -> list[float]:
    return numbers(r"accuracy ([\d.]+)%", printed)


# --- all examples ---


def test_the_readme_of_the_examples_lists_each_one_once():
    listed = re.findall(
        r"^\| \[\w+\.py\]\((\w+)\.py\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_says_how_to_run_the_example(name):
    assert f"\n\n    python examples/{name}.py" in docstring(name)


@pytest.mark.parametrize("name", ["tour", "nudge", "neuron", "four_points", "xor", "bigram"])
def test_an_example_prints_the_numbers_in_its_docstring(name):
    printed = run(name)
    claimed = re.findall(r"\b\d+\.\d{4,5}\b", docstring(name))
    assert claimed
    for number in claimed:
        assert number in printed, number


# --- each example ---


def test_microgpt_learns_and_writes_names():
    printed = run("microgpt", "12")
    assert "558 names, 26 letters, 4128 weights\nstep    1  loss 3.4914\n" in printed
    assert len(printed.splitlines()) == 2 + 5


def test_the_tour_shows_gradients_a_graph_and_a_network():
    printed = run("tour")
    assert "∂L/∂a = 6" in printed
    assert "└── f  data -2.0000  grad 4.0000" in printed
    assert "1 xor 1 = 0" in printed


def test_nudges_and_gradients_agree():
    rows = re.findall(r"^  (\w) +(-?[\d.]+) +(-?[\d.]+)$", run("nudge"), re.MULTILINE)
    assert [row[0] for row in rows] == ["a", "b", "c", "f"]
    assert [float(row[2]) for row in rows] == [6.0, -4.0, -2.0, 4.0]  # b·f, a·f, f, a·b + c
    assert all(nudge == gradient for _, nudge, gradient in rows)


def test_the_neuron_has_the_gradients_of_the_tutorial():
    printed = run("neuron")
    assert printed.startswith("out = 0.7071\n")
    assert numbers(r"∂out/∂\w+ += ([+-][\d.]+)", printed) == [-1.5, 1.0, 0.5, 0.0, 0.5]


def test_four_points_are_predicted_near_their_targets():
    cases = re.findall(r"target ([+-]\d) +prediction ([+-][\d.]+)", run("four_points"))
    assert len(cases) == 4
    assert all(abs(float(target) - float(prediction)) < 0.04 for target, prediction in cases)


def test_xor_needs_a_hidden_layer():
    alone, network = run("xor").split("\n\n")[:2]
    assert numbers(r"prediction ([+-][\d.]+)", alone) == [0.5] * 4
    assert numbers(r"prediction ([+-][\d.]+)", network) == pytest.approx([0, 1, 1, 0], abs=0.05)


def test_moons_are_separated_and_drawn():
    printed = run("moons")
    assert accuracies(printed) == [100.0]
    assert numbers(r"loss ([\d.]+)", printed)[-1] < 0.02
    assert r"moons.png b'\x89PNG'" in printed


def test_a_spiral_needs_a_hidden_layer():
    linear, hidden = accuracies(run("spiral", "--steps", "500"))
    assert linear < 60
    assert hidden >= 99


@pytest.mark.full
def test_a_network_classifies_digits():
    (accuracy,) = accuracies(run("digits_mlp", "--epochs", "15"))
    assert accuracy >= 96


@pytest.mark.full
def test_compiled_convolutions_classify_digits():
    (accuracy,) = accuracies(run("digits_cnn", "--epochs", "3"))
    assert accuracy >= 96


def test_gradient_descent_finds_the_bigram_model_that_counting_finds():
    printed = run("bigram")
    counted, first, *_, last = numbers(r"loss ([\d.]+)", printed)
    assert first == 3.2958  # log 27
    assert last == pytest.approx(counted, abs=1e-4)
    assert numbers(r"two probabilities: ([\d.]+)", printed)[0] < 1e-4


def new_names(printed: str) -> list[str]:
    return printed.split("new names: ")[1].strip().split(", ")


def test_the_scalar_gpt_generates_new_names():
    steps = "60" if adjoint.accelerated else "3"  # the Python engine is slow
    names = new_names(run("scalar_gpt", "--steps", steps, "--samples", "5"))
    assert len(names) == 5
    assert not set(names) & set(adjoint.data.names())


@pytest.mark.full
def test_the_compiled_gpt_learns_and_generates_new_names():
    printed = run("gpt", "--steps", "60", "--samples", "8")
    losses = numbers(r"step +\d+ +loss ([\d.]+)", printed)
    assert losses[0] == pytest.approx(3.3, abs=0.2)  # a uniform guess: log 27
    assert losses[-1] < 2.5
    names = new_names(printed)
    assert len(set(names)) == 8
    assert not set(names) & set(adjoint.data.names())
    assert all(any(vowel in name for vowel in "aeiouy") for name in names)


@pytest.mark.full
def test_pytorch_and_adjoint_print_the_same_losses():
    rows = re.findall(r"^ *\d+ +([\d.]+) +([\d.]+)$", run("torch_comparison"), re.MULTILINE)
    ours, theirs = ([float(loss) for loss in column] for column in zip(*rows))
    assert len(rows) == 7
    require_close(ours, theirs)
    assert f"{ours[0]:.4f} to {ours[-1]:.4f}" in docstring("torch_comparison").replace("\n", " ")
