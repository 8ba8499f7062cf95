"""Runs a check in a process of its own, with limits on time, memory and output.

The process is Python in isolated mode, in an empty temporary folder and in a session of its own, which is killed as a
whole. This protects the learner's files and the server from mistakes such as an endless loop. It is not a sandbox: the
program has the rights of the user who started it.
"""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from adjoint_learn.course import Course, Exercise
from adjoint_learn.limits import WAITING
from adjoint_learn.results import Result
from adjoint_learn.running import OUTPUT, Sources, cut_output

MEMORY = 1024  # MB that a program may use, besides what Python and the libraries need
_GRACE = 10.0  # seconds that the process gets to start, and to report what it was doing at the end of its time
_REPORT = "result.json"
_MOST_BYTES = 5_000_000  # of a report
_MARK = "ADJOINT_CHECK"  # the variable of the environment that marks the processes of a check
_START = "import sys; sys.path[:] = {path!r}; from adjoint_learn.child import main; main()"


@dataclass
class Run:
    """A check that runs in another process. `wait` returns its result, and `kill` ends it."""

    process: subprocess.Popen[bytes]
    exercise: Exercise
    folder: tempfile.TemporaryDirectory[str]

    def kill(self) -> None:
        """End the process and everything that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        for process in _processes_with(f"{_MARK}={self.folder.name}"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)

    def wait(self) -> Result:
        """Wait until the check is done or its time is over, and return the result."""
        assert self.process.stdout is not None
        output = _Output(self.process.stdout)
        try:
            # The program and the search for its mistake may each take the time of the exercise.
            self.process.wait(2 * WAITING * self.exercise.seconds + _GRACE)
            late = False
        except subprocess.TimeoutExpired:
            late = True
        finally:
            self.kill()
            self.process.wait()
        printed = output.text()
        result = _read_report(Path(self.folder.name) / _REPORT) or Result(
            "stopped", end_reason(self.exercise, self.process.returncode, late=late)
        )
        result.output = cut_output(result.output + printed)
        with contextlib.suppress(RecursionError):  # folders that are too deep to be deleted
            self.folder.cleanup()
        return result


def request_of(
    course: Course, exercise: Exercise, source: str, file: str | None = None, modules: Sources | None = None
) -> dict[str, Any]:
    """Return what `child.result_of` needs to check a program, as a JSON object."""
    return {
        "course": str(course.folder.resolve()),
        "exercise": exercise.name,
        "source": source,
        "file": file or exercise.file,
        "modules": {name: list(found) for name, found in (modules or {}).items()},
        "memory": MEMORY,
        "seconds": WAITING * exercise.seconds + _GRACE,
    }


def end_reason(exercise: Exercise, code: int, *, late: bool) -> str:
    """Return why a check left no result; `code` is the exit code of Python, or minus the signal that ended it."""
    if late or code == -getattr(signal, "SIGXCPU", 0):
        seconds = exercise.seconds
        return f"Your program was still running after {seconds:g} seconds, and was stopped. Does a loop never end?"
    if code == -getattr(signal, "SIGKILL", 9):
        return "The operating system stopped your program, probably because it used too much memory."
    if code < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"Your program crashed Python ({names.get(-code, f'signal {-code}')})."
    return (
        f"Your program ended Python with the exit code {code} before the check was finished. "
        "Remove calls such as `os._exit()`."
    )


def start(
    course: Course, exercise: Exercise, source: str, file: str | None = None, modules: Sources | None = None
) -> Run:
    """Start the check of a program in another process."""
    folder = tempfile.TemporaryDirectory(prefix="adjoint-check-", ignore_cleanup_errors=True)
    work = Path(folder.name) / "work"
    work.mkdir()
    request = request_of(course, exercise, source, file, modules) | {"report": str(Path(folder.name) / _REPORT)}
    environment = {name: x for name, x in os.environ.items() if not name.startswith("PYTHON")}
    environment[_MARK] = folder.name
    process = subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-c", _START.format(path=[path for path in sys.path if path])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=work,
        env=environment,
        start_new_session=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(request).encode())
    return Run(process, exercise, folder)


def check_isolated(
    course: Course, exercise: Exercise, source: str, file: str | None = None, modules: Sources | None = None
) -> Result:
    """Check a program in another process, and return the result.

    >>> from adjoint_learn.course import load
    >>> course = load()
    >>> check_isolated(course, course.exercise("slope"), "import os; os._exit(0)").status
    'stopped'
    """
    run = start(course, exercise, source, file, modules)
    try:
        return run.wait()
    finally:
        run.kill()


def _read_report(path: Path) -> Result | None:
    """Return the result in a file; None if it is missing, or if the program has written something else there."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size > _MOST_BYTES:
            return None
        return Result.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _processes_with(setting: str) -> list[int]:
    """Return the processes that have a variable in their environment: those that left the session, on Linux."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if setting.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


class _Output:
    """Reads what a process prints, and keeps the first part of it."""

    def __init__(self, pipe: IO[bytes]):
        self._kept = bytearray()
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while piece := self._pipe.read1(65536):  # pyright: ignore[reportAttributeAccessIssue]
                if len(self._kept) <= 4 * OUTPUT:
                    self._kept += piece

    def text(self) -> str:
        """Return the output. A process that escaped may keep the pipe open, so the wait is short."""
        self._thread.join(1.0)
        if not self._thread.is_alive():
            self._pipe.close()
        return cut_output(self._kept.decode("utf-8", "replace"))
