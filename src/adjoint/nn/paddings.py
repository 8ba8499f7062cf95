"""Layers that add margins to sequences, images and volumes. Names are those of `torch.nn`."""

from collections.abc import Sequence

from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions.padding import pad
from adjoint.arrays.functions.windows import axis_names
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module

Widths = int | Sequence[int]


class _Padding(Module):
    """The base class: `padding` is one width, or (before, after) for the last axis, the one before it, and so on."""

    _ndim, _mode, value = 0, "constant", 0.0

    def __init__(self, padding: Widths):
        self.padding = padding
        count = 2 * self._ndim
        widths = [padding] * count if isinstance(padding, int) else list(padding)
        if len(widths) != count or not all(isinstance(width, int) for width in widths):
            who = type(self).__name__
            raise ArgumentError(f"{who}: padding must be one integer or {count}, not {describe(padding)}")
        self._pairs = list(zip(widths[::2], widths[1::2]))[::-1]

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape, ndim = shape_of(given), self._ndim
        if len(shape) not in (ndim + 1, ndim + 2):
            wanted = ", ".join(("channels", *axis_names(ndim)))
            raise ShapeError(f"expected an input of shape (samples, {wanted}) or ({wanted}), not {shape}")
        return pad(given, [(0, 0)] * (len(shape) - ndim) + self._pairs, self.value, self._mode)


class _ConstantPad(_Padding):
    def __init__(self, padding: Widths, value: float):
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """Adds margins of a constant to sequences, (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.ConstantPad1d(1, 9.0)([[1.0, 2.0, 3.0]])
    array([[9., 1., 2., 3., 9.]])
    """

    _ndim = 1


class ConstantPad2d(_ConstantPad):
    """Adds margins of a constant to images, (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ConstantPad2d(1, 9.0)(np.zeros((2, 3, 4, 4))).shape
    (2, 3, 6, 6)
    """

    _ndim = 2


class ConstantPad3d(_ConstantPad):
    """Adds margins of a constant to volumes, (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ConstantPad3d(1, 9.0)(np.zeros((2, 3, 4, 4, 4))).shape
    (2, 3, 6, 6, 6)
    """

    _ndim = 3


class ZeroPad1d(_Padding):
    """Adds margins of zeros to sequences, (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.ZeroPad1d(1)([[1.0, 2.0, 3.0]])
    array([[0., 1., 2., 3., 0.]])
    """

    _ndim = 1


class ZeroPad2d(_Padding):
    """Adds margins of zeros to images, (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ZeroPad2d(1)(np.zeros((2, 3, 4, 4))).shape
    (2, 3, 6, 6)
    """

    _ndim = 2


class ZeroPad3d(_Padding):
    """Adds margins of zeros to volumes, (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ZeroPad3d(1)(np.zeros((2, 3, 4, 4, 4))).shape
    (2, 3, 6, 6, 6)
    """

    _ndim = 3


class ReflectionPad1d(_Padding):
    """Adds margins that reflect the input at its edges to sequences, (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.ReflectionPad1d(1)([[1.0, 2.0, 3.0]])
    array([[2., 1., 2., 3., 2.]])
    """

    _ndim, _mode = 1, "reflect"


class ReflectionPad2d(_Padding):
    """Adds margins that reflect the input at its edges to images, (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ReflectionPad2d(1)(np.zeros((2, 3, 4, 4))).shape
    (2, 3, 6, 6)
    """

    _ndim, _mode = 2, "reflect"


class ReflectionPad3d(_Padding):
    """Adds margins that reflect the input at its edges to volumes, (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ReflectionPad3d(1)(np.zeros((2, 3, 4, 4, 4))).shape
    (2, 3, 6, 6, 6)
    """

    _ndim, _mode = 3, "reflect"


class ReplicationPad1d(_Padding):
    """Adds margins that repeat the edges to sequences, (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.ReplicationPad1d(1)([[1.0, 2.0, 3.0]])
    array([[1., 1., 2., 3., 3.]])
    """

    _ndim, _mode = 1, "replicate"


class ReplicationPad2d(_Padding):
    """Adds margins that repeat the edges to images, (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ReplicationPad2d(1)(np.zeros((2, 3, 4, 4))).shape
    (2, 3, 6, 6)
    """

    _ndim, _mode = 2, "replicate"


class ReplicationPad3d(_Padding):
    """Adds margins that repeat the edges to volumes, (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.ReplicationPad3d(1)(np.zeros((2, 3, 4, 4, 4))).shape
    (2, 3, 6, 6, 6)
    """

    _ndim, _mode = 3, "replicate"


class CircularPad1d(_Padding):
    """Adds margins that continue the input periodically to sequences, (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.CircularPad1d(1)([[1.0, 2.0, 3.0]])
    array([[3., 1., 2., 3., 1.]])
    """

    _ndim, _mode = 1, "circular"


class CircularPad2d(_Padding):
    """Adds margins that continue the input periodically to images, (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.CircularPad2d(1)(np.zeros((2, 3, 4, 4))).shape
    (2, 3, 6, 6)
    """

    _ndim, _mode = 2, "circular"


class CircularPad3d(_Padding):
    """Adds margins that continue the input periodically to volumes, (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.CircularPad3d(1)(np.zeros((2, 3, 4, 4, 4))).shape
    (2, 3, 6, 6, 6)
    """

    _ndim, _mode = 3, "circular"
