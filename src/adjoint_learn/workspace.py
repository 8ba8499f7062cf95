"""A learner's folder: the files of the exercises, and what has been solved.

A file of the learner is never overwritten: stubs are written only where no file is, and `reset` keeps the old file
under another name. Progress is in `.progress.json`. Two terminals may work in one folder: each adds what it solved to
what is there.
"""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjoint.errors import CourseError
from adjoint.files import atomic
from adjoint_learn.course import Course, Exercise
from adjoint_learn.running import Sources

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
    >>> from adjoint_learn.course import load
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
                write_new(path, exercise.stub)
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
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise CourseError(f"{exercise.file} is not a file; rename or delete it, then reset the exercise")
            if found.st_size > MOST_BYTES:
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
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = move_aside(path)
            write_new(path, exercise.stub)
        except OSError as error:
            if kept and not os.path.lexists(path):
                os.replace(path.with_name(kept), path)
            raise CourseError(
                f"cannot write {exercise.file}: {error.strerror or error}; your files are unchanged"
            ) from None
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
        with _lock(self.folder):
            there = self._read_progress()
            self.progress.solved |= there.solved
            for name, count in there.hints.items():
                self.progress.hints[name] = max(count, self.progress.hints.get(name, 0))
            found = {"solved": sorted(self.progress.solved), "at": self.progress.at, "hints": self.progress.hints}
            try:
                atomic.write(self.folder / _PROGRESS, json.dumps(found, indent=1).encode())
            except OSError as error:
                self.remark = f"the progress could not be saved: {error}"

    def _read_progress(self) -> Progress:
        path = self.folder / _PROGRESS
        try:
            found: Any = json.loads(path.read_text(encoding="utf-8"))
            known = {exercise.name for exercise in self.course.exercises}
            hints = {str(name): max(0, int(count)) for name, count in found["hints"].items() if name in known}
            return Progress({name for name in found["solved"] if name in known}, str(found["at"]), hints)
        except FileNotFoundError:
            return Progress()
        except OSError as error:
            self.remark = f"the progress could not be read: {error.strerror or error}"
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            try:
                self.remark = f"the progress could not be read; the file was kept as {move_aside(path)}"
            except OSError:
                self.remark = "the progress could not be read"
        return Progress()


def write_new(path: Path, text: str) -> None:
    """Write a file where none is; raise `FileExistsError` if one is. A file that cannot be completed is removed."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            path.unlink()
            raise


def move_aside(path: Path) -> str:
    """Rename a file to a name that is free, such as `engine.old1.py`, and return that name; empty if there is none."""
    if not os.path.lexists(path):
        return ""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    for number in range(1, 10_000):
        free = path.with_name(f"{path.stem}.old{number}{path.suffix}")
        try:
            free.open("xb").close()  # the name is ours now
        except FileExistsError:
            continue
        try:
            os.replace(path, free)
            return free.name
        except OSError:
            free.unlink()
            raise
    raise CourseError(f"there are too many old versions of {path.name}; delete some")


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other terminals from writing the progress in a folder, where the system can do that."""
    file = None
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        file = os.open(folder, os.O_RDONLY)
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if file is not None:
            os.close(file)
