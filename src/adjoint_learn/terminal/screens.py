"""Lessons, tasks and results for a rich console. Everything fits 60 columns, and reads well without color."""

import re
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown as RichMarkdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from adjoint_learn.course import Exercise, Lesson, parts_to_write
from adjoint_learn.figures import figure_text
from adjoint_learn.lesson_text import ExercisePlace, Figure, Program, without_lab_links
from adjoint_learn.results import Result
from adjoint_learn.workspace import Workspace

MOST_COLUMNS = 88
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a program may print codes that clear the screen
MARKS = {"passed": ("solved", "bold green"), "failed": ("not yet", "bold yellow"),
         "error": ("error", "bold red"), "stopped": ("stopped", "bold red")}  # fmt: skip


def console() -> Console:
    """Return a console of a width that can be read well."""
    found = Console(highlight=False)
    return Console(highlight=False, width=min(found.width, MOST_COLUMNS))


def header(workspace: Workspace, exercise: Exercise) -> RenderableType:
    """Return the lesson, the position in the course, and a bar of the solved exercises."""
    course = workspace.course
    lesson = course.lesson_of(exercise)
    solved = sum(other.name in workspace.progress.solved for other in course.exercises)
    count = len(course.exercises)
    position = course.exercises.index(exercise) + 1
    bar = bar_of(solved, count, 20)
    return Group(
        Text.assemble((f"Lesson {lesson.number}: {lesson.title}", "bold"), f"   exercise {position} of {count}"),
        Text.assemble((bar, "green"), f" {solved} of {count} solved"),
        Text(""),
    )


def bar_of(part: int, whole: int, width: int) -> str:
    """Return a bar of progress.

    >>> bar_of(1, 4, 8)
    '[##......]'
    """
    filled = round(width * part / whole) if whole else 0
    return f"[{'#' * filled}{'.' * (width - filled)}]"


def lesson_part(lesson: Lesson, exercise: Exercise) -> Iterator[RenderableType]:
    """Yield the text between the exercise before this one and its own place; after the last one, the end as well."""
    places = [i for i, block in enumerate(lesson.blocks) if isinstance(block, ExercisePlace)]
    names = [other.name for other in lesson.exercises]
    index = names.index(exercise.name)
    first = 0 if index == 0 else places[index - 1] + 1
    yield from blocks(lesson, first, places[index])


def lesson_end(lesson: Lesson) -> Iterator[RenderableType]:
    """Yield the text after the last exercise of a lesson."""
    last = max(i for i, block in enumerate(lesson.blocks) if isinstance(block, ExercisePlace))
    yield from blocks(lesson, last + 1, len(lesson.blocks))


def blocks(lesson: Lesson, first: int, last: int) -> Iterator[RenderableType]:
    """Yield some blocks of a lesson: paragraphs, programs, and figures as text."""
    for block in lesson.blocks[first:last]:
        if isinstance(block, Program):
            yield Padding(program(block.source), (0, 0, 1, 2))
        elif isinstance(block, Figure):
            yield Padding(Text(figure_text(block), style="dim" if block.kind == "figure" else ""), (0, 0, 1, 2))
        elif not isinstance(block, ExercisePlace):
            yield markdown(block.text)
            yield Text("")


def task(workspace: Workspace, exercise: Exercise) -> RenderableType:
    """Return the title, the task and the file of an exercise, and what to add if the file has been written before."""
    parts: list[RenderableType] = [
        Text(exercise.title, style="bold cyan"),
        Text(""),
        markdown(exercise.task),
        Text(""),
    ]
    added = parts_to_write(workspace.course, exercise)
    if added:
        parts += [Text(f"Write these parts into {exercise.file}:"), Padding(program(added), (0, 0, 1, 2))]
    parts.append(Text.assemble("Your file: ", (str(workspace.path(exercise)), "underline")))
    return Group(*parts, Text(""))


def result(found: Result, exercise: Exercise, ours: list[str]) -> Iterator[RenderableType]:
    """Yield what a check found: for people, in this order: what, where, why, and what the program printed."""
    word, style = MARKS[found.status]
    yield Text.assemble((word.upper(), style), f"   {exercise.name}")
    yield Text("")
    if found.message:
        yield markdown(_CONTROL.sub("", found.message))
        yield Text("")
    for place in found.places[-3:]:
        yield Text(f"  {place.file}, line {place.line}")
        yield Text(f"    {place.code}", style="bold")
    if found.places:
        yield Text("")
    if found.advice:
        yield markdown(found.advice)
        yield Text("")
    if found.graph is not None:
        for line in found.graph.text.splitlines():
            yield Text(f"  {line}", style="bold red" if "<--" in line else "", no_wrap=True, overflow="ellipsis")
        yield Text("")
    for note in found.notes:
        yield markdown(f"- {note}")
    if found.notes:
        yield Text("")
    if found.output.strip():
        lines = _CONTROL.sub("", found.output.rstrip()).splitlines()
        yield Text("Your program printed:")
        for line in lines[:20]:
            yield Text(f"  {line}", no_wrap=True, overflow="ellipsis")
        if len(lines) > 20:
            yield Text(f"  … and {len(lines) - 20:,} lines more")
        yield Text("")
    if ours:
        yield Text(f"This used our {', '.join(ours)}: yours is used once its exercise is solved.", style="dim")
        yield Text("")
    if found.passed:
        yield markdown(exercise.why)
        yield Text("")


def solution(exercise: Exercise) -> RenderableType:
    """Return the solution with its explanation."""
    return Group(
        Text("A solution", style="bold"),
        Padding(program(exercise.solution), (1, 0, 1, 2)),
        markdown(exercise.why),
        Text(""),
    )


def overview(workspace: Workspace, current: Exercise | None = None) -> Iterator[RenderableType]:
    """Yield all lessons and exercises, with a mark at those that are solved."""
    for lesson in workspace.course.lessons:
        solved = sum(exercise.name in workspace.progress.solved for exercise in lesson.exercises)
        yield Text.assemble((f"{lesson.number:2}  {lesson.title}", "bold"), f"  {solved} of {len(lesson.exercises)}")
        for exercise in lesson.exercises:
            mark = "[x]" if exercise.name in workspace.progress.solved else "[ ]"
            here = "  <-- you are here" if exercise is current else ""
            yield Text(f"    {mark} {exercise.name}: {exercise.title}{here}", no_wrap=True, overflow="ellipsis")


def markdown(text: str) -> RenderableType:
    """Return Markdown for a console. A link to the lab shows the address to open there."""
    text = without_lab_links(text)
    text = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)]+)\)", r"\1 (\2)", text)
    return RichMarkdown(text, hyperlinks=False, code_theme="ansi_dark")


def program(source: str) -> Syntax:
    """Return a program in color."""
    return Syntax(source.rstrip("\n"), "python", theme="ansi_dark", background_color="default", word_wrap=True)
