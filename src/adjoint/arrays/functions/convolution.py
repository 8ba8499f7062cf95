"""For networks: convolution and pooling. Their rules and functions.

Convolution is a product of two arrays, the input and the weight. What each receives is a product again, of
the gradient with the other one; so three operations, each the derivative of the others, give every order of
derivative: `_conv`, `_conv_input`, `_conv_weight`. In pooling it is two: `_pool` sums what lies in a window,
and `_unpool` gives a window what its sum received. Layouts and conventions are PyTorch's.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import as_operand, shape_of
from adjoint.arrays.backends import Backend, common_backend
from adjoint.arrays.functions import shaping
from adjoint.arrays.tensor import data_of
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole

Sizes = int | tuple[int, ...]


@dataclass(frozen=True)
class Geometry:
    """How windows lie on an input: a number for each of its spatial axes; for padding, two."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int = 1

    @cached_property
    def padded(self) -> tuple[int, ...]:
        """The size of the input within its padding."""
        return tuple(before + size + after for size, (before, after) in zip(self.size, self.padding))

    @cached_property
    def span(self) -> tuple[int, ...]:
        """How far a window reaches."""
        return tuple(far * (size - 1) + 1 for size, far in zip(self.kernel, self.dilation))

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """How many windows there are: the size of the result."""
        sizes = zip(self.padded, self.span, self.stride)
        return tuple((size - span) // step + 1 for size, span, step in sizes)

    @cached_property
    def inside(self) -> tuple:
        """The index of the input within its padding."""
        return (..., *(slice(before, before + size) for size, (before, _) in zip(self.size, self.padding)))

    @cached_property
    def places(self) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Each place of the kernel, and where in the padded input the windows have it."""
        along = [
            [slice(i * far, i * far + step * (count - 1) + 1, step) for i in range(size)]
            for size, far, step, count in zip(self.kernel, self.dilation, self.stride, self.windows)
        ]
        return list(zip(product(*map(range, self.kernel)), product(*along)))


def _pad(m: Backend, x, geometry: Geometry, value: float = 0.0):
    if not any(map(any, geometry.padding)):
        return x
    if m.name == "JAX":
        return m.xp.pad(x, [(0, 0), (0, 0), *geometry.padding], constant_values=value)
    padded = m.zeros((*x.shape[:2], *geometry.padded), x)
    if value:
        padded[...] = value
    padded[geometry.inside] = x
    return padded


def _fold(m: Backend, parts: Iterable, like, geometry: Geometry):
    """Return an input to which all windows were added: a part has one place of the kernel, of all windows."""
    shape = (*like.shape[:2], *geometry.padded)
    if m.name == "JAX":  # whose arrays never change: each part with zeros around it, which XLA does not store
        zero = m.xp.zeros((), like.dtype)
        total: Any = m.xp.zeros(shape, like.dtype)
        for (_, where), part in zip(geometry.places, parts):
            margins = [(at.start, size - at.stop, at.step - 1) for at, size in zip(where, geometry.padded)]
            total += m.jax.lax.pad(part, zero, [(0, 0, 0), (0, 0, 0), *margins])
    else:
        total = m.zeros(shape, like)
        apart = all(step >= span for step, span in zip(geometry.stride, geometry.span))
        for (_, where), part in zip(geometry.places, parts):
            if apart:
                total[(..., *where)] = part
            else:
                total[(..., *where)] += part
    return total[geometry.inside]


# --- convolution -----------------------------------------------------------------------------------


class _Convolution:
    """The three products as products of large matrices, with a column for each window of several samples."""

    memory = 1 << 18  # numbers in the columns at a time: few enough to stay near the processor

    def forward(self, m, x, w, geometry: Geometry):
        outputs = w.shape[0]
        y = m.zeros((x.shape[0], outputs, *geometry.windows), x)
        y_t, w = _channels_first(m, y), self._matrices(m, w, geometry)
        for samples, columns in self._columns(m, x, geometry):
            y_t[:, samples] = m.reshape(m.matmul(w, columns), y_t[:, samples].shape)
        return y

    def input(self, m, g, w, geometry: Geometry):
        inputs = w.shape[1] * geometry.groups
        x = m.zeros((g.shape[0], inputs, *geometry.padded), g)
        x_t, g_t = _channels_first(m, x), _channels_first(m, g)
        w_t = m.matrix_transpose(self._matrices(m, w, geometry))
        for samples in self._samples(g.shape[0], inputs, geometry):
            rows = self._matrices(m, g_t[:, samples], geometry)
            shape = (inputs, *geometry.kernel, samples.stop - samples.start, *geometry.windows)
            columns = m.reshape(m.matmul(w_t, rows), shape)
            for place, where in geometry.places:
                x_t[(slice(None), samples, *where)] += columns[(slice(None), *place)]
        return x[geometry.inside]

    def weight(self, m, x, g, geometry: Geometry):
        outputs, inputs = g.shape[1], x.shape[1] // geometry.groups
        w = m.zeros((geometry.groups, outputs // geometry.groups, inputs * math.prod(geometry.kernel)), g)
        g_t = _channels_first(m, g)
        for samples, columns in self._columns(m, x, geometry):
            w += m.matmul(self._matrices(m, g_t[:, samples], geometry), m.matrix_transpose(columns))
        return m.reshape(w, (outputs, inputs, *geometry.kernel))

    def _matrices(self, m, outputs, geometry: Geometry):
        """Return a matrix for each group, of an array whose first axis is that of the outputs."""
        shape = (geometry.groups, outputs.shape[0] // geometry.groups, math.prod(outputs.shape[1:]))
        return m.reshape(outputs, shape)

    def _samples(self, count: int, inputs: int, geometry: Geometry) -> Iterator[slice]:
        """Yield so many samples at a time that their columns fit."""
        one = inputs * math.prod(geometry.kernel) * math.prod(geometry.windows)
        step = max(1, self.memory // max(1, one))
        return (slice(start, min(start + step, count)) for start in range(0, count, step))

    def _columns(self, m, x, geometry: Geometry) -> Iterator[tuple[slice, Any]]:
        """Yield samples, and for each group the matrix whose columns are their windows (known as im2col)."""
        count, inputs = x.shape[:2]
        x_t = _channels_first(m, _pad(m, x, geometry))
        rows = inputs // geometry.groups * math.prod(geometry.kernel)
        columns = None
        for samples in self._samples(count, inputs, geometry):
            width = samples.stop - samples.start
            if columns is None or columns.shape[-1 - len(geometry.size)] != width:
                columns = m.zeros((inputs, *geometry.kernel, width, *geometry.windows), x)
            for place, where in geometry.places:
                columns[(slice(None), *place)] = x_t[(slice(None), samples, *where)]
            yield samples, m.reshape(columns, (geometry.groups, rows, width * math.prod(geometry.windows)))


def _channels_first(m, x):
    """Return a view of `x` with the axis of channels before that of samples."""
    return m.permute_dims(x, (1, 0, *range(2, len(x.shape))))


class _JAXConvolution:
    """The three products as XLA has them, which compiles them for the device at hand."""

    def forward(self, m, x, w, geometry: Geometry):
        return m.jax.lax.conv_general_dilated(
            x,
            w,
            geometry.stride,
            geometry.padding,
            rhs_dilation=geometry.dilation,
            feature_group_count=geometry.groups,
        )

    def input(self, m, g, w, geometry: Geometry):
        shape = (g.shape[0], w.shape[1] * geometry.groups, *geometry.size)
        x = m.jax.ShapeDtypeStruct(shape, g.dtype)
        return m.jax.linear_transpose(lambda x: self.forward(m, x, w, geometry), x)(g)[0]

    def weight(self, m, x, g, geometry: Geometry):
        shape = (g.shape[1], x.shape[1] // geometry.groups, *geometry.kernel)
        w = m.jax.ShapeDtypeStruct(shape, g.dtype)
        return m.jax.linear_transpose(lambda w: self.forward(m, x, w, geometry), w)(g)[0]


class _TorchConvolution:
    """The three products by PyTorch's own functions."""

    def _options(self, geometry: Geometry) -> dict:
        return {"stride": geometry.stride, "dilation": geometry.dilation, "groups": geometry.groups}

    def forward(self, m, x, w, geometry: Geometry):
        function = getattr(m.torch.nn.functional, f"conv{len(geometry.size)}d")
        return function(_pad(m, x, geometry), w, **self._options(geometry))

    def input(self, m, g, w, geometry: Geometry):
        function = getattr(m.torch.nn.grad, f"conv{len(geometry.size)}d_input")
        shape = (g.shape[0], w.shape[1] * geometry.groups, *geometry.padded)
        return function(shape, w, g, **self._options(geometry))[geometry.inside]

    def weight(self, m, x, g, geometry: Geometry):
        function = getattr(m.torch.nn.grad, f"conv{len(geometry.size)}d_weight")
        shape = (g.shape[1], x.shape[1] // geometry.groups, *geometry.kernel)
        return function(_pad(m, x, geometry), shape, g, **self._options(geometry))


_LIBRARIES = {"JAX": _JAXConvolution(), "PyTorch": _TorchConvolution()}
_WITH_COLUMNS = _Convolution()


def _library(m: Backend) -> Any:
    return _LIBRARIES.get(m.name, _WITH_COLUMNS)


def _conv_forward(m, *operands, geometry):
    x, w, *bias = m.arrays(operands)
    y = _library(m).forward(m, x, w, geometry)
    if bias:
        y += _along_channels(m, bias[0], geometry)
    return y


def _along_channels(m, bias, geometry: Geometry):
    return m.reshape(bias, (bias.shape[0], *[1] * len(geometry.size)))


def _conv_back(m, i, g, y, x, w, *bias, geometry):
    if i == 0:
        return _conv_input(g, w, geometry=geometry)
    if i == 1:
        return _conv_weight(x, g, geometry=geometry)
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


# --- pooling ---------------------------------------------------------------------------------------


def _pool_forward(m, x, chosen, geometry):
    x = _pad(m, x, geometry)
    parts = (x[(..., *where)] for _, where in geometry.places)
    if chosen is not None:
        parts = (m.where(chosen == k, part, 0.0) for k, part in enumerate(parts))
    total = m.array(next(parts))
    for part in parts:
        total += part
    return total


def _unpool_forward(m, g, chosen, geometry):
    count = math.prod(geometry.kernel)
    parts = (g if chosen is None else m.where(chosen == k, g, 0.0) for k in range(count))
    return _fold(m, parts, g, geometry)


# The sum of each window, or only that one of its elements that `chosen` numbers; and the transpose of it.
_pool = array_op(
    "pool",
    _pool_forward,
    lambda m, g, y, x, chosen, geometry: _unpool(g, chosen=chosen, geometry=geometry),
    linear="jointly",
)
_unpool = array_op(
    "unpool",
    _unpool_forward,
    lambda m, g, y, x, chosen, geometry: _pool(g, chosen=chosen, geometry=geometry),
    linear="jointly",
)


def _max_pool_forward(m, x, geometry):
    x = _pad(m, x, geometry, -math.inf)
    parts = (x[(..., *where)] for _, where in geometry.places)
    top = m.array(next(parts))
    for part in parts:
        top = m.maximum(top, part)
    return top


def _chosen(x: Any, y: Any, geometry: Geometry) -> Any:
    """Return the number of the largest element of each window: of the first, where several are equal."""
    x, y = data_of(x), data_of(y)
    m: Any = common_backend([x], "max_pool2d")
    x = _pad(m, x, geometry, math.nan)  # which equals nothing: the padding is never chosen
    count = len(geometry.places)
    rank = count - _first_inside(m, y, geometry)
    rank = rank * m.astype(y != y, rank.dtype)  # NaN equals nothing: its window's first element stands for it
    for k, (_, where) in enumerate(geometry.places):
        rank = m.maximum(rank, (count - k) * m.astype(x[(..., *where)] == y, rank.dtype))
    return count - rank


def _first_inside(m, like, geometry: Geometry):
    """Return, for each window, the number of its first element that is no padding."""
    (rows, columns), (height, width) = geometry.windows, geometry.stride
    (above, _), (before, _) = geometry.padding
    down = m.maximum(above - height * m.arange(rows, like), 0)
    right = m.maximum(before - width * m.arange(columns, like), 0)
    number = down[:, None] * geometry.kernel[1] + right[None, :]
    return m.astype(number, m.int8 if math.prod(geometry.kernel) < 128 else m.int32)


_max_pool = array_op(
    "max_pool",
    _max_pool_forward,
    lambda m, g, y, x, geometry: _unpool(g, chosen=_chosen(x, y, geometry), geometry=geometry),
    jvp=lambda m, ts, y, x, geometry: _pool(ts[0], chosen=_chosen(x, y, geometry), geometry=geometry),
    reads="xy",
)


# --- the functions ---------------------------------------------------------------------------------


def conv1d(
    x,
    weight,
    bias=None,
    *,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """Return the sums of products of a weight with all windows of a sequence.

    `x` has the shape (samples, channels, length) or (channels, length), `weight` (outputs, channels / groups,
    kernel), `bias` (outputs,). `padding` is a number of zeros at both ends, "same" for as many as keep the
    length, or "valid" for none.

    >>> from adjoint import Value, conv1d
    >>> conv1d(Value([[1.0, 2.0, 4.0, 8.0]]), [[[-1.0, 1.0]]]).data
    array([[1., 2., 4.]])
    """
    return _convolved("conv1d", 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x,
    weight,
    bias=None,
    *,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """Return the sums of products of a weight with all windows of an image.

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
    return _convolved("conv2d", 2, x, weight, bias, stride, padding, dilation, groups)


def _convolved(who: str, ndim: int, x, weight, bias, stride, padding, dilation, groups) -> Any:
    x, weight = as_operand(x), as_operand(weight)
    a, b = shape_of(x), shape_of(weight)
    stride = _each(stride, ndim, who, "stride", 1)
    dilation = _each(dilation, ndim, who, "dilation", 1)
    if not isinstance(padding, str):
        padding = _each(padding, ndim, who, "padding", 0)
    geometry = _conv_geometry(who, ndim, a, b, stride, padding, dilation, whole(groups, f"{who}: groups"))
    operands = [x if len(a) == ndim + 2 else shaping.reshape(x, (1, *a)), weight]
    if bias is not None:
        operands.append(as_operand(bias))
        given = shape_of(operands[2])
        if given != b[:1]:
            raise ShapeError(f"{who}: a weight of shape {b} needs a bias of shape ({b[0]},), not {given}")
    y = _conv(*operands, geometry=geometry)
    return y if len(a) == ndim + 2 else shaping.reshape(y, shape_of(y)[1:])


@lru_cache(maxsize=1024)
def _conv_geometry(who: str, ndim: int, x, weight, stride, padding, dilation, groups: int) -> Geometry:
    """Return how a weight of one shape lies on an input of another; once for each layer, in a loop."""
    axes = ("length",) if ndim == 1 else ("height", "width")
    if len(weight) != ndim + 2:
        kernel = ", ".join(f"kernel {axis}" for axis in axes)
        raise ShapeError(f"{who}: a weight has the shape (outputs, channels / groups, {kernel}), not {weight}")
    _require_axes(who, x, axes)
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
    margins = _margins(padding, who, kernel, stride, dilation)
    return _fitting(Geometry(x[-ndim:], kernel, stride, margins, dilation, groups), who, x)


def max_pool2d(x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> Any:
    """Return the largest element of each window; of equal ones the first receives the gradient.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side.

    >>> from adjoint import Value, max_pool2d
    >>> max_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[4., 8.]]])
    """
    return _pooled("max_pool2d", x, kernel_size, stride, padding, _max_pool)


def avg_pool2d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, *, count_include_pad: bool = True
) -> Any:
    """Return the mean of each window; padding counts as zeros, or with `count_include_pad=False` not at all.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side.

    >>> from adjoint import Value, avg_pool2d
    >>> avg_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[2.5, 6.5]]])
    """

    def mean(x, *, geometry: Geometry):
        total = _pool(x, chosen=None, geometry=geometry)
        return total / (math.prod(geometry.kernel) if count_include_pad else _counts(total, geometry))

    return _pooled("avg_pool2d", x, kernel_size, stride, padding, mean)


def _counts(total, geometry: Geometry):
    """Return how many elements of each window are no padding."""
    data = data_of(total)
    ones = common_backend([data], "avg_pool2d").zeros((1, 1, *geometry.size), data) + 1
    return _pool(ones, chosen=None, geometry=geometry)


def _pooled(who: str, x, kernel_size, stride, padding, pool) -> Any:
    x = as_operand(x)
    shape = shape_of(x)
    kernel = _each(kernel_size, 2, who, "kernel_size", 1)
    steps = kernel if stride is None else _each(stride, 2, who, "stride", 1)
    geometry = _pool_geometry(who, shape, kernel, steps, _each(padding, 2, who, "padding", 0))
    if len(shape) == 4:
        return pool(x, geometry=geometry)
    y = pool(shaping.reshape(x, (1, *shape)), geometry=geometry)
    return shaping.reshape(y, shape_of(y)[1:])


@lru_cache(maxsize=1024)
def _pool_geometry(who: str, shape, kernel, stride, padding) -> Geometry:
    _require_axes(who, shape, ("height", "width"))
    if any(2 * margin > size for margin, size in zip(padding, kernel)):
        raise ArgumentError(f"{who}: a padding of {padding} is more than half of the kernel, {kernel}")
    margins = tuple((margin, margin) for margin in padding)
    return _fitting(Geometry(shape[-2:], kernel, stride, margins, (1, 1)), who, shape)


# --- what is given, made regular -------------------------------------------------------------------


def _each(sizes, ndim: int, who: str, name: str, least: int) -> tuple[int, ...]:
    """Return a number for each spatial axis, of one for all or of as many as there are axes."""
    if not isinstance(sizes, (tuple, list)):
        sizes = (sizes,) * ndim
    if len(sizes) != ndim:
        plural = "s" if ndim > 1 else ""
        raise ArgumentError(f"{who}: {name} is one number or {ndim} number{plural}, not {tuple(sizes)}")
    return tuple(whole(size, f"{who}: {name}", least) for size in sizes)


def _margins(padding, who: str, kernel, stride, dilation) -> tuple[tuple[int, int], ...]:
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


def _require_axes(who: str, shape: tuple[int, ...], axes: tuple[str, ...]) -> None:
    if not len(axes) + 1 <= len(shape) <= len(axes) + 2:
        names = ", ".join(axes)
        raise ShapeError(
            f"{who}: an input has the shape (samples, channels, {names}) or (channels, {names}), not {shape}"
        )


def _fitting(geometry: Geometry, who: str, shape: tuple[int, ...]) -> Geometry:
    if any(not 0 < span <= size for span, size in zip(geometry.span, geometry.padded)):
        within = f", {geometry.padded} with its padding" if any(map(any, geometry.padding)) else ""
        apart = f" with dilation {geometry.dilation}" if any(far > 1 for far in geometry.dilation) else ""
        raise ShapeError(
            f"{who}: a kernel of {geometry.kernel}{apart} does not fit into an input of shape {shape}{within}"
        )
    return geometry
