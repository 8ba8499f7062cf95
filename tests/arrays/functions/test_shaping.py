"""Operations on shapes against PyTorch and central differences."""

import math

import numpy as np
import pytest
from arrays import Problem, case, torch
from claims import claims
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ArrayError, ShapeError

CASES: dict = {}
SIDES = st.sampled_from((2, 3, 1, 0))


def factors(draw, size: int) -> tuple[int, ...]:
    """Draw a shape with this number of elements."""
    shape = []
    for _ in range(draw.integer(0, 3)):
        divisors = [n for n in range(1, size + 1) if size % n == 0] or [0, 1, 2]
        shape.append(draw.one_of(*divisors))
        size = size // shape[-1] if shape[-1] else 0
    return (*shape, size) if size != 1 or draw.flag() else tuple(shape)


@case(CASES, "reshape")
def _(name, draw):
    x = draw.array()
    shape = list(factors(draw, x.size))
    if shape and draw.flag():
        place = draw.integer(0, len(shape) - 1)
        if math.prod(shape[:place] + shape[place + 1 :]):
            shape[place] = -1
    arguments = draw.one_of((tuple(shape),), (shape,), shape or [()])
    return Problem(draw.call("reshape", *arguments), lambda t: t.reshape(shape), [x])


@case(CASES, "flatten")
def _(name, draw):
    x = draw.array()
    start, end = sorted((draw.integer(0, max(x.ndim - 1, 0)), draw.integer(0, max(x.ndim - 1, 0))))
    start, end = (axis - max(x.ndim, 1) * draw.flag() for axis in (start, end))
    return Problem(draw.call("flatten", start, end), lambda t: t.flatten(start, end), [x])


@case(CASES, "permute_dims", "transpose")
def _(name, draw):
    x = draw.array()
    axes = tuple(a - x.ndim * draw.flag() for a in draw(st.permutations(range(x.ndim))))
    return Problem(draw.call(name, axes), lambda t: t.permute(axes), [x])


@case(CASES, "reversed axes")
def _(name, draw):
    x = draw.array()
    turned = draw.one_of(lambda v: v.T, adjoint.transpose, lambda v: v.transpose(None))
    return Problem(turned, lambda t: t.permute(tuple(range(x.ndim))[::-1]), [x])


@case(CASES, "matrix_transpose")
def _(name, draw):
    x = draw.array(draw.shape(least=2, most=4))
    return Problem(draw.one_of(lambda v: v.mT, adjoint.matrix_transpose), lambda t: t.mT, [x])


@case(CASES, "swapaxes")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    i, j = draw.axis(x.ndim), draw.axis(x.ndim)
    return Problem(draw.call("swapaxes", i, j), lambda t: t.swapaxes(i, j), [x])


@case(CASES, "moveaxis")
def _(name, draw):
    x = draw.array()
    source = draw(hnp.valid_tuple_axes(x.ndim))
    places = draw(st.permutations(range(x.ndim)))[: len(source)]
    destination = tuple(a - x.ndim * draw.flag() for a in places)
    if len(source) == 1 and draw.flag():
        source, destination = source[0], destination[0]
    return Problem(draw.call("moveaxis", source, destination), lambda t: t.moveaxis(source, destination), [x])


@case(CASES, "squeeze")
def _(name, draw):
    x = draw.array(draw.one_of((), (1,), (1, 3), (2, 1, 1), (1, 0, 1), (1, 1), (3, 2), (1, 2, 1)))
    ones = [i - x.ndim * draw.flag() for i, size in enumerate(x.shape) if size == 1]
    axis = draw.one_of(None, *ones, tuple(ones))
    return Problem(draw.call("squeeze", axis), lambda t: t.squeeze() if axis is None else t.squeeze(axis), [x])


@case(CASES, "expand_dims")
def _(name, draw):
    x = draw.array()
    count = draw.integer(1, 2)
    axes = draw(hnp.valid_tuple_axes(x.ndim + count, min_size=count, max_size=count))
    axis = axes[0] if count == 1 and draw.flag() else axes

    def theirs(t):
        for a in sorted(a % (x.ndim + count) for a in axes):
            t = t.unsqueeze(a)
        return t

    return Problem(draw.call("expand_dims", axis), theirs, [x])


@case(CASES, "broadcast_to")
def _(name, draw):
    shape = draw.shape()
    small = draw(hnp.broadcastable_shapes(shape, max_dims=len(shape), max_side=3))
    small = tuple(a if a in (1, b) else b for a, b in zip(small[::-1], shape[::-1]))[::-1]
    x = draw.array(small)
    return Problem(draw.call("broadcast_to", shape), lambda t: t.broadcast_to(shape), [x])


@case(CASES, "astype")
def _(name, draw):
    x, dtype = draw.array(), draw.one_of("float32", "float64")
    return Problem(draw.call("astype", dtype), lambda t: t.to(getattr(torch, dtype)), [x])


@case(CASES, "flip")
def _(name, draw):
    x = draw.array()
    axis = draw.axes(x.ndim)
    dims = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return Problem(draw.call("flip", axis), lambda t: t.flip(dims), [x])


