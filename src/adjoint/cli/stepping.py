"""Run a program with its own engine or with adjoint's, and measure its training steps: the calls of `backward()`.

`measure` runs it in a process of its own, whose output is not shown, and ends it after a few steps.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from types import ModuleType
from typing import Any

from adjoint.cli.own_engines import HOOK, Engine, read_engine
from adjoint.cli.probes import probe


@dataclass(slots=True)
class Steps:
    """The first steps of a program: what `backward()` was called on, and how long each took."""

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    error: str = ""
    wrong: list[str] = field(default_factory=list)  # sentences about operations that are wrong

    @property
    def seconds_of_one(self) -> float:
        """The time of the fastest step; the first, which includes what comes before it, counts only if it is alone."""
        return min(self.seconds[1:] or self.seconds or [0.0])


class Enough(BaseException):
    """Ends a program after enough steps; not an Exception, so that programs do not catch it."""


class Counter:
    """The hook in place of `loss.backward()`: calls it, and notes the loss and the time of the first steps."""

    def __init__(self, steps: Steps, most: int):
        self._steps, self._most, self._before = steps, most, perf_counter()
        self.kind: type | None = None  # of the losses

    def __call__(self, root: Any, *arguments: Any, **options: Any) -> Any:
        result = root.backward(*arguments, **options)
        if len(self._steps.losses) < self._most:
            self._steps.seconds.append(perf_counter() - self._before)
            self._steps.losses.append(_total(root.data))
            self.kind = type(root)
            self.note()
            self._before = perf_counter()
        return result

    def note(self) -> None:
        """Do what has to be done after a step that was noted."""


def _total(data: Any) -> float:
    """Return a loss as a number; of an array, the sum."""
    return float(data.sum() if hasattr(data, "sum") else data)


class _Writer(Counter):
    """A counter that writes a file after each step, in case the time runs out, and ends the program after the last."""

    def __init__(self, steps: Steps, most: int, file: str):
        super().__init__(steps, most)
        self._file = file

    def note(self) -> None:
        self.write()
        if len(self._steps.losses) == self._most:
            raise Enough

    def write(self) -> None:
        with open(self._file, "w", encoding="utf-8") as output:
            json.dump(asdict(self._steps), output)


def execute(program: ast.Module, path: str, arguments: Sequence[str], hook: Callable) -> dict[str, Any]:
    """Run a program as `python path arguments` does, and return its namespace."""
    module = ModuleType("__main__")
    module.__dict__.update({"__file__": path, HOOK: hook})
    before = sys.argv, sys.path, sys.modules["__main__"]
    sys.argv = [path, *arguments]
    sys.path = [os.path.dirname(os.path.abspath(path)), *sys.path]
    sys.modules["__main__"] = module
    try:
        exec(compile(program, path, "exec"), module.__dict__)
    finally:
        sys.argv, sys.path, sys.modules["__main__"] = before
    return module.__dict__


def measure(engine: Engine, arguments: Sequence[str], is_own: bool, most: int, timeout: float) -> Steps:
    """Return the first steps of a program, with its own class or that of adjoint, in another process."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "steps.json")
        what = json.dumps([engine.path, engine.name, is_own, most, list(arguments), file])
        command = [sys.executable, "-m", "adjoint.cli.stepping", what]
        ended = ""
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            ended = lines[-1] if done.returncode and lines else ""
        except subprocess.TimeoutExpired:
            ended = f"it was ended after {timeout:g} seconds"
        try:
            with open(file, encoding="utf-8") as written:
                steps = Steps(**json.load(written))
        except OSError:
            steps = Steps()
    steps.error = steps.error or ended
    return steps


def _measure_here(path: str, name: str, is_own: bool, most: int, arguments: list[str], file: str) -> None:
    """Do what `measure` asks for, in its process."""
    engine, steps = read_engine(path, name), Steps()
    writer = _Writer(steps, most, file)
    try:
        execute(engine.program(is_own), path, arguments, writer)
    except Enough:
        pass
    except (Exception, SystemExit) as error:
        if not isinstance(error, SystemExit) or error.code:
            steps.error = f"{type(error).__name__}: {error}"
    if is_own and writer.kind is not None:
        steps.wrong = probe(writer.kind, engine)
    writer.write()


if __name__ == "__main__":
    _measure_here(*json.loads(sys.argv[1]))
