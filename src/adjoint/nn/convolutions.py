"""Convolution and pooling layers. Names, layouts and initial distributions are those of `torch.nn`."""

import math

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.convolution import conv1d, conv2d
from adjoint.arrays.functions.pooling import avg_pool2d, max_pool2d
from adjoint.arrays.functions.windows import Sizes
from adjoint.arrays.tensor import Tensor
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.nn.init import Seed, generator, parameter
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module


class _Convolution(Module):
    """The base class of convolutions along one axis and along two."""

    _axes: tuple[str, ...] = ()

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        who = type(self).__name__
        self.in_channels = whole(in_channels, f"{who}: in_channels")
        self.out_channels = whole(out_channels, f"{who}: out_channels")
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.groups = whole(groups, f"{who}: groups")
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise ArgumentError(
                f"{who}: in_channels={in_channels} and out_channels={out_channels} must be multiples of groups={groups}"
            )
        kernel = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * len(self._axes)
        if len(kernel) != len(self._axes):
            raise ArgumentError(f"{who}: kernel_size must be one integer or one per axis, not {describe(kernel_size)}")
        kernel = [whole(size, f"{who}: kernel_size") for size in kernel]
        shape = (self.out_channels, self.in_channels // self.groups, *kernel)
        rng, bound = generator(seed), 1 / math.sqrt(math.prod(shape[1:]))
        self.weight = parameter(shape, bound, rng, dtype)
        self.bias = parameter((self.out_channels,), bound, rng, dtype) if bias else None

    def forward(self, x: ArrayLike) -> Tensor:
        given = as_input(x, self.weight)
        shape, axes = shape_of(given), len(self._axes)
        if len(shape) not in (axes + 1, axes + 2) or shape[-axes - 1] != self.in_channels:
            wanted = ", ".join((str(self.in_channels), *self._axes))
            raise ShapeError(f"expected an input of shape (samples, {wanted}) or ({wanted}), not {shape}")
        convolve = conv1d if axes == 1 else conv2d
        return convolve(
            given,
            self.weight,
            self.bias,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            groups=self.groups,
        )


class Conv1d(_Convolution):
    """A convolution along one axis: weighted sums over the windows of (samples, channels, length).

    >>> import numpy as np
    >>> Conv1d(3, 8, kernel_size=5, padding=2, seed=0)(np.zeros((4, 3, 20))).shape
    (4, 8, 20)
    """

    _axes = ("length",)


class Conv2d(_Convolution):
    """A convolution along two axes: weighted sums over the windows of (samples, channels, height, width).

    >>> import numpy as np
    >>> layer = Conv2d(1, 8, 3, padding="same", seed=0)
    >>> layer(np.zeros((4, 1, 28, 28))).shape
    (4, 8, 28, 28)
    >>> layer
    Conv2d(1, 8, 3, padding='same'), 80 parameters
    """

    _axes = ("height", "width")


class MaxPool2d(Module):
    """The maximum of each window; the default `stride` is the kernel size, so windows do not overlap.

    >>> import numpy as np
    >>> MaxPool2d(2)(np.arange(8.0).reshape(1, 2, 4))
    array([[[5., 7.]]])
    """

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0):
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x: ArrayLike) -> Value | Array:
        return max_pool2d(x, self.kernel_size, self.stride, self.padding)


class AvgPool2d(Module):
    """The mean of each window; with `count_include_pad=False` the mean leaves out the zeros of the padding."""

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, count_include_pad: bool = True
    ):
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.count_include_pad = bool(count_include_pad)

    def forward(self, x: ArrayLike) -> Value | Array:
        return avg_pool2d(x, self.kernel_size, self.stride, self.padding, count_include_pad=self.count_include_pad)
