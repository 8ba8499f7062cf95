"""What the notebooks of the course import: `check`, `hint` and `solution`.

    from adjoint_learn.notebook import check, hint, solution

`check("slope")` checks the names that the notebook defines. A file that other exercises import, such as `engine.py`, is
saved next to the notebook once its exercise is solved; until then, they get the solution of the course.
"""

import contextlib
import html
import linecache
import re
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adjoint.errors import CourseError
from adjoint_learn.answers import check_names, check_source
from adjoint_learn.course import BUILT_IN, Course, Exercise, load
from adjoint_learn.lesson_text import Program
from adjoint_learn.libraries import missing_library
from adjoint_learn.results import Result
from adjoint_learn.running import find_module
from adjoint_learn.workspace import move_aside, write_new

_COLORS = {"passed": "#1a9850", "failed": "#d97706", "error": "#dc4444", "stopped": "#dc4444"}
_TITLES = {"passed": "Solved", "failed": "Not yet", "error": "Error", "stopped": "Stopped"}


class Tutor:
    """The functions of a notebook for one course."""

    def __init__(self, folder: str | Path = BUILT_IN):
        self._folder = folder
        self._loaded: Course | None = None
        self._hints: dict[str, int] = {}
        self._asked: set[str] = set()
        self._solved: set[str] = set()
        # Files of the course are found from now on, and those of another course no more.
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Solutions)]
        sys.meta_path.append(_Solutions(self))

    @property
    def course(self) -> Course:
        """Return the course, which is read when it is needed first."""
        if self._loaded is None:
            self._loaded = load(self._folder)
        return self._loaded

    def check(self, name: str) -> "Shown":
        """Check the exercise that the notebook has solved, and show the result."""
        exercise = self.course.exercise(name)
        missing = missing_library(exercise, "%pip install")
        if missing:
            return Shown(Result("stopped", missing), exercise)
        names = _own_names(exercise)
        result = check_names(exercise, names, _files(names))
        saved = ""
        if result.passed:
            self._solved.add(name)
            saved = self._save(exercise, names)
        return Shown(result, exercise, saved)

    def hint(self, name: str) -> "Text":
        """Show the next hint of an exercise; the last one again after it."""
        exercise = self.course.exercise(name)
        number = self._hints[name] = min(self._hints.get(name, 0) + 1, len(exercise.hints))
        return Text(f"**Hint {number} of {len(exercise.hints)}.** {exercise.hints[number - 1]}")

    def solution(self, name: str) -> "Text":
        """Show the solution of an exercise: after success, or on a second request."""
        exercise = self.course.exercise(name)
        if name not in self._solved and name not in self._asked:
            self._asked.add(name)
            return Text(f'Try `hint("{name}")` first. Run this cell again to see the solution.')
        return Text(f"```python\n{exercise.solution}```\n\n{exercise.why}")

    def _save(self, exercise: Exercise, names: Mapping[str, Any]) -> str:
        """Write the cell of a solved exercise to a file, if other exercises import it."""
        source = _cell(exercise, names)
        if not source or exercise.module not in _imported(self.course):
            return ""
        path, kept = Path(f"{exercise.module}.py"), ""
        alone = check_source(exercise, source)
        if not alone.passed:
            return (
                f"It was not saved as {path}, because the cell does not work by itself: {alone.message} "
                "Put everything that it needs, such as `import math`, into the same cell."
            )
        try:
            if path.exists():
                there = path.read_text(encoding="utf-8")
                if there == source:
                    return ""
                if self._is_later(exercise, there):
                    return f"{path} solves the next exercise too, and was kept."
                kept = move_aside(path)
            write_new(path, source)
        except (OSError, UnicodeDecodeError, CourseError) as error:
            return f"Your {path} could not be saved: {error}."
        sys.modules.pop(exercise.module, None)  # a later import gets the new file
        return f"Saved as {path}, for the lessons that import it." + (f" The old file is {kept}." if kept else "")

    def _is_later(self, exercise: Exercise, source: str) -> bool:
        """Return True if a program also solves the next exercise with the same file."""
        same = [other for other in self.course.exercises if other.file == exercise.file]
        later = same[same.index(exercise) + 1 :]
        return bool(later) and check_source(later[0], source).passed


