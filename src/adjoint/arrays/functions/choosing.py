"""`where` for numbers and arrays; it loads the code of arrays for these alone."""

from typing import TYPE_CHECKING

from adjoint.arrays.kinds import array_code, is_number_value
from adjoint.engine import ops
from adjoint.errors.given import is_traced

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
    if isinstance(condition, bool) or is_traced(condition):
        return ops.where(condition, x, z)
    return array_code("functions.indexing").where(condition, x, z)
