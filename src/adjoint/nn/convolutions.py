"""Convolution layers. Names, layouts and initial distributions are those of `torch.nn`."""

import math

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions import convolution
from adjoint.arrays.functions.padding import pad
from adjoint.arrays.functions.windows import Sizes, for_each_axis
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.spatial import Spatial
from adjoint.nn.weight_draws import parameter

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Windows(Spatial):
    """The base class of convolutions and transposed convolutions: their channels, weights and biases."""

    in_channels: int
    out_channels: int

    def _make(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        groups: int,
        bias: bool,
        seed: Seed,
        dtype,
        *,
        transposed: bool = False,
    ) -> None:
        """Check the channels and groups, and make the weight and the bias."""
        who = type(self).__name__
        self.in_channels = whole(in_channels, f"{who}: in_channels")
        self.out_channels = whole(out_channels, f"{who}: out_channels")
        self.kernel_size, self.groups = kernel_size, whole(groups, f"{who}: groups")
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        if self.in_channels % groups or self.out_channels % groups:
            raise ArgumentError(
                f"{who}: in_channels={self.in_channels} and out_channels={self.out_channels} must be multiples of "
                f"groups={groups}"
            )
        kernel = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * self._ndim
        if len(kernel) != self._ndim:
            raise ArgumentError(f"{who}: kernel_size must be one integer or one per axis, not {describe(kernel_size)}")
        shape = (first, second // groups, *(whole(size, f"{who}: kernel_size") for size in kernel))
        rng, bound = generator(seed), 1 / math.sqrt(math.prod(shape[1:]))
        self.weight = parameter(shape, bound, rng, dtype)
        self.bias = parameter((self.out_channels,), bound, rng, dtype) if bias else None

    def _input(self, x: "ArrayLike") -> "ArrayLike":
        given = as_input(x, self.weight)
        self._require_axes(shape_of(given), self.in_channels)
        return given


class _ConvolutionLayer(_Windows):
    """The base class of convolutions. `padding_mode` is "zeros", "reflect", "replicate" or "circular"."""

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
        padding_mode: str = "zeros",
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        if padding_mode not in PADDING_MODES:
            raise unknown_name_error("padding_mode", padding_mode, PADDING_MODES)
        self._make(in_channels, out_channels, kernel_size, groups, bias, seed, dtype)
        self.stride, self.padding, self.dilation, self.padding_mode = stride, padding, dilation, padding_mode

    def forward(self, x: "ArrayLike") -> Tensor:
        convolve = (convolution.conv1d, convolution.conv2d, convolution.conv3d)[self._ndim - 1]
        given, padding = self._input(x), self.padding
        if self.padding_mode != "zeros":
            given, padding = pad(given, self._widths(len(shape_of(given))), mode=self.padding_mode), 0
        return convolve(given, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _widths(self, axes: int) -> list[tuple[int, int]]:
        """Return the padding before and after each axis of an input."""
        who, ndim = type(self).__name__, self._ndim
        stride, dilation = (for_each_axis(x, ndim, who, "stride", 1) for x in (self.stride, self.dilation))
        padding = self.padding
        if not isinstance(padding, str):
            padding = for_each_axis(padding, ndim, who, "padding", 0)
        widths = convolution.margins(padding, who, self.weight.shape[2:], stride, dilation)
        return [(0, 0)] * (axes - ndim) + [*widths]


class Conv1d(_ConvolutionLayer, ndim=1):
    """A convolution along one axis: weighted sums over the windows of (samples, channels, length).

    The margins hold zeros, or what `padding_mode` names: "reflect", "replicate" or "circular".

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Conv1d(3, 8, kernel_size=5, padding=2, seed=0)(np.zeros((4, 3, 20))).shape
    (4, 8, 20)
    """


class Conv2d(_ConvolutionLayer, ndim=2):
    """A convolution along two axes: weighted sums over the windows of (samples, channels, height, width).

    The margins hold zeros, or what `padding_mode` names: "reflect", "replicate" or "circular".

    >>> import numpy as np
    >>> from adjoint import nn
    >>> layer = nn.Conv2d(1, 8, 3, padding="same", seed=0)
    >>> layer(np.zeros((4, 1, 28, 28))).shape
    (4, 8, 28, 28)
    >>> layer
    Conv2d(1, 8, 3, padding='same'), 80 parameters
    """


class Conv3d(_ConvolutionLayer, ndim=3):
    """A convolution along three axes: weighted sums over the windows of (samples, channels, depth, height, width).

    The margins hold zeros, or what `padding_mode` names: "reflect", "replicate" or "circular".

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Conv3d(1, 4, kernel_size=3, padding=1, seed=0)(np.zeros((2, 1, 3, 4, 5))).shape
    (2, 4, 3, 4, 5)
    """


class _ConvTranspose(_Windows):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        self._make(in_channels, out_channels, kernel_size, groups, bias, seed, dtype, transposed=True)
        self.stride, self.padding, self.dilation, self.output_padding = stride, padding, dilation, output_padding

    def forward(self, x: "ArrayLike") -> Tensor:
        functions = (convolution.conv_transpose1d, convolution.conv_transpose2d, convolution.conv_transpose3d)
        return functions[self._ndim - 1](
            self._input(x),
            self.weight,
            self.bias,
            stride=self.stride,
            padding=self.padding,
            output_padding=self.output_padding,
            groups=self.groups,
            dilation=self.dilation,
        )


class ConvTranspose1d(_ConvTranspose, ndim=1):
    """The transpose of a convolution along one axis: it makes sequences longer.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ConvTranspose1d(3, 8, kernel_size=4, stride=2, padding=1, seed=0)(np.zeros((4, 3, 10))).shape
    (4, 8, 20)
    """


class ConvTranspose2d(_ConvTranspose, ndim=2):
    """The transpose of a convolution along two axes: it makes images larger.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ConvTranspose2d(3, 2, kernel_size=2, stride=2, seed=0)(np.zeros((1, 3, 4, 5))).shape
    (1, 2, 8, 10)
    """


class ConvTranspose3d(_ConvTranspose, ndim=3):
    """The transpose of a convolution along three axes: it makes volumes larger.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ConvTranspose3d(2, 1, kernel_size=2, stride=2, seed=0)(np.zeros((1, 2, 2, 3, 4))).shape
    (1, 1, 4, 6, 8)
    """