class Text:
    """Markdown in a notebook, and plain text elsewhere."""

    def __init__(self, text: str):
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_markdown_(self) -> str:
        return self._text


class Shown:
    """The result of a check, as a notebook shows it."""

    def __init__(self, result: Result, exercise: Exercise, saved: str = ""):
        self.result = result
        self._exercise = exercise
        self._saved = saved

    def __repr__(self) -> str:
        found = self.result
        parts = [f"{_TITLES[found.status]}: {self._exercise.title}", found.message]
        parts += [f"  line {place.line}: {place.code}" for place in found.places[-3:]]
        parts += [found.advice, found.graph.text if found.graph else "", *found.notes]
        parts += [self._exercise.why, self._saved] if found.passed else [self._help()]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        found = self.result
        color = _COLORS[found.status]
        parts = [f"<strong style='color: {color}'>{_TITLES[found.status]}</strong>: {_inline(self._exercise.title)}"]
        parts += [_paragraph(found.message)] if found.message else []
        parts += [f"<pre>line {place.line}: {html.escape(place.code)}</pre>" for place in found.places[-3:]]
        parts += [_paragraph(found.advice)] if found.advice else []
        parts += [f"<div style='overflow-x: auto'>{found.graph.svg}</div>"] if found.graph else []
        parts += [_paragraph(note) for note in found.notes]
        parts += [_paragraph(text) for text in ((self._exercise.why, self._saved) if found.passed else (self._help(),))]
        return f"<div style='border-left: 4px solid {color}; padding-left: 1em'>{''.join(parts)}</div>"

    def _help(self) -> str:
        name = self._exercise.name
        return f'Change the cell, run it, and check again. `hint("{name}")` gives a hint.'


def _paragraph(text: str) -> str:
    return f"<p>{_inline(text)}</p>" if text else ""


def _inline(text: str) -> str:
    """Return Markdown of one paragraph as HTML: code, bold and emphasized words."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _files(names: Mapping[str, Any]) -> set[str]:
    """Return the files of the cells that define the functions and classes of the notebook."""
    found = set()
    for x in list(names.values()):
        members = vars(x).values() if isinstance(x, type) and x.__module__ == "__main__" else (x,)
        found |= {member.__code__.co_filename for member in members if isinstance(member, types.FunctionType)}
    return {file for file in found if not Path(file).exists() or file.endswith(".ipynb")}


def _own_names(exercise: Exercise) -> dict[str, Any]:
    """Return the names of the notebook, without those imported from the exercise's own file, such as `engine`."""
    names = vars(sys.modules["__main__"])
    return {name: x for name, x in names.items() if getattr(x, "__module__", None) != exercise.module}


def _cell(exercise: Exercise, names: Mapping[str, Any]) -> str:
    """Return the source of the cell that defines the first class or function of the exercise's solution."""
    found = re.search(r"^(?:class|def) (\w+)", exercise.solution, re.MULTILINE)
    made = names.get(found[1]) if found else None
    functions = vars(made).values() if isinstance(made, type) else (made,)
    for function in functions:
        if isinstance(function, types.FunctionType):
            return "".join(linecache.getlines(function.__code__.co_filename))
    return ""


def _imported(course: Course) -> dict[str, Exercise]:
    """Return the last exercise of each file that other exercises or texts import, by the name of the module."""
    used = {course.exercise(name).module for exercise in course.exercises for name in exercise.uses}
    for lesson in course.lessons:
        for block in lesson.blocks:
            if isinstance(block, Program):
                used |= set(re.findall(r"^from (\w+) import", block.source, re.MULTILINE))
    return {exercise.module: exercise for exercise in course.exercises if exercise.module in used}


class _Solutions:
    """Imports the files of the course that the learner has not saved, such as `engine`, from the solutions."""

    def __init__(self, tutor: Tutor):
        self._tutor = tutor

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        with contextlib.suppress(CourseError):
            other = _imported(self._tutor.course).get(name)
            if other is not None:
                return find_module({name: (f"{other.file} (ours)", other.solution)}, name)
        return None


_tutor = Tutor()
check, hint, solution = _tutor.check, _tutor.hint, _tutor.solution
