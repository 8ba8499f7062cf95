"""Shapes: operations that arrange the same numbers in another way."""

import functools
import inspect
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import array_back
from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import all_axes, as_shape, either, either_axis, one_axis, shape_of
from adjoint.arrays.backends import common_backend, is_half
from adjoint.arrays.convert import as_operand, data_of
from adjoint.engine import ops
from adjoint.engine.native import twin
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

identity = array_op("identity", lambda m, x: x, lambda m, g, y, x: g, linear="jointly", view=True, keeps_integers=True)
_reshape = array_op(
    "reshape",
    lambda m, x, shape: m.reshape(x, shape),
    lambda m, g, y, x, shape: m.reshape(g, x.shape),
    linear="jointly",
    view=True,
    keeps_integers=True,
)
_permute_dims = array_op(
    "permute_dims",
    lambda m, x, axes: m.permute_dims(x, axes),
    lambda m, g, y, x, axes: m.permute_dims(g, _inverse(axes)),
    linear="jointly",
    view=True,
    keeps_integers=True,
)
_broadcast_to = array_op(
    "broadcast_to",
    lambda m, x, shape: m.broadcast_to(x, shape),
    lambda m, g, y, x, shape: g,  # the engine sums what was repeated
    linear="jointly",
    view=True,
    keeps_integers=True,
)
_astype = array_op(
    "astype",
    lambda m, x, dtype: m.astype(x, dtype),
    lambda m, g, y, x, dtype: g,  # the engine brings it to the dtype of x
    linear="jointly",
    view=True,
)
_flip = array_op(
    "flip",
    lambda m, x, axis: m.flip(x, axis=axis),
    lambda m, g, y, x, axis: m.flip(g, axis=axis),
    linear="jointly",
    view=True,
    keeps_integers=True,
)
_roll = array_op(
    "roll",
    lambda m, x, shift, axis: m.roll(x, shift, axis=axis),
    lambda m, g, y, x, shift, axis: m.roll(g, tuple(-s for s in shift), axis=axis),
    linear="jointly",
    keeps_integers=True,
)
_pad = array_op(
    "pad",
    lambda m, x, width, value: m.pad(x, width, value),
    lambda m, g, y, x, width, value: g[_inside(width, x.shape)],
    jvp=lambda m, ts, y, x, width, value: m.pad(ts[0], width, 0.0),
    keeps_integers=True,
)
_concat = array_op(
    "concat",
    lambda m, *xs, axis: m.concat(xs, axis=axis),
    each_vjp=lambda m, i, g, y, *xs, axis: g[_part(xs, i, axis)],
    linear="jointly",
    keeps_integers=True,
)
_stack = array_op(
    "stack",
    lambda m, *xs, axis: m.stack(m.arrays(xs), axis=axis),
    each_vjp=lambda m, i, g, y, *xs, axis: g[(slice(None),) * axis + (i,)],
    linear="jointly",
    keeps_integers=True,
)


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _inside(width, shape) -> tuple[slice, ...]:
    return tuple(slice(before, before + size) for (before, _), size in zip(width, shape))


def _part(xs, i: int, axis: int) -> tuple[slice, ...]:
    """Return the index of what operand `i` became in a concatenation."""
    start = 0
    for x in xs[:i]:
        start += x.shape[axis]
    return (slice(None),) * axis + (slice(start, start + xs[i].shape[axis]),)


# --- the functions -----------------------------------------------------------------------------------------


