"""Pooling and resampling layers. Names and arguments are those of `torch.nn`."""

from collections.abc import Sequence
from typing import Any

from adjoint.arrays.functions import adaptive_pooling, columns, pooling, resampling
from adjoint.arrays.functions.adaptive_pooling import Size
from adjoint.arrays.functions.windows import Sizes
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module


class _MaxPool(Module):
    _pools = (pooling.max_pool1d, pooling.max_pool2d, pooling.max_pool3d)
    _ndim = 0

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.return_indices, self.ceil_mode = bool(return_indices), bool(ceil_mode)

    def forward(self, x: ArrayLike) -> Any:
        pool = self._pools[self._ndim - 1]
        return pool(x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)


class MaxPool1d(_MaxPool):
    """The maximum of each window of a sequence; see `MaxPool2d`."""

    _ndim = 1


class MaxPool2d(_MaxPool):
    """The maximum of each window; the default `stride` is the kernel size, so windows do not overlap.

    >>> import numpy as np
    >>> MaxPool2d(2)(np.arange(8.0).reshape(1, 2, 4))
    array([[[5., 7.]]])
    """

    _ndim = 2


class MaxPool3d(_MaxPool):
    """The maximum of each window of a volume; see `MaxPool2d`."""

    _ndim = 3


class AvgPool1d(Module):
    """The mean of each window of a sequence; see `AvgPool2d`."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = bool(ceil_mode), bool(count_include_pad)

    def forward(self, x: ArrayLike) -> Value | Array:
        return pooling.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPool(Module):
    _pools = (pooling.avg_pool2d, pooling.avg_pool3d)
    _ndim = 0

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = bool(ceil_mode), bool(count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, x: ArrayLike) -> Value | Array:
        return self._pools[self._ndim - 2](
            x,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPool):
    """The mean of each window; with `count_include_pad=False` the mean leaves out the zeros of the padding."""

    _ndim = 2


class AvgPool3d(_AvgPool):
    """The mean of each window of a volume; see `AvgPool2d`."""

    _ndim = 3


class _LPPool(Module):
    _pools = (pooling.lp_pool1d, pooling.lp_pool2d, pooling.lp_pool3d)
    _ndim = 0

    def __init__(self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False):
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, bool(ceil_mode)

    def forward(self, x: ArrayLike) -> Value | Array:
        return self._pools[self._ndim - 1](x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPool):
    """The norm of each window of a sequence: the sum of x ** norm_type, to the power of 1 / norm_type."""

    _ndim = 1


class LPPool2d(_LPPool):
    """The norm of each window of an image; see `LPPool1d`."""

    _ndim = 2


class LPPool3d(_LPPool):
    """The norm of each window of a volume; see `LPPool1d`."""

    _ndim = 3


# --- a given size of the result ----------------------------------------------------------------------


class _AdaptiveAvgPool(Module):
    _pools = (
        adaptive_pooling.adaptive_avg_pool1d,
        adaptive_pooling.adaptive_avg_pool2d,
        adaptive_pooling.adaptive_avg_pool3d,
    )
    _ndim = 0

    def __init__(self, output_size: Size):
        self.output_size = output_size

    def forward(self, x: ArrayLike) -> Value | Array:
        return self._pools[self._ndim - 1](x, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of `output_size` windows of a sequence of any length."""

    _ndim = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of windows of an image of any size, such that the result has the height and width `output_size`.

    >>> import numpy as np
    >>> AdaptiveAvgPool2d((2, 3))(np.zeros((4, 8, 17, 11))).shape
    (4, 8, 2, 3)
    """

    _ndim = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of windows of a volume of any size, such that the result has the size `output_size`."""

    _ndim = 3


class _AdaptiveMaxPool(Module):
    _pools = (
        adaptive_pooling.adaptive_max_pool1d,
        adaptive_pooling.adaptive_max_pool2d,
        adaptive_pooling.adaptive_max_pool3d,
    )
    _ndim = 0

    def __init__(self, output_size: Size, return_indices: bool = False):
        self.output_size, self.return_indices = output_size, bool(return_indices)

    def forward(self, x: ArrayLike) -> Any:
        return self._pools[self._ndim - 1](x, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest elements of `output_size` windows of a sequence of any length."""

    _ndim = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest elements of windows of an image of any size; see `AdaptiveAvgPool2d`."""

    _ndim = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest elements of windows of a volume of any size; see `AdaptiveAvgPool3d`."""

    _ndim = 3


# --- resampling --------------------------------------------------------------------------------------


class Upsample(Module):
    """Sequences, images or volumes in another size; see `adjoint.interpolate`.

    >>> import numpy as np
    >>> Upsample(scale_factor=2, mode="bilinear")(np.zeros((1, 3, 4, 5))).shape
    (1, 3, 8, 10)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ):
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def forward(self, x: ArrayLike) -> Value | Array:
        return resampling.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class PixelShuffle(Module):
    """Images of `upscale_factor` times the height and width, with pixels taken from the channels."""

    def __init__(self, upscale_factor: int):
        self.upscale_factor = upscale_factor

    def forward(self, x: ArrayLike) -> Value | Array:
        return resampling.pixel_shuffle(x, self.upscale_factor)


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`: smaller images, with their pixels in more channels."""

    def __init__(self, downscale_factor: int):
        self.downscale_factor = downscale_factor

    def forward(self, x: ArrayLike) -> Value | Array:
        return resampling.pixel_unshuffle(x, self.downscale_factor)


class Unfold(Module):
    """The windows of images as columns; see `adjoint.im2col`."""

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1):
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, x: ArrayLike) -> Value | Array:
        return columns.im2col(x, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Module):
    """Images in which the columns of `Unfold` are added up where the windows overlap; see `adjoint.col2im`."""

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ):
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, x: ArrayLike) -> Value | Array:
        return columns.col2im(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
