"""Convolution: its rules and functions, with PyTorch's layouts and conventions.

Convolution is a product of two arrays, the input and the weight. The gradient of each is a product again, of the
gradient of the result with the other operand. Three operations, each the derivative of the others, therefore give
every order of derivative: `_conv`, `_conv_input`, `_conv_weight`.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import NUMPY, Backend
from adjoint.arrays.convert import as_operand
from adjoint.arrays.fast_operations import fold, unfold
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.functions.windows import (
    Geometry,
    Sizes,
    axis_names,
    for_each_axis,
    require_axes,
    require_fit,
    with_samples,
    without_samples,
)
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

# --- convolution -----------------------------------------------------------------------------------


class _Convolution:
    """The three products as products of large matrices, with one column per window of several samples."""

    memory = 1 << 18  # numbers in the columns at a time: few enough to stay near the processor

    def forward(self, m, x, w, bias, geometry: Geometry):
        outputs = w.shape[0]
        y = m.xp.empty((x.shape[0], outputs, *geometry.windows), dtype=x.dtype)
        y_t, w = _channels_first(m, y), self._matrices(m, w, geometry)
        for samples, columns in self._columns(m, x, geometry):
            found = m.matmul(w, columns)
            if bias is not None:
                found += m.reshape(bias, (geometry.groups, outputs // geometry.groups, 1))
            y_t[:, samples] = m.reshape(found, y_t[:, samples].shape)
        return y

    def input(self, m, g, w, geometry: Geometry):
        inputs = w.shape[1] * geometry.groups
        x, padded = m.zeros((g.shape[0], inputs, *geometry.size), g), None
        g_t = _channels_first(m, g)
        w_t = m.matrix_transpose(self._matrices(m, w, geometry))
        for samples in self._samples(g.shape[0], inputs, geometry):
            rows = self._matrices(m, g_t[:, samples], geometry)
            shape = (inputs, *geometry.kernel, samples.stop - samples.start, *geometry.windows)
            columns = m.reshape(m.matmul(w_t, rows), shape)
            if m is NUMPY and fold(x, columns, samples.start, geometry):
                continue
            padded = m.zeros((g.shape[0], inputs, *geometry.padded_size), g) if padded is None else padded
            for place, where in geometry.places:
                _channels_first(m, padded)[(slice(None), samples, *where)] += columns[(slice(None), *place)]
        return x if padded is None else padded[geometry.inside]

    def weight(self, m, x, g, geometry: Geometry):
        outputs, inputs = g.shape[1], x.shape[1] // geometry.groups
        w_t = m.zeros((geometry.groups, inputs * math.prod(geometry.kernel), outputs // geometry.groups), g)
        g_t = _channels_first(m, g)
        for samples, columns in self._columns(m, x, geometry):  # tall results are faster than wide ones
            w_t += m.matmul(columns, m.matrix_transpose(self._matrices(m, g_t[:, samples], geometry)))
        return m.reshape(m.matrix_transpose(w_t), (outputs, inputs, *geometry.kernel))

    def _matrices(self, m, outputs, geometry: Geometry):
        """Return a matrix for each group, from an array with the outputs as its first axis."""
        shape = (geometry.groups, outputs.shape[0] // geometry.groups, math.prod(outputs.shape[1:]))
        return m.reshape(outputs, shape)

    def _samples(self, count: int, inputs: int, geometry: Geometry) -> Iterator[slice]:
        """Yield slices of samples whose columns fit into memory together."""
        one = inputs * math.prod(geometry.kernel) * math.prod(geometry.windows)
        step = max(1, self.memory // max(1, one))
        return (slice(start, min(start + step, count)) for start in range(0, count, step))

    def _columns(self, m, x, geometry: Geometry) -> Iterator[tuple[slice, "Array"]]:
        """Yield samples, and for each group the matrix whose columns are their windows (known as im2col)."""
        count, inputs = x.shape[:2]
        rows = inputs // geometry.groups * math.prod(geometry.kernel)
        columns = padded = None
        for samples in self._samples(count, inputs, geometry):
            width = samples.stop - samples.start
            if columns is None or columns.shape[-1 - len(geometry.size)] != width:
                columns = m.xp.empty((inputs, *geometry.kernel, width, *geometry.windows), dtype=x.dtype)
            if m is not NUMPY or not unfold(x, columns, samples.start, geometry):
                padded = _channels_first(m, geometry.pad(m, x)) if padded is None else padded
                for place, where in geometry.places:
                    columns[(slice(None), *place)] = padded[(slice(None), samples, *where)]
            yield samples, m.reshape(columns, (geometry.groups, rows, width * math.prod(geometry.windows)))


def _channels_first(m, x):
    """Return a view of `x` with the channel axis before the sample axis."""
    return m.permute_dims(x, (1, 0, *range(2, len(x.shape))))


_WITH_COLUMNS = _Convolution()


def _library(m: Backend) -> Any:
    return m.own_convolution or _WITH_COLUMNS


def _conv_forward(m, *operands, geometry):
    x, w, *bias = m.arrays(operands)
    return _library(m).forward(m, x, w, bias[0] if bias else None, geometry)


def _along_channels(m, bias, geometry: Geometry):
    return m.reshape(bias, (bias.shape[0], *[1] * len(geometry.size)))


def _conv_back(m, i, g, y, x, w, *bias, geometry):
    if i < 2:
        op, operands = (_conv_weight, (x, g)) if i else (_conv_input, (g, w))
        is_backend = isinstance(
            m, Backend
        )  # else `m` computes with Values, whose products have derivatives of their own
        return op.forward(m, *operands, geometry=geometry) if is_backend else op(*operands, geometry=geometry)
    return m.sum(g, axis=(0, *range(2, len(g.shape))), keepdims=False)


def _conv_tangent(m, tangents, y, x, w, *bias, geometry):
    from_x, from_w, *from_bias = tangents
    return m.total(
        None if from_x is None else _conv(from_x, w, geometry=geometry),
        None if from_w is None else _conv(x, from_w, geometry=geometry),
        *[
            m.broadcast_to(_along_channels(m, tangent, geometry), y.shape)
            for tangent in from_bias
            if tangent is not None
        ],
    )


_conv = array_op("conv", _conv_forward, each_vjp=_conv_back, jvp=_conv_tangent, reads="x")
_conv_input = array_op(
    "conv_input",
    lambda m, g, w, geometry: _library(m).input(m, *m.arrays([g, w]), geometry),
    lambda m, t, y, g, w, geometry: _conv(t, w, geometry=geometry),
    lambda m, t, y, g, w, geometry: _conv_weight(t, g, geometry=geometry),
    linear="each",
    reads="x",
)
_conv_weight = array_op(
    "conv_weight",
    lambda m, x, g, geometry: _library(m).weight(m, *m.arrays([x, g]), geometry),
    lambda m, t, y, x, g, geometry: _conv_input(g, t, geometry=geometry),
    lambda m, t, y, x, g, geometry: _conv(x, t, geometry=geometry),
    linear="each",
    reads="x",
)


# --- the functions ---------------------------------------------------------------------------------


def conv1d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1
) -> "Tensor":
    """Return the one-dimensional convolution (cross-correlation) of a sequence with a weight.

    `x` has the shape (samples, channels, length) or (channels, length), `weight` (outputs, channels / groups,
    kernel), `bias` (outputs,). `padding` is a number of zeros at both ends, "same", which keeps the
    length, or "valid" for none.

    >>> from adjoint import Value, conv1d
    >>> conv1d(Value([[1.0, 2.0, 4.0, 8.0]]), [[[-1.0, 1.0]]]).data
    array([[1., 2., 4.]])
    """
    return _convolve("conv1d", x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1
) -> "Tensor":
    """Return the two-dimensional convolution (cross-correlation) of an image with a weight.

    `x` has the shape (samples, channels, height, width) or (channels, height, width), `weight` (outputs,
    channels / groups, kernel height, kernel width), `bias` (outputs,). A number is for both axes, a pair has
    one for each; `padding` may also be "same", which keeps the size, or "valid" for none.

    >>> import numpy as np
    >>> from adjoint import Value, conv2d
    >>> w = Value(np.ones((1, 1, 2, 2)))
    >>> conv2d(np.arange(9.0).reshape(1, 3, 3), w).data
    array([[[ 8., 12.],
            [20., 24.]]])
    """
    return _convolve("conv2d", x, weight, bias, stride, padding, dilation, groups)


def conv3d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1
) -> "Tensor":
    """Return the three-dimensional convolution (cross-correlation) of a volume with a weight.

    `x` has the shape (samples, channels, depth, height, width) or (channels, depth, height, width); everything else is
    as in `conv2d`, with three axes.

    >>> import numpy as np
    >>> from adjoint import Value, conv3d
    >>> w = Value(np.ones((1, 1, 2, 2, 2)))
    >>> conv3d(np.arange(8.0).reshape(1, 2, 2, 2), w).data
    array([[[[28.]]]])
    """
    return _convolve("conv3d", x, weight, bias, stride, padding, dilation, groups)


def _convolve(who: str, x, weight, bias, stride, padding, dilation, groups) -> "Tensor":
    ndim = int(who[4])
    x, weight = as_operand(x), as_operand(weight)
    a, b = shape_of(x), shape_of(weight)
    stride = for_each_axis(stride, ndim, who, "stride", 1)
    dilation = for_each_axis(dilation, ndim, who, "dilation", 1)
    if not isinstance(padding, str):
        padding = for_each_axis(padding, ndim, who, "padding", 0)
    geometry = _conv_geometry(who, ndim, a, b, stride, padding, dilation, whole(groups, f"{who}: groups"))
    x, is_single = with_samples(x, ndim)
    operands = [x, weight]
    if bias is not None:
        operands.append(_bias_operand(who, bias, b, b[0]))
    return without_samples(_conv(*cast_operands(who, *operands), geometry=geometry), is_single)


def _bias_operand(who: str, bias, weight: tuple[int, ...], outputs: int) -> "Tensor":
    operand = as_operand(bias)
    if shape_of(operand) != (outputs,):
        given = shape_of(operand)
        raise ShapeError(f"{who}: a weight of shape {weight} needs a bias of shape ({outputs},), not {given}")
    return operand


@lru_cache(maxsize=1024)
def _conv_geometry(who: str, ndim: int, x, weight, stride, padding, dilation, groups: int) -> Geometry:
    """Return the geometry of a weight and an input, given their shapes; cached for training loops."""
    _require_weight(who, weight, "outputs, channels / groups", ndim)
    require_axes(who, x, ndim)
    channels, outputs, kernel = x[-1 - ndim], weight[0], weight[2:]
    if channels % groups or outputs % groups:
        raise ArgumentError(
            f"{who}: {groups} groups do not divide both the {channels} channels of an input of shape {x} and "
            f"the {outputs} outputs of a weight of shape {weight}"
        )
    if weight[1] != channels // groups:
        each = "" if groups == 1 else f", {channels // groups} for each of {groups} groups"
        raise ShapeError(
            f"{who}: an input of shape {x} has {channels} channels{each}; a weight of shape {weight} is for {weight[1]}"
        )
    widths = margins(padding, who, kernel, stride, dilation)
    return require_fit(Geometry(x[-ndim:], kernel, stride, widths, dilation, groups), who, x)


def _require_weight(who: str, weight: tuple[int, ...], channels: str, ndim: int) -> None:
    if len(weight) != ndim + 2:
        kernel = ", ".join(f"kernel {axis}" for axis in axis_names(ndim))
        raise ShapeError(f"{who}: a weight has the shape ({channels}, {kernel}), not {weight}")


def margins(padding, who: str, kernel, stride, dilation) -> tuple[tuple[int, int], ...]:
    """Return the padding before and after each spatial axis."""
    if not isinstance(padding, str):
        return tuple((margin, margin) for margin in padding)
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding != "same":
        raise ArgumentError(f"{who}: padding is a number, a tuple, 'same' or 'valid', not {padding!r}")
    if any(step != 1 for step in stride):
        raise ArgumentError(f"{who}: padding='same' keeps the size only with a stride of 1, not {stride}")
    needed = [far * (size - 1) for size, far in zip(kernel, dilation)]
    return tuple((margin // 2, margin - margin // 2) for margin in needed)


# --- transposed convolution ------------------------------------------------------------------------


def conv_transpose1d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1,
    dilation: Sizes = 1,
) -> "Tensor":  # fmt: skip
    """Return the transpose of `conv1d`: what its input receives, given the gradient `x` of its result.

    `x` has the shape (samples, channels, length) or (channels, length), `weight` (channels, outputs / groups, kernel),
    `bias` (outputs,). `stride`, `padding` and `dilation` are those of the convolution; `output_padding` is added to
    one side of the result, whose length is `stride * (length - 1) + kernel - 2 * padding + output_padding` without
    dilation.

    >>> from adjoint import Value, conv_transpose1d
    >>> conv_transpose1d(Value([[1.0, 2.0]]), [[[1.0, 10.0]]], stride=2).data
    array([[ 1., 10.,  2., 20.]])
    """
    return _convolve_transposed("conv_transpose1d", x, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1,
    dilation: Sizes = 1,
) -> "Tensor":  # fmt: skip
    """Return the transpose of `conv2d`, which enlarges images; see `conv_transpose1d`.

    `x` has the shape (samples, channels, height, width) or (channels, height, width), `weight` (channels,
    outputs / groups, kernel height, kernel width), `bias` (outputs,).

    >>> from adjoint import Value, conv_transpose2d
    >>> conv_transpose2d(Value([[[1.0, 2.0]]]), [[[[1.0, 10.0]]]], stride=2).data
    array([[[ 1., 10.,  2., 20.]]])
    """
    return _convolve_transposed("conv_transpose2d", x, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    x, weight, bias=None, stride: Sizes = 1, padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1,
    dilation: Sizes = 1,
) -> "Tensor":  # fmt: skip
    """Return the transpose of `conv3d`, which enlarges volumes; see `conv_transpose1d`.

    >>> from adjoint import Value, conv_transpose3d
    >>> conv_transpose3d(Value([[[[1.0, 2.0]]]]), [[[[[1.0, 10.0]]]]], stride=2).data
    array([[[[ 1., 10.,  2., 20.]]]])
    """
    return _convolve_transposed("conv_transpose3d", x, weight, bias, stride, padding, output_padding, groups, dilation)


def _convolve_transposed(who: str, x, weight, bias, stride, padding, output_padding, groups, dilation) -> "Tensor":
    ndim = int(who[14])
    x, weight = as_operand(x), as_operand(weight)
    a, b = shape_of(x), shape_of(weight)
    sizes = (
        for_each_axis(stride, ndim, who, "stride", 1),
        for_each_axis(padding, ndim, who, "padding", 0),
        for_each_axis(output_padding, ndim, who, "output_padding", 0),
        for_each_axis(dilation, ndim, who, "dilation", 1),
    )
    geometry, margins = _transposed_geometry(who, ndim, a, b, *sizes, whole(groups, f"{who}: groups"))
    x, is_single = with_samples(x, ndim)
    x, weight, bias = cast_operands(who, x, weight, bias)
    y = _conv_input(x, weight, geometry=geometry)
    if margins:
        y = shaping.pad_constant(y, margins)
    if bias is not None:
        y = y + _along_channels(shaping, _bias_operand(who, bias, b, b[1] * geometry.groups), geometry)
    return without_samples(y, is_single)


@lru_cache(maxsize=1024)
def _transposed_geometry(who: str, ndim: int, x, weight, stride, padding, output_padding, dilation, groups: int):
    """Return the geometry of the convolution to transpose, and the zeros to add after that, or None."""
    _require_weight(who, weight, "channels, outputs / groups", ndim)
    require_axes(who, x, ndim)
    channels, kernel = x[-1 - ndim], weight[2:]
    if weight[0] != channels:
        raise ShapeError(
            f"{who}: an input of shape {x} has {channels} channels; a weight of shape {weight} is for {weight[0]}"
        )
    if channels % groups:
        raise ArgumentError(f"{who}: {groups} groups do not divide the {channels} channels of an input of shape {x}")
    if any(more >= max(step, far) for more, step, far in zip(output_padding, stride, dilation)):
        raise ArgumentError(
            f"{who}: output_padding must be less than the stride or the dilation, not {output_padding} with a stride "
            f"of {stride} and a dilation of {dilation}"
        )
    reach = [(n - 1) * step + far * (k - 1) + 1 for n, step, far, k in zip(x[-ndim:], stride, dilation, kernel)]
    size = tuple(n - 2 * margin + more for n, margin, more in zip(reach, padding, output_padding))
    if 0 in x[-ndim:] or min(size) < 1 or 0 in kernel:
        raise ShapeError(
            f"{who}: an input of shape {x} with a kernel of {kernel} and a padding of {padding} gives a result of size "
            f"{size}; each size must be at least 1"
        )
    # The convolution whose windows end exactly with its input; what the result has beyond that is zero.
    beyond = [max(0, more - margin) for margin, more in zip(padding, output_padding)]
    margins = tuple((margin, max(0, margin - more)) for margin, more in zip(padding, output_padding))
    inner = tuple(n - more for n, more in zip(size, beyond))
    geometry = Geometry(inner, kernel, stride, margins, dilation, groups)
    return geometry, [(0, 0), (0, 0), *((0, more) for more in beyond)] if any(beyond) else None
