"""Normalization of the rows of an array: mean 0 and variance 1 along the last axis, then maybe a scale and a shift."""

from typing import TYPE_CHECKING

from adjoint.arrays.array_rule import array_op

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def _mean(m, x):
    return m.mean(x, axis=(len(x.shape) - 1,), keepdims=True)


def _normalized(m, x, eps):
    """Return the rows with mean 0 and variance 1, and the numbers by which they were multiplied for that."""
    centered = x - _mean(m, x)
    scale = 1.0 / m.sqrt(_mean(m, centered * centered) + eps)
    return centered * scale, scale


def _tangent(m, t, normal, scale):
    """Return the product of `t` with the Jacobian of the normalization, which is symmetric: for both directions."""
    return scale * ((t - _mean(m, t)) - normal * _mean(m, t * normal))


_normalize = array_op(
    "normalize",
    lambda m, x, eps: _normalized(m, x, eps)[0],
    lambda m, g, y, x, eps: _tangent(m, g, *_normalized(m, x, eps)),
    jvp=lambda m, ts, y, x, eps: _tangent(m, ts[0], *_normalized(m, x, eps)),
    reads="x",
    wide=True,
)
_layer_norm = array_op(
    "layer_norm",
    lambda m, x, w, b, eps: _normalized(m, x, eps)[0] * w + b,
    lambda m, g, y, x, w, b, eps: _tangent(m, g * w, *_normalized(m, x, eps)),
    lambda m, g, y, x, w, b, eps: g * _normalized(m, x, eps)[0],
    lambda m, g, y, x, w, b, eps: g,
    jvp=lambda m, ts, y, x, w, b, eps: m.total(
        None if ts[0] is None else _tangent(m, ts[0], *_normalized(m, x, eps)) * w,
        None if ts[1] is None else _normalized(m, x, eps)[0] * ts[1],
        None if ts[2] is None else m.broadcast_to(ts[2], y.shape),
    ),
    reads="x",
    wide=True,
)


def normalize_rows(x, weight, bias, eps: float) -> "Tensor":
    """Return `x` normalized along its last axis; `weight` and `bias`, which may be None, are multiplied and added."""
    if weight is not None and bias is not None:
        return _layer_norm(x, weight, bias, eps=float(eps))
    y = _normalize(x, eps=float(eps))
    y = y if weight is None else y * weight
    return y if bias is None else y + bias
