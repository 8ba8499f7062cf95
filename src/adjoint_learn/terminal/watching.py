"""The loop of `adjoint learn`: shows an exercise, follows its file and the keys, and checks after each save.

The file is polled, which works on every file system. A check runs in another process, so that the loop stays
responsive; a new save ends the check that is running.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.text import Text

from adjoint.errors import CourseError
from adjoint_learn.isolated import Run, start
from adjoint_learn.results import Result
from adjoint_learn.terminal import screens
from adjoint_learn.terminal.keys import Keys
from adjoint_learn.workspace import Workspace

_PAUSE = 0.2  # seconds between two looks at the file

_KEYS = "n next   p previous   c check   h hint   s solution   t text   l list   r reset   q quit   N P other lesson"


@dataclass
class _Checking:
    """A check that runs: its process, and the thread that waits for its result."""

    run: Run
    ours: list[str]
    result: Result | None = None

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._wait, daemon=True)
        self.thread.start()

    def _wait(self) -> None:
        self.result = self.run.wait()

    def end(self) -> None:
        self.run.kill()
        self.thread.join()


class Watch:
    """The course in a terminal, until the learner quits."""

    def __init__(self, workspace: Workspace, console: Console):
        self._workspace = workspace
        self._console = console
        self._exercise = workspace.first_unsolved()
        self._checking: _Checking | None = None
        self._seen: object = None  # the files as they were at the last check
        self._asked = ""  # the key that must be pressed again

    def run(self) -> None:
        """Show exercises until the learner quits."""
        with Keys() as keys:
            try:
                self._arrive()
                while True:
                    self._look_at_files()
                    self._look_at_check()
                    key = keys.read(_PAUSE)
                    if key in ("q", "\x04"):
                        break
                    if key:
                        self._press(key)
            except KeyboardInterrupt:
                pass
            finally:
                self._end_check()
        solved, count = len(self._workspace.progress.solved), len(self._workspace.course.exercises)
        self._print(Text(f"\n{solved} of {count} exercises are solved. Continue with `{_command()} learn`."))

    # --- what happens ----------------------------------------------------------------------------------------------

    def _arrive(self, text: bool = True) -> None:
        """Show the text that leads to the current exercise, and its task."""
        self._end_check()
        self._asked = ""
        self._seen = self._state()  # a check would clear the text away; a save from now on is noticed
        self._workspace.record_place(self._exercise)
        self._clear()
        self._print(screens.header(self._workspace, self._exercise))
        if text:
            lesson = self._workspace.course.lesson_of(self._exercise)
            self._print(*screens.lesson_part(lesson, self._exercise))
        self._print(screens.task(self._workspace, self._exercise))
        self._remark()
        self._print(Text("Edit the file and save it: it is checked at once. Press c to check it as it is."), Text(""))
        self._show_keys()

    def _look_at_files(self) -> None:
        """Start a check if the learner's files have changed."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        self._end_check()
        self._clear()
        self._print(screens.header(self._workspace, self._exercise), screens.task(self._workspace, self._exercise))
        self._remark()
        try:
            source = self._workspace.read(self._exercise)
        except CourseError as error:
            self._print(Text(f"{error}.", style="bold red"), Text(""))
            self._show_keys()
            return
        modules, ours = self._workspace.modules(self._exercise)
        self._print(Text("checking …", style="dim"))
        try:
            run = start(self._workspace.course, self._exercise, source, self._exercise.file, modules)
        except OSError as error:  # no space for temporary files, or no more processes
            self._print(Text(f"The check cannot start: {error}.", style="bold red"), Text(""))
            self._show_keys()
            return
        self._checking = _Checking(run, ours)

    def _look_at_check(self) -> None:
        """Show the result of the check that has ended."""
        checking = self._checking
        if checking is None or checking.thread.is_alive():
            return
        self._checking = None
        found = checking.result or Result("stopped", "The check ended without a result. Save the file to try again.")
        if found.passed:
            self._workspace.record_solved(self._exercise)
        self._clear()
        self._print(screens.header(self._workspace, self._exercise), screens.task(self._workspace, self._exercise))
        self._print(*screens.result(found, self._exercise, checking.ours))
        if found.passed:
            self._print(*self._after_success())
        self._remark()
        self._show_keys()

    def _after_success(self) -> Iterable[RenderableType]:
        course = self._workspace.course
        lesson = course.lesson_of(self._exercise)
        if self._exercise is lesson.exercises[-1]:
            yield from screens.lesson_end(lesson)
        if len(self._workspace.progress.solved) == len(course.exercises):
            yield Text("You have solved every exercise of the course. Congratulations!", style="bold green")
        else:
            yield Text("Solved. Press n for the next exercise.", style="bold green")
        yield Text("")

    def _press(self, key: str) -> None:
        again, self._asked = self._asked == key, ""
        exercise, workspace = self._exercise, self._workspace
        solved = exercise.name in workspace.progress.solved
        if key in ("n", "p"):
            if key == "n" and not solved and not again:
                self._ask(key, "This exercise is not solved yet. Press n again to skip it.")
            else:
                self._move(1 if key == "n" else -1)
        elif key == "h":
            number, hint = workspace.next_hint(exercise)
            self._print(Text(f"Hint {number} of {len(exercise.hints)}", style="bold"), screens.markdown(hint), Text(""))
            self._show_keys()
        elif key == "s":
            if solved or again:
                self._print(screens.solution(exercise))
                self._show_keys()
            else:
                self._ask(key, "Try a hint first (h). Press s again to see the solution.")
        elif key == "r":
            if again:
                self._reset()
            else:
                self._ask(key, f"Press r again to write the stub of {exercise.file}. Your file is kept as a copy.")
        elif key == "l":
            self._print(Text(""), *screens.overview(workspace, exercise), Text(""))
            self._show_keys()
        elif key == "t":
            self._arrive()
        elif key == "c":
            self._seen = None
        elif key in ("N", "P"):
            self._move_lesson(1 if key == "N" else -1)
        elif key in ("?", "\n", " "):
            self._show_keys()

    def _move(self, step: int) -> None:
        exercises = self._workspace.course.exercises
        index = exercises.index(self._exercise) + step
        if not 0 <= index < len(exercises):
            self._print(Text("This is the first exercise." if index < 0 else "This is the last exercise."), Text(""))
            return
        self._exercise = exercises[index]
        self._arrive()

    def _move_lesson(self, step: int) -> None:
        lessons = self._workspace.course.lessons
        index = lessons.index(self._workspace.course.lesson_of(self._exercise)) + step
        if not 0 <= index < len(lessons):
            self._print(Text("This is the first lesson." if index < 0 else "This is the last lesson."), Text(""))
            return
        self._exercise = lessons[index].exercises[0]
        self._arrive()

    def _reset(self) -> None:
        try:
            kept = self._workspace.reset(self._exercise)
        except CourseError as error:
            self._print(Text(f"{error}.", style="bold red"), Text(""))
            return
        self._arrive(text=False)
        if kept:
            self._print(Text(f"The stub is back. Your old file is {kept}."), Text(""))

    # --- helpers of the screen ------------------------------------------------------------------------------------

    def _state(self) -> object:
        """Return what changes when one of the learner's files changes."""
        names = [self._exercise.name, *self._exercise.uses]
        found = []
        for name in names:
            try:
                stat = self._workspace.path(self._workspace.course.exercise(name)).stat()
                found.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
            except OSError as error:
                found.append(error.errno)
        return found

    def _end_check(self) -> None:
        if self._checking is not None:
            self._checking.end()
            self._checking = None

    def _ask(self, key: str, question: str) -> None:
        self._asked = key
        self._print(Text(question, style="bold"), Text(""))

    def _remark(self) -> None:
        if self._workspace.remark:
            self._print(Text(f"{self._workspace.remark[:1].upper()}{self._workspace.remark[1:]}.", style="bold red"))
            self._workspace.remark = ""

    def _show_keys(self) -> None:
        self._print(Text(_KEYS, style="dim"))

    def _clear(self) -> None:
        if self._console.is_terminal:
            self._console.clear()

    def _print(self, *parts: RenderableType) -> None:
        width = screens.console().width  # the learner may have changed the size of the window
        for part in parts:
            self._console.print(part, width=width)


def _command() -> str:
    """Return what to type to start adjoint: its name, or where it is if the shell does not find it."""
    if shutil.which("adjoint"):
        return "adjoint"
    is_module = sys.argv[0].endswith("__main__.py")
    path = sys.executable if is_module else os.path.abspath(sys.argv[0])
    short = os.path.relpath(path)
    return (path if short.startswith("..") else short) + (" -m adjoint" if is_module else "")
