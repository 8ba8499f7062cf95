"""Convolution and correlation of two sequences, as NumPy defines them."""

from typing import TYPE_CHECKING

from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions.convolution import conv1d
from adjoint.arrays.functions.indexing import getitem
from adjoint.arrays.functions.shaping import flip, reshape
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def convolve(a, v, mode: str = "full") -> "Tensor":
    """Return the convolution of two sequences.

    `mode` is "full" for all of it, "same" for a result as long as the longer sequence, "valid" for the part without
    edges.

    >>> from adjoint import Value, convolve
    >>> convolve(Value([1.0, 2.0, 3.0]), [1.0, 1.0]).data
    array([1., 3., 5., 3.])
    """
    a, v = _sequences(a, v, mode, "convolve")
    if shape_of(v)[0] > shape_of(a)[0]:
        a, v = v, a
    return _correlate(a, flip(v), mode)


def correlate(a, v, mode: str = "valid") -> "Tensor":
    """Return the correlation of two sequences: the sums of products of `a`, shifted, with `v`.

    >>> from adjoint import Value, correlate
    >>> correlate(Value([1.0, 2.0, 4.0]), [1.0, 10.0]).data
    array([21., 42.])
    """
    a, v = _sequences(a, v, mode, "correlate")
    if shape_of(v)[0] > shape_of(a)[0]:
        return flip(_correlate(v, a, mode))
    return _correlate(a, v, mode)


def _sequences(a, v, mode: str, who: str) -> list:
    found = []
    for x in (a, v):
        x = as_operand(x)
        x = reshape(x, (1,)) if not shape_of(x) else x
        if len(shape_of(x)) != 1 or not shape_of(x)[0]:
            raise ShapeError(f"{who} needs sequences that are not empty, not an array of shape {shape_of(x)}")
        found.append(x)
    if mode not in ("full", "same", "valid"):
        raise ArgumentError(f"{who}: mode must be 'full', 'same' or 'valid', not {describe(mode)}")
    return found


def _correlate(a, v, mode: str) -> "Tensor":
    """Return the sums of products of windows of `a` with the shorter `v`."""
    n, k = shape_of(a)[0], shape_of(v)[0]
    padding = 0 if mode == "valid" else k - 1
    found = reshape(conv1d(reshape(a, (1, 1, n)), reshape(v, (1, 1, k)), padding=padding), (n + 2 * padding - k + 1,))
    if mode != "same":
        return found
    start = (k - 1) // 2
    return getitem(found, slice(start, start + n))
