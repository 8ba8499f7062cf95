"""Runs a learner's program and the check of its exercise, in this process."""

import ast
import contextlib
import importlib.abc
import importlib.util
import io
import itertools
import linecache
import random
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from adjoint.errors import CourseError, nearest
from adjoint_learn.checking import Check, Mismatch, as_code, fingerprint
from adjoint_learn.course import Exercise
from adjoint_learn.libraries import missing_import
from adjoint_learn.limits import TimeLimit, time_limit
from adjoint_learn.results import Place, Result

UNREADABLE = "Python cannot read the program"
OUTPUT = 20_000  # characters of a program's output that are kept
Sources = Mapping[str, tuple[str, str]]  # modules that the program imports: the file's name and the source


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
class Outcome:
    """How a check ended: the result, and what two programs that fail are compared by."""

    result: Result
    behavior: object = None  # the claim that failed first, and what the program gave; None if it cannot be compared
    claims: int = 0  # that were made before the check ended
    failures: tuple[object, ...] = ()  # all claims that failed, if more than one was asked for


def run(
    exercise: Exercise,
    source: str | ast.Module,
    file: str,
    files: Set[str] = frozenset(),
    *,
    failures: int = 1,
    seconds: float | None = None,
) -> Outcome:
    """Run a program and its check, until a number of claims have failed.

    `files` are other files of the learner, which may appear in a traceback. The global random generator starts anew.
    """
    printed, files = _Printed(), {file, *files}
    if isinstance(source, str):
        source = source.removeprefix("\ufeff")  # the mark that some editors write at the start of a file
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    seconds = seconds or exercise.seconds
    # The module has the name of the file: dataclasses and pickles look it up in sys.modules.
    module = types.ModuleType(exercise.module)
    module.__file__ = file
    before, state = sys.modules.get(exercise.module), random.getstate()
    sys.modules[exercise.module] = module
    try:
        with contextlib.redirect_stdout(printed), time_limit(seconds):
            try:
                random.seed(0)
                exec(_compiled(source, file), module.__dict__)
            except SyntaxError as error:
                outcome = Outcome(_syntax_error(error, file, files) or _learner_error(error, files))
            except TimeLimit as error:
                outcome = Outcome(_stopped(error, exercise, files))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                outcome = Outcome(_learner_error(error, files), ("import", _kind(error)))
            else:
                outcome = run_check(exercise, Learner(module.__dict__, file), files, failures)
    finally:
        random.setstate(state)
        if before is None:
            sys.modules.pop(exercise.module, None)
        else:
            sys.modules[exercise.module] = before
    outcome.result.output = cut_output(printed.getvalue())
    return outcome


def _compiled(source: str | ast.Module, file: str) -> types.CodeType:
    try:
        return compile(source, file, "exec")
    except ValueError as error:  # null bytes, before Python 3.11.4
        raise SyntaxError(str(error)) from None


def run_check(exercise: Exercise, learner: Learner, files: set[str], failures: int = 1) -> Outcome:
    """Run the check of an exercise. An exception is shown at the learner's line, if it has one."""
    check = Check(exercise.name, failures)
    path = str(exercise.folder / "check.py")
    call = _load_check(exercise, path)
    behavior: object = None
    try:
        call(check, learner)
        result = Result("passed", graph=check.graph())
    except Mismatch as error:
        result = Result("failed", _capital(str(error)), graph=error.graph)
        behavior = (check.held, fingerprint(error.got))
    except _MissingName as error:
        result = Result("failed", str(error))
    except TimeLimit as error:
        result = _stopped(error, exercise, files)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        result = _learner_error(error, files)
        behavior = (check.held, _kind(error))
        if not result.places and result.status == "error":
            # The check could not use what the program defines: a function with other parameters, a result of another
            # type. A mistake of the check itself would look the same, and `verify` finds it with the solution.
            result.message += _what_was_called(error, path)
    result.notes = check.notes
    ended = [] if result.status in ("passed", "failed") else [(check.held + len(check.failed), behavior)]
    return Outcome(result, behavior, check.held + len(check.failed), (*check.failed, *ended))


def _kind(error: BaseException) -> str:
    """Return what two exceptions are compared by. Names that a learner chose do not matter."""
    if isinstance(error, RecursionError):
        return "RecursionError"
    text = re.sub(r"'[^']*'", "", str(error)) if isinstance(error, NameError) else str(error)
    return f"{type(error).__name__}: {text}"


def _what_was_called(error: BaseException, path: str) -> str:
    """Return a sentence with the call of a learner's function in which an exception was raised."""
    lines = [place.code for place in _places(error, {path})]
    found = re.search(r"\blearner\.(\w+)\(", lines[-1]) if lines else None
    if found is None:
        return " It was raised when the check used what your program gave."
    rest = lines[-1][found.end() - 1 :]
    depths = itertools.accumulate((sign in "([{") - (sign in ")]}") for sign in rest)
    length = next((i for i, depth in enumerate(depths, 1) if depth == 0), 0)
    call = f"{found[1]}{rest[:length] or '(…)'}"
    return f" It was raised at the call `{call.replace('`', chr(39))}`."


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
