"""Grow a random program from a seed: leaves of every kind, and lines that use earlier results."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from closeness import is_close

from adjoint import Value
from adjoint.errors import AdjointError
from random_programs.choices import Choices
from random_programs.program import NAMES, Leaf, Program, Step, compiled, numbers, plain

NUMBERS = ("Value", "Value", "Value", "V", "W")  # the classes of scalar Values
LARGEST = 1e3  # results that are larger, or not finite, are compared but not used further


class Failure(AssertionError):
    """A program that fails: where, and what was wrong."""

    def __init__(self, program: Program, check: str, message: str, texts: dict[str, list[str]] | None = None):
        super().__init__(message)
        self.program, self.check, self.message = program, check, message
        self.texts = texts or {}  # the arguments of a transform, as Python


@dataclass
class Node:
    """A name of the program, and the numbers that it has."""

    name: str
    value: np.ndarray
    varies: bool
    number: bool = False  # a scalar Value, or an array of them, and not a Tensor
    is_list: bool = False  # an array or list of Values, which adjoint may refuse

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape


class Builder(Choices):
    """A program that grows, with the numbers of each of its names so far."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.leaves: list[Leaf] = []
        self.steps: list[Step] = []
        self.nodes: list[Node] = []
        self.functions: dict[str, Callable] = {}
        self.names: dict[str, Any] = {}
        self.plain_names: dict[str, Any] = {}
        self.refusals: list[str] = []

    # --- random choices ---------------------------------------------------------------------------------

    def side(self) -> int:
        return self.one_of(1, 2, 3, 2, 3, 1, 2, 0) if self.chance(0.6) else self.one_of(1, 2, 3)

    def shape(self, least: int = 0, most: int = 3) -> tuple[int, ...]:
        return tuple(self.side() for _ in range(self.random.randint(least, most)))

    def array(self, shape: tuple[int, ...], low: float = -2.0, high: float = 2.0) -> np.ndarray:
        size = math.prod(shape)
        found = np.array([self.float(low, high) for _ in range(min(size, 12 if size > 60 else 60))])
        return np.resize(found, shape) if size else np.zeros(shape)

    # --- leaves -----------------------------------------------------------------------------------------

    def fresh(self) -> str:
        count = len(self.leaves) + len(self.steps)
        return "abcdefghijklmnopqrstuvwxyz"[count % 26] + (str(count // 26) if count >= 26 else "")

    def new_leaf(self, shape: tuple[int, ...] | None = None, varies: bool | None = None) -> Node:
        """Add a leaf: a number or an array, of any class and memory layout."""
        varies = self.chance(0.85) if varies is None else varies
        if (shape == () or shape is None) and self.chance(0.4):
            x = self.one_of(1.5, 2.0, 0.5, -1.25) if self.chance(0.5) else self.float()
            make = self.one_of(*NUMBERS)
            leaf = Leaf(self.fresh(), np.array(x), repr(x), make, number=True, varies=varies)
        else:
            shape = self.shape() if shape is None else shape
            data, text = self.laid_out(shape)
            leaf = Leaf(self.fresh(), data, text, "Value" if shape else "Tensor", varies=varies)
        return self.enter(leaf)

    def leaf_of(self, x: np.ndarray) -> Node:
        """Add a leaf with these numbers."""
        x = np.array(x)
        leaf = Leaf(self.fresh(), x, numbers(x), "Value" if x.ndim else "Tensor", varies=self.chance(0.85))
        return self.enter(leaf)

    def enter(self, leaf: Leaf) -> Node:
        self.leaves.append(leaf)
        self.names[leaf.name] = leaf.variable() if leaf.varies else leaf.plain()
        self.plain_names[leaf.name] = leaf.plain()
        node = Node(leaf.name, leaf.data, leaf.varies, leaf.number)
        self.nodes.append(node)
        return node

    def laid_out(self, shape: tuple[int, ...]) -> tuple[np.ndarray, str]:
        """Return an array in a random memory layout, and Python that builds it."""
        x = self.array(shape)
        layout = self.one_of("rows", "rows", "rows", "columns", "backward", "apart", "read-only", "repeated")
        if x.size > 60 or (not shape and layout != "read-only"):
            layout = "rows"
        text = numbers(x)
        if layout == "columns":
            text = f"np.asfortranarray({text})"
        elif layout == "backward":
            text = f"{numbers(np.flip(x))}[{', '.join(['::-1'] * x.ndim)}]"
        elif layout == "apart":
            text = f"{numbers(np.repeat(x, 2, axis=-1))}[..., ::2]"
        elif layout == "read-only":
            text = f"read_only({text})"
        elif layout == "repeated":
            text = f"np.broadcast_to({numbers(x[:1])}, {x.shape})" if shape[0] else text
        return np.asarray(eval(compiled(text), NAMES)), text

    def operand(self, shape: tuple[int, ...] | None = None, new: float = 0.25, varies: bool = False) -> Node:
        """Return an earlier result, with a certain shape and a variable if need be, or a new leaf."""
        found = [node for node in self.nodes if node.varies >= varies and (shape is None or node.shape == shape)]
        if found and not self.chance(new):
            return self.random.choice(found[-4:])
        return self.new_leaf(shape, True if varies else None)

    # --- steps ------------------------------------------------------------------------------------------

    def evaluate(self, text: str) -> Any:
        """Return the result of a line on plain numbers and arrays."""
        return eval(compiled(text), NAMES, {**self.functions, **self.plain_names})

    def program(self, *more: Step) -> Program:
        steps = (*self.steps, *more)
        return Program(tuple(self.leaves), steps, steps[-1].target, dict(self.functions)).pruned()

    def add(
        self,
        text: str,
        operands: tuple[Node, ...],
        expected: Any = None,
        may_refuse: bool = False,
        data_dependent: bool = False,
        needs_arrays: bool = False,
    ) -> Node | None:
        """Add a line if it gives finite numbers; compare it with what NumPy or PyTorch gives for the same numbers."""
        names = tuple(dict.fromkeys(node.name for node in operands))
        may_refuse = may_refuse or any(node.is_list for node in operands)
        varies = any(node.varies for node in operands)
        step = Step(self.fresh(), text, names, data_dependent, may_refuse)
        try:
            found = eval(compiled(text), NAMES, {**self.functions, **self.names})
            value = plain(found)
        except Exception as error:
            refused = (may_refuse and isinstance(error, AdjointError)) or any(node.is_list for node in operands)
            if refused or (needs_arrays and is_missing(error)):
                self.refusals.append(f"{text}: {error}")
                return None
            raise Failure(self.program(step), "forward", f"{type(error).__name__}: {error}") from error
        if expected is not None:
            problem = difference(value, np.asarray(expected))
            if problem:
                raise Failure(self.program(step), "forward", problem)
        if value.dtype != np.float64 or not np.isfinite(value).all() or np.abs(value).max(initial=0.0) > LARGEST:
            return None
        if value.size > 2000:
            return None
        self.steps.append(step)
        self.names[step.target] = found
        self.plain_names[step.target] = value if value.ndim or not isinstance(found, Value) else value[()]
        is_list = not isinstance(found, Value)
        number = is_list or not isinstance(found.data, np.ndarray)
        node = Node(step.target, value, varies, number, is_list)
        self.nodes.append(node)
        return node


def is_missing(error: Exception) -> bool:
    """Whether a method or an operator of arrays was used on a number."""
    return isinstance(error, AttributeError) or "is not subscriptable" in str(error)


def difference(found: np.ndarray, expected: np.ndarray) -> str:
    """Return how two arrays differ in shape or numbers, or nothing."""
    if found.shape != expected.shape:
        return f"the result has the shape {found.shape}, not {expected.shape}"
    if expected.dtype.kind not in "fiub" or not expected.size:
        return ""
    expected = expected.astype(float)
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    if is_close(found, expected, dtype="float64", scale=scale, condition=1e4):  # the steps of a program lose digits
        return ""
    return f"the result is {found.tolist()}, not {expected.tolist()}"
