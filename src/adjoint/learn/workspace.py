"""A learner's folder: the files of the exercises, and what has been solved.

A file of the learner is never overwritten: stubs are written only where no file is, and `reset` keeps the old file
under another name. Progress is in `.progress.json`. Two terminals may work in one folder: each adds what it solved to
what is there.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjoint.errors import CourseError, FileError
from adjoint.files import atomic
from adjoint.learn.course import Course, Exercise
from adjoint.learn.running import Sources

FOLDER = "adjoint-course"
MOST_BYTES = 1_000_000  # of a learner's file
_PROGRESS = ".progress.json"


@dataclass
class Progress:
    """The solved exercises, the current one, and how many hints were shown for each."""

    solved: set[str] = field(default_factory=set)
    at: str = ""
    hints: dict[str, int] = field(default_factory=dict)


class Workspace:
    """The folder of a learner, with the files of a course.

    >>> import tempfile
    >>> from adjoint.learn.course import load
    >>> workspace = Workspace(tempfile.mkdtemp(), load())
    >>> workspace.copy_stubs()[0]
    '01_nudge/slope.py'
    >>> workspace.copy_stubs()  # the files are there now
    []
    """

    def __init__(self, folder: str | Path, course: Course):
        self.folder = Path(folder)
        self.course = course
        self.remark = ""  # something that the learner should know, such as an unreadable file of progress
        self.progress = self._read_progress()

    def copy_stubs(self) -> list[str]:
        """Write the stub of each exercise whose file does not exist, and return the names of these files."""
        written = []
        for exercise in self.course.exercises:
            path = self.path(exercise)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("x", encoding="utf-8") as file:  # fails if the file exists
                    file.write(exercise.stub)
                written.append(exercise.file)
            except FileExistsError:
                if path.parent.is_dir():
                    continue
                raise CourseError(f"cannot create the folder {str(path.parent)!r}: a file has its name") from None
            except OSError as error:
                raise CourseError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
        return written

    def path(self, exercise: Exercise) -> Path:
        """Return the learner's file for an exercise."""
        return self.folder / exercise.file

    def read(self, exercise: Exercise) -> str:
        """Return the learner's program."""
        path = self.path(exercise)
        again = "the stub can be written again with r, or with `adjoint learn reset`"
        try:
            if path.stat().st_size > MOST_BYTES:
                raise CourseError(f"{exercise.file} is larger than {MOST_BYTES:,} bytes; is it the right file?")
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CourseError(f"{exercise.file} is not there; {again}") from None
        except UnicodeDecodeError:
            raise CourseError(f"{exercise.file} is not UTF-8 text; save it as UTF-8") from None
        except OSError as error:
            raise CourseError(f"cannot read {exercise.file}: {error.strerror or error}") from None

    def modules(self, exercise: Exercise) -> tuple[Sources, list[str]]:
        """Return the files that an exercise imports, and the names of those that are ours, not the learner's.

        The learner's own file is used once its exercise is solved; until then, the solution of the course.
        """
        found: dict[str, tuple[str, str]] = {}
        ours = []
        for name in exercise.uses:
            other = self.course.exercise(name)
            if name in self.progress.solved:
                try:
                    found[other.module] = (other.file, self.read(other))
                    continue
                except CourseError:
                    pass
            found[other.module] = (f"{other.file} (ours)", other.solution)
            ours.append(other.file)
        return found, ours

    def reset(self, exercise: Exercise) -> str:
        """Write the stub again, and return the name under which the old file was kept; empty if there was none."""
        path, kept = self.path(exercise), ""
        try:
            if path.exists():
                kept = keep_copy(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(path, exercise.stub.encode())
        except OSError as error:
            raise CourseError(f"cannot write {exercise.file}: {error.strerror or error}; nothing was changed") from None
        return kept

    # --- progress --------------------------------------------------------------------------------------------------

    def first_unsolved(self) -> Exercise:
        """Return where to continue: the remembered exercise or the first unsolved one; the last if all are solved."""
        exercises = self.course.exercises
        unsolved = [exercise for exercise in exercises if exercise.name not in self.progress.solved]
        if not unsolved:
            return exercises[-1]
        return next((exercise for exercise in unsolved if exercise.name == self.progress.at), unsolved[0])

    def record_solved(self, exercise: Exercise) -> None:
        """Remember that an exercise is solved."""
        self.progress.solved.add(exercise.name)
        self.save()

    def record_place(self, exercise: Exercise) -> None:
        """Remember the current exercise."""
        self.progress.at = exercise.name
        self.save()

    def next_hint(self, exercise: Exercise) -> tuple[int, str]:
        """Return the number and text of the next hint; the last one again after it."""
        number = min(self.progress.hints.get(exercise.name, 0) + 1, len(exercise.hints))
        self.progress.hints[exercise.name] = number
        self.save()
        return number, exercise.hints[number - 1]

    def save(self) -> None:
        """Write the progress, together with what another terminal has written."""
        there = self._read_progress()
        self.progress.solved |= there.solved
        for name, count in there.hints.items():
            self.progress.hints[name] = max(count, self.progress.hints.get(name, 0))
        found = {"solved": sorted(self.progress.solved), "at": self.progress.at, "hints": self.progress.hints}
        try:
            atomic.write(self.folder / _PROGRESS, json.dumps(found, indent=1).encode())
            self.remark = ""
        except (OSError, FileError) as error:
            self.remark = f"the progress could not be saved: {error}"

    def _read_progress(self) -> Progress:
        path = self.folder / _PROGRESS
        try:
            found: Any = json.loads(path.read_text(encoding="utf-8"))
            known = {exercise.name for exercise in self.course.exercises}
            hints = {str(name): int(count) for name, count in found["hints"].items() if name in known}
            return Progress({name for name in found["solved"] if name in known}, str(found["at"]), hints)
        except FileNotFoundError:
            return Progress()
        except OSError as error:
            self.remark = f"the progress could not be read: {error.strerror or error}"
        except (ValueError, KeyError, TypeError, AttributeError):
            kept = path.with_name(f"{_PROGRESS}.unreadable")
            try:
                os.replace(path, kept)
                self.remark = f"the progress could not be read; the file was kept as {kept.name}"
            except OSError:
                self.remark = "the progress could not be read"
        return Progress()


def keep_copy(path: Path) -> str:
    """Copy a file to a name that is free, such as `engine.old1.py`, and return that name."""
    content = path.read_bytes()
    for number in range(1, 10_000):
        copy = path.with_name(f"{path.stem}.old{number}.py")
        try:
            with copy.open("xb") as file:
                file.write(content)
            return copy.name
        except FileExistsError:
            continue
    raise CourseError(f"there are too many old versions of {path.name}; delete some")
