"""Proves that a course works: `adjoint learn verify`.

For each exercise: the stub fails, the solution passes, each wrong answer gets its own message, and the solution adds at
most fifteen lines to the stub. Where several exercises share a file, the last solution passes all their checks.
Programs in the texts run, and figures can be drawn. An exercise sees only the files of exercises that it `uses`, which
come before it.
"""

import contextlib
import difflib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from adjoint.errors import CourseError
from adjoint_learn.answers import check_source
from adjoint_learn.course import Course, Exercise, Lesson
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import Figure, Program
from adjoint_learn.results import Result
from adjoint_learn.running import UNREADABLE, Sources, importable

MOST_LINES = 15  # that a learner writes for one exercise


@dataclass(frozen=True)
class Problem:
    """Something that does not work: the exercise or lesson, and what is wrong."""

    name: str
    text: str


def verify(course: Course, lesson: Lesson) -> Iterator[Problem]:
    """Yield the problems of a lesson and of its exercises.

    >>> from adjoint_learn.course import load
    >>> course = load()
    >>> list(verify(course, course.lesson("nudge")))
    []
    """
    for exercise in lesson.exercises:
        try:
            for text in _exercise_problems(course, exercise):
                yield Problem(exercise.name, text)
        except CourseError as error:  # its check.py cannot be used
            yield Problem(exercise.name, str(error))
    for text in _text_problems(course, lesson):
        yield Problem(lesson.name, text)


def _exercise_problems(course: Course, exercise: Exercise) -> Iterator[str]:
    missing = [name for name in exercise.needs if find_spec(name.partition(".")[0]) is None]
    if missing:
        yield f"it needs {missing[0]}, which is not installed; install it and verify again"
        return
    modules = solutions(course, exercise)
    stub = check_source(exercise, exercise.stub, modules=modules, course=course)
    if stub.passed:
        yield "the stub passes the check"
    elif stub.message.startswith(UNREADABLE):
        yield f"the stub is not a Python program: {_describe(stub)}"
    elif stub.wrong_answer:
        yield f"the stub gets the message of the wrong answer {stub.wrong_answer}"
    solution = check_source(exercise, exercise.solution, modules=modules, course=course)
    if not solution.passed:
        yield f"the solution does not pass: {_describe(solution)}"
    for wrong in exercise.wrong_answers:
        result = check_source(exercise, wrong.source, modules=modules, course=course)
        if result.passed:
            yield f"the wrong answer {wrong.name} passes the check"
        elif result.wrong_answer != wrong.name:
            found = f"the message of {result.wrong_answer}" if result.wrong_answer else "no message of its own"
            yield f"the wrong answer {wrong.name} gets {found}: {_describe(result)}"
    earlier = [other for other in course.exercises if other.file == exercise.file]
    for other in earlier[: earlier.index(exercise)]:
        result = check_source(other, exercise.solution, modules=solutions(course, other))
        if not result.passed:
            yield f"its solution, in the same file, no longer passes {other.name}: {_describe(result)}"
    if not 2 <= len(exercise.hints) <= 3:
        yield f"it has {len(exercise.hints)} hints; give two or three"
    added = _added_lines(exercise.stub, exercise.solution)
    if added > MOST_LINES:
        yield f"the solution adds {added} lines to the stub; at most {MOST_LINES} are asked of a learner"


def _text_problems(course: Course, lesson: Lesson) -> Iterator[str]:
    """Run the programs of the text in one namespace, and draw its figures."""
    path = str(lesson.folder / "lesson.md")
    names: dict[str, object] = {"__name__": lesson.name}
    with importable(_all_solutions(course, lesson)), contextlib.redirect_stdout(io.StringIO()):
        for block in lesson.blocks:
            try:
                if isinstance(block, Program):
                    # Empty lines in front give a traceback the lines of the lesson's file.
                    exec(compile("\n" * (block.line - 1) + block.source, path, "exec"), names)
                elif isinstance(block, Figure):
                    figure_svg(lesson, block)
            except (Exception, SystemExit) as error:
                where = f"the program at line {block.line}" if isinstance(block, Program) else f"the figure {block!r}"
                yield f"{where} raises {type(error).__name__}: {error}"
                return


def solutions(course: Course, exercise: Exercise) -> Sources:
    """Return the solutions of the exercises that one uses, by the names under which it imports them."""
    used = [course.exercise(name) for name in exercise.uses]
    return {other.module: (other.file, other.solution) for other in used}


def _all_solutions(course: Course, lesson: Lesson) -> Sources:
    """Return the last solution of each file up to a lesson, for the programs in its text."""
    before = [exercise for other in course.lessons[: lesson.number] for exercise in other.exercises]
    return {exercise.module: (exercise.file, exercise.solution) for exercise in before}


def _added_lines(stub: str, solution: str) -> int:
    """Return how many lines of program the solution has that the stub does not have."""
    old, new = (
        [line.strip() for line in text.splitlines() if re.sub(r"#.*", "", line).strip()] for text in (stub, solution)
    )
    return sum(line.startswith("+ ") for line in difflib.ndiff(old, new))


def _describe(result: Result) -> str:
    where = f" (line {result.places[-1].line}: {result.places[-1].code})" if result.places else ""
    return f"{result.status}: {result.message}{where}"
