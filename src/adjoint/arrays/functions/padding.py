"""Margins around an array, in all modes of NumPy and PyTorch; negative widths crop."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.axes import one_axis, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import products, reductions, shaping, statistics
from adjoint.arrays.functions.indexing import getitem, part_along, take
from adjoint.arrays.functions.shaping import broadcast_to, concat, moveaxis
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

# Modes whose margins repeat elements of the array: NumPy's name of each.
_COPIES = {
    "edge": "edge",
    "replicate": "edge",
    "reflect": "reflect",
    "symmetric": "symmetric",
    "wrap": "wrap",
    "circular": "wrap",
}
_STATISTICS: dict[str, Callable] = {
    "maximum": reductions.max,
    "mean": reductions.mean,
    "median": statistics.median,
    "minimum": reductions.min,
}
_MODES = ("constant", "empty", "linear_ramp", *_COPIES, *_STATISTICS)


def pad(
    x,
    pad_width,
    value=0.0,
    mode: str = "constant",
    *,
    stat_length=None,
    end_values=0.0,
    reflect_type: str = "even",
) -> "Tensor":
    """Return the array with a margin: one width for all sides, (before, after), or a pair for each axis.

    A negative width removes elements instead, as in PyTorch: before the margins are made with "wrap" and "circular",
    and after that in the other modes. `mode` is one of

    - "constant": `value`, a number, or as many numbers as widths can be given; "empty" is the same with zeros;
    - "edge" or "replicate", "reflect", "symmetric", "wrap" or "circular": copies of elements of the array;
      `reflect_type="odd"` reflects about the value of the edge as well;
    - "maximum", "mean", "median", "minimum": a statistic of each line, of `stat_length` elements next to the margin;
    - "linear_ramp": from the edge to `end_values`.

    >>> from adjoint import Value, pad
    >>> pad(Value([1.0, 2.0, 3.0]), (2, -1), mode="reflect").data
    array([3., 2., 1., 2.])
    """
    x = as_operand(x)
    ndim = len(shape_of(x))
    widths = _widths(pad_width, ndim)
    if mode not in _MODES:
        raise ArgumentError(f"pad: mode must be one of {', '.join(_MODES)}, not {describe(mode)}")
    if reflect_type not in ("even", "odd"):
        raise ArgumentError(f"pad: reflect_type must be 'even' or 'odd', not {describe(reflect_type)}")
    margins = [(max(before, 0), max(after, 0)) for before, after in widths]
    if _COPIES.get(mode) == "wrap":
        x, widths = _cropped(x, widths), margins
    if mode in ("constant", "empty"):
        x = _constant(x, margins, _pairs(value if mode == "constant" else 0.0, ndim, "value"))
    else:
        lengths = _pairs(stat_length, ndim, "stat_length")
        ends = _pairs(end_values, ndim, "end_values")
        for axis, margin in enumerate(margins):
            if margin != (0, 0):
                x = _along(x, axis, margin, mode, lengths[axis], ends[axis], reflect_type)
    return _cropped(x, widths)


def _widths(given, ndim: int) -> list[tuple[int, int]]:
    """Return the widths before and after each axis."""
    if isinstance(given, dict):  # NumPy's form for some axes: {axis: (before, after)}
        pairs = np.zeros((ndim, 2), int)
        for axis, width in given.items():
            pairs[one_axis(axis, ndim, "pad")] = width
        given = pairs
    try:
        pairs = np.broadcast_to(np.asarray(given) if np.size(given) else np.zeros(2, int), (ndim, 2))
        if pairs.dtype.kind not in "iu":
            raise ValueError
    except ValueError:
        raise ShapeError(
            f"pad: widths must be integers: one for all sides, (before, after), or a pair for each of the {ndim} axes, "
            f"not {describe(given)}"
        ) from None
    return [(int(before), int(after)) for before, after in pairs]


def _pairs(given, ndim: int, name: str) -> "list[tuple[float | None, float | None]]":
    """Return an argument that may differ between the sides, for each side."""
    if given is None or isinstance(given, float):
        return [(given, given)] * ndim
    try:
        return [(before, after) for before, after in np.broadcast_to(np.asarray(given), (ndim, 2)).tolist()]
    except ValueError:
        raise ShapeError(
            f"pad: {name} must be one number, (before, after), or a pair for each of the {ndim} axes, not "
            f"{describe(given)}"
        ) from None


def _constant(x, margins: list, values: list) -> "Tensor":
    numbers = {float(number) for pair in values for number in pair}
    if len(numbers) <= 1:
        return shaping.pad_constant(x, margins, *numbers)
    for axis, ((before, after), pair) in enumerate(zip(margins, values)):
        for width, number in (((before, 0), pair[0]), ((0, after), pair[1])):
            if any(width):
                x = shaping.pad_constant(
                    x, [width if i == axis else (0, 0) for i in range(len(margins))], float(number)
                )
    return x


def _along(x, axis: int, margin: tuple[int, int], mode: str, lengths, ends, reflect_type: str) -> "Tensor":
    """Return the array with margins along one axis."""
    shape = shape_of(x)
    size = shape[axis]
    if not size:
        raise ShapeError(f"pad: axis {axis} of an array of shape {shape} has no elements; mode={mode!r} needs some")
    if mode in _COPIES:
        if reflect_type == "odd" and mode in ("reflect", "symmetric"):
            weights = np.pad(np.eye(size), (margin, (0, 0)), mode, reflect_type="odd")  # pyright: ignore[reportArgumentType, reportCallIssue]
            return moveaxis(products.matmul(moveaxis(x, axis, -1), statistics.like(x, weights.T.copy())), -1, axis)
        return take(x, np.pad(np.arange(size), margin, _COPIES[mode]), axis)  # pyright: ignore[reportArgumentType, reportCallIssue]
    parts = [x]
    for is_after, width in enumerate(margin):
        if width:
            part = _margin(x, axis, width, mode, lengths[is_after], float(ends[is_after]), bool(is_after))
            parts.insert(2 * is_after, part)
    return concat(parts, axis)


def _margin(x, axis: int, width: int, mode: str, length, end: float, is_after: bool) -> "Tensor":
    """Return one margin, computed from the elements next to it."""
    shape = shape_of(x)
    if mode == "linear_ramp":
        edge = _edge(x, axis, 1, is_after)
        steps = np.arange(width) / width
        steps = steps[::-1].copy() if is_after else steps  # 0 at the end, almost 1 next to the edge
        weights = statistics.like(x, steps.reshape([width if i == axis else 1 for i in range(len(shape))]))
        return ops.add(ops.mul(ops.sub(edge, end), weights), end)
    count = shape[axis] if length is None else min(int(length), shape[axis])
    if count < 1:
        raise ArgumentError(f"pad: stat_length must be an integer of at least 1, not {describe(length)}")
    found = _STATISTICS[mode](_edge(x, axis, count, is_after), axis, keepdims=True)
    return broadcast_to(found, tuple(width if i == axis else n for i, n in enumerate(shape)))


def _edge(x, axis: int, count: int, is_after: bool) -> "Tensor":
    """Return the first, or last, elements along an axis."""
    size = shape_of(x)[axis]
    return part_along(x, axis, size - count if is_after else 0, size if is_after else count)


def _cropped(x, widths: list[tuple[int, int]]) -> "Tensor":
    """Return the array without the elements that negative widths remove."""
    if all(before >= 0 and after >= 0 for before, after in widths):
        return x
    shape = shape_of(x)
    for axis, (before, after) in enumerate(widths):
        if shape[axis] + min(before, 0) + min(after, 0) < 0:
            raise ShapeError(f"pad: the widths {(before, after)} remove more than the axis {axis} of the result has")
    slices = tuple(slice(max(-before, 0), n + min(after, 0)) for n, (before, after) in zip(shape, widths))
    return getitem(x, slices)
