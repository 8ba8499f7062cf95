"""Windows of images as columns of a matrix, and back: `im2col` and `col2im`, each the derivative of the other."""

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions.windows import (
    Geometry,
    Sizes,
    for_each_axis,
    require_axes,
    require_fit,
    with_samples,
    without_samples,
)
from adjoint.errors import ShapeError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def _columns_forward(m, x, geometry):
    x = geometry.pad(m, x)
    windows = m.stack([x[(..., *where)] for _, where in geometry.places], axis=2)
    return m.reshape(windows, (x.shape[0], x.shape[1] * len(geometry.places), math.prod(geometry.windows)))


def _image_forward(m, x, geometry):
    count = len(geometry.places)
    parts = m.reshape(x, (x.shape[0], x.shape[1] // count, count, *geometry.windows))
    return m.fold((parts[:, :, k] for k in range(count)), parts[:, :, 0], geometry)


_columns = array_op(
    "im2col",
    _columns_forward,
    lambda m, g, y, x, geometry: _image(g, geometry=geometry),
    linear="jointly",
    keeps_integers=True,
)
_image = array_op(
    "col2im",
    _image_forward,
    lambda m, g, y, x, geometry: _columns(g, geometry=geometry),
    linear="jointly",
)


def im2col(x, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> "Tensor":
    """Return the windows of images as columns: (samples, channels × size of the kernel, windows).

    `x` has the shape (samples, channels, height, width) or (channels, height, width). This is
    `torch.nn.functional.unfold`.

    >>> from adjoint import Value, im2col
    >>> im2col(Value([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]), 2).data
    array([[1., 2.],
           [2., 3.],
           [4., 5.],
           [5., 6.]])
    """
    x = as_operand(x)
    shape = shape_of(x)
    require_axes("im2col", shape, 2)
    geometry = _geometry("im2col", shape[-2:], shape, *_sizes("im2col", kernel_size, dilation, padding, stride))
    x, is_single = with_samples(x, 2)
    return without_samples(_columns(x, geometry=geometry), is_single)


def col2im(
    x, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> "Tensor":
    """Return images in which the columns of `im2col` are added up where the windows overlap.

    `x` has the shape (samples, channels × size of the kernel, windows) or without samples; `output_size` is the height
    and width of the images. This is `torch.nn.functional.fold`.

    >>> from adjoint import Value, col2im
    >>> col2im(Value([[1.0, 2.0], [3.0, 4.0]]), (1, 3), (1, 2)).data
    array([[[1., 5., 4.]]])
    """
    x = as_operand(x)
    shape, size = shape_of(x), for_each_axis(output_size, 2, "col2im", "output_size", 1)
    geometry = _geometry("col2im", size, size, *_sizes("col2im", kernel_size, dilation, padding, stride))
    rows, count = len(geometry.places), math.prod(geometry.windows)
    if len(shape) not in (2, 3) or shape[-2] % rows or shape[-1] != count:
        wanted = f"channels × {rows}, {count}"
        raise ShapeError(f"col2im: an input has the shape (samples, {wanted}) or ({wanted}), not {shape}")
    x, is_single = with_samples(x, 1)  # of windows
    return without_samples(_image(x, geometry=geometry), is_single)


def _sizes(who: str, kernel_size, dilation, padding, stride) -> tuple[tuple[int, ...], ...]:
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    return tuple(for_each_axis(x, 2, who, name, 0 if name == "padding" else 1) for name, x in given.items())


@lru_cache(maxsize=1024)
def _geometry(who: str, size, shape, kernel, stride, padding, dilation) -> Geometry:
    margins = tuple((margin, margin) for margin in padding)
    return require_fit(Geometry(size, kernel, stride, margins, dilation), who, shape)
