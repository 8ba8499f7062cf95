"""Finds a mistake in a file of an earlier exercise, so that no later exercise is blamed for it.

If the solution of the course fails with the learner's files too, one of these is wrong. The checks of the exercises
that they belong to say what is wrong in it. The definition that has to change is the one that makes this check pass if
it is replaced by that of the course.
"""

import ast
import math
from collections.abc import Iterator

from adjoint_learn.course import Course, Exercise
from adjoint_learn.definitions import Name, changed, definitions, with_definitions
from adjoint_learn.results import Place, Result
from adjoint_learn.running import Outcome, Sources, importable, run


def mistake_in_other_files(
    course: Course, exercise: Exercise, modules: Sources, claims: float = math.inf
) -> Result | None:
    """Return what is wrong in the files that an exercise imports, or None.

    The solution of the course must fail with them, after at most so many claims: those that the learner's program made.
    """
    ours = {other.module: other.solution for other in map(course.exercise, exercise.uses)}
    theirs = {name: (file, source) for name, (file, source) in modules.items() if source != ours.get(name)}
    if not theirs:
        return None
    with importable(modules):
        model = run(exercise, exercise.solution, exercise.file, {file for file, _ in modules.values()})
    if model.result.passed or model.claims > claims:
        return None
    for other, file, source in _parts(course, exercise, theirs):
        found = _mistake(course, other, source, file, modules)
        if found is not None:
            return found
    for name, (file, _) in theirs.items():
        mended = {**modules, name: (file, ours[name])}
        with importable(mended):
            if run(exercise, exercise.solution, exercise.file).result.passed:
                other = next(other for other in map(course.exercise, exercise.uses) if other.module == name)
                text = (
                    f"The mistake is in your `{file}`: the solution of this exercise fails with it too, and passes "
                    f"with the `{file}` of the course. {_offer(course, other)}"
                )
                return Result("failed", text, places=list(model.result.places))
    return None


def mistake_in_same_file(course: Course, exercise: Exercise, source: str, file: str) -> Result | None:
    """Return what is wrong in a part of a file that an earlier exercise asked for, or None."""
    for other in _with_file(course, exercise, exercise.file):
        found = _mistake(course, other, source, file, {})
        if found is not None:
            return found
    return None


def _parts(course: Course, exercise: Exercise, theirs: Sources) -> Iterator[tuple[Exercise, str, str]]:
    """Yield the earlier exercises whose files are the learner's, in the order of the course."""
    used = [
        other for name in exercise.uses for other in (*_with_file(course, course.exercise(name)), course.exercise(name))
    ]
    for other in course.exercises:
        if other in used and other.module in theirs:
            yield other, *theirs[other.module]


def _with_file(course: Course, exercise: Exercise, file: str = "") -> list[Exercise]:
    """Return the exercises before one that have the same file."""
    before = course.exercises[: course.exercises.index(exercise)]
    return [other for other in before if other.file == (file or exercise.file)]


def _mistake(course: Course, other: Exercise, source: str, file: str, modules: Sources) -> Result | None:
    """Return what the check of an earlier exercise says about a file; None if it passes."""
    needed = {name: found for name, found in modules.items() if name in {course.exercise(x).module for x in other.uses}}
    with importable(needed):
        outcome = run(other, source, file)
        if outcome.result.passed or (outcome.behavior is None and not outcome.result.places):
            return None
        places = outcome.result.places or _culprit(other, source, file)
        known = next(
            (wrong for wrong in other.wrong_answers if _same(run(other, wrong.source, f"{wrong.name}.py"), outcome)),
            None,
        )
    where = f", line {places[-1].line}" if places else ""
    text = f"The mistake is in your `{file}`{where}. {outcome.result.message} {_offer(course, other)}"
    result = Result("failed", text, places=places, graph=outcome.result.graph)
    if known is not None:
        result.advice = known.advice
    return result


def _same(one: Outcome, other: Outcome) -> bool:
    return one.behavior is not None and one.behavior == other.behavior


def _offer(course: Course, other: Exercise) -> str:
    lesson = course.lesson_of(other).number
    return f"Mend it there first: `{other.name}` in lesson {lesson} is the exercise that checks it."


def _culprit(other: Exercise, source: str, file: str) -> list[Place]:
    """Return the line of the definition that is wrong: the check passes if it is replaced by that of the course."""
    try:
        theirs = definitions(ast.parse(source))
    except SyntaxError:
        return []
    different = changed(source, other.solution) & set(theirs)
    for name in sorted(different, key=lambda name: theirs[name].lineno):
        tree = with_definitions(source, other.solution, [name])
        if run(other, tree, file).result.passed:
            return [_place(theirs[name], name, other.solution, source, file)]
    return []


def _place(node: ast.FunctionDef, name: Name, solution: str, source: str, file: str) -> Place:
    """Return the only statement in which a definition differs from that of the course, or else its first line."""
    ours = {ast.dump(statement) for statement in _statements(definitions(ast.parse(solution))[name])}
    different = [statement for statement in _statements(node) if ast.dump(statement) not in ours]
    line = different[0].lineno if len(different) == 1 else node.lineno
    return Place(file, line, source.splitlines()[line - 1].strip())


def _statements(node: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Yield the statements of a definition that contain no others."""
    for child in ast.walk(node):
        if isinstance(child, ast.stmt) and not hasattr(child, "body"):
            yield child
