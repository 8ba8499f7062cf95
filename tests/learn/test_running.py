"""Programs of learners: what a check says about them, in this process and in one of its own."""

import dataclasses
import re
import sys
import textwrap

import numpy as np
import pytest

from adjoint_learn.answers import check_names, check_source
from adjoint_learn.checking import Check, Mismatch, fingerprint
from adjoint_learn.course import load
from adjoint_learn.isolated import check_isolated

COURSE = load()
SLOPE = COURSE.exercise("slope")


class Number:
    """A learner's Value. `wrong` is the rule that it gets wrong."""

    wrong = ""

    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, _prev, _op, lambda: None

    def __add__(self, other):
        out = Number(self.data + other.data, (self, other), "+")

        def rule():
            if Number.wrong == "+":
                self.grad = out.grad
                other.grad = out.grad
            else:
                self.grad += out.grad
                other.grad += out.grad

        out._backward = rule
        return out

    def __mul__(self, other):
        out = Number(self.data * other.data + (Number.wrong == "value"), (self, other), "*")

        def rule():
            self.grad += (self if Number.wrong == "*" else other).data * out.grad
            other.grad += self.data * out.grad

        out._backward = rule
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in node._prev:
                    visit(parent)
                order.append(node)

        visit(self)
        self.grad = 0.0 if Number.wrong == "seed" else 1.0
        for node in reversed(order):
            node._backward()


FIRST_WRONG_NODES = {
    "*": (
        "`L = e*f`: your gradient of `e` is `4`, and should be `-2`. The local derivative of `L` with respect to `e` "
        "is `-2`. Times the gradient of `L`, `1`, it gives `-2`.",
        "e = d + c  data 4.0000  grad 4.0000  <-- grad should be -2.0000",
    ),
    "value": (
        "`d = a*b`: your value of `d` is `-5`, and should be `-6`.",
        "data -5.0000  grad 0.0000  <-- data should be -6.0000",
    ),
    "seed": ("your gradient of the result `L` is `0`, and should be `1`", "<-- grad should be 1.0000"),
}


@pytest.mark.parametrize("wrong", FIRST_WRONG_NODES)
def test_the_first_wrong_node_is_named_and_marked(monkeypatch, wrong):
    message, marked = FIRST_WRONG_NODES[wrong]
    monkeypatch.setattr(Number, "wrong", wrong)
    with pytest.raises(Mismatch) as caught:
        Check().statements(Number, "d = a*b; e = d + c; L = e*f", a=2.0, b=-3.0, c=10.0, f=-2.0)
    assert str(caught.value).startswith(message)
    assert marked in caught.value.graph.text
    assert marked.split("<-- ")[1] in caught.value.graph.svg


def test_a_value_that_is_used_twice_and_overwritten(monkeypatch):
    program = "d = a*b; e = d + a; L = e + a"
    Check().statements(Number, program, a=2.0, b=-3.0)
    monkeypatch.setattr(Number, "wrong", "+")
    with pytest.raises(Mismatch, match="`a` is used 3 times, and its gradient is the sum of `-3` from `d = a\\*b`"):
        Check().statements(Number, program, a=2.0, b=-3.0)


def test_an_exception_is_shown_at_the_learners_line_only():
    source = textwrap.dedent("""
        def half(x):
            return x / 0


        def slope(f, x):
            return half(f(x))
    """)
    result = check_source(SLOPE, source)
    assert result.status == "error"
    assert result.message == "`ZeroDivisionError: float division by zero`."
    assert [(place.line, place.code) for place in result.places] == [(7, "return half(f(x))"), (3, "return x / 0")]


def test_a_program_that_the_check_cannot_call_is_the_learners_error():
    result = check_source(SLOPE, "def slope(f):\n    return 14.0\n")
    assert (result.status, result.places) == ("error", [])
    assert result.message.startswith("`TypeError: slope() takes 1 positional argument but 2 were given`. ")
    assert "`slope(f, 3.0)`" in result.message
    assert "learner" not in result.message  # no line of the check


def test_the_limits_of_a_process():
    source = "import os\nprint('hello', len(os.listdir()))\n" + SLOPE.solution
    result = check_isolated(COURSE, SLOPE, source)
    assert (result.status, result.output) == ("passed", "hello 0\n")  # in an empty folder
    flood = check_isolated(COURSE, SLOPE, "print('x' * 10**7)\n" + SLOPE.solution)
    assert flood.passed
    assert len(flood.output) < 30_000
    child = check_isolated(COURSE, SLOPE, "import subprocess\nsubprocess.Popen(['sleep', '600'])\n" + SLOPE.solution)
    assert child.passed


def test_an_endless_loop_is_stopped_with_its_line():
    quick = dataclasses.replace(SLOPE, seconds=0.5)
    result = check_source(quick, "i = 0\nwhile True:\n    i += 1\n")
    assert result.status == "stopped"
    assert result.message.startswith(
        "Your program was still running after 0.5 seconds, and was stopped. It was at line"
    )


def test_names_of_a_notebook():
    names: dict = {}
    exec(SLOPE.wrong_answers[0].source, names)
    result = check_names(SLOPE, names, set())
    assert result.wrong_answer == SLOPE.wrong_answers[0].name
    exec(SLOPE.solution, names)
    assert check_names(SLOPE, names, set()).passed


@pytest.mark.parametrize("got", [None, ..., "6", [6.0], float("nan"), True, object(), 6 + 0j, 10**400])
def test_odd_results_are_wrong_and_not_errors_of_the_check(got):
    with pytest.raises(Mismatch) as caught:
        Check().close("x", got, 6.0)
    assert fingerprint(caught.value.got) == fingerprint(got)


@pytest.mark.parametrize(
    ("got", "remark"),
    [
        ([[1, 2], [3, 5]], "The first difference is at index [1][1]."),
        ([[1, 2], [3]], "At index [1] it has 1 element instead of 2."),
        ([[1, 2]], "It has 1 element instead of 2."),
        ([[1, 2], None], "The first difference is at index [1]."),
    ],
)
def test_the_first_difference_of_nested_lists_is_located(got, remark):
    with pytest.raises(Mismatch, match=re.escape(remark)):
        Check().close("x", got, [[1, 2], [3, 4]])


def test_wrong_results_of_numpy_are_compared_by_their_numbers():
    assert fingerprint(np.array([1.0, 2.0])) == fingerprint([1.0, 2.0]) != fingerprint(np.array([1.0, 3.0]))
    assert fingerprint(np.int64(3)) == fingerprint(3)


def test_in_a_page_an_import_of_numpy_says_that_the_page_has_none(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = check_source(SLOPE, "import numpy as np\n", SLOPE.file)
    assert result.status == "error"
    assert result.message.startswith("Your program needs NumPy, which this page does not have.")
    assert [place.line for place in result.places] == [1]
    assert "No module named 'nunpy'" in check_source(SLOPE, "import nunpy\n", SLOPE.file).message
