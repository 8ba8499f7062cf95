"""Pooling and resampling layers. Names and arguments are those of `torch.nn`."""

from collections.abc import Callable, Sequence
from typing import Any

from adjoint.arrays.functions import adaptive_pooling, columns, pooling, resampling
from adjoint.arrays.functions.adaptive_pooling import Size
from adjoint.arrays.functions.windows import Sizes
from adjoint.nn.module import Functional
from adjoint.nn.spatial import Spatial


class _Pool(Spatial, Functional):
    """The base class: a family has a function for one, two and three axes."""

    _functions: tuple[Callable[..., Any], ...] = ()

    def __init_subclass__(cls, functions: tuple[Callable[..., Any], ...] = (), ndim: int = 0, **options):
        cls._functions = functions or cls._functions
        super().__init_subclass__(ndim=ndim, function=cls._functions[ndim - 1] if ndim else None, **options)


class _MaxPool(
    _Pool,
    functions=(pooling.max_pool1d, pooling.max_pool2d, pooling.max_pool3d),
    summary="The maximum of each window of {input}; the default `stride` is the kernel size: windows do not overlap.",
    example="nn.{name}(2)({x})",
    results=("[[1., 3.]]", "[[[5., 7.]]]", "[[[[13., 15.]]]]"),
):
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


class MaxPool1d(_MaxPool, ndim=1): ...


class MaxPool2d(_MaxPool, ndim=2): ...


class MaxPool3d(_MaxPool, ndim=3): ...


class _AvgPool(
    _Pool,
    functions=(pooling.avg_pool1d, pooling.avg_pool2d, pooling.avg_pool3d),
    summary="The mean of each window of {input}; `count_include_pad=False` leaves out the zeros of the padding.",
    example="nn.{name}(2)({x})",
    results=("[[0.5, 2.5]]", "[[[2.5, 4.5]]]", "[[[[6.5, 8.5]]]]"),
):
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


class AvgPool1d(_AvgPool, ndim=1):
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


class AvgPool2d(_AvgPool, ndim=2): ...


class AvgPool3d(_AvgPool, ndim=3): ...


class _LPPool(
    _Pool,
    functions=(pooling.lp_pool1d, pooling.lp_pool2d, pooling.lp_pool3d),
    summary="The norm of each window of {input}: the sum of x ** norm_type, to the power of 1 / norm_type.",
    example="nn.{name}(1, 2)({x})",
    results=("[[1., 5.]]", "[[[10., 18.]]]", "[[[[52., 68.]]]]"),
):
    def __init__(self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False):
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, bool(ceil_mode)


class LPPool1d(_LPPool, ndim=1): ...


class LPPool2d(_LPPool, ndim=2): ...


class LPPool3d(_LPPool, ndim=3): ...


# --- a given size of the result ----------------------------------------------------------------------


class _AdaptiveAvgPool(
    _Pool,
    functions=(
        adaptive_pooling.adaptive_avg_pool1d,
        adaptive_pooling.adaptive_avg_pool2d,
        adaptive_pooling.adaptive_avg_pool3d,
    ),
    summary="The means of windows of {input} of any size, such that the result has the size `output_size`.",
    example="nn.{name}(1)({x})",
    results=("[[1.5]]", "[[[3.5]]]", "[[[[7.5]]]]"),
):
    def __init__(self, output_size: Size):
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPool, ndim=1): ...


class AdaptiveAvgPool2d(_AdaptiveAvgPool, ndim=2): ...


class AdaptiveAvgPool3d(_AdaptiveAvgPool, ndim=3): ...


class _AdaptiveMaxPool(
    _Pool,
    functions=(
        adaptive_pooling.adaptive_max_pool1d,
        adaptive_pooling.adaptive_max_pool2d,
        adaptive_pooling.adaptive_max_pool3d,
    ),
    summary="The largest elements of windows of {input} of any size, such that the result has the size `output_size`.",
    example="nn.{name}(1)({x})",
    results=("[[3.]]", "[[[7.]]]", "[[[[15.]]]]"),
):
    def __init__(self, output_size: Size, return_indices: bool = False):
        self.output_size, self.return_indices = output_size, bool(return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool, ndim=1): ...


class AdaptiveMaxPool2d(_AdaptiveMaxPool, ndim=2): ...


class AdaptiveMaxPool3d(_AdaptiveMaxPool, ndim=3): ...


# --- resampling --------------------------------------------------------------------------------------


class Upsample(Functional, function=resampling.interpolate):
    """Sequences, images or volumes in another size; see `adjoint.interpolate`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Upsample(scale_factor=2, mode="bilinear")(np.zeros((1, 3, 4, 5))).shape
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


class PixelShuffle(Functional, function=resampling.pixel_shuffle):
    """Images of `upscale_factor` times the height and width, with pixels taken from the channels.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.PixelShuffle(2)(np.arange(4.0).reshape(4, 1, 1))
    array([[[0., 1.],
            [2., 3.]]])
    """

    def __init__(self, upscale_factor: int):
        self.upscale_factor = upscale_factor


class PixelUnshuffle(Functional, function=resampling.pixel_unshuffle):
    """The inverse of `PixelShuffle`: smaller images, with their pixels in more channels.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.PixelUnshuffle(2)(np.arange(4.0).reshape(1, 2, 2)).shape
    (4, 1, 1)
    """

    def __init__(self, downscale_factor: int):
        self.downscale_factor = downscale_factor


class Unfold(Functional, function=columns.im2col):
    """The windows of images as columns; see `adjoint.im2col`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Unfold(2)(np.arange(6.0).reshape(1, 1, 2, 3))
    array([[[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]]])
    """

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1):
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride


class Fold(Functional, function=columns.col2im):
    """Images in which the columns of `Unfold` are added up where the windows overlap; see `adjoint.col2im`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> windows = nn.Unfold(2)(np.ones((1, 1, 2, 3)))
    >>> nn.Fold((2, 3), 2)(windows)
    array([[[[1., 2., 1.],
             [1., 2., 1.]]]])
    """

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
