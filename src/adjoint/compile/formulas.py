"""Numbers that a compiled function computes in Python, such as the count of steps of an optimiser.

What depends on numbers alone needs no device: it is there at once, and exactly what Python computes.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjoint.compile.xla import is_literal


class Formula:
    """An expression of numbers, computed in Python as the function itself would."""

    def __init__(self, apply: Callable, operands: Sequence):
        self.apply, self.operands = apply, operands

    def bound(self, read: Mapping[Any, Callable[[], Any]]) -> Callable[[], Any]:
        """Return a function that computes it from what `read` gives for its inputs."""
        apply, operands = self.apply, [operand.bound(read) for operand in self.operands]
        if len(operands) == 1:
            (x,) = operands
            return lambda: apply(x())
        x, z = operands
        return lambda: apply(x(), z())


class Input(Formula):
    """A number that is an input, as it is."""

    def __init__(self, source: tuple[str, int]):
        self.source = source

    def bound(self, read):
        return read[self.source]


class Literal(Formula):
    def __init__(self, number):
        self.number = number

    def bound(self, read):
        return lambda: self.number


_PYTHON = {
    "add": operator.add,
    "add_any": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}


def formula(var, numbers: Mapping, made_by: Mapping) -> Formula | None:
    """Return how a variable is computed from numbers that are inputs; None if it takes more than arithmetic."""
    if is_literal(var):
        return Literal(var.val.item() if hasattr(var.val, "item") else var.val)
    if var in numbers:
        return Input(numbers[var])
    eqn = made_by.get(var)
    if eqn is None:
        return None
    name, is_float = eqn.primitive.name, var.aval.dtype.kind == "f"
    known: dict[str, Callable] = {
        **_PYTHON,
        **({"div": operator.truediv, "convert_element_type": float} if is_float else {}),
    }
    operands = [formula(x, numbers, made_by) for x in eqn.invars]
    if name not in known or None in operands:
        return None
    return Formula(known[name], operands)
