"""Running results along an axis: the largest and smallest elements so far, and sums of exponentials."""

import math
from typing import TYPE_CHECKING

from adjoint.arrays.axes import either_axis, shape_of
from adjoint.arrays.backends import are_integers, common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.indexing import count_along, take_along_axis, where
from adjoint.arrays.functions.shaping import along, broadcast_to, counts_numbers, expand_dims, moveaxis

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array


@counts_numbers
def cummax(x, axis: int | None = None, *, dim: int | None = None) -> tuple["Tensor", "Array"]:
    """Return the largest element so far along an axis, and the index of each, as plain integers.

    Among equal elements it is the last one, which receives the gradient. The flattened array is used if no axis is
    given.

    >>> from adjoint import Value, cummax
    >>> values, indices = cummax(Value([1.0, 3.0, 2.0]))
    >>> values.data, indices
    (array([1., 3., 3.]), array([0, 1, 1]))
    """
    x, axis = along(x, either_axis("cummax", axis, dim), "cummax")
    return _running(x, axis, data_of(x))


@counts_numbers
def cummin(x, axis: int | None = None, *, dim: int | None = None) -> tuple["Tensor", "Array"]:
    """Return the smallest element so far along an axis, and the index of each; see `cummax`.

    >>> from adjoint import Value, cummin
    >>> x = Value([3.0, 1.0, 2.0])
    >>> values, indices = cummin(x)
    >>> values.sum().backward()
    >>> values.data, indices, x.grad
    (array([3., 1., 1.]), array([0, 1, 1]), array([1., 2., 0.]))
    """
    x, axis = along(x, either_axis("cummin", axis, dim), "cummin")
    data = data_of(x)
    return _running(x, axis, ~data if are_integers([data]) else -data)  # the smallest integer has no negative


def _running(x, axis: int, sizes) -> tuple["Tensor", "Array"]:
    m = common_backend([sizes], "cummax")
    # an element that equals the maximum up to it, or the first of which nothing is known, such as NaN, is a new one
    is_new = (sizes == m.cumulative_max(sizes, axis)) | (sizes != sizes)
    places = count_along(m, shape_of(x), axis, sizes)
    indices = m.cumulative_max(m.xp.where(is_new, places, m.xp.zeros_like(places)), axis)
    return take_along_axis(x, indices, axis), indices


@counts_numbers
def logcumsumexp(x, axis: int | None = None, *, dim: int | None = None) -> "Tensor":
    """Return the logarithm of the cumulative sums of exp(x) along an axis, computed so that nothing overflows.

    It needs memory quadratic in the size of the axis. The flattened array is used if no axis is given.

    >>> from adjoint import Value, logcumsumexp
    >>> logcumsumexp(Value([0.0, 0.0])).data.round(4)
    array([0.    , 0.6931])
    """
    x, axis = along(x, either_axis("logcumsumexp", axis, dim), "logcumsumexp")
    x = moveaxis(x, axis, -1)
    shape = shape_of(x)
    data = data_of(x)
    m = common_backend([data], "logcumsumexp")
    rows = broadcast_to(expand_dims(x, -2), (*shape, shape[-1]))
    is_later = m.xp.broadcast_to(m.upper_triangle(shape[-1], 1, data), (*shape, shape[-1]))
    return moveaxis(reductions.logsumexp(where(is_later, -math.inf, rows), -1), -1, axis)
