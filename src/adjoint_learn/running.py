"""Runs a learner's program and the check of its exercise, in this process, and finds the wrong answer it behaves like.

A known wrong answer is recognized by its behavior: it fails the same claim with the same result as the learner's
program. A program that fails is therefore followed by the wrong answers of the exercise, until one fails in the same
way.
"""

import contextlib
import importlib.abc
import importlib.util
import io
import linecache
import signal
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from adjoint.errors import CourseError, nearest
from adjoint_learn.checking import Check, Mismatch, as_code, fingerprint
from adjoint_learn.course import Exercise
from adjoint_learn.libraries import missing_import
from adjoint_learn.results import Place, Result

WAITING = 3  # times the limit of an exercise is how long a program may take if it waits, or if the machine is busy
_TOOL = 4  # of sys.monitoring; debuggers and profilers have other numbers
UNREADABLE = "Python cannot read the program"
OUTPUT = 20_000  # characters of a program's output that are kept
Sources = Mapping[str, tuple[str, str]]  # modules that the program imports: the file's name and the source


class TimeLimit(BaseException):
    """The program ran longer than the exercise permits."""


class _MissingName(Exception):
    pass


class _Printed(io.StringIO):
    """Keeps the first part of what a program prints, also if the program closes its output."""

    def close(self) -> None:
        """Stay open."""

    def write(self, text: str, /) -> int:
        if self.tell() <= OUTPUT:
            super().write(text[: OUTPUT + 1])
        return len(text)


class Learner:
    """The names that a learner's program defines. An access to a name that it lacks ends the check."""

    def __init__(self, names: Mapping[str, Any], file: str):
        self._names = names
        self._file = file

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        if name.startswith("__"):
            raise AttributeError(name)
        public = [known for known in self._names if not known.startswith("_")]
        close = nearest(name, public)
        raise _MissingName(
            f"{self._file} does not define `{name}`"
            + (f"; it defines `{close}`." if close else ", and the check needs it under this name.")
        )


@dataclass
class _Outcome:
    """How a check ended: the result, and what two failures are compared by."""

    result: Result
    behavior: object = None


def check_source(exercise: Exercise, source: str, file: str | None = None, modules: Sources | None = None) -> Result:
    """Run a program as the solution of an exercise, and check it.

    `modules` are programs that it may import by their names, such as `engine`.

    >>> from adjoint_learn.course import load
    >>> exercise = load().exercise("slope")
    >>> check_source(exercise, exercise.solution).status
    'passed'
    """
    modules = modules or {}
    with importable(modules):
        return _with_advice(
            exercise, _run(exercise, source, file or exercise.file, {path for path, _ in modules.values()})
        )


def check_names(exercise: Exercise, names: Mapping[str, Any], files: set[str]) -> Result:
    """Check the names that a notebook defines as the solution of an exercise. `files` are the names of its cells."""
    with time_limit(exercise.seconds):
        outcome = _check(exercise, Learner(names, "this notebook"), files)
    return _with_advice(exercise, outcome)


def _with_advice(exercise: Exercise, outcome: _Outcome) -> Result:
    """Return the result, with the wrong answer that fails in the same way, if any."""
    if outcome.behavior is not None:
        for wrong in exercise.wrong_answers:
            if _run(exercise, wrong.source, f"{wrong.name}.py", set()).behavior == outcome.behavior:
                outcome.result.wrong_answer, outcome.result.advice = wrong.name, wrong.advice
                break
    return outcome.result


