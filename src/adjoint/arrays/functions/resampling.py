"""Resampling: sequences, images and volumes in another size, with PyTorch's conventions.

Every mode works along one axis after the other. A mode is a list of taps: for each element of the result, the position
of an element of the input and its weight.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.axes import require_size, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import adaptive_pooling, indexing, shaping
from adjoint.arrays.functions.windows import for_each_axis
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")
_AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}  # the number of axes, for modes that have one
_AREA = (
    adaptive_pooling.adaptive_avg_pool1d,
    adaptive_pooling.adaptive_avg_pool2d,
    adaptive_pooling.adaptive_avg_pool3d,
)


def interpolate(
    x,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> "Tensor":
    """Return sequences, images or volumes in another size: (samples, channels, …), with one to three axes after these.

    Give `size`, or `scale_factor`, as one number or one for each axis. The modes are "nearest", "nearest-exact",
    "area", which averages, "linear" for sequences, "bilinear" and "bicubic" for images, and "trilinear" for volumes.
    With `align_corners` the first and the last elements stay where they are; otherwise elements are areas, and the
    edges of the first and the last area stay. With `recompute_scale_factor` the scale is computed from the sizes.

    >>> from adjoint import Value, interpolate
    >>> interpolate(Value([[[0.0, 4.0]]]), scale_factor=2, mode="linear").data
    array([[[0., 1., 3., 4.]]])
    """
    x = as_operand(x)
    shape = shape_of(x)
    ndim = len(shape) - 2
    _require_mode(mode, ndim, shape, align_corners)
    sizes, scales = _sizes(shape, size, scale_factor, ndim, bool(recompute_scale_factor))
    require_size((*shape[:2], *sizes), "interpolate")
    if mode == "area":
        return _AREA[ndim - 1](x, sizes)
    kind = {"bicubic": "cubic"}.get(mode, mode if mode.startswith("nearest") else "linear")
    for axis, (new, scale) in enumerate(zip(sizes, scales), 2):
        x = _resample(x, axis, _taps(kind, shape[axis], new, scale, bool(align_corners)))
    return x


def _require_mode(mode: str, ndim: int, shape: tuple[int, ...], align_corners: bool | None) -> None:
    if mode not in _MODES:
        raise unknown_name_error("mode", mode, _MODES)
    if not 1 <= ndim <= 3 or ndim != _AXES.get(mode, ndim):
        expected = _AXES.get(mode)
        axes = "one to three axes" if expected is None else f"{expected} ax{'i' if expected == 1 else 'e'}s"
        raise ShapeError(f"interpolate: mode {mode!r} needs {axes} after samples and channels, not the shape {shape}")
    if 0 in shape[2:]:
        raise ShapeError(f"interpolate: an input of shape {shape} has no elements to resample")
    if align_corners is not None and mode not in _AXES:
        raise ArgumentError(f"interpolate: align_corners applies to {', '.join(_AXES)}, not to mode {mode!r}")


def _sizes(shape: tuple[int, ...], size, scale_factor, ndim: int, recompute: bool) -> tuple[tuple, tuple]:
    """Return the new size of each axis, and the distance of elements of the result in the input; None without one."""
    if (size is None) == (scale_factor is None):
        raise ArgumentError("interpolate: give either size or scale_factor")
    if size is not None:
        if recompute:
            raise ArgumentError("interpolate: recompute_scale_factor applies to a scale_factor, not to a size")
        return for_each_axis(size, ndim, "interpolate", "size", 1), (None,) * ndim
    factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * ndim
    if len(factors) != ndim or not all(is_number(factor) and 0 < factor < math.inf for factor in factors):
        raise ArgumentError(
            f"interpolate: scale_factor is one positive number or {ndim} of them, not {describe(scale_factor)}"
        )
    sizes = tuple(int(n * factor) for n, factor in zip(shape[2:], factors))
    if 0 in sizes:
        raise ShapeError(f"interpolate: a scale_factor of {scale_factor} makes {shape} empty")
    return sizes, (None,) * ndim if recompute else tuple(1.0 / factor for factor in factors)


def _resample(x, axis: int, taps: "tuple[tuple[np.ndarray, np.ndarray | None], ...] | None") -> "Tensor":
    """Return weighted sums of elements along an axis. The axis comes first: gradients of rows are fast."""
    if taps is None:
        return x
    data = data_of(x)
    m = common_backend([data], "interpolate")
    x, y = shaping.moveaxis(x, axis, 0), None
    for place, weight in taps:
        part = indexing.take(x, place, 0)
        if weight is not None:
            part = part * m.constant(weight.reshape((-1,) + (1,) * (len(shape_of(x)) - 1)), data)
        y = part if y is None else y + part
    return shaping.moveaxis(y, 0, axis)


@lru_cache(maxsize=256)
def _taps(kind: str, old: int, new: int, scale: float | None, align_corners: bool):
    """Return the taps of an axis: positions, and weights or None for 1. None means that the axis stays as it is."""
    if old == new and (kind == "linear" or scale in (None, 1.0) or align_corners):
        return None
    i = np.arange(new)
    scale = old / new if scale is None else scale
    if kind.startswith("nearest"):  # in single precision, as in PyTorch
        real = (i.astype("f") + np.float32(0.5 if kind == "nearest-exact" else 0.0)) * np.float32(scale)
        return ((np.minimum(np.floor(real), old - 1).astype(int), None),)
    real = i * ((old - 1) / (new - 1) if new > 1 else 0.0) if align_corners else (i + 0.5) * scale - 0.5
    if kind == "linear":
        real = np.maximum(real, 0.0)
        low = np.minimum(np.floor(real).astype(int), old - 1)
        part = np.clip(real - low, 0.0, 1.0)
        return (low, 1 - part), (np.minimum(low + 1, old - 1), part)
    low = np.floor(real).astype(int)
    part = real - low
    distances = (part + 1, part, 1 - part, 2 - part)
    return tuple((np.clip(low + k - 1, 0, old - 1), _cubic(d)) for k, d in enumerate(distances))


def _cubic(distance: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Return the weights of cubic convolution for elements at these distances, up to 2."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, far)


# --- channels and positions ------------------------------------------------------------------------


def pixel_shuffle(x, upscale_factor: int) -> "Tensor":
    """Return images of `upscale_factor` times the height and width, with pixels taken from the channels.

    `x` has the shape (…, channels r², height, width), with r the factor; the result (…, channels, height r, width r).

    >>> from adjoint import Value, pixel_shuffle
    >>> pixel_shuffle(Value([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2).data
    array([[[1., 2.],
            [3., 4.]]])
    """
    x, r = as_operand(x), whole(upscale_factor, "pixel_shuffle: upscale_factor")
    *rest, channels, height, width = _require_image(x, "pixel_shuffle")
    if channels % (r * r):
        raise ShapeError(
            f"pixel_shuffle: an input of shape {shape_of(x)} has {channels} channels, not a multiple of {r * r}"
        )
    y = shaping.reshape(x, (*rest, channels // (r * r), r, r, height, width))
    n = len(rest)
    y = shaping.permute_dims(y, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return shaping.reshape(y, (*rest, channels // (r * r), height * r, width * r))


def pixel_unshuffle(x, downscale_factor: int) -> "Tensor":
    """Return the inverse of `pixel_shuffle`: smaller images, with their pixels in more channels.

    >>> from adjoint import Value, pixel_unshuffle
    >>> pixel_unshuffle(Value([[[1.0, 2.0], [3.0, 4.0]]]), 2).tolist()
    [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    x, r = as_operand(x), whole(downscale_factor, "pixel_unshuffle: downscale_factor")
    *rest, channels, height, width = _require_image(x, "pixel_unshuffle")
    if height % r or width % r:
        raise ShapeError(
            f"pixel_unshuffle: the height and width of an input of shape {shape_of(x)} are not multiples of {r}"
        )
    y = shaping.reshape(x, (*rest, channels, height // r, r, width // r, r))
    n = len(rest)
    y = shaping.permute_dims(y, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return shaping.reshape(y, (*rest, channels * r * r, height // r, width // r))


def _require_image(x, who: str) -> tuple[int, ...]:
    shape = shape_of(x)
    if len(shape) < 3:
        raise ShapeError(f"{who}: an input has the shape (…, channels, height, width), not {shape}")
    return shape
