"""Pooling and resampling layers. Names and arguments are those of `torch.nn`."""

from collections.abc import Sequence

from adjoint.arrays.functions import adaptive_pooling, columns, pooling, resampling
from adjoint.arrays.functions.adaptive_pooling import Size
from adjoint.arrays.functions.windows import Sizes
from adjoint.nn.function_modules import Functional


class _MaxPool(Functional):
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


class MaxPool1d(_MaxPool, function=pooling.max_pool1d):
    """The maximum of each window of a sequence; see `MaxPool2d`.

    >>> from adjoint import nn
    >>> nn.MaxPool1d(2)([[1.0, 5.0, 2.0, 3.0]])
    array([[5., 3.]])
    """


class MaxPool2d(_MaxPool, function=pooling.max_pool2d):
    """The maximum of each window; the default `stride` is the kernel size, so windows do not overlap.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.MaxPool2d(2)(np.arange(8.0).reshape(1, 2, 4))
    array([[[5., 7.]]])
    """


class MaxPool3d(_MaxPool, function=pooling.max_pool3d):
    """The maximum of each window of a volume; see `MaxPool2d`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.MaxPool3d(2)(np.arange(16.0).reshape(1, 2, 2, 4))
    array([[[[13., 15.]]]])
    """


class AvgPool1d(Functional, function=pooling.avg_pool1d):
    """The mean of each window of a sequence; see `AvgPool2d`.

    >>> from adjoint import nn
    >>> nn.AvgPool1d(2)([[1.0, 5.0, 2.0, 3.0]])
    array([[3. , 2.5]])
    """

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


class _AvgPool(Functional):
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


class AvgPool2d(_AvgPool, function=pooling.avg_pool2d):
    """The mean of each window; with `count_include_pad=False` the mean leaves out the zeros of the padding.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AvgPool2d(2)(np.arange(8.0).reshape(1, 2, 4))
    array([[[2.5, 4.5]]])
    """


class AvgPool3d(_AvgPool, function=pooling.avg_pool3d):
    """The mean of each window of a volume; see `AvgPool2d`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AvgPool3d(2)(np.arange(16.0).reshape(1, 2, 2, 4))
    array([[[[6.5, 8.5]]]])
    """


class _LPPool(Functional):
    def __init__(self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False):
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, bool(ceil_mode)


class LPPool1d(_LPPool, function=pooling.lp_pool1d):
    """The norm of each window of a sequence: the sum of x ** norm_type, to the power of 1 / norm_type.

    >>> from adjoint import nn
    >>> nn.LPPool1d(2, 2)([[3.0, 4.0, 6.0, 8.0]])
    array([[ 5., 10.]])
    """


class LPPool2d(_LPPool, function=pooling.lp_pool2d):
    """The norm of each window of an image; see `LPPool1d`.

    >>> from adjoint import nn
    >>> nn.LPPool2d(1, 2)([[[1.0, 2.0], [3.0, 4.0]]])
    array([[[10.]]])
    """


class LPPool3d(_LPPool, function=pooling.lp_pool3d):
    """The norm of each window of a volume; see `LPPool1d`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.LPPool3d(1, 2)(np.arange(8.0).reshape(1, 2, 2, 2))
    array([[[[28.]]]])
    """


# --- a given size of the result ----------------------------------------------------------------------


class _AdaptiveAvgPool(Functional):
    def __init__(self, output_size: Size):
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPool, function=adaptive_pooling.adaptive_avg_pool1d):
    """The means of `output_size` windows of a sequence of any length.

    >>> from adjoint import nn
    >>> nn.AdaptiveAvgPool1d(2)([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    array([[2., 5.]])
    """


class AdaptiveAvgPool2d(_AdaptiveAvgPool, function=adaptive_pooling.adaptive_avg_pool2d):
    """The means of windows of an image of any size, such that the result has the height and width `output_size`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AdaptiveAvgPool2d((2, 3))(np.zeros((4, 8, 17, 11))).shape
    (4, 8, 2, 3)
    """


class AdaptiveAvgPool3d(_AdaptiveAvgPool, function=adaptive_pooling.adaptive_avg_pool3d):
    """The means of windows of a volume of any size, such that the result has the size `output_size`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AdaptiveAvgPool3d(2)(np.zeros((1, 3, 4, 5, 6))).shape
    (1, 3, 2, 2, 2)
    """


class _AdaptiveMaxPool(Functional):
    def __init__(self, output_size: Size, return_indices: bool = False):
        self.output_size, self.return_indices = output_size, bool(return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool, function=adaptive_pooling.adaptive_max_pool1d):
    """The largest elements of `output_size` windows of a sequence of any length.

    >>> from adjoint import nn
    >>> nn.AdaptiveMaxPool1d(2)([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    array([[3., 6.]])
    """


class AdaptiveMaxPool2d(_AdaptiveMaxPool, function=adaptive_pooling.adaptive_max_pool2d):
    """The largest elements of windows of an image of any size; see `AdaptiveAvgPool2d`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AdaptiveMaxPool2d(1)(np.arange(8.0).reshape(2, 2, 2)).ravel()
    array([3., 7.])
    """


class AdaptiveMaxPool3d(_AdaptiveMaxPool, function=adaptive_pooling.adaptive_max_pool3d):
    """The largest elements of windows of a volume of any size; see `AdaptiveAvgPool3d`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.AdaptiveMaxPool3d(1)(np.arange(16.0).reshape(2, 2, 2, 2)).ravel()
    array([ 7., 15.])
    """


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
