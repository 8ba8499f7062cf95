"""`where` for numbers and arrays; it loads the code of arrays for these alone."""

from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import array_code, data_of, is_number_value, is_numpy_array
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors.given import is_number, is_traced

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def where(condition, x, z) -> "Tensor":
    """Return the elements of `x` where the condition holds and those of `z` elsewhere; both have gradients.

    >>> import numpy as np
    >>> from adjoint import Value, where
    >>> where(np.array([True, False]), Value([1.0, 2.0]), 0.0).data
    array([1., 0.])
    """
    if is_number_value(condition):
        condition = condition.data != 0
    if is_traced(condition):
        return ops.where(condition, x, z)
    if isinstance(condition, bool) and _is_single(x) and _is_single(z):
        return _choose(condition, x, z)
    return array_code("functions.indexing").where(condition, x, z)


def _is_single(x) -> bool:
    return is_number_value(x) or is_traced(x) or (is_number(x) and not is_numpy_array(x))


def _choose(condition: bool, x, z) -> Any:
    """Return one of two numbers: a new Value if one of them is a Value, and no operand itself.

    Only the number that is chosen can receive a gradient: the other one may have an infinite slope.
    """
    chosen, other = (x, z) if condition else (z, x)
    if isinstance(chosen, Value):
        pair = (chosen, data_of(other)) if condition else (data_of(other), chosen)
        return chosen._apply(ops.choice, (float(condition), *pair))
    if not isinstance(other, Value):
        return chosen
    leaf = Value(chosen)
    leaf._constant = True  # a loss that has no slope here is no loss without history
    return leaf
