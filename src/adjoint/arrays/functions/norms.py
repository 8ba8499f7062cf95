"""Norms of vectors, and the distances and angles between them; `linalg.py` has the norms of matrices."""

import math
from typing import TYPE_CHECKING

from adjoint.arrays.axes import Axis, all_axes, common_shape, either, either_axis, either_keepdims, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.indexing import where
from adjoint.arrays.functions.shaping import broadcast_to, expand_dims
from adjoint.engine import late, ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number, number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array


def norm(
    x,
    ord: float | str | None = None,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    p: float | str | None = None,
    dim: Axis = None,
    keepdim: bool | None = None,
) -> "Tensor":
    """Return the norm of a vector, or of an array as one long vector: Euclidean, or of another order.

    `ord` may be any number, or infinity: 0 counts the elements that are not zero, inf and -inf are the largest and the
    smallest size. Where the norm is zero its gradient is zero. `p`, `dim` and `keepdim` are PyTorch's names of `ord`,
    `axis` and `keepdims`. As in PyTorch, "fro" is the Euclidean norm of any array, and "nuc" is the norm of matrices
    in `adjoint.linalg.norm`, where the others are.

    >>> from adjoint import Value, norm
    >>> norm(Value([3.0, 4.0])).item(), norm(Value([3.0, 4.0]), 1).item()
    (5.0, 7.0)
    """
    x, ord = as_operand(x), either("norm", "ord", ord, "p", p)
    axis, keepdims = either_axis("norm", axis, dim), either_keepdims("norm", keepdims, keepdim)
    axes = all_axes(axis, len(shape_of(x)), "norm")
    if isinstance(ord, str) and ord == "nuc":
        return late.nuclear_norm(x, axes, keepdims)
    ord = None if isinstance(ord, str) and ord == "fro" else ord
    if ord is not None and (not is_number(ord) or math.isnan(number(ord, "norm"))):
        raise ShapeError(f"norm: ord must be a number, inf or -inf, not {describe(ord)}")
    if ord is None or ord == 2:
        return reductions.euclidean_norm(x, axis=axes, keepdims=bool(keepdims))
    sizes = ops.abs(x)
    if ord == math.inf:
        return reductions.max(sizes, axes, keepdims)
    if ord == -math.inf:
        return reductions.min(sizes, axes, keepdims)
    if ord == 1:
        return reductions.sum(sizes, axes, keepdims)
    if ord == 0:
        return reductions.sum(where(_numbers(x) != 0, 1.0, ops.mul(sizes, 0.0)), axes, keepdims)
    # the power of zero and the root of zero may have infinite slopes; as in PyTorch, zeros have the gradient zero
    at_zero = 0.0 if number(ord, "norm") > 0 else math.inf
    is_zero = _numbers(x) == 0
    powers = where(is_zero, at_zero, ops.pow(where(is_zero, 1.0, sizes), float(ord)))
    total = reductions.sum(powers, axes, keepdims)
    is_zero = _numbers(total) == 0
    return where(is_zero, at_zero, ops.pow(where(is_zero, 1.0, total), 1 / float(ord)))


def _numbers(x) -> "Array":
    """Return the data as an array, also that of a single number."""
    data = data_of(x)
    return data if hasattr(data, "dtype") else common_backend([data], "norm").xp.asarray(data)


def normalize(
    x, ord: float = 2.0, axis: Axis = -1, eps: float = 1e-12, *, p: float | None = None, dim: Axis = None
) -> "Tensor":
    """Return vectors divided by their norm, or by `eps` where the norm is smaller.

    >>> from adjoint import Value, normalize
    >>> normalize(Value([3.0, 4.0])).data
    array([0.6, 0.8])
    """
    x, ord = as_operand(x), either("normalize", "ord", ord, "p", p, 2.0)
    axis = either_axis("normalize", axis, dim, -1)
    return ops.div(x, ops.maximum(norm(x, ord, axis, keepdims=True), _positive(eps, "normalize")))


def cosine_similarity(x1, x2, axis: int = -1, eps: float = 1e-8, *, dim: int | None = None) -> "Tensor":
    """Return the cosines of the angles between vectors; norms smaller than `eps` count as `eps`.

    As in PyTorch, the arrays are broadcast first, and `axis` is one of the common shape.

    >>> from adjoint import Value, cosine_similarity
    >>> round(cosine_similarity(Value([1.0, 0.0]), [1.0, 1.0]).item(), 6)
    0.707107
    """
    axis = either_axis("cosine_similarity", axis, dim, -1)
    x1, x2 = as_operand(x1), as_operand(x2)
    shape = common_shape((x1, x2), "cosine_similarity")
    x1, x2 = (x if shape_of(x) == shape else broadcast_to(x, shape) for x in (x1, x2))
    product = ops.mul(normalize(x1, 2.0, axis, eps), normalize(x2, 2.0, axis, eps))
    return reductions.sum(product, axis)


def pairwise_distance(x1, x2, ord: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> "Tensor":
    """Return the distances between vectors of two arrays, one by one; `eps` is added to each difference.

    >>> from adjoint import Value, pairwise_distance
    >>> pairwise_distance(Value([[0.0, 0.0], [1.0, 1.0]]), [[3.0, 4.0], [1.0, 2.0]], eps=0.0).data
    array([5., 1.])
    """
    difference = ops.add(ops.sub(as_operand(x1), as_operand(x2)), float(eps))
    return norm(difference, ord, -1, keepdims)


def cdist(x1, x2, ord: float = 2.0, compute_mode: str | None = None, *, p: float | None = None) -> "Tensor":
    """Return the distances between each row of `x1` and each row of `x2`; axes before the last two broadcast.

    A distance of zero has the gradient zero. The differences of all pairs are held in memory. `p` is PyTorch's name of
    `ord`; its `compute_mode` says how it saves time, and has no effect here.

    >>> from adjoint import Value, cdist
    >>> cdist(Value([[0.0, 0.0], [3.0, 0.0]]), [[0.0, 4.0]]).data
    array([[4.],
           [5.]])
    """
    x1, x2, ord = as_operand(x1), as_operand(x2), either("cdist", "ord", ord, "p", p, 2.0)
    a, b = shape_of(x1), shape_of(x2)
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-1]:
        raise ShapeError(f"cdist needs two arrays of rows with equally many elements, not of shapes {a} and {b}")
    if not is_number(ord) or ord < 0:
        raise ArgumentError(f"cdist: ord must be a number of at least 0, not {describe(ord)}")
    return norm(ops.sub(expand_dims(x1, -2), expand_dims(x2, -3)), ord, -1)


def _positive(eps: float, who: str) -> float:
    if not is_number(eps) or eps < 0:
        raise ArgumentError(f"{who}: eps must be a number of at least 0, not {describe(eps)}")
    return float(eps)
