"""Numbers that a compiled function computes in Python, such as the number of steps of an optimizer.

What depends on Python numbers alone needs no device. Python has the result at once, and it is exact: integers do not
wrap around at 64 bits. Outputs of a program that are such numbers are computed after each run. Integers, and floats
that they are converted to, are computed before each run, as inputs of the program (`ExactInput`).
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from adjoint.compile.xla.jaxprs import (
    RecordedJaxpr,
    Variable,
    dtype_of,
    is_literal,
    is_python_number,
    kind_of,
    literal_number,
)
from adjoint.errors import NumberError

Number = float | int
Read = Callable[[Sequence, Sequence], Number]  # computes a number from the state and the data of a call


class Formula:
    """An expression of numbers, computed in Python as the function itself would."""

    depth = 0

    def __init__(self, apply: Callable[..., Number], operands: Sequence["Formula"]):
        self.apply, self.operands = apply, operands
        self.depth = 1 + max(operand.depth for operand in operands)

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


class ExactInput(Formula):
    """An integer, or the float that it is converted to, as the program takes it."""

    def __init__(self, formula: Formula, var: Variable):
        self.apply, self.operands, self.depth = self._as_input, [formula], formula.depth
        self.dtype, self.is_weak = dtype_of(var), is_python_number(var)

    def _as_input(self, number: Number) -> Any:
        if self.dtype.kind == "f":
            return number if self.is_weak else self.dtype.type(number)
        limits = np.iinfo(self.dtype)
        if not limits.min <= number <= limits.max:
            raise NumberError(
                f"jit: the integer {number} does not fit into {limits.bits} bits, which the compiled program needs here"
            )
        return number


_INTEGERS: dict[str, Callable] = {
    "add": operator.add,
    "add_any": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "abs": abs,
}
_FLOATS: dict[str, Callable] = _INTEGERS | {"div": operator.truediv, "convert_element_type": float}
_DEEPEST = 100  # a formula is evaluated recursively


def number_formulas(recording: RecordedJaxpr, numbers: Mapping[Variable, tuple[str, int]]) -> dict[Variable, Formula]:
    """Return how variables are computed from numbers that are inputs, if it takes no more than arithmetic."""
    found: dict[Variable, Formula] = {var: Input(source) for var, source in numbers.items()}
    for var, equation in recording.equations().items():
        operands = [formula_of(operand, found) for operand in equation.operands]
        kind = kind_of(var)
        apply = _FLOATS.get(equation.primitive) if kind == "f" else _INTEGERS.get(equation.primitive)
        if equation.primitive == "integer_pow" and kind == "i":
            apply = partial(_power, exponent=equation.exponent)
        known = [operand for operand in operands if operand is not None]
        if apply is not None and known and len(known) == len(operands):
            formula = Formula(apply, known)
            if formula.depth <= _DEEPEST:
                found[var] = formula
    return found


def formula_of(var: Variable, formulas: Mapping[Variable, Formula]) -> Formula | None:
    """Return how a variable or a literal is computed from numbers; None if it is not."""
    return Literal(literal_number(var)) if is_literal(var) else formulas.get(var)


def exact_inputs(
    recording: RecordedJaxpr, formulas: Mapping[Variable, Formula], outputs: Sequence[Variable]
) -> dict[Variable, ExactInput]:
    """Return the integers that are computed from numbers, or the floats made of them, that other equations use."""
    equations = recording.equations()
    integers = {var for var in formulas if kind_of(var) == "i" and is_python_number(var)}
    converted = {
        var
        for var, equation in equations.items()
        if var in formulas and equation.primitive == "convert_element_type" and equation.operands[0] in integers
    }
    computed = {var for var in integers if var in equations} | converted
    uses = [operand for var, equation in equations.items() if var not in computed for operand in equation.operands]
    uses += outputs
    return {var: ExactInput(formulas[var], var) for var in uses if not is_literal(var) and var in computed}


def _power(x: Number, exponent: int) -> Number:
    return x**exponent
