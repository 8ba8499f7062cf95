"""Functions with NumPy's parameters, where adjoint's function of that name has others.

`numpy_protocol.py` calls them: `np.clip(v, a_min=0)` arrives at `clip` here.
"""

from typing import TYPE_CHECKING

from adjoint.arrays.functions import indexing, reductions, shaping
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import MissingRuleError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def clip(a, a_min=None, a_max=None, min=None, max=None) -> "Tensor":
    return indexing.clip(a, a_min if min is None else min, a_max if max is None else max)


def diagonal(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "Tensor":
    return indexing.diagonal(_two_axes_last(a, axis1, axis2), offset)


def trace(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "Tensor":
    return reductions.sum(diagonal(a, offset, axis1, axis2), -1)


def round(a, decimals: int = 0) -> Value:
    if decimals:
        raise MissingRuleError(f"np.round with decimals={decimals} is not supported; use np.round(10 * v) / 10")
    return ops.round(a)


def pad(array, pad_width, mode: str = "constant", constant_values: float = 0.0) -> "Tensor":
    if mode != "constant":
        raise MissingRuleError(f"np.pad with mode={mode!r} is not supported; use mode='constant' or adjoint.concat")
    return shaping.pad(array, pad_width, constant_values)


def transpose(a, axes=None) -> "Tensor":
    return shaping.transpose(a, axes)


def _two_axes_last(x, axis1: int, axis2: int) -> "Tensor":
    """Return an array with two axes moved to the end: NumPy takes the first two, adjoint the last two."""
    return shaping.moveaxis(x, (axis1, axis2), (-2, -1))
