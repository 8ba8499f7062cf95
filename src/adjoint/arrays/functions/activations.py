"""Activations with options: `gelu(x, approximate="tanh")`, `softplus(x, beta=2.0)`, `hardtanh(x, 0.0, 6.0)` and others.

Activations without options, and those with one parameter, are rows of `engine/ops.py`. The functions here choose a row
or combine several.
"""

from typing import TYPE_CHECKING

from adjoint.arrays.axes import Axis, either_axis, one_axis, shape_of
from adjoint.arrays.functions.choosing import where
from adjoint.arrays.kinds import array_code, as_operand
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import number
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def gelu(x, approximate: str = "none") -> "Tensor":
    """Return x times the standard normal cumulative distribution at x; `approximate="tanh"` is the form of GPT-2.

    >>> from adjoint import gelu
    >>> round(gelu(1.0), 6), round(gelu(1.0, approximate="tanh"), 6)
    (0.841345, 0.841192)
    """
    if approximate not in ("none", "tanh"):
        raise unknown_name_error("approximation", approximate, ("none", "tanh"))
    return (ops.gelu if approximate == "none" else ops.gelu_tanh)(as_operand(x))


def softplus(x, beta: float = 1.0, threshold: float | None = None) -> "Tensor":
    """Return log(1 + exp(beta·x)) / beta, without overflow for any x.

    With a `threshold`, the result is x itself where beta·x is above it. PyTorch has a threshold of 20 by default, which
    changes results by up to 2e-9. The default here is the exact function, with exact derivatives.

    >>> from adjoint import softplus
    >>> round(softplus(1.0), 6), softplus(1000.0), softplus(21.0, threshold=20)
    (1.313262, 1000.0, 21.0)
    """
    x, beta = as_operand(x), number(beta, "softplus: beta")
    if beta == 0:
        raise ArgumentError("softplus: beta must not be 0")
    y = ops.softplus(x) if beta == 1 else ops.softplus(ops.mul(x, beta)) / beta
    if threshold is None:
        return y
    return where(ops.mul(x, beta) > number(threshold, "softplus: threshold"), x, y)


def hardtanh(x, min_val: float = -1.0, max_val: float = 1.0) -> "Tensor":
    """Return x limited to two numbers; the derivative is 0 at them and beyond.

    >>> from adjoint import hardtanh
    >>> hardtanh([-2.0, 0.5, 3.0], -1.0, 2.0)
    array([-1. ,  0.5,  2. ])
    """
    x, low, high = as_operand(x), number(min_val, "hardtanh: min_val"), number(max_val, "hardtanh: max_val")
    if low > high:
        raise ArgumentError(f"hardtanh: min_val must be at most max_val, not {low} and {high}")
    if (low, high) == (-1.0, 1.0):
        return ops.hardtanh(x)
    return where(x <= low, low, where(x >= high, high, x))


def threshold(x, threshold: float, value: float) -> "Tensor":
    """Return x where it is above `threshold`, and `value` elsewhere.

    >>> from adjoint import Value, threshold
    >>> threshold(Value([-1.0, 0.5, 2.0]), 1.0, 0.0).data
    array([0., 0., 2.])
    """
    x = as_operand(x)
    return where(x <= number(threshold, "threshold"), number(value, "threshold: value"), x)


def prelu(x, weight) -> "Tensor":
    """Return x where it is positive, and `weight` times x elsewhere; the weight has a gradient too.

    `weight` is one number, or one number for each channel; channels are on axis 1 of `x`.

    >>> from adjoint import Value, prelu
    >>> prelu(Value([[1.0, -2.0], [-3.0, 4.0]]), [0.5, 0.1]).data
    array([[ 1. , -0.2],
           [-1.5,  4. ]])
    """
    x, weight = as_operand(x), as_operand(weight)
    shape, count = shape_of(x), shape_of(weight)
    if count in ((), (1,)):
        return ops.leaky_relu(x, weight.reshape(()) if count and not shape else weight)
    channels = shape[1] if len(shape) > 1 else 1
    if count != (channels,):
        raise ShapeError(
            f"prelu: weight must be one number or have shape ({channels},), one number per channel on axis 1 of an "
            f"input of shape {shape}, not {count}"
        )
    return ops.leaky_relu(x, weight.reshape((channels, *(1,) * (len(shape) - 2))))


def softmin(x, axis: Axis = -1, *, dim: Axis = None, dtype=None) -> "Tensor":
    """Return softmax(-x) along an axis: the smallest element gets the largest weight. See `softmax`.

    >>> import math
    >>> from adjoint import Value, softmin
    >>> softmin(Value([0.0, math.log(3)])).data.round(6)
    array([0.75, 0.25])
    """
    return array_code("functions.reductions").softmax(ops.neg(as_operand(x)), axis, dim=dim, dtype=dtype)


def glu(x, axis: int = -1, *, dim: int | None = None) -> "Tensor":
    """Return the gated linear unit: the first half along an axis times the sigmoid of the second half.

    >>> from adjoint import glu
    >>> glu([3.0, 0.0])
    array([1.5])
    """
    part_along = array_code("functions.indexing").part_along
    x = as_operand(x)
    shape = shape_of(x)
    axis = one_axis(either_axis("glu", axis, dim, -1), len(shape), "glu")
    if shape[axis] % 2:
        raise ShapeError(f"glu: axis {axis} must have an even size to be halved, not {shape[axis]}")
    half = shape[axis] // 2
    return part_along(x, axis, 0, half) * ops.sigmoid(part_along(x, axis, half, None))
