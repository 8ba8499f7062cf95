"""Layers that add margins to sequences, images and volumes. Names are those of `torch.nn`."""

from collections.abc import Sequence

from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions.padding import pad
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.spatial import Spatial

Widths = int | Sequence[int]


class _Padding(Spatial):
    """The base class: `padding` is one width, or (before, after) for the last axis, the one before it, and so on."""

    _mode: str
    value = 0.0

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
        shape = shape_of(given)
        self._require_axes(shape)
        return pad(given, [(0, 0)] * (len(shape) - self._ndim) + self._pairs, self.value, self._mode)


class _ConstantPad(
    _Padding,
    summary="Adds margins of a constant to {inputs}, ({axes}).",
    example="nn.{name}(1, 9.0)({x}).ravel()[:6]  # the first row",
    results=("[9., 0., 1., 2., 3., 9.]", "[9., 9., 9., 9., 9., 9.]", "[9., 9., 9., 9., 9., 9.]"),
):
    _mode = "constant"

    def __init__(self, padding: Widths, value: float):
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad, ndim=1): ...


class ConstantPad2d(_ConstantPad, ndim=2): ...


class ConstantPad3d(_ConstantPad, ndim=3): ...


class _ZeroPad(
    _Padding,
    summary="Adds margins of zeros to {inputs}, ({axes}).",
    example="nn.{name}(1)({x}).ravel()[:6]  # the first row",
    results=("[0., 0., 1., 2., 3., 0.]", "[0., 0., 0., 0., 0., 0.]", "[0., 0., 0., 0., 0., 0.]"),
):
    _mode = "constant"


class ZeroPad1d(_ZeroPad, ndim=1): ...


class ZeroPad2d(_ZeroPad, ndim=2): ...


class ZeroPad3d(_ZeroPad, ndim=3): ...


class _ReflectionPad(
    _Padding,
    summary="Adds margins that reflect the input at its edges to {inputs}, ({axes}).",
    example="nn.{name}(1)({x}).ravel()[:6]  # the first row",
    results=("[1., 0., 1., 2., 3., 2.]", "[5., 4., 5., 6., 7., 6.]", "[13., 12., 13., 14., 15., 14.]"),
):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPad, ndim=1): ...


class ReflectionPad2d(_ReflectionPad, ndim=2): ...


class ReflectionPad3d(_ReflectionPad, ndim=3): ...


class _ReplicationPad(
    _Padding,
    summary="Adds margins that repeat the edges to {inputs}, ({axes}).",
    example="nn.{name}(1)({x}).ravel()[:6]  # the first row",
    results=("[0., 0., 1., 2., 3., 3.]", "[0., 0., 1., 2., 3., 3.]", "[0., 0., 1., 2., 3., 3.]"),
):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPad, ndim=1): ...


class ReplicationPad2d(_ReplicationPad, ndim=2): ...


class ReplicationPad3d(_ReplicationPad, ndim=3): ...


class _CircularPad(
    _Padding,
    summary="Adds margins that continue the input periodically to {inputs}, ({axes}).",
    example="nn.{name}(1)({x}).ravel()[:6]  # the first row",
    results=("[3., 0., 1., 2., 3., 0.]", "[7., 4., 5., 6., 7., 4.]", "[15., 12., 13., 14., 15., 12.]"),
):
    _mode = "circular"


class CircularPad1d(_CircularPad, ndim=1): ...


class CircularPad2d(_CircularPad, ndim=2): ...


class CircularPad3d(_CircularPad, ndim=3): ...