@case(CASES, "roll")
def _(name, draw):
    x = draw.array()
    axis = draw.axes(x.ndim)
    if isinstance(axis, tuple) and draw.flag():
        shift = tuple(draw.integer(-4, 4) for _ in axis)
    else:  # one shift for all axes, or several shifts that add up
        shift = draw.integer(-4, 4) if draw.flag() or isinstance(axis, tuple) else (draw.integer(-4, 4), 2)
    total = sum(shift) if isinstance(shift, tuple) and not isinstance(axis, tuple) else shift
    each = (total,) * len(axis) if isinstance(axis, tuple) and isinstance(total, int) else total
    return Problem(draw.call("roll", shift, axis), lambda t: t.clone() if axis == () else t.roll(each, axis), [x])


@case(CASES, "repeat")
def _(name, draw):
    x = draw.array()
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))
    size = x.size if axis is None else x.shape[axis]
    repeats = draw.side() if draw.flag() else draw(st.lists(SIDES, min_size=size, max_size=size))
    return Problem(
        draw.call("repeat", repeats, axis=axis),
        lambda t: t.repeat_interleave(torch.as_tensor(repeats, dtype=torch.int64), axis),
        [x],
    )


@case(CASES, "tile")
def _(name, draw):
    x = draw.array()
    times = draw.side() if draw.flag() else draw(st.lists(SIDES, max_size=3))
    return Problem(draw.call("tile", times), lambda t: t.tile(times if isinstance(times, list) else (times,)), [x])


@case(CASES, "pad")
def _(name, draw):
    x = draw.array()
    value, width = draw.one_of(0.0, 1.5), [(draw.integer(0, 2), draw.integer(0, 2)) for _ in range(x.ndim)]
    given = draw.one_of(width, 1, (2, 1)) if x.ndim else 1
    pairs = width if given is width else [(1, 1) if given == 1 else given] * x.ndim
    margins = [n for pair in pairs[::-1] for n in pair]
    return Problem(
        draw.call("pad", given, value),
        lambda t: torch.nn.functional.pad(t, margins, value=value) if margins else t.clone(),
        [x],
    )


@case(CASES, "concat")
def _(name, draw):
    shape = draw.shape(least=1)
    axis = draw.one_of(None, *range(-len(shape), len(shape)))
    shapes = [list(shape) for _ in range(draw.integer(1, 3))]
    for other in shapes:
        other[0 if axis is None else axis] = draw.side()
    return Problem(
        lambda *vs: adjoint.concat(vs, axis),
        lambda *ts: torch.cat([t.flatten() for t in ts]) if axis is None else torch.cat(ts, axis),
        [draw.array(other) for other in shapes],
        f"concat(axis={axis})",
    )


@case(CASES, "stack")
def _(name, draw):
    shape = draw.shape()
    axis = draw.axis(len(shape) + 1)
    inputs = [draw.array(shape) for _ in range(draw.integer(1, 3))]
    return Problem(
        lambda *vs: adjoint.stack(vs, axis), lambda *ts: torch.stack(ts, axis), inputs, f"stack(axis={axis})"
    )


@case(CASES, "split")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    axis = draw.axis(x.ndim)
    size = x.shape[axis]
    equal = st.sampled_from([n for n in (1, 2, 3) if size % n == 0])
    sections = draw(equal | st.lists(st.integers(-3, 5), max_size=3))
    part = draw.integer(0, sections - 1 if isinstance(sections, int) else len(sections))
    places = (
        np.array_split(np.arange(size), sections) if isinstance(sections, int) else np.split(np.arange(size), sections)
    )
    return Problem(
        lambda v: adjoint.split(v, sections, axis)[part],
        lambda t: t.index_select(axis, torch.as_tensor(places[part], dtype=torch.int64)),
        [x],
        f"split({sections}, {axis})[{part}]",
    )


# --- claims about every function ------------------------------------------------------------------

globals().update(claims(CASES))


# --- particular functions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.reshape(3, 2),
        lambda v: v.T,
        lambda v: v.permute_dims((1, 0)),
        lambda v: v.expand_dims(0),
        lambda v: v.flip(),
        lambda v: v.broadcast_to((4, 2, 3)),
        lambda v: v[:, 1:],
    ],
)
def test_shapes_change_without_a_copy_where_numpy_makes_views(change):
    v = Value(np.ones((2, 3)))
    assert np.shares_memory(change(v).data, v.data)


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: adjoint.reshape(x, (1, 1)), (1, 1)),
        (adjoint.flatten, (1,)),
        (lambda x: adjoint.expand_dims(x, 0), (1,)),
        (lambda x: adjoint.broadcast_to(x, (2, 3)), (2, 3)),
        (lambda x: adjoint.tile(x, 4), (4,)),
        (lambda x: adjoint.repeat(x, 3), (3,)),
        (lambda x: adjoint.stack([x, x]), (2,)),
        (lambda x: adjoint.pad(adjoint.flip(adjoint.transpose(x)), ()), ()),
    ],
)
def test_a_scalar_value_acts_as_a_zero_dimensional_array(call, shape):
    x = Value(1.5)
    y = call(x)
    assert y.shape == shape
    adjoint.sum(y).backward()
    assert float(x.grad) == math.prod(shape)


