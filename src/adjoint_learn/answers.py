"""Checks a learner's program, and finds what to say about a mistake.

In this order, so that no sentence is false:

1. A file of an earlier exercise is wrong, if the solution of the course fails with it too (see earlier.py).
2. A known wrong answer behaves in the same way: it fails the same claims, with the same results.
3. Earlier parts of the same file are wrong.
4. The text of the program shows a slip, such as a `return` inside of a loop (see slips.py).
5. One small change makes the check pass (see repairs.py).
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from adjoint_learn.checking import KIND
from adjoint_learn.course import Course, Exercise, WrongAnswer
from adjoint_learn.earlier import mistake_in_other_files, mistake_in_same_file
from adjoint_learn.limits import time_limit
from adjoint_learn.repairs import repair
from adjoint_learn.results import Result
from adjoint_learn.running import Learner, Outcome, Sources, importable, run, run_check
from adjoint_learn.slips import find_slip, slips_in

_COMPARED = 6  # claims that fail, by which two programs are compared
_SECONDS = 5.0  # for each of the two programs
_NEAR = 0.02  # the relative difference of two numbers that count as the same, after the first claim that failed
_Again = Callable[[int], Outcome]


def check_source(
    exercise: Exercise,
    source: str,
    file: str | None = None,
    modules: Sources | None = None,
    course: Course | None = None,
) -> Result:
    """Run a program as the solution of an exercise, and check it.

    `modules` are programs that it may import by their names, such as `engine`. With `course`, a mistake is also looked
    for in the files of earlier exercises.

    >>> from adjoint_learn.course import load
    >>> exercise = load().exercise("slope")
    >>> check_source(exercise, exercise.solution).status
    'passed'
    """
    modules, file = modules or {}, file or exercise.file
    files = {path for path, _ in modules.values()}
    with importable(modules):

        def again(failures: int) -> Outcome:
            return run(exercise, source, file, files, failures=failures, seconds=_limit(exercise, failures))

        outcome = again(1)
        if outcome.result.passed:
            return outcome.result
        if course is not None and outcome.behavior is not None:
            found = mistake_in_other_files(course, exercise, modules, outcome.claims)
            if found is not None:
                return found
        known = _known_mistake(exercise, outcome, again, tuple(modules.items()), source)
        if known is not None:
            outcome.result.wrong_answer, outcome.result.advice = known.name, known.advice
            return outcome.result
        if course is not None and outcome.behavior is not None:
            found = mistake_in_other_files(course, exercise, modules)
            found = found or mistake_in_same_file(course, exercise, source, file)
            if found is not None:
                return found
        if outcome.result.status != "stopped":
            outcome.result.advice = find_slip(exercise, source, outcome.result)
        if not outcome.result.advice and outcome.behavior is not None:
            outcome.result.advice = repair(exercise, source, file)
    return outcome.result


def check_names(exercise: Exercise, names: Mapping[str, Any], files: set[str]) -> Result:
    """Check the names that a notebook defines as the solution of an exercise. `files` are the names of its cells."""

    def again(failures: int) -> Outcome:
        with time_limit(_limit(exercise, failures)):
            return run_check(exercise, Learner(names, "this notebook"), files, failures)

    outcome = again(1)
    known = _known_mistake(exercise, outcome, again)
    if known is not None:
        outcome.result.wrong_answer, outcome.result.advice = known.name, known.advice
    return outcome.result


def _known_mistake(
    exercise: Exercise, outcome: Outcome, again: _Again, modules: tuple[Any, ...] | None = None, source: str = ""
) -> WrongAnswer | None:
    """Return the known wrong answer that behaves like a program, if any."""
    if outcome.behavior is None:
        return None
    look = _outcome if modules is None else _remembered
    theirs: tuple[object, ...] | None = None
    slips, like = slips_in(exercise, source), []
    for wrong in exercise.wrong_answers:
        if source and (slips_in(exercise, wrong.source) != slips or not _fits(exercise, wrong, source)):
            continue
        if look(exercise, wrong, modules, 1)[0] == outcome.behavior:
            if _is_kind(outcome.behavior):
                return wrong
            theirs = again(_COMPARED).failures if theirs is None else theirs
            failures = look(exercise, wrong, modules, _COMPARED)[1]
            theirs, failures = _until_stopped(theirs, failures)
            if _alike(theirs, failures):
                return wrong
            if _same_failures(theirs, failures):
                like.append(wrong)
    return like[0] if like else None


def _fits(exercise: Exercise, wrong: WrongAnswer, source: str) -> bool:
    """Return whether the code that the advice quotes from a wrong answer is in a program too.

    "You compare floats with `==`" is false for a program without `==`, whatever it computes.
    """
    quoted = {re.sub(r"\s", "", code) for code in re.findall(r"`([^`]+)`", wrong.advice)}
    theirs, ours, text = (re.sub(r"\s", "", code) for code in (wrong.program, exercise.solution, source))
    shown = {code for code in quoted if code in theirs and code not in ours}
    return not shown or any(code in text for code in shown)


def _limit(exercise: Exercise, failures: int) -> float:
    return exercise.seconds if failures == 1 else min(exercise.seconds, _SECONDS)


def _until_stopped(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return two lists of failures up to where the time of one of the programs was over."""
    ends = [i for found in (one, other) for i, (_, behavior) in enumerate(found) if behavior is None]
    return (one[: min(ends)], other[: min(ends)]) if ends else (one, other)


def _is_kind(behavior: object) -> bool:
    """Return whether the check itself has recognized the mistake."""
    got = behavior[1] if isinstance(behavior, tuple) else None
    return isinstance(got, tuple) and got[:1] == (KIND,)


def _outcome(exercise: Exercise, wrong: WrongAnswer, modules: object, failures: int) -> tuple[object, tuple]:
    """Return how a known wrong answer behaves."""
    seconds = _limit(exercise, failures)
    found = run(exercise, wrong.source, f"{wrong.name}.py", failures=failures, seconds=seconds)
    return found.behavior, found.failures


_remembered = lru_cache(maxsize=512)(_outcome)  # while a course is verified; the modules are part of the key


def _same_failures(theirs: tuple[Any, ...], wrong: tuple[Any, ...]) -> bool:
    """Return whether a program fails like a wrong answer: with its results, and nowhere else.

    It may get some claims right that the wrong answer does not, such as those about `*` if only its `+` is wrong.
    """
    if len(theirs) < 2:
        return False
    last = min(theirs[-1][0], wrong[-1][0]) if wrong else -1
    found = dict(wrong)
    return all(claim in found and _alike(got, found[claim]) for claim, got in theirs if claim <= last)


def _alike(a: object, b: object) -> bool:
    """Return whether two lists of failures agree. Numbers may differ a little, in the size of a nudge for example."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, str) and isinstance(b, str) and a != b:
        try:
            x, y = float(a), float(b)
        except ValueError:
            return False
        return abs(x - y) <= _NEAR * max(1.0, abs(x), abs(y))
    return a == b
