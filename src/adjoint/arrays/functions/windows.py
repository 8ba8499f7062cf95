"""The geometry of windows in convolution and pooling, and the checks of its arguments."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import Backend
from adjoint.arrays.functions import shaping
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

Sizes = int | tuple[int, ...]


@dataclass(frozen=True)
class Geometry:
    """The geometry of windows on an input: a number for each spatial axis, and two for padding."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int = 1

    @cached_property
    def padded_size(self) -> tuple[int, ...]:
        """The size of the padded input."""
        return tuple(before + size + after for size, (before, after) in zip(self.size, self.padding))

    @cached_property
    def span(self) -> tuple[int, ...]:
        """The size of a window, dilation included."""
        return tuple(far * (size - 1) + 1 for size, far in zip(self.kernel, self.dilation))

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """The number of windows: the size of the result."""
        sizes = zip(self.padded_size, self.span, self.stride)
        return tuple((size - span) // step + 1 for size, span, step in sizes)

    @cached_property
    def inside(self) -> tuple:
        """The index of the input in the padded input."""
        return (..., *(slice(before, before + size) for size, (before, _) in zip(self.size, self.padding)))

    @cached_property
    def places(self) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Each position of the kernel, and the slices of the padded input that it covers over all windows."""
        along = [
            [slice(i * far, i * far + step * (count - 1) + 1, step) for i in range(size)]
            for size, far, step, count in zip(self.kernel, self.dilation, self.stride, self.windows)
        ]
        return list(zip(product(*map(range, self.kernel)), product(*along)))

    def pad(self, m: Backend, x, value: float = 0.0):
        """Return an input within its margins."""
        return m.pad(x, [(0, 0), (0, 0), *self.padding], value) if any(map(any, self.padding)) else x


# --- arguments -------------------------------------------------------------------------------------


def for_each_axis(sizes, ndim: int, who: str, name: str, least: int) -> tuple[int, ...]:
    """Return a number for each spatial axis, given one for all axes, alone or in a list, or one per axis."""
    if type(sizes) is int and sizes >= least:
        return (sizes,) * ndim
    if not isinstance(sizes, (tuple, list)):
        sizes = (sizes,) * ndim
    if len(sizes) == 1:
        sizes = tuple(sizes) * ndim
    if len(sizes) != ndim:
        plural = "s" if ndim > 1 else ""
        raise ArgumentError(f"{who}: {name} is one number or {ndim} number{plural}, not {tuple(sizes)}")
    return tuple(whole(size, f"{who}: {name}", least) for size in sizes)


def axis_names(ndim: int) -> tuple[str, ...]:
    """Return the names of the spatial axes: of a sequence, an image or a volume."""
    return ("length",) if ndim == 1 else ("depth", "height", "width")[-ndim:]


def require_axes(who: str, shape: tuple[int, ...], ndim: int) -> None:
    if not ndim + 1 <= len(shape) <= ndim + 2:
        names = ", ".join(axis_names(ndim))
        raise ShapeError(
            f"{who}: an input has the shape (samples, channels, {names}) or (channels, {names}), not {shape}"
        )


def require_fit(geometry: Geometry, who: str, shape: tuple[int, ...]) -> Geometry:
    if any(not 0 < span <= size for span, size in zip(geometry.span, geometry.padded_size)):
        within = f", {geometry.padded_size} with its padding" if any(map(any, geometry.padding)) else ""
        apart = f" with dilation {geometry.dilation}" if any(far > 1 for far in geometry.dilation) else ""
        raise ShapeError(
            f"{who}: a kernel of {geometry.kernel}{apart} does not fit into an input of shape {shape}{within}"
        )
    return geometry


def with_samples(x, ndim: int) -> "tuple[Tensor, bool]":
    """Return an input with an axis for samples before that of channels, and whether it had none."""
    shape = shape_of(x)
    is_single = len(shape) == ndim + 1
    return (shaping.reshape(x, (1, *shape)) if is_single else x), is_single


def without_samples(y, is_single: bool) -> "Tensor":
    """Return a result without the axis that `with_samples` added."""
    return shaping.reshape(y, shape_of(y)[1:]) if is_single else y