def test_numbers_and_arrays_stack_with_values():
    v = Value(np.array([1.0, 2.0], np.float32))
    y = adjoint.stack([v, np.array([3.0, 4.0], np.float32)])
    y.backward(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    assert y.dtype == np.float32
    assert v.grad.tolist() == [1.0, 2.0]


def test_the_parts_of_a_split_together_give_the_whole_gradient():
    v = Value(np.arange(6.0))
    a, b, c = v.split(3)
    (a * 1.0 + b * 10.0 + c * 100.0).sum().backward()
    assert v.grad.tolist() == [1.0, 1.0, 10.0, 10.0, 100.0, 100.0]


def test_a_value_concatenated_with_itself_receives_both_gradients():
    v = Value([1.0, 2.0])
    adjoint.concat([v, v]).backward([1.0, 2.0, 10.0, 20.0])
    assert v.grad.tolist() == [11.0, 22.0]


def test_astype_keeps_the_gradient_in_the_old_dtype():
    v = Value(np.array([1.0, 2.0], np.float32))
    y = v.astype(np.float64)
    y.backward([1.0, 2.0])
    assert y.dtype == np.float64
    assert v.grad.dtype == np.float32
    with pytest.raises(ArrayError, match="floating-point numbers, not int"):
        v.astype(np.int64)


V = Value(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: V.reshape(4), r"reshape.*\(2, 3\) has 6 elements.*\(4,\) has 4"),
        (lambda: V.reshape(-1, 4), r"reshape.*\(2, 3\).*\(-1, 4\)"),
        (lambda: V.reshape(-1, -1), r"reshape.*\(2, 3\).*\(-1, -1\)"),
        (lambda: V.reshape(-2, -3), r"reshape.*\(-2, -3\)"),
        (lambda: V.reshape(2.5), "reshape.*integers.*2.5"),
        (lambda: V.permute_dims((0, 0)), r"permute_dims.*\(0, 0\).*each of the 2 axes once"),
        (lambda: V.permute_dims((0,)), r"permute_dims.*each of the 2 axes once"),
        (lambda: Value([1.0]).mT, r"two axes.*\(1,\)"),
        (lambda: V.swapaxes(0, 2), "swapaxes.*axis 2"),
        (lambda: V.moveaxis((0, 1), (0,)), "moveaxis: source names 2 axes, destination 1;"),
        (lambda: V.squeeze(0), r"squeeze: axis 0.*\(2, 3\).*size 2"),
        (lambda: V.expand_dims(5), "expand_dims.*axis 5"),
        (lambda: V.broadcast_to((3, 2)), r"broadcast_to: \(2, 3\).*\(3, 2\)"),
        (lambda: V.broadcast_to((3,)), r"broadcast_to: \(2, 3\).*\(3,\)"),
        (lambda: V.flip(2), "flip.*axis 2"),
        (lambda: V.roll((1, 2, 3), (0, 1)), "roll: got 3 shifts for 2 axes; give one shift per axis"),
        (lambda: V.roll(1.5), "roll.*integers"),
        (lambda: V.flatten(1, 0), r"flatten: start_axis=1 comes after end_axis=0 in the shape \(2, 3\)"),
        (lambda: V.repeat([1, 2, 3], axis=0), "repeat.*size 2"),
        (lambda: V.repeat(-1, axis=0), "repeat.*-1"),
        (lambda: V.pad(-5), "pad: the widths .* remove more than"),
        (lambda: V.pad(((1, 1), (1, 1), (1, 1))), "pad.*2 axes"),
        (lambda: V.pad(1.5), "pad.*integers"),
        (
            lambda: adjoint.concat([V, np.ones((2, 4))], axis=0),
            r"concat: the shapes \(2, 3\), \(2, 4\) must be equal except along axis 0",
        ),
        (lambda: adjoint.concat([V, np.ones(3)]), r"concat.*\(2, 3\), \(3,\)"),
        (lambda: adjoint.concat([V, V], axis=2), "concat.*axis 2"),
        (lambda: adjoint.concat([Value(1.0), Value(2.0)]), "concat.*no axes"),
        (lambda: adjoint.stack([V, np.ones(3)]), r"stack.*\(2, 3\), \(3,\)"),
        (lambda: V.split(4, axis=1), "split: cannot divide an axis of size 3 into 4 equal parts"),
        (lambda: V.split(0), "split.*0 equal parts"),
        (lambda: adjoint.tile(V, 1.5), "tile.*integers"),
    ],
)
def test_errors_about_arguments_name_what_was_given(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_joining_an_empty_sequence_raises_an_error(name):
    with pytest.raises(ArgumentError, match=f"{name} needs at least one array"):
        getattr(adjoint, name)([])
