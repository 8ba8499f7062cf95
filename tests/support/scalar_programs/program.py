"""A random program over single numbers: Python source with state, a step, and calls of the step.

    p = [Value(0.5), Value(-1.25)]
    s = SimpleNamespace(rate=0.1)

    @jit
    def step(x):
        loss = (p[0] * x + p[1]).tanh()
        loss.backward()
        p[0].data -= s.rate * p[0].grad
        return loss

    step(0.5)
    p[1].data = 0.75
    step(-0.25)

Each run executes the whole source, so it has state of its own.
"""

import ast
import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from random_programs.program import V

from adjoint import Value, nn, optim

STATE = ("p", "q", "W", "b", "s", "model", "opt")  # the names whose numbers are compared after each call

PRELUDE = """\
from functools import reduce
from operator import mul
from types import SimpleNamespace

import adjoint
from adjoint import Value, jit, nn, ops, optim

inf, nan = float("inf"), float("nan")
cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
ramp = adjoint.op("ramp", lambda m, x, z: m.where(x > z, x - z, 0.5 * x),
                  lambda m, y, x, z: m.where(x > z, 1.0, 0.5), lambda m, y, x, z: m.where(x > z, -1.0, 0.0))


class V(Value):
    pass


class State:
    def __init__(self, **numbers):
        self.__dict__.update(numbers)


class Slots:
    __slots__ = ("by_name", "count", "depth", "m", "rate", "total", "v")

    def __init__(self, **numbers):
        for name, x in numbers.items():
            setattr(self, name, x)


def doubled(x):
    out = Value(2.0 * x.data, (x,), "doubled")

    def _backward():
        x.grad += 2.0 * out.grad

    out._backward = _backward
    return out
"""


def _names() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(PRELUDE, found)
    return {**found, "V": V}


NAMES = _names()


def identity(step: Callable) -> Callable:
    return step


@dataclass(frozen=True)
class Program:
    """The lines that make the state, those of the step, and the calls and changes after it."""

    setup: tuple[str, ...]
    body: tuple[str, ...]  # with the line `def step(…):` first
    calls: tuple[str, ...]
    seed: str = ""
    exact: bool = True  # each bit of the Python replay is that of the eager run
    in_function: bool = False  # the state is that of a closure, not global

    @property
    def definition(self) -> str:
        """The lines before the calls. The setup writes `outer` where a function needs `global` or `nonlocal`."""
        lines = [*self.setup, "@jit", *self.body]
        if self.in_function:
            lines = [
                "def make():",
                *(f"    {line}" for line in [*lines, "return locals()"]),
                "globals().update(make())",
            ]
        kind = "nonlocal" if self.in_function else "global"
        return "\n".join(lines).replace("outer ", f"{kind} ") + "\n"

    @property
    def source(self) -> str:
        """The program as it can be run by hand."""
        return f"{PRELUDE}\n\n{self.definition}\n" + "\n".join(self.calls) + "\n"

    def run(self, jit: Callable, change: Callable[[ast.Module], ast.Module] | None = None, **names: Any) -> "Run":
        """Run the program with some `jit`; `change` may rewrite the definition first."""
        text = self.definition
        filename = f"<scalar program {self.seed} {next(_numbers)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        tree = ast.parse(text, filename)
        space = {**NAMES, "jit": jit, **names}
        try:
            exec(compile(change(tree) if change else tree, filename, "exec"), space)
            return self._run_calls(space)
        finally:
            del linecache.cache[filename]

    def _run_calls(self, space: dict[str, Any]) -> "Run":
        snapshots: list[Snapshot] = []
        everyone = [value for name in STATE for value in _values(space.get(name))]
        for line in self.calls:
            result = None
            try:
                if line.startswith("step("):
                    result = eval(line, space)
                else:
                    exec(line, space)
            except Exception as error:
                return Run(snapshots, line, error, space["step"])
            snapshots.append(Snapshot(line, _leaves(result, everyone), _state(space, everyone)))
        return Run(snapshots, None, None, space["step"])


_numbers = itertools.count()


@dataclass(frozen=True)
class Snapshot:
    """What a call returned, and the state after it: the path of each number, and the number."""

    line: str
    result: dict[str, Any]
    state: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """The snapshots of a run, and the error that ended it."""

    snapshots: list[Snapshot]
    failed_at: str | None
    error: Exception | None
    step: Any


def _values(x: Any) -> list[Value]:
    if isinstance(x, Value):
        return [x]
    if isinstance(x, (list, tuple)):
        return [value for item in x for value in _values(item)]
    if isinstance(x, nn.Module):
        return list(x.parameters())
    return []


def _state(space: dict[str, Any], everyone: list[Value]) -> dict[str, Any]:
    """Return the data and gradient of every Value, now and at the start, and the numbers of the other objects."""
    found: dict[str, Any] = {}
    for name in STATE:
        x = space.get(name)
        if name == "s" and x is not None:
            held = {key: getattr(x, key) for key in getattr(x, "__slots__", None) or vars(x)}
            found |= _leaves(held, everyone, name)
        elif isinstance(x, optim.Optimizer):
            found |= _leaves(x.state_dict(), everyone, name)
        else:
            for i, value in enumerate(_values(x)):
                found |= {f"{name}[{i}].data": value.data, f"{name}[{i}].grad": _number(value.grad)}
    for i, value in enumerate(everyone):
        found |= {f"start[{i}].data": value.data, f"start[{i}].grad": _number(value.grad)}
    return found


def _number(gradient: Any) -> Any:
    return gradient.data if isinstance(gradient, Value) else gradient


def _leaves(x: Any, everyone: list[Value], path: str = "result") -> dict[str, Any]:
    """Return the numbers of nested lists, tuples and dicts by their path; of a Value, its data and which one it is."""
    if isinstance(x, Value):
        which = next((i for i, value in enumerate(everyone) if value is x), None)
        return {f"{path}.data": x.data, f"{path} is": which, f"{path}: type": type(x).__name__}
    if isinstance(x, (list, tuple)):
        parts: dict[str, Any] = {f"{path}: length": f"{type(x).__name__} of {len(x)}"}
        for i, item in enumerate(x):
            parts |= _leaves(item, everyone, f"{path}[{i}]")
        return parts
    if isinstance(x, dict):
        parts = {f"{path}: keys": str(list(x))}
        for key, item in x.items():
            parts |= _leaves(item, everyone, f"{path}[{key!r}]")
        return parts
    return {path: x, f"{path}: type": type(x).__name__}
