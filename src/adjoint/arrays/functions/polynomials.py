"""Polynomials: their values, and the matrix of powers."""

from typing import TYPE_CHECKING

from adjoint.arrays.axes import require_size, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions.indexing import getitem
from adjoint.arrays.functions.shaping import stack
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

_MOST_POWERS = 10**6  # each is an operation


def polyval(p, x) -> "Tensor":
    """Return the values at `x` of the polynomial with the coefficients `p`, of the highest power first.

    >>> from adjoint import Value, polyval
    >>> polyval([1.0, 0.0, -1.0], Value([2.0, 3.0])).data
    array([3., 8.])
    """
    p, x = as_operand(p), as_operand(x)
    if len(shape_of(p)) != 1:
        raise ShapeError(f"polyval: the coefficients must be a vector, not an array of shape {shape_of(p)}")
    found = ops.mul(x, 0.0)
    for k in range(shape_of(p)[0]):
        found = ops.add(ops.mul(found, x), getitem(p, k))
    return found


def vander(x, N: int | None = None, increasing: bool = False) -> "Tensor":
    """Return the matrix whose columns are the powers of a vector, from the highest, or from 0 if `increasing`.

    >>> from adjoint import Value, vander
    >>> vander(Value([2.0, 3.0]), 3).data
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    x = as_operand(x)
    shape = shape_of(x)
    if not shape:
        raise ShapeError("vander needs a vector, not a single number")
    count = shape[-1] if N is None else whole(N, "vander: N")
    if count < 1:
        raise ArgumentError("vander: the vector must not be empty")
    if count > _MOST_POWERS:
        raise ArgumentError(f"vander: N is at most {_MOST_POWERS}, not {describe(N)}")
    require_size((*shape, count), "vander")
    data = data_of(x)
    powers = [ops.add(common_backend([data], "vander").zeros(shape, data), 1.0)]
    for _ in range(count - 1):
        powers.append(ops.mul(powers[-1], x) if len(powers) > 1 else x)
    if count == 1:  # still a function of x
        powers[0] = ops.add(ops.mul(x, 0.0), 1.0)
    return stack(powers if increasing else powers[::-1], -1)
