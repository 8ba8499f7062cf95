"""Conditions of a model, such as `x > 0`, and what is made of them with `&`, `|` and `~`.

A comparison returns a plain array of truth values, which is no part of a recorded graph. While a model is traced for
its export, these arrays know how they were computed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adjoint.arrays.apply import comparisons
from adjoint.engine.value import Value

Made = dict[int, tuple[str, tuple, Any]]  # by the id of the array: the operator of ONNX, the operands, the array itself

_COMPARISONS = {
    "lt": ("Less", False), "le": ("LessOrEqual", False), "gt": ("Greater", False), "ge": ("GreaterOrEqual", False),
    "eq": ("Equal", False), "ne": ("Equal", True),
}  # fmt: skip
_UFUNCS = {
    "logical_and": "And", "bitwise_and": "And", "logical_or": "Or", "bitwise_or": "Or", "logical_xor": "Xor",
    "bitwise_xor": "Xor", "logical_not": "Not", "invert": "Not",
}  # fmt: skip

LOGICAL = frozenset(_UFUNCS.values())


class _Condition(np.ndarray):
    """An array of truth values that notes what is made of it."""

    made: Made

    def __array_finalize__(self, other: object) -> None:
        self.made = getattr(other, "made", {})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, _Condition) else x for x in inputs]
        found = getattr(ufunc, method)(*plain, **options)
        kind = _UFUNCS.get(ufunc.__name__)
        is_logical = all(getattr(x, "dtype", None) is np.dtype(bool) for x in plain)
        return _note(self.made, kind, inputs, found) if kind and is_logical and method == "__call__" else found


def _note(made: Made, kind: str, operands: tuple, found: Any) -> Any:
    """Return a condition, and note how it was made; a view of it, as a plain array, has the same base."""
    base = np.array(found)
    condition = base.view(_Condition)
    condition.made = made
    made[id(base)] = made[id(condition)] = kind, operands, (base, condition)
    return condition


@contextmanager
def noted_conditions() -> Iterator[Made]:
    """Note the comparisons of Values in a block, and what is made of them."""
    made: Made = {}

    def note(holds: Callable, first: Any, second: Any, found: Any) -> Any:
        if not isinstance(found, (np.ndarray, np.bool_)):
            return found
        kind, is_inverted = _COMPARISONS[holds.__name__]
        condition = _note(made, kind, (first, second), np.logical_not(found) if is_inverted else found)
        return np.logical_not(condition) if is_inverted else condition

    before, comparisons.note = comparisons.note, note
    try:
        yield made
    finally:
        comparisons.note = before


def find(made: Made, x: Any) -> tuple[str, tuple] | None:
    """Return how an array was made: the operator and the operands; None if it is no condition."""
    found = made.get(id(x)) or made.get(id(getattr(x, "base", None)))
    return found[:2] if found and getattr(x, "shape", None) == found[2][0].shape else None


def compared(made: Made, arrays: list[Any]) -> Iterator[Value]:
    """Yield the Values that conditions among some arrays compare."""
    while arrays:
        x = arrays.pop()
        if isinstance(x, Value):
            continue
        for operand in (find(made, x) or ("", ()))[1]:
            if isinstance(operand, Value):
                yield operand
            else:
                arrays.append(operand)
