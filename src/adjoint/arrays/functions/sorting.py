"""Order: sorting, partitions, and the largest and smallest elements.

Each of these chooses elements by their size, and an element that is chosen receives the gradient. Equal elements keep
their order, and NaN counts as the largest number, as in PyTorch.
"""

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from adjoint.arrays.axes import either_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions.indexing import take_along_axis
from adjoint.arrays.functions.reductions import ValuesAndIndices
from adjoint.arrays.functions.shaping import along, counts_numbers
from adjoint.errors import ArgumentError, MissingRuleError, ShapeError
from adjoint.errors.given import describe, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def _order(x, axis: int, descending: bool):
    data = data_of(x)
    return common_backend([data], "sort").argsort(data, axis, descending)


@counts_numbers
def argsort(x, axis: int | None = -1, descending: bool = False, *, dim: int | None = None, stable: bool = True) -> Any:
    """Return the indices that sort an array along an axis, as plain integers.

    Equal elements keep their order, with `stable=False` as well.

    >>> from adjoint import Value, argsort
    >>> argsort(Value([3.0, 1.0, 2.0])), argsort(Value([3.0, 1.0, 2.0]), descending=True)
    (array([1, 2, 0]), array([0, 2, 1]))
    """
    x, axis = along(x, either_axis("argsort", axis, dim, -1), "argsort")
    return _order(x, axis, bool(descending))


@overload
def sort(x, axis: int | None = -1, descending: bool = False, return_indices: Literal[False] = False) -> "Tensor": ...
@overload
def sort(x, axis: int | None = -1, descending: bool = False, *, return_indices: Literal[True]) -> ValuesAndIndices: ...
@overload
def sort(x, axis: int | None = -1, descending: bool = False, *, dim: int, stable: bool = True) -> ValuesAndIndices: ...
@counts_numbers
def sort(
    x,
    axis: int | None = -1,
    descending: bool = False,
    return_indices: bool = False,
    *,
    dim: int | None = None,
    stable: bool = True,
):
    """Return the elements in order along an axis; flattened first if it is None.

    With `return_indices`, or with PyTorch's word `dim` in place of `axis`, also return where each element was, as plain
    integers. Equal elements keep their order, with `stable=False` as well.

    >>> from adjoint import Value, sort
    >>> values, indices = sort(Value([3.0, 1.0, 2.0]), descending=True, return_indices=True)
    >>> values.data, indices
    (array([3., 2., 1.]), array([0, 2, 1]))
    """
    x, axis = along(x, either_axis("sort", axis, dim, -1), "sort")
    order = _order(x, axis, bool(descending))
    values = take_along_axis(x, order, axis)
    return ValuesAndIndices(values, order) if return_indices or dim is not None else values


@counts_numbers
def topk(
    x, k: int, axis: int = -1, largest: bool = True, sorted: bool = True, *, dim: int | None = None
) -> ValuesAndIndices:
    """Return the `k` largest elements along an axis, largest first, and their indices as plain integers.

    With `largest=False`, return the smallest elements, smallest first. With `sorted=False` too they are in order.

    >>> from adjoint import Value, topk
    >>> x = Value([3.0, 1.0, 2.0])
    >>> values, indices = topk(x, 2)
    >>> values.sum().backward()
    >>> values.data, indices, x.grad
    (array([3., 2.]), array([0, 2]), array([1., 0., 1.]))
    """
    x, axis = along(x, either_axis("topk", axis, dim, -1), "topk")
    size = shape_of(x)[axis]
    k = whole(k, "topk: k", -(2**63))
    if not 0 <= k <= size:
        raise ShapeError(f"topk: k={k} must be from 0 to the size {size} of the axis")
    order = _order(x, axis, bool(largest))[(slice(None),) * axis + (slice(0, k),)]
    return ValuesAndIndices(take_along_axis(x, order, axis), order)


def partition(x, kth: int | Sequence[int], axis: int | None = -1) -> "Tensor":
    """Return the elements with those at the positions `kth` as in the sorted array: smaller ones before, larger after.

    >>> from adjoint import Value, partition
    >>> partition(Value([3.0, 1.0, 2.0]), 0)[0].item()
    1.0
    """
    x, axis = along(x, axis, "partition")
    return take_along_axis(x, argpartition(x, kth, axis), axis)


def argpartition(x, kth: int | Sequence[int], axis: int | None = -1) -> Any:
    """Return the indices of `partition`, as plain integers.

    >>> from adjoint import Value, argpartition
    >>> argpartition(Value([3.0, 1.0, 2.0]), 1)
    array([1, 2, 0])
    """
    x, axis = along(x, axis, "argpartition")
    size = shape_of(x)[axis]
    try:
        places = [operator.index(k) for k in np.ravel(kth).tolist()]
    except (TypeError, MissingRuleError):
        raise ArgumentError(f"partition: kth must be an integer or a list of integers, not {describe(kth)}") from None
    if any(not -size <= k < size for k in places):
        raise ShapeError(f"partition: kth={describe(kth)} must be from 0 to {size - 1} for an axis of size {size}")
    data = data_of(x)
    if isinstance(data, np.ndarray):
        return np.argpartition(data, [k % size for k in places], axis=axis)
    return _order(x, axis, False)  # sorted, the array is partitioned at every position
