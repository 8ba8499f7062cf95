"""The changes by which a wrong place is found, and the sentences about errors of Python."""

import ast

import pytest

from adjoint_learn.changes import KINDS, changes
from adjoint_learn.course import load
from adjoint_learn.definitions import definitions
from adjoint_learn.python_errors import explanations
from adjoint_learn.results import Place, Result

EXERCISES = {exercise.name: exercise for lesson in load().lessons for exercise in lesson.exercises}


@pytest.mark.parametrize("name", EXERCISES)
def test_changes_give_other_programs_and_can_be_undone(name):
    tree = ast.parse(EXERCISES[name].solution)
    before, made = ast.dump(tree), 0
    for definition in definitions(tree).values():
        for kind in KINDS:
            for change in changes(definition, kind):
                made += ast.dump(tree) != before  # equal parts may change places
                assert change.sentence.endswith((".", "?"))
                change.undo()
                assert ast.dump(tree) == before
    assert made or not definitions(tree)


def explained(name: str, source: str, message: str, line: int = 1) -> str:
    place = Place("program.py", line, "")
    result = Result("error", message, places=[place])
    return "\n".join(explanations(EXERCISES[name], ast.parse(source), result))


ENGINE = EXERCISES["value"].solution


@pytest.mark.parametrize(
    ("source", "message", "expected"),
    [
        (ENGINE, "NameError: name 'math' is not defined", "write `import math`"),
        (ENGINE, "NameError: name 'data' is not defined", "What a Value holds is `self.data`"),
        (ENGINE, "NameError: name 'labell' is not defined", "Is `label` meant?"),
        (ENGINE, "NameError: name '__repr__' is not defined", "It is called on an object"),
        (ENGINE, "AttributeError: 'float' object has no attribute 'grad'", "a number has no `grad`"),
        (ENGINE, "AttributeError: 'list' object has no attribute 'data'", "belongs to one of its elements"),
        (ENGINE, "AttributeError: 'Value' object has no attribute 'append'", "belongs to a list"),
        (ENGINE, "AttributeError: 'Value' object has no attribute 'dat'", "but `data`"),
        (ENGINE, "TypeError: unsupported operand type(s) for +: 'Value' and 'Value'", "two objects of the kind"),
        (ENGINE, "TypeError: unsupported operand type(s) for *: 'Value' and 'str'", "`Value` and `str`"),
        (ENGINE, "TypeError: must be real number, not Value", "give them the number of the Value"),
        (ENGINE, "TypeError: '<' not supported between instances of 'Value' and 'int'", "cannot be compared"),
        (ENGINE, "TypeError: 'float' object is not iterable", "where a list is needed"),
        (ENGINE, "TypeError: 'Value' object is not callable", "Is a `*` missing"),
        (ENGINE, 'TypeError: can only concatenate str (not "float") to str', "Make a text of the number first"),
        (ENGINE, "ValueError: math domain error", "no logarithm of 0"),
        (ENGINE, "IndexError: list index out of range", "has the index n - 1"),
        (ENGINE, "UnboundLocalError: cannot access local variable 'out'", "also above the assignment"),
        (ENGINE.replace("__repr__", "__rper__"), "failed", "Python looks for exactly `__repr__`"),
        (ENGINE.replace("def __repr__(self", "def __repr__(x"), "failed", "should be `self`"),
        ("import sys\nsys.setrecursionlimit(10**6)\n", "RecursionError: maximum recursion", "That moves the wall"),
    ],
)
def test_errors_of_python_are_explained_in_the_terms_of_the_program(source, message, expected):
    assert expected in explained("value", source, message)


def test_methods_that_call_themselves_are_named():
    source = "class Value:\n    def __sub__(self, other):\n        return self - other\n"
    assert "uses `-` for Values itself" in explained("value", source, "RecursionError: maximum recursion depth", 3)
    source = (
        "class Value:\n    def __add__(self, other):\n        return other.__radd__(self)\n\n"
        "    def __radd__(self, other):\n        return other.__add__(self)\n"
    )
    places = [Place("program.py", 3, ""), Place("program.py", 6, "")]
    result = Result("error", "RecursionError: maximum recursion depth exceeded", places=places)
    found = "\n".join(explanations(EXERCISES["value"], ast.parse(source), result))
    assert "`__add__` and `__radd__` call each other without end" in found
