"""Numbers that a compiled function computes in Python, such as the number of steps of an optimizer.

What depends on Python numbers alone needs no device. Python has the result at once, and it is exact.
"""

import operator
from collections.abc import Callable, Mapping, Sequence

from adjoint.compile.xla.jaxprs import Equation, Variable, dtype_of, is_literal, literal_number

Number = float | int
Read = Callable[[Sequence, Sequence], Number]  # computes a number from the state and the data of a call


class Formula:
    """An expression of numbers, computed in Python as the function itself would."""

    def __init__(self, apply: Callable[..., Number], operands: Sequence["Formula"]):
        self.apply, self.operands = apply, operands

    def bind(self, read: Mapping[tuple[str, int], Read]) -> Read:
        """Return a function that computes it from the inputs, which `read` reads."""
        apply, operands = self.apply, [operand.bind(read) for operand in self.operands]
        if len(operands) == 1:
            (x,) = operands
            return lambda state, data: apply(x(state, data))
        x, z = operands
        return lambda state, data: apply(x(state, data), z(state, data))


class Input(Formula):
    """A number that is an input."""

    def __init__(self, source: tuple[str, int]):
        self.source = source

    def bind(self, read):
        return read[self.source]


class Literal(Formula):
    """A constant number."""

    def __init__(self, number: Number):
        self.number = number

    def bind(self, read):
        return lambda state, data: self.number


_PYTHON: dict[str, Callable] = {
    "add": operator.add,
    "add_any": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
_PYTHON_FLOATS: dict[str, Callable] = {"div": operator.truediv, "convert_element_type": float}


def make_formula(
    var: Variable, numbers: Mapping[Variable, tuple[str, int]], equations: Mapping[Variable, Equation]
) -> Formula | None:
    """Return how a variable is computed from numbers that are inputs; None if it takes more than arithmetic."""
    if is_literal(var):
        return Literal(literal_number(var))
    if var in numbers:
        return Input(numbers[var])
    equation = equations.get(var)
    if equation is None:
        return None
    known = _PYTHON | _PYTHON_FLOATS if dtype_of(var).kind == "f" else _PYTHON
    operands = []
    for operand in equation.operands:
        formula = make_formula(operand, numbers, equations)
        if formula is None:
            return None
        operands.append(formula)
    return Formula(known[equation.primitive], operands) if equation.primitive in known else None