def _run(exercise: Exercise, source: str, file: str, files: set[str]) -> _Outcome:
    """Run a program and its check. `files` are other files of the learner, which may appear in a traceback."""
    printed = _Printed()
    files = {file, *files}
    source = source.removeprefix("\ufeff")  # the mark that some editors write at the start of a file
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    # The module has the name of the file: dataclasses and pickles look it up in sys.modules.
    module = types.ModuleType(exercise.module)
    module.__file__ = file
    before = sys.modules.get(exercise.module)
    sys.modules[exercise.module] = module
    try:
        with contextlib.redirect_stdout(printed), time_limit(exercise.seconds):
            try:
                exec(_compiled(source, file), module.__dict__)
            except SyntaxError as error:
                outcome = _Outcome(_syntax_error(error, file, files) or _learner_error(error, files))
            except TimeLimit as error:
                outcome = _Outcome(_stopped(error, exercise, files))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                outcome = _Outcome(_learner_error(error, files), ("import", type(error).__name__))
            else:
                outcome = _check(exercise, Learner(module.__dict__, file), files)
    finally:
        if before is None:
            sys.modules.pop(exercise.module, None)
        else:
            sys.modules[exercise.module] = before
    outcome.result.output = cut_output(printed.getvalue())
    return outcome


def _compiled(source: str, file: str) -> types.CodeType:
    try:
        return compile(source, file, "exec")
    except ValueError as error:  # null bytes, before Python 3.11.4
        raise SyntaxError(str(error)) from None


def _check(exercise: Exercise, learner: Learner, files: set[str]) -> _Outcome:
    """Run the check of an exercise. An exception is shown at the learner's line, if it has one."""
    check = Check(exercise.name)
    path = str(exercise.folder / "check.py")
    run = _load_check(exercise, path)
    try:
        run(check, learner)
    except Mismatch as error:
        result = Result("failed", _capital(str(error)), graph=error.graph, notes=check.notes)
        return _Outcome(result, (check.held, fingerprint(error.got)))
    except _MissingName as error:
        return _Outcome(Result("failed", str(error), notes=check.notes))
    except TimeLimit as error:
        return _Outcome(_stopped(error, exercise, files))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        result = _learner_error(error, files)
        if not result.places and result.status == "error":
            # The check could not use what the program defines: a function with other parameters, a result of another
            # type. A mistake of the check itself would look the same, and `verify` finds it with the solution.
            line = next((place.code for place in reversed(_places(error, {path}))), "")
            result.message += f" The check was at `{line}`." if line else ""
        result.notes = check.notes
        return _Outcome(result, (check.held, type(error).__name__))
    return _Outcome(Result("passed", notes=check.notes, graph=check.graph()))


def _load_check(exercise: Exercise, path: str) -> Callable[[Check, Learner], object]:
    """Return the function of `check.py`. A mistake in that file is the author's, not the learner's."""
    names: dict[str, Any] = {"__name__": f"check_{exercise.name}", "__file__": path}
    try:
        exec(compile(exercise.check, path, "exec"), names)
        return names["check"]
    except KeyError:
        raise CourseError(f"{path} does not define check(check, learner)") from None
    except Exception as error:
        raise CourseError(f"{path} raises {type(error).__name__}: {error}") from None


def _learner_error(error: BaseException, files: set[str]) -> Result:
    """Return the result for an exception: the learner's lines only, without those of adjoint and of the check."""
    places = _places(error, files)
    if isinstance(error, SystemExit):
        return Result(
            "stopped", "Your program ended itself with `exit()`. Remove that call and check again.", places=places
        )
    if isinstance(error, MemoryError):
        return Result(
            "stopped", "Your program ran out of memory. Does a list or a loop grow without end?", places=places
        )
    if isinstance(error, NotImplementedError) and not str(error):
        return Result("error", "This part is not written yet: replace the TODO.", places=places)
    if isinstance(error, EOFError) and "when reading a line" in str(error):
        return Result("error", "Your program waits for `input()`, and nobody can type during a check.", places=places)
    missing = missing_import(error)
    if missing:
        return Result("error", missing, places=places)
    if isinstance(error, RecursionError):
        text = "RecursionError: a function calls itself too often"
    else:
        lines = traceback.format_exception_only(error)
        text = lines[-1] if isinstance(error, SyntaxError) else "".join(lines)
    return Result("error", f"{as_code(text)}.", places=places)