def reshape(x, *shape) -> "Tensor":
    """Return the same elements in another shape; one size may be -1, and is computed from the others.

    >>> from adjoint import Value
    >>> Value([[1.0, 2.0], [3.0, 4.0]]).reshape(-1).shape
    (4,)
    """
    x = as_operand(x)
    old = shape_of(x)
    new = as_shape(shape[0] if len(shape) == 1 else shape, "reshape")
    if -1 in new:
        known = math.prod(size for size in new if size != -1)
        if new.count(-1) > 1 or not known or math.prod(old) % known:
            raise ShapeError(f"reshape: {old} cannot take the shape {new}")
        new = tuple(math.prod(old) // known if size == -1 else size for size in new)
    if math.prod(old) != math.prod(new) or any(size < 0 for size in new):
        raise ShapeError(
            f"reshape: an array of shape {old} has {math.prod(old)} elements, the shape {new} has {math.prod(new)}"
        )
    return _reshape(x, shape=new)


def flatten(
    x, start_axis: int = 0, end_axis: int = -1, *, start_dim: int | None = None, end_dim: int | None = None
) -> "Tensor":
    """Return the axes from `start_axis` to `end_axis`, both included, as one axis; the others stay.

    >>> import numpy as np
    >>> from adjoint import Value, flatten
    >>> x = Value(np.zeros((2, 3, 4)))
    >>> flatten(x).shape, flatten(x, start_axis=1).shape
    ((24,), (2, 12))
    """
    x = as_operand(x)
    if start_dim is not None or end_dim is not None:
        start_axis = either("flatten", "start_axis", start_axis, "start_dim", start_dim, 0)
        end_axis = either("flatten", "end_axis", end_axis, "end_dim", end_dim, -1)
    shape = shape_of(x)
    start, end = (one_axis(axis, len(shape) or 1, "flatten") for axis in (start_axis, end_axis))
    if start > end:
        raise ShapeError(f"flatten: start_axis={start_axis} comes after end_axis={end_axis} in the shape {shape}")
    return _reshape(x, shape=(*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def permute_dims(x, axes: Sequence[int]) -> "Tensor":
    """Return the array with its axes in another order.

    >>> import numpy as np
    >>> from adjoint import Value, permute_dims
    >>> permute_dims(Value(np.zeros((2, 3, 4))), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = as_operand(x)
    ndim = len(shape_of(x))
    given = as_shape(axes, "permute_dims")
    found = tuple(one_axis(axis, ndim, "permute_dims") for axis in given)
    if sorted(found) != list(range(ndim)):
        raise ShapeError(f"permute_dims: {given} must name each of the {ndim} axes once")
    return _permute_dims(x, axes=found)


def transpose(x, *axes) -> "Tensor":
    """Return the array with its axes reversed, or in the order given; two of more axes are swapped, as in PyTorch.

    >>> from adjoint import Value
    >>> x = Value([[[1.0, 2.0, 3.0]]])
    >>> x.transpose().shape, x.transpose((0, 2, 1)).shape, x.transpose(1, 2).shape
    ((3, 1, 1), (1, 3, 1), (1, 3, 1))
    """
    x = as_operand(x)
    ndim = len(shape_of(x))
    if not axes or axes == (None,):
        return _permute_dims(x, axes=tuple(range(ndim))[::-1])
    if len(axes) == 2 != ndim:
        return swapaxes(x, *axes)
    if len(axes) == 2 == ndim and [one_axis(axis, 2, "transpose") for axis in axes] == [0, 1]:
        raise ArgumentError(
            f"transpose{axes} of a matrix keeps its axes in NumPy and swaps them in PyTorch; write x.T or "
            "x.swapaxes(0, 1) to swap them"
        )
    return permute_dims(x, axes[0] if len(axes) == 1 else axes)


def matrix_transpose(x) -> "Tensor":
    """Return the array with its last two axes swapped.

    >>> from adjoint import Value, matrix_transpose
    >>> matrix_transpose(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    x = as_operand(x)
    ndim = len(shape_of(x))
    if ndim < 2:
        raise ShapeError(f"a matrix transpose needs two axes; the array has the shape {shape_of(x)}")
    return _permute_dims(x, axes=(*range(ndim - 2), ndim - 1, ndim - 2))


def swapaxes(x, axis1: int, axis2: int) -> "Tensor":
    """Return the array with two axes swapped.

    >>> import numpy as np
    >>> from adjoint import Value, swapaxes
    >>> swapaxes(Value(np.zeros((2, 3, 4))), 0, 2).shape
    (4, 3, 2)
    """
    x = as_operand(x)
    axes = list(range(len(shape_of(x))))
    i, j = (one_axis(axis, len(axes) or 1, "swapaxes") for axis in (axis1, axis2))
    if not axes:
        return _reshape(x, shape=())
    axes[i], axes[j] = axes[j], axes[i]
    return _permute_dims(x, axes=tuple(axes))


def moveaxis(x, source, destination) -> "Tensor":
    """Return the array with some axes moved to other positions; the others keep their order.

    >>> import numpy as np
    >>> from adjoint import Value, moveaxis
    >>> moveaxis(Value(np.zeros((2, 3, 4))), 0, -1).shape
    (3, 4, 2)
    """
    x = as_operand(x)
    ndim = len(shape_of(x))
    sources, destinations = all_axes(source, ndim, "moveaxis"), all_axes(destination, ndim, "moveaxis")
    if len(sources) != len(destinations):
        raise ShapeError(
            f"moveaxis: source names {_axes(sources)}, destination {len(destinations)}; give each axis one destination"
        )
    order = [axis for axis in range(ndim) if axis not in sources]
    for place, axis in sorted(zip(destinations, sources)):
        order.insert(place, axis)
    return _permute_dims(x, axes=tuple(order))


def squeeze(x, axis=None, *, dim=None) -> "Tensor":
    """Return the array without axes of size 1: all of them, or those named.

    An axis of another size is an error, as in NumPy. With PyTorch's word `dim`, it stays, as in PyTorch.

    >>> import numpy as np
    >>> from adjoint import Value, squeeze
    >>> x = Value(np.zeros((1, 2, 1)))
    >>> squeeze(x).shape, squeeze(x, 0).shape, squeeze(x, dim=1).shape
    ((2,), (2, 1), (1, 2, 1))
    """
    x = as_operand(x)
    shape = shape_of(x)
    if dim is not None:
        axes = all_axes(either_axis("squeeze", axis, dim), len(shape), "squeeze")
        axis = tuple(i for i in axes if shape[i] == 1)
    if axis is None:
        return _reshape(x, shape=tuple(size for size in shape if size != 1))
    axes = all_axes(axis, len(shape), "squeeze")
    for i in axes:
        if shape[i] != 1:
            raise ShapeError(f"squeeze: axis {i} of an array of shape {shape} has size {shape[i]}, not 1")
    return _reshape(x, shape=tuple(size for i, size in enumerate(shape) if i not in axes))


def expand_dims(x, axis=0, *, dim: int | None = None) -> "Tensor":
    """Return the array with new axes of size 1 at the given positions of the result.

    >>> from adjoint import Value, expand_dims
    >>> x = Value([1.0, 2.0])
    >>> expand_dims(x, 0).tolist(), expand_dims(x, 1).tolist()
    ([[1.0, 2.0]], [[1.0], [2.0]])
    """
    x = as_operand(x)
    if dim is not None:
        axis = either_axis("expand_dims", axis, dim, 0)
    shape = shape_of(x)
    count = len(shape) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    axes, rest = all_axes(axis, count, "expand_dims"), iter(shape)
    return _reshape(x, shape=tuple(1 if i in axes else next(rest) for i in range(count)))


def broadcast_to(x, shape) -> "Tensor":
    """Return the array repeated, without a copy, along axes that are missing or of size 1.

    >>> from adjoint import Value, broadcast_to
    >>> x = Value([1.0, 2.0])
    >>> y = broadcast_to(x, (3, 2))
    >>> y.sum().backward()
    >>> y.tolist(), x.grad
    ([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], array([3., 3.]))
    """
    x, shape = as_operand(x), as_shape(shape, "broadcast_to")
    old = shape_of(x)
    extra = len(shape) - len(old)
    if extra < 0 or any(a not in (1, b) for a, b in zip(old, shape[extra:])):
        raise ShapeError(f"broadcast_to: {old} does not broadcast to {shape}")
    return _broadcast_to(x, shape=shape)


def astype(x, dtype) -> "Tensor":
    """Return the same numbers in another floating dtype, with gradients in the old one; a plain array in any dtype.

    >>> from adjoint import Value, astype
    >>> astype(Value([1.0, 2.0]), "float32").dtype
    dtype('float32')
    """
    x = as_operand(x)
    m = common_backend([data_of(x)], "astype")
    dtype = m.as_dtype(dtype)
    if not m.is_floating(dtype) and m.is_real(dtype) and not isinstance(x, Value):
        return m.astype(m.xp.asarray(x), dtype)
    if not m.is_floating(dtype):
        raise ArrayError(f"a Value holds floating-point numbers, not {dtype}; v.data.astype(…) gives a plain array")
    return _astype(x, dtype=dtype)


def widen(x) -> "Tensor":
    """Return float16 and bfloat16 as float32, for a computation whose steps would overflow or lose digits."""
    return astype(x, "float32") if is_half(x) else x


def narrow(y, like) -> "Tensor":
    """Return the result of a computation on `widen(like)` in the dtype of `like`."""
    return astype(y, like.dtype) if is_half(like) else y


def flip(x, axis=None, *, dims=None) -> "Tensor":
    """Return the array with the elements along some axes in reverse order; along all, if none is named.

    >>> from adjoint import Value, flip
    >>> x = Value([[1.0, 2.0], [3.0, 4.0]])
    >>> flip(x).tolist(), flip(x, axis=0).tolist()
    ([[4.0, 3.0], [2.0, 1.0]], [[3.0, 4.0], [1.0, 2.0]])
    """
    x, axis = as_operand(x), either("flip", "axis", axis, "dims", dims)
    return _flip(x, axis=all_axes(axis, len(shape_of(x)), "flip"))


def roll(x, shift=None, axis=None, *, shifts=None, dims=None) -> "Tensor":
    """Return the array with its elements shifted along an axis; elements shifted past the end reappear at the start.

    Several shifts add up on the same axis. Without an axis the elements are shifted in their flat order. One shift
    serves several axes, and one axis several shifts.

    >>> from adjoint import Value, roll
    >>> x = Value([1.0, 2.0, 3.0])
    >>> roll(x, 1).data, roll(x, -1).data
    (array([3., 1., 2.]), array([2., 3., 1.]))
    """
    x, axis = as_operand(x), either("roll", "axis", axis, "dims", dims)
    shifts = as_shape(either("roll", "shift", shift, "shifts", shifts), "roll")
    if axis is None:
        return _reshape(_roll(flatten(x), shift=(sum(shifts),), axis=(0,)), shape=shape_of(x))
    axes = tuple(one_axis(a, len(shape_of(x)), "roll") for a in as_shape(axis, "roll"))
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        plural = "s" * (len(shifts) != 1)
        raise ShapeError(f"roll: got {len(shifts)} shift{plural} for {_axes(axes)}; give one shift per axis")
    if not axes:
        return _reshape(x, shape=shape_of(x))
    return _roll(x, shift=shifts, axis=axes)


def tile(x, *repetitions) -> "Tensor":
    """Return the whole array repeated along each axis: `tile(x, (2, 3))` or, as in PyTorch, `tile(x, 2, 3)`.

    >>> from adjoint import Value, tile
    >>> tile(Value([1.0, 2.0]), 2).data
    array([1., 2., 1., 2.])
    """
    x, times = as_operand(x), as_shape(repetitions[0] if len(repetitions) == 1 else repetitions, "tile")
    shape = shape_of(x)
    count = max(len(shape), len(times))
    shape, times = (1,) * (count - len(shape)) + shape, (1,) * (count - len(times)) + times
    wide = _reshape(x, shape=tuple(n for size in shape for n in (1, size)))
    wide = _broadcast_to(wide, shape=tuple(n for pair in zip(times, shape) for n in pair))
    return _reshape(wide, shape=tuple(a * b for a, b in zip(times, shape)))


def pad_constant(x, widths: Sequence[tuple[int, int]], value: float = 0.0) -> "Tensor":
    """Return the array with a margin of `value`: the widths before and after each axis, at least 0."""
    x = as_operand(x)
    if not float(value).is_integer() and not isinstance(x, Value):
        x = ops.mul(x, 1.0)  # as floats: an array of integers cannot hold the margin
    return _pad(x, width=tuple(map(tuple, widths)), value=float(value))


def concat(arrays: Sequence, axis: int | None = 0, *, dim: int | None = None) -> "Tensor":
    """Return arrays joined along an axis that they have; flattened first if it is None.

    >>> from adjoint import Value, concat
    >>> concat([Value([1.0, 2.0]), [3.0]]).data
    array([1., 2., 3.])
    >>> concat([Value([[1.0], [2.0]]), [[3.0], [4.0]]], axis=1).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    xs = _several(arrays, "concat")
    if dim is not None:
        axis = either_axis("concat", axis, dim, 0)
        xs = [x for x in xs if shape_of(x) != (0,)] or xs  # PyTorch leaves out vectors without elements
    if axis is None:
        xs, axis = [flatten(x) for x in xs], 0
    shapes = [shape_of(x) for x in xs]
    i = one_axis(axis, len(shapes[0]), "concat")
    for shape in shapes:
        if len(shape) != len(shapes[0]) or any(a != b for k, (a, b) in enumerate(zip(shape, shapes[0])) if k != i):
            raise ShapeError(f"concat: the shapes {_list_shapes(shapes)} must be equal except along axis {axis}")
    return _concat(*xs, axis=i)


def stack(arrays: Sequence, axis: int = 0, *, dim: int | None = None) -> "Tensor":
    """Return arrays, or scalar Values, side by side along a new axis.

    >>> from adjoint import Value, stack
    >>> a, b = Value(2.0), Value(3.0)
    >>> stack([a, b, a]).sum().backward()
    >>> a.grad
    2.0
    """
    xs = _several(arrays, "stack")
    if dim is not None:
        axis = either_axis("stack", axis, dim, 0)
    shapes = [shape_of(x) for x in xs]
    if len(set(shapes)) > 1:
        raise ShapeError(f"stack needs arrays of equal shape, not {_list_shapes(shapes)}")
    return _stack(*xs, axis=one_axis(axis, len(shapes[0]) + 1, "stack"))


def stack_objects(x):
    """Return an array of objects that holds Values, such as `np.array([a, b])`, as a Tensor that depends on them.

    Everything else stays as it is.
    """
    if not isinstance(x, np.ndarray) or x.dtype != object or not any(isinstance(item, Value) for item in x.flat):
        return x
    return reshape(stack(list(x.flat)), x.shape)


def split(x, sections, axis: int = 0, *, dim: int | None = None) -> list["Tensor"]:
    """Split an array along an axis: into a number of equal sections, or at the given indices, as in NumPy.

    With PyTorch's word `dim` in place of `axis`, the number is the size of each section, or the list has the sizes, as
    in PyTorch.

    >>> from adjoint import Value, split
    >>> x = Value([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> [part.shape for part in split(x, 2, axis=0)], [part.shape for part in split(x, 2, dim=0)]
    ([(3,), (3,)], [(2,), (2,), (2,)])
    """
    x = as_operand(x)
    shape = shape_of(x)
    i = one_axis(either_axis("split", axis, dim, 0), len(shape), "split")
    if dim is not None:
        places = _ends_of_sections(sections, shape[i])
    elif hasattr(sections, "__index__"):
        if sections < 1 or shape[i] % sections:
            raise ShapeError(f"split: cannot divide an axis of size {shape[i]} into {sections} equal parts")
        step = shape[i] // sections
        places = [step * k for k in range(1, sections)]
    else:
        try:
            places = [operator.index(place) for place in sections]
        except TypeError:
            raise ArgumentError(
                f"split: sections must be an integer or a list of integers, not {describe(sections)}"
            ) from None
    edges = [0, *places, shape[i]]
    return [x[(slice(None),) * i + (slice(a, b),)] for a, b in itertools.pairwise(edges)]


def _ends_of_sections(sizes, total: int) -> list[int]:
    """Return where sections of these sizes end, without the last; one size serves all sections, the last is smaller."""
    if hasattr(sizes, "__index__"):
        if sizes < 1:
            raise ShapeError(f"split: the size of a section must be at least 1, not {describe(sizes)}")
        return list(range(sizes, total, sizes))
    sizes = as_shape(sizes, "split")
    if sum(sizes) != total or any(size < 0 for size in sizes):
        raise ShapeError(
            f"split: with dim, the sizes of the sections must add up to the size {total} of the axis, not {sizes}"
        )
    return list(itertools.accumulate(sizes[:-1]))


def as_matrices(x, who: str) -> "Tensor":
    """Return an operand, or explain that it has no matrices."""
    x = as_operand(x)
    shape = shape_of(x)
    if len(shape) < 2:
        given = f"an array of shape {shape}" if shape else describe(x)
        raise ShapeError(f"{who} needs matrices: an array with at least two axes, not {given}")
    return x


def along(x, axis: int | None, who: str) -> "tuple[Tensor, int]":
    """Return an operand and an axis of it, counted from the front; the flattened operand if the axis is None."""
    x = as_operand(x)
    if axis is None:
        return flatten(x), 0
    return x, one_axis(axis, len(shape_of(x)), who)


def counts_numbers(function: Callable) -> Callable:
    """Return a function along an axis that counts a number as an array with one axis, and returns numbers for it.

    An axis that is None flattens instead, and no elements stay none.
    """
    axis = next(p for p in inspect.signature(function).parameters.values() if p.name in ("axis", "dim"))

    @functools.wraps(function)
    def with_numbers(x, *args, **kwargs):
        if shape_of(x := as_operand(x)):
            return function(x, *args, **kwargs)
        found = function(flatten(x), *args, **kwargs)
        if (args[0] if args else kwargs.get("dim", kwargs.get("axis", axis.default))) is None:
            return found
        if isinstance(found, tuple):
            parts = [_as_number(part) for part in found]
            return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
        return _as_number(found)

    return with_numbers


def _as_number(x) -> Any:
    if 0 in shape_of(x):  # of topk
        return x
    return reshape(x, ()) if isinstance(x, Value) else x.reshape(())


def _axes(axes: Sequence[int]) -> str:
    return f"{len(axes)} ax{'i' if len(axes) == 1 else 'e'}s"


def _several(arrays, who: str) -> list:
    if hasattr(arrays, "shape") or not isinstance(arrays, Sequence):
        if not isinstance(arrays, Iterable) or not getattr(arrays, "shape", True):
            raise ArgumentError(f"{who} needs a sequence of arrays, not {describe(arrays)}")
        arrays = list(arrays)
    if not arrays:
        raise ArgumentError(f"{who} needs at least one array")
    return [as_operand(x) for x in arrays]


def _list_shapes(shapes) -> str:
    text = ", ".join(map(str, shapes[:6]))
    return text if len(shapes) <= 6 else f"{text}, …"


_REVERSED = [{"axes": tuple(range(ndim))[::-1]} for ndim in range(9)]
_ALONG = [{"axis": axis} for axis in range(8)]
reshape = twin("view", reshape, "reshape", reshape, _reshape, "shape", array_back)
transpose = twin("view", transpose, "transpose", transpose, _permute_dims, _REVERSED, array_back)
concat = twin("view", concat, "concat", concat, _concat, _ALONG, array_back)
