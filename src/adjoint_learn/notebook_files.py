"""Writes the lessons as notebooks: `adjoint learn --notebooks`.

A notebook has the text, figures as pictures, programs, and for each exercise its task, a cell with the stub and a cell
that checks it. Notebooks that exist are kept.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjoint.errors import CourseError
from adjoint_learn.course import BUILT_IN, Course, Exercise, Lesson
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import ExercisePlace, Figure, Program, without_lab_links
from adjoint_learn.workspace import write_new


def write_notebooks(course: Course, folder: Path) -> tuple[list[Path], list[Path]]:
    """Write a notebook for each lesson, and return those that were written and those that were there."""
    written, kept = [], []
    for lesson in course.lessons:
        path = folder / f"{lesson.folder.name}.ipynb"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                write_new(path, json.dumps(as_notebook(course, lesson), indent=1, ensure_ascii=False))
                written.append(path)
                continue
        except FileExistsError:
            if not folder.is_dir():
                raise CourseError(f"cannot create the folder {str(folder)!r}: a file has its name") from None
        except OSError as error:
            raise CourseError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
        kept.append(path)
    return written, kept


def as_notebook(course: Course, lesson: Lesson, solved: bool = False) -> dict[str, Any]:
    """Return a lesson as a notebook, with stubs or with solutions.

    >>> from adjoint_learn.course import load
    >>> course = load()
    >>> as_notebook(course, course.lesson("nudge"))["nbformat"]
    4
    """
    cells = list(_cells(course, lesson, solved))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cells(course: Course, lesson: Lesson, solved: bool) -> Iterator[dict[str, Any]]:
    blocks = list(lesson.blocks)
    setup = "from adjoint_learn.notebook import check, hint, solution"
    if course.folder != BUILT_IN:
        path = str(course.folder.resolve())
        setup = f"from adjoint_learn.notebook import Tutor\n\ntutor = Tutor({path!r})"
        setup += "\ncheck, hint, solution = tutor.check, tutor.hint, tutor.solution"
    yield _markdown(
        f"*Lesson {lesson.number} of {len(course.lessons)} of “{course.title}”. Run each cell with Shift+Enter, "
        "and write your solutions into the cells that say TODO.*"
    )
    yield _code(setup)
    figures = 0
    for block in blocks:
        if isinstance(block, Program):
            yield _code(block.source)
        elif isinstance(block, Figure):
            figures += 1
            yield _picture(figure_svg(lesson, block), block.caption, f"figure{figures}.svg")
        elif isinstance(block, ExercisePlace):
            yield from _exercise(course.exercise(block.name), solved)
        else:
            yield _markdown(without_lab_links(block.text))


def _exercise(exercise: Exercise, solved: bool) -> Iterator[dict[str, Any]]:
    yield _markdown(f"### Exercise: {exercise.title}\n\n{exercise.task}")
    cell = _code(exercise.solution if solved else exercise.stub)
    cell["metadata"] = {"tags": ["exercise", exercise.name]}
    yield cell
    yield _code(f'check("{exercise.name}")')


def _picture(svg: str, caption: str, name: str) -> dict[str, Any]:
    """Return a picture as an attachment, on a white card: an attached picture does not know the colors of the page."""
    svg = svg.replace('color="currentColor"', 'color="#222" style="background: #fff"', 1)
    cell = _markdown(f"![{caption}](attachment:{name})\n\n*{caption}*")
    cell["attachments"] = {name: {"image/svg+xml": base64.b64encode(svg.encode()).decode()}}
    return cell


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(source: str) -> dict[str, Any]:
    source = source.rstrip("\n")
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
