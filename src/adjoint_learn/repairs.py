"""Finds one small change of a program that makes its check pass, and says where it is.

The sentence names the place and what is wrong with it. It is true because the check was run with the change. Changes
are tried in the parts that the exercise asks for (see changes.py).
"""

import ast
import copy
import warnings
from collections.abc import Iterator
from time import process_time

from adjoint_learn.changes import IN_PAIRS, KINDS, Kind, changes
from adjoint_learn.course import Exercise
from adjoint_learn.definitions import changed, definitions
from adjoint_learn.running import run

_SECONDS = 4.0  # of computing, for all changes of a program together
_LONGEST = 1.5  # for one of them


def repair(exercise: Exercise, source: str, file: str) -> str:
    """Return a sentence about the one place that has to change, or an empty text if there is no such place.

    >>> from adjoint_learn.course import load
    >>> exercise = load().exercise("slope")
    >>> repair(exercise, exercise.solution.replace("- f(x - h)", "+ f(x - h)"), "slope.py")
    'One sign in line 4 is wrong: look at the `+` in `f(x + h) + f(x - h)`. If only this is mended, the check passes.'
    """
    tree = ast.parse(source)
    asked = changed(exercise.stub, exercise.solution) & changed(exercise.stub, source)
    given = changed("", exercise.solution) | changed("", exercise.stub)
    found = definitions(tree).items()
    parts = [node for name, node in found if name in asked or name not in given]
    end = process_time() + _SECONDS
    for places, kinds in ((1, KINDS), (2, IN_PAIRS)):
        for part in parts:
            for kind in kinds:
                for sentence in _that_pass(exercise, tree, file, part, kind, places):
                    if sentence:
                        what = "this is" if places == 1 else "these two are"
                        return f"{sentence} If only {what} mended, the check passes."
                    if process_time() > end:
                        return ""
    return ""


def _that_pass(
    exercise: Exercise, tree: ast.Module, file: str, part: ast.FunctionDef, kind: Kind, places: int, after: int = -1
) -> Iterator[str]:
    """Try all changes of a kind at one or two places, and yield the sentence of each that passes, or an empty text."""
    for number, change in enumerate(changes(part, kind)):
        if number <= after:
            change.undo()
            continue
        try:
            if places > 1:
                ast.fix_missing_locations(part)
                for sentence in _that_pass(exercise, tree, file, part, kind, places - 1, number):
                    yield f"{change.sentence} {sentence}" if sentence else ""
            else:
                yield change.sentence if _passes(exercise, tree, file) else ""
        finally:
            change.undo()


def _passes(exercise: Exercise, tree: ast.Module, file: str) -> bool:
    try:
        program = ast.fix_missing_locations(copy.deepcopy(tree))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run(exercise, program, file, seconds=min(exercise.seconds, _LONGEST)).result.passed
    except (SyntaxError, ValueError, TypeError):
        return False
