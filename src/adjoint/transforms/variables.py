"""The variables of a transform: fresh Values that stand for the numbers, arrays and Values of an argument."""

from typing import Any

from adjoint.arrays.assignments import tick
from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_array, is_number


def make_variable(x: Any) -> Value:
    """Return a fresh variable with the number or array of `x`. If `x` is a Value, the variable depends on it."""
    if isinstance(x, Value):
        variable = array_code("functions.shaping").identity(x) if is_tensor(x) else _dated(ops.mul(x, 1.0))
        variable._is_boundary = True  # a checkpoint inside the transform does not look behind it
        return variable
    if is_number(x) and not hasattr(x, "__setitem__"):  # an array without axes has __setitem__
        return _marked(_dated(Value(x)))
    if is_array(x) or is_number(x):
        backends = array_code("backends")
        m = backends.common_backend([x], "a transform")
        return _marked(array_code("apply").make_leaf(backends.as_constant(x, m, weak=False)))
    raise ArgumentError(
        f"cannot differentiate with respect to {describe(x)}; give numbers, arrays, or nested lists, tuples and dicts "
        "of them"
    )


def _dated(variable: Value) -> Value:
    """Return a number with the time of its creation: a checkpoint asks whether its function made it."""
    variable._known_since = tick()
    return variable


def _marked(variable: Value) -> Value:
    variable._is_variable = True
    return variable


def as_value(x) -> Value:
    """Return `x` if it is a Value, else a constant Value with its data."""
    return x if isinstance(x, Value) else make_constant(x)


def make_constant(data) -> Value:
    """Return a Value for a constant: a transform does not count it among the variables around a function."""
    leaf = array_code("apply").make_leaf(data) if hasattr(data, "dtype") else Value(data)
    leaf._constant = True
    return leaf


def zeros_like(x):
    """Return zeros with the shape and dtype of a number, an array, or the data of a Value."""
    data = data_of(x)
    if not hasattr(data, "dtype"):
        return 0.0
    return array_code("backends").common_backend([data], "a transform").zeros_like(data)


def require_function(function: object, who: str) -> None:
    """Raise an error if `function` cannot be called."""
    if not callable(function):
        raise ArgumentError(f"{who} needs a function, not {describe(function)}")
