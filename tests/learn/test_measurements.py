"""The measured numbers in the texts of the lessons "mistakes" and "xor" are those of the course's own network."""

import importlib
import random
import runpy

import pytest
from closeness import require_close

from adjoint_learn.course import BUILT_IN, load
from adjoint_learn.running import importable

MISTAKES = runpy.run_path(str(BUILT_IN / "08_mistakes" / "figures.py"))
PLATFORM = 2  # networks whose training depends on the rounding of a platform
XOR = runpy.run_path(str(BUILT_IN / "09_xor" / "figures.py"))


def require_counts(found, expected):
    assert all(abs(a - b) <= PLATFORM for a, b in zip(found, expected, strict=True)), (found, expected)


@pytest.mark.parametrize("reset", [True, False])
def test_the_figures_train_the_networks_of_the_learner(reset):
    course = load()
    names = {name: course.exercise(name) for name in ("backward", "mlp")}
    with importable({exercise.module: (exercise.file, exercise.solution) for exercise in names.values()}):
        random.seed(3)
        model, losses = importlib.import_module("network").MLP(3, [4, 4, 1]), []
    for _ in range(12):
        errors = [model(x) - y for x, (y,) in zip(MISTAKES["_X"].tolist(), MISTAKES["_Y"].tolist())]
        loss = sum((error**2 for error in errors[1:]), errors[0] ** 2)
        for p in model.parameters():
            p.grad = 0.0 if reset else p.grad
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad
        losses.append(loss.data)
    require_close(MISTAKES["_train"](0.05, 12, reset, True)[:, 3], losses)


@pytest.mark.parametrize(
    ("reset", "tanh_output", "expected"),
    [(True, True, (0, 36)), (False, True, (38, 33)), (True, False, (25, 40)), (False, False, (0, 0))],
)
def test_the_table_of_leftovers_is_measured(reset, tanh_output, expected):
    losses = MISTAKES["_train"](0.05, 101, reset, tanh_output)
    require_counts([(losses[step] < 0.01).sum() for step in (20, 100)], expected)


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ((4, "tanh", "tanh", 0.1), (40, 0)),
        ((4, "relu", "relu", 0.1), (7, 23)),
        ((4, "relu", "linear", 0.1), (11, 0)),
        ((4, "relu", "linear", 0.02), (22, 0)),
        ((16, "relu", "linear", 0.02), (40, 0)),
    ],
)
def test_the_outcomes_on_xor_are_measured(network, expected):
    require_counts(XOR["outcome_counts"](*network), expected)
