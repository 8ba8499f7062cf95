"""Functions of windows of sequences, images and volumes, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint import Tensor
from adjoint.cli.checks import Groups


def _sequence(x: Tensor) -> Tensor:
    return x.reshape((1, 3, 4))


def _image(x: Tensor) -> Tensor:
    return x.reshape((1, 1, 3, 4))


def _volume(x: Tensor) -> Tensor:
    return x.reshape((1, 1, 2, 3, 2))


GROUPS: Groups = {
    "windows": {
        "conv3d": lambda x: adjoint.conv3d(_volume(x), x[:, :2].reshape((1, 1, 1, 3, 2))),
        "conv_transpose1d": lambda x: adjoint.conv_transpose1d(_sequence(x), x[:, :2].reshape((3, 1, 2)), stride=2),
        "conv_transpose2d": lambda x: adjoint.conv_transpose2d(_image(x), x[:1].reshape((1, 1, 2, 2)), padding=1),
        "conv_transpose3d": lambda x: adjoint.conv_transpose3d(_volume(x), x[:1].reshape((1, 1, 1, 2, 2)), stride=2),
        "max_pool1d": lambda x: adjoint.max_pool1d(_sequence(x), 2, dilation=2, stride=1),
        "max_pool3d": lambda x: adjoint.max_pool3d(_volume(x), 2, ceil_mode=True),
        "max_unpool1d": lambda x: adjoint.max_unpool1d(x, np.array([[0, 3, 4, 6]] * 3), 2),
        "max_unpool2d": lambda x: adjoint.max_unpool2d(x[None], np.arange(12)[::-1].reshape(1, 3, 4), 1),
        "max_unpool3d": lambda x: adjoint.max_unpool3d(_volume(x), 2 * np.arange(12).reshape(1, 1, 2, 3, 2), (1, 1, 2)),
        "avg_pool1d": lambda x: adjoint.avg_pool1d(_sequence(x), 3, ceil_mode=True),
        "avg_pool3d": lambda x: adjoint.avg_pool3d(_volume(x), 2, padding=1, count_include_pad=False),
        "lp_pool1d": lambda x: adjoint.lp_pool1d(_sequence(x), 2, 2),
        "lp_pool2d": lambda x: adjoint.lp_pool2d(_image(x), 2, 2),
        "lp_pool3d": lambda x: adjoint.lp_pool3d(_volume(x), 2, 2),
        "adaptive_avg_pool1d": lambda x: adjoint.adaptive_avg_pool1d(_sequence(x), 3),
        "adaptive_avg_pool2d": lambda x: adjoint.adaptive_avg_pool2d(_image(x), (2, 3)),
        "adaptive_avg_pool3d": lambda x: adjoint.adaptive_avg_pool3d(_volume(x), (1, 2, None)),
        "adaptive_max_pool1d": lambda x: adjoint.adaptive_max_pool1d(_sequence(x), 3),
        "adaptive_max_pool2d": lambda x: adjoint.adaptive_max_pool2d(_image(x), (2, 3)),
        "adaptive_max_pool3d": lambda x: adjoint.adaptive_max_pool3d(_volume(x), (1, 2, None)),
        "im2col": lambda x: adjoint.im2col(_image(x), 2),
        "col2im": lambda x: adjoint.col2im(x.reshape((4, 3)), (2, 4), 2),
        "interpolate": lambda x: adjoint.interpolate(_image(x), (5, 3), mode="bicubic"),
        "pixel_shuffle": lambda x: adjoint.pixel_shuffle(x.reshape((4, 1, 3)), 2),
        "pixel_unshuffle": lambda x: adjoint.pixel_unshuffle(x.reshape((1, 2, 6)), 2),
    },
}
