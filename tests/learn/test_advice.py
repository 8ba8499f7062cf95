"""What is said about wrong programs that the course does not know: facts about their text, and the place to mend."""

import math

import pytest

from adjoint_learn.answers import check_source
from adjoint_learn.course import load
from adjoint_learn.definitions import with_changes

COURSE = load()
SLOPE = "def slope(f, x):\n    h = 1e-5\n    return (f(x + h) - f(x - h)) / (2 * h)\n\n\n"


def check_answer(name, source):
    exercise = COURSE.exercise(name)
    used = map(COURSE.exercise, exercise.uses)
    modules = {other.module: (other.file, other.solution) for other in used}
    return check_source(exercise, source, modules=modules, course=COURSE)


def method(name, source):
    """Return the solution of an exercise with one method of `Value` changed."""
    body = "".join(f"    {line}\n" for line in source.splitlines())
    return with_changes(COURSE.exercise(name).solution, f"class Value:\n{body}")


def solution(name, old, new):
    source = COURSE.exercise(name).solution
    assert old in source
    return source.replace(old, new)


SLIPS = {
    "no return": ("slope", "def slope(f, x):\n    (f(x + 1e-5) - f(x - 1e-5)) / 2e-5\n", "it has no `return`"),
    "print": ("slope", "def slope(f, x):\n    print((f(x + 1e-5) - f(x - 1e-5)) / 2e-5)\n", "`print` shows"),
    "missing comma": ("tanh", solution("tanh", '(self,), "tanh"', '(self), "tanh"'), "needs a comma: `(self,)`"),
    "=+": ("plus_times", solution("plus_times", "+= out.grad", "=+ out.grad"), "`=+` in line"),
    "^": ("power", solution("power", "self.data ** (n - 1)", "self.data ^ (n - 1)"), "Write `**`"),
    "never stored": (
        "tanh",
        method(
            "tanh",
            "def tanh(self):\n    out = Value(0.0, (self,))\n\n    def _backward():\n        self.grad += out.grad\n\n"
            "    return out",
        ),
        "is defined and never used",
    ),
    "not called": ("backward", solution("backward", "node._backward()\n", "node._backward\n"), "`node._backward()`"),
    "in place": (
        "backward",
        solution("backward", "reversed(topological_order(self))", "topological_order(self).reverse()"),
        "returns None",
    ),
    "misspelt": ("value", solution("value", "__init__", "__init"), "Python looks for exactly `__init__`"),
    "a number": (
        "constants",
        method("constants", "def __add__(self, other):\n    return Value(self.data + other.data)"),
        "",
    ),
    "self": ("value", solution("value", "{self.data}", "{data}"), "What a Value holds is `self.data`"),
    "recursion": ("for_free", method("for_free", "def __neg__(self):\n    return -self"), "without end"),
    "no rule": (
        "for_free",
        method("for_free", "def __sub__(self, other):\n    return Value(self.data - other.data, (self, other), '-')"),
        "gives it no rule",
    ),
    "limit": (
        "deep",
        f"import sys\n\nsys.setrecursionlimit(10000)\n{COURSE.exercise('order').solution}",
        "recursion limit",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_explained_in_the_terms_of_the_program(slip):
    name, source, words = SLIPS[slip]
    result = check_answer(name, source)
    assert not result.passed
    assert words in result.advice, (result.message, result.advice)
    assert "learner." not in result.message
    assert "check." not in result.message


def downhill(line):
    return f"{SLOPE}def downhill(f, x, rate, steps):\n    for _ in range(steps):\n        {line}\n    return x\n"


REPAIRS = {
    "a name": ("downhill", downhill("x = x - rate * slope(f, rate)"), "`rate` in line 8 is not the name"),
    "an operation": ("downhill", downhill("x = x - rate + slope(f, x)"), "The operation `+`"),
    "a divisor": ("all_paths", "def gradient(uses):\n    return sum(a / b for a, b in uses)\n", "The operation `/`"),
    "sides": ("slope", SLOPE.replace("f(x + h) - f(x - h)", "f(x - h) - f(x - h)"), "One sign in line 3"),
    "two places": (
        "slope",
        SLOPE.replace("(f(x + h) - f(x - h)) / (2 * h)", "(f(x - h) - f(x + h)) / 2 * h"),
        "If only these two are mended",
    ),
}


@pytest.mark.parametrize("kind", REPAIRS)
def test_the_place_to_mend_is_named(kind):
    name, source, words = REPAIRS[kind]
    result = check_answer(name, source)
    assert result.wrong_answer == ""
    assert words in result.advice, (result.message, result.advice)


def test_the_search_leaves_python_as_it_is():
    before = dict(vars(math))
    check_answer("tanh", solution("tanh", "(1 - out.data**2) * out.grad", "(7 - math.exp(out.data)) + out.grad"))
    assert dict(vars(math)) == before


@pytest.mark.parametrize(
    ("name", "source", "false"),
    [
        ("slope", "def slope(f, x):\n    h = 1e-3\n    return (f(3 + h) - f(3)) / h\n", "one direction only"),
        ("mlp", solution("mlp", "range(len(nouts))]", "range(len(nouts) - 1)]"), "first layer is missing"),
        (
            "fold",
            "from engine import Value\n\n\ndef fold(x1, x2):\n    return Value(abs(x1.data - x2.data))\n",
            "square",
        ),
        ("trap", "def trap(a, b):\n    return (a * b) * (a * b + a)\n", "A leaf such as"),
        ("pairs", solution("pairs", "zip(text, text[1:])", "zip(text[:-2], text[1:])"), "put a boundary before"),
    ],
)
def test_a_known_sentence_is_not_said_about_a_program_that_it_does_not_fit(name, source, false):
    result = check_answer(name, source)
    assert not result.passed
    assert false not in result.advice


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("plus_times", solution("plus_times", "other.data * out.grad", "out.data / self.data * out.grad")),
        ("downhill", downhill("x = min(x, x - rate * slope(f, x), key=f)")),
        (
            "tanh",
            solution(
                "tanh", "            self.grad += (1", "            self.data -= 0.1\n            self.grad += (1"
            ),
        ),
        (
            "trace",
            "def trace(root):\n    todo, nodes = [root], []\n    for node in todo:\n        todo += node._prev\n"
            "        if node not in nodes:\n            nodes.append(node)\n    return nodes\n",
        ),
        ("backward", solution("backward", "self.grad = 1.0", "self.grad += 1.0")),
    ],
)
def test_what_does_harm_later_is_refused(name, source):
    assert not check_answer(name, source).passed
