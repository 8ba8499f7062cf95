"""A random program over arrays: leaves, and steps that are lines of Python.

    a = Value(np.array([[1.5, -0.25]]))
    b = V(2.0)
    c = np.sum(a, axis=0)
    d = c * b

A program runs with any objects in place of its leaves, so that `vjp`, `jit` or plain numbers run the same lines.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import adjoint
from adjoint import Tensor, Value, linalg, nn


class V(Value):
    """A number of a user's own class."""


class W(Value):
    """A number of a user's own class that is equal to others with the same data."""

    def __eq__(self, other):
        return isinstance(other, W) and self.data == other.data

    def __hash__(self):
        return hash(self.data)


def read_only(x: np.ndarray) -> np.ndarray:
    """Return the array, which then refuses to be written to."""
    x.flags.writeable = False
    return x


NAMES: dict[str, Any] = {
    "np": np,
    "adjoint": adjoint,
    "linalg": linalg,
    "nn": nn,
    "Value": Value,
    "Tensor": Tensor,
    "V": V,
    "W": W,
    "read_only": read_only,
    "inf": np.inf,
    "nan": np.nan,
}


@functools.lru_cache(10_000)
def compiled(text: str) -> types.CodeType:
    """Return an expression as code."""
    return compile(text, "<program>", "eval")


@dataclass(frozen=True)
class Leaf:
    """An input: an array in some memory layout, or a number."""

    name: str
    data: np.ndarray  # of shape () for a number
    text: str  # the data as Python, with its layout
    make: str = "Value"  # how it becomes a variable: Value, or a subclass for a number
    number: bool = False
    varies: bool = True

    def plain(self, dtype=None) -> Any:
        """Return the data: a float, or an array in the layout."""
        x = eval(compiled(self.text), NAMES)
        return x if self.number or dtype is None else x.astype(dtype)

    def variable(self, dtype=None) -> Value:
        """Return the leaf as a Value, or as an object of a subclass."""
        return NAMES[self.make](self.plain(dtype))

    @property
    def line(self) -> str:
        return f"{self.name} = {self.make}({self.text})" if self.varies else f"{self.name} = {self.text}"


@dataclass(frozen=True)
class Step:
    """A line `target = text`; `operands` are the names that the text uses."""

    target: str
    text: str
    operands: tuple[str, ...]
    data_dependent: bool = False  # the shape of the result depends on numbers, so it cannot be compiled
    may_refuse: bool = False  # an error of ours is a right answer


@dataclass(frozen=True)
class Program:
    """Leaves, steps, and the name of the result."""

    leaves: tuple[Leaf, ...]
    steps: tuple[Step, ...]
    result: str
    functions: dict[str, Callable] = field(default_factory=dict, repr=False)  # those of the test files, by name

    @property
    def variables(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.varies)

    @property
    def may_refuse(self) -> bool:
        return any(step.may_refuse for step in self.steps)

    @property
    def data_dependent(self) -> bool:
        return any(step.data_dependent for step in self.steps)

    @property
    def is_composed(self) -> bool:
        """Whether it calls several functions."""
        return len(self.steps) > 1 or self.steps[0].text.count("(") > 1

    def run(self, *variables: Any) -> Any:
        """Return the result for the given variables, in the order of `self.variables`."""
        names = dict(self.functions)
        for leaf, x in zip(self.variables, variables, strict=True):
            names[leaf.name] = x
        for leaf in self.leaves:
            if not leaf.varies:
                names[leaf.name] = leaf.plain()
        for step in self.steps:
            names[step.target] = eval(compiled(step.text), NAMES, names)
        return names[self.result]

    def value(self, points: list[np.ndarray]) -> np.ndarray:
        """Return the number or array that the program computes at some points."""
        return plain(self.run(*[self.as_variable(leaf, x) for leaf, x in zip(self.variables, points)]))

    @staticmethod
    def as_variable(leaf: Leaf, x: np.ndarray) -> Value:
        return Value(float(x)) if leaf.number else Tensor(x)

    def pruned(self) -> Program:
        """Return the program without the lines that its result does not use."""
        used, steps = {self.result}, []
        for step in reversed(self.steps):
            if step.target in used:
                used.update(step.operands)
                steps.append(step)
        leaves = tuple(leaf for leaf in self.leaves if leaf.name in used)
        return replace(self, leaves=leaves, steps=tuple(reversed(steps)))


def plain(x: Any) -> np.ndarray:
    """Return the numbers of a Value, or of an array of Values, as an array."""
    if isinstance(x, Value):
        x = x.data
    if isinstance(x, np.ndarray) and x.dtype == object:
        return np.array([float(v) for v in x.ravel()]).reshape(x.shape)
    if isinstance(x, (list, tuple)):
        return np.array([plain(v) for v in x])
    return np.asarray(x)


def numbers(x: np.ndarray) -> str:
    """Return an array as Python that builds it."""
    text = np.array2string(x, separator=", ", threshold=100_000, max_line_width=10**9, floatmode="unique")
    text = "".join(text.split("\n")) if x.ndim else repr(x.item())
    if x.size > 60 and np.array_equal(np.resize(x.ravel()[:12], x.shape), x):
        return f"np.resize({numbers(x.ravel()[:12])}, {x.shape})"
    if not x.size:
        return f"np.zeros({x.shape}, {str(x.dtype)!r})"
    standard = x.dtype in (np.dtype("float64"), np.dtype("int64"), np.dtype("bool"))
    return f"np.array({text})" if standard else f"np.array({text}, {str(x.dtype)!r})"