def _stopped(error: BaseException, exercise: Exercise, files: set[str]) -> Result:
    message = f"Your program was still running after {exercise.seconds:g} seconds, and was stopped."
    places = _places(error, files)
    if places:
        message += f" It was at line {places[-1].line}. Does a loop never end?"
    return Result("stopped", message, places=places)


def _places(error: BaseException, files: set[str]) -> list[Place]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    places = [Place(frame.filename, frame.lineno or 0, frame.line or "") for frame in frames]
    return places if len(places) <= 6 else [*places[:2], *places[-3:]]


def _syntax_error(error: SyntaxError, file: str, files: set[str]) -> Result | None:
    """Return the result for a file of the learner that is not Python; None if something else is not."""
    name = error.filename or file
    if name not in files:
        return None
    place = Place(name, error.lineno or 1, (error.text or "").strip())
    return Result("error", f"{UNREADABLE}: {error.msg}.", places=[place])


def cut_output(text: str) -> str:
    """Return the first part of what a program printed, with a remark if there was more."""
    return text if len(text) <= OUTPUT else f"{text[:OUTPUT]}\n… (the output is longer, and was cut here)"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in a program that computes longer, or that takes a multiple of this time while it waits.

    The first limit counts the time of the processor, so that a busy machine does not matter. Windows and browsers have
    no such timer; there, the program looks at the clock in each loop and call. There is no limit outside of the main
    thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not hasattr(signal, "setitimer"):
        with _limit_at_events(seconds):
            yield
        return

    def stop(*_: object) -> None:
        raise TimeLimit

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, WAITING * seconds))
    before = [(number, signal.signal(number, stop)) for _, number, _ in timers]
    for timer, _, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, _, _ in timers:
            signal.setitimer(timer, 0)
        for number, handler in before:
            signal.signal(number, handler)


@contextlib.contextmanager
def _limit_at_events(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` at the first jump or call after this time. Before Python 3.12, there is no limit."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None or monitoring.get_tool(_TOOL):
        yield
        return
    end = perf_counter() + seconds

    def look(*_: object) -> None:
        if perf_counter() > end:
            monitoring.set_events(_TOOL, 0)  # like a timer, it raises once
            raise TimeLimit

    monitoring.use_tool_id(_TOOL, "adjoint: time limit")
    events = (monitoring.events.JUMP, monitoring.events.PY_START)
    for event in events:
        monitoring.register_callback(_TOOL, event, look)
    monitoring.set_events(_TOOL, sum(events))
    try:
        yield
    finally:
        monitoring.set_events(_TOOL, 0)
        for event in events:
            monitoring.register_callback(_TOOL, event, None)
        monitoring.free_tool_id(_TOOL)


@contextlib.contextmanager
def importable(modules: Sources) -> Iterator[None]:
    """Make programs importable by their names, such as the learner's `engine`, while the context is active."""
    hidden = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    finder = _Finder(modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)


def find_module(modules: Sources, name: str) -> Any:
    """Return the import specification of one of the given programs, or None."""
    if name not in modules:
        return None
    return importlib.util.spec_from_loader(name, _Loader(*modules[name]), origin=modules[name][0])


class _Finder:
    """Finds the given programs for `import`."""

    def __init__(self, modules: Sources):
        self._modules = modules

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return find_module(self._modules, name)


class _Loader(importlib.abc.InspectLoader):
    """Loads a program from its source. Its lines appear in tracebacks under the name of its file."""

    def __init__(self, file: str, source: str):
        self._file, self._source = file, source

    def get_source(self, fullname: str) -> str:
        return self._source

    def exec_module(self, module: types.ModuleType) -> None:
        linecache.cache[self._file] = (len(self._source), None, self._source.splitlines(keepends=True), self._file)
        exec(compile(self._source, self._file, "exec"), module.__dict__)
