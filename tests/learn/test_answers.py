"""Programs that the checks of exercises must accept or reject, in addition to the solutions and the wrong answers."""

import sys

import pytest

from adjoint_learn.answers import check_source
from adjoint_learn.checking import Check, Mismatch
from adjoint_learn.course import load

COURSE = load()
RELU = COURSE.exercise("relu").solution.partition("    def relu(self):\n")[2]
RECURSIVE = COURSE.exercise("order").solution


def engine(name):
    """Return the engine that an exercise may import: the solution of the exercise that it uses."""
    used = [COURSE.exercise(other) for other in COURSE.exercise(name).uses]
    return {exercise.module: (exercise.file, exercise.solution) for exercise in used}


def check_answer(name, source):
    return check_source(COURSE.exercise(name), source, modules=engine(name))


def solution(name, old, new):
    source = COURSE.exercise(name).solution
    assert old in source
    return source.replace(old, new)


def best_h(error):
    return f"def best_h(f, x, exact, candidates):\n    return min(candidates, key=lambda h: {error})"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("slope", "def slope(f, x, h=1e-3):\n    return (f(x + h) - f(x - h)) / (2 * h)"),
        ("best_h", best_h("abs((f(x + h) - f(x - h)) / ((x + h) - (x - h)) - exact)")),
        ("two_ways", "def tanh_from_exp(x):\n    return 1 - 2 / ((2 * x).exp() + 1)"),
        ("relu", solution("relu", RELU, "        return self * float(self.data > 0)\n")),
    ],
)
def test_an_unusual_solution_is_accepted(name, source):
    assert check_answer(name, source).status == "passed"


@pytest.mark.parametrize(
    ("name", "source", "wrong_answer", "words"),
    [
        (
            "slope",
            "def slope(f, x):\n    return (f(x + 1e-8) - f(x)) / 1e-8",
            "one_sided",
            "3 + 1e-08, 3 + 0. It should",
        ),
        ("best_h", best_h("-abs((f(x + h) - f(x - h)) / (2 * h) - exact)"), "", "0.01"),
        ("all_paths", "def gradient(uses):\n    return uses[0][0] * uses[0][1]", "", "`7`"),
        ("expression_gradients", "gradients = {}", "", "`1`. Replace the TODO."),
        ("value", solution("value", "self._prev = _prev", "self._prev = set(_prev)"), "", "the parents `(a, b)`"),
        ("trace", "def trace(root):\n    return [root, *root._prev, *root._prev[0]._prev][1:]", "", "is missing"),
        ("tanh", solution("tanh", '(self,), "tanh"', '(), "tanh"'), "", "does not contain the Value"),
        ("two_ways", "def tanh_from_exp(x):\n    return x.tanh()", "", "composed"),
        ("order", RECURSIVE.replace("    return order\n", "    return order[:-1]\n"), "root_missing", "is missing"),
        ("backward", solution("backward", "self.grad = 1.0", "self.grad += 1"), "", "2 calls of L.backward()"),
        ("deep", f"{RECURSIVE}\nimport sys\n\nsys.setrecursionlimit(10000)", "", "RecursionError"),
    ],
)
def test_an_answer_that_is_wrong_in_an_unusual_way_is_rejected(name, source, wrong_answer, words):
    limit = sys.getrecursionlimit()
    try:
        result = check_answer(name, source)
    finally:
        sys.setrecursionlimit(limit)
    assert result.status != "passed"
    assert (result.wrong_answer, words in result.message) == (wrong_answer, True), result.message


def test_a_difference_in_the_last_digits_is_shown():
    with pytest.raises(Mismatch, match=r"`14\.00003`, and should be `14`"):
        Check().close("slope(f, 3.0)", 14.00003, 14.0)
