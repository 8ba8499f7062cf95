"""Claims about a learner's Value: its local rules, central differences, and the order of its nodes."""

import re

import pytest

from adjoint_learn.checking import Check, Mismatch
from adjoint_learn.course import load

SOLUTION = load().exercise("backward").solution
RULES = {  # a replacement in the course's engine, a program, and what a check says
    "= for +=": (
        (".grad += out.grad", ".grad = out.grad"),
        "L = a + a",
        "`L = a + a`: your gradient of `a` is `1`, and should be `2`. `a` is used 2 times",
    ),
    "a factor": (
        ("self.data * out.grad", "out.grad"),
        "d = a * b; L = d + c",
        "`d = a * b`: your gradient of `b` is `1`, and should be `2`.",
    ),
    "a rule that was called": (
        ("= _backward\n", "= _backward()\n"),
        "L = a * b",
        "is `None`, and should be",
    ),
    "a rule with a parameter": (("_backward():", "_backward(node):"), "L = a * b", "`_backward()` raises `TypeError"),
    "no such method": (("def tanh(", "def tangent("), "L = a.tanh()", "`L = a.tanh()` raises `AttributeError"),
    "a value": (("math.tanh(self.data)", "self.data"), "L = a.tanh()", "your value of `L` is `2`"),
}


def engine(old="", new=""):
    """Return the names that the course's engine defines, after a replacement in its source."""
    assert old in SOLUTION
    names: dict = {}
    exec(compile(SOLUTION.replace(old, new) if old else SOLUTION, "engine.py", "exec"), names)
    return names


@pytest.mark.parametrize("mistake", RULES)
def test_rules_name_the_first_wrong_node(mistake):
    replacement, program, message = RULES[mistake]
    inputs = {"a": 2.0, "b": -3.0, "c": 10.0}
    Check().rules(engine()["Value"], program, **inputs)
    with pytest.raises(Mismatch, match=re.escape(message)):
        Check().rules(engine(*replacement)["Value"], program, **inputs)


def test_nudges_find_a_gradient_that_does_not_belong_to_the_values():
    Check().nudges(engine()["Value"], "L = a.tanh()", a=0.5)
    with pytest.raises(Mismatch, match=re.escape("your gradient of `a` is `0.75`, but if `a` moves")):
        Check().nudges(engine("(1 - out.data**2)", "(1 - self.data**2)")["Value"], "L = a.tanh()", a=0.5)


def test_an_order_of_nodes():
    Value = engine()["Value"]
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    d = a * b
    Check().parents_first("order(d)", [b, a, d], d)
    wrong = {
        "`order(d)` is `None`, and should be a list of nodes": None,
        "`order(d)` has 2 of 3 nodes: `a` is missing": [b, d],
        "`order(d)` has 4 entries, but the graph has only 3 nodes": [a, b, a, d],
        "`order(d)` has 4 nodes, and should have 3": [a, b, d, d + a],
        "`order(d)`: the result of `*`, `-6`, is at index 1, before its parent `b` at index 2": [a, d, b],
    }
    for message, got in wrong.items():
        with pytest.raises(Mismatch, match=re.escape(message)):
            Check().parents_first("order(d)", got, d)


def test_an_expression_that_the_learners_objects_do_not_support():
    a = engine("def __radd__", "def left_add")["Value"](2.0)
    with pytest.raises(Mismatch, match=re.escape("`1 + a` raises `TypeError: unsupported operand")):
        Check().evaluate("1 + a", a=a)
    with pytest.raises(ZeroDivisionError):  # in the learner's code: shown at their line
        Check().evaluate("a**-1", a=type(a)(0.0))
