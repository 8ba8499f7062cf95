"""Turns, windows, insertions and grids against PyTorch, NumPy and central differences."""

import numpy as np
import pytest
from arrays import Problem, case, require_numpys_result_and_slope, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError

CASES: dict = {}


@case(CASES, "ravel")
def _(name, draw):
    return Problem(draw.call("ravel"), torch.ravel, [draw.array()])


@case(CASES, "unflatten")
def _(name, draw):
    x = draw.array(draw.one_of((6,), (2, 6), (6, 3), (1, 6, 1)))
    axis = x.shape.index(6) - x.ndim * draw.flag()
    sizes = draw.one_of((2, 3), (3, -1), (-1,), (1, 6), (2, -1, 1))
    return Problem(draw.call("unflatten", axis, sizes), lambda t: t.unflatten(axis, sizes), [x])


@case(CASES, "fliplr", "flipud")
def _(name, draw):
    return Problem(draw.call(name), getattr(torch, name), [draw.array(draw.shape(least=2))])


@case(CASES, "rot90")
def _(name, draw):
    x = draw.array(draw.shape(least=2))
    k, axes = draw.integer(-5, 5), draw.one_of((0, 1), (1, 0), (-1, 0), (0, -1))
    return Problem(draw.call("rot90", k, axes), lambda t: torch.rot90(t, k, axes), [x])


@case(CASES, "rollaxis")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    axis, start = draw.axis(x.ndim), draw.integer(-x.ndim, x.ndim)
    order = np.rollaxis(np.empty(range(1, x.ndim + 1)), axis, start).shape  # the sizes tell which axis is where
    return Problem(draw.call("rollaxis", axis, start), lambda t: t.permute([size - 1 for size in order]), [x])


@case(CASES, "unfold")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    axis, step = draw.axis(x.ndim), draw.integer(1, 2)
    size = draw.integer(1, x.shape[axis])
    return Problem(draw.call("unfold", axis, size, step), lambda t: t.unfold(axis, size, step), [x])


@case(CASES, "sliding_window_view")
def _(name, draw):
    x = draw.array((3, 4))
    sizes, axis = draw.one_of(((2, 3), None), (2, 1), ((2, 2), (0, 0)), ((1, 2), (1, 0)))
    pairs = list(zip(np.atleast_1d(sizes), range(2) if axis is None else np.atleast_1d(axis)))

    def theirs(t):
        for size, a in pairs:
            t = t.unfold(int(a), int(size), 1)
        return t

    return Problem(draw.call("sliding_window_view", sizes, axis), theirs, [x])


@case(CASES, "resize")
def _(name, draw):
    x = draw.array(draw.shape(min_side=1))
    shape = draw.one_of((2, 3), 5, (), (0, 2), (4, 4))
    order = np.resize(np.arange(x.size).reshape(x.shape), shape)
    return Problem(draw.call("resize", shape), lambda t: t.flatten()[torch.as_tensor(order)], [x])


@case(CASES, "delete")
def _(name, draw):
    x = draw.array((3, 4))
    axis, index = draw.one_of(None, 0, 1, -1), draw.one_of(0, -1, [0, 2], slice(1, None), [], [1, 1])
    order = np.delete(np.arange(12).reshape(3, 4), index, axis)
    return Problem(draw.call("delete", index, axis), lambda t: t.flatten()[torch.as_tensor(order)], [x])


@case(CASES, "insert")
def _(name, draw):
    x = draw.array((3, 4))
    index, axis, shape = draw.one_of(
        (1, 0, (4,)), (-1, 1, (3,)), (2, None, ()), ([0, 2], 0, (4,)), ([0, 0], 1, (3, 2)), (1, 0, (2, 4)),
        (slice(0, 2), 0, (1, 4)), (1, 1, (2, 3)), ([3], None, (1,)),
    )  # fmt: skip
    values = draw.array(shape)
    places = np.arange(12, 12 + values.size).reshape(shape)
    order = torch.as_tensor(np.insert(np.arange(12).reshape(3, 4), index, places, axis))
    return Problem(
        lambda v, w: adjoint.insert(v, index, w, axis),
        lambda t, u: torch.cat([t.flatten(), u.flatten()])[order],
        [x, values],
        f"insert({index}, …, {axis})",
    )


@case(CASES, "meshgrid")
def _(name, draw):
    indexing = draw.one_of("xy", "ij")

    def total(x, y):
        return x * 2.0 + y

    return Problem(
        lambda *vs: total(*adjoint.meshgrid(*vs, indexing=indexing, sparse=draw.seed % 2 == 0)),
        lambda *ts: total(*torch.meshgrid(*ts, indexing=indexing)),
        [draw.array((draw.side(),)), draw.array((draw.side(),))],
        f"meshgrid(indexing={indexing})",
    )


@case(CASES, "linspace")
def _(name, draw):
    shapes, num, endpoint = draw.broadcast(2, most=2), draw.integer(0, 4), draw.flag()
    axis = draw.integer(0, max(map(len, shapes)))
    weights = torch.as_tensor(np.linspace(0.0, 1.0, num, endpoint))

    def theirs(a, b):
        w = weights.to(a.dtype).reshape(-1, *(1,) * max(a.ndim, b.ndim))
        return (a * (1 - w) + b * w).movedim(0, axis)

    special = (-1.0, 0.0, 2.0, 40.0, 1e-10)
    return Problem(
        lambda a, b: adjoint.linspace(a, b, num, endpoint, axis),
        theirs,
        [draw.array(shape, special=special) for shape in shapes],
        f"linspace(num={num}, endpoint={endpoint}, axis={axis})",
    )


globals().update(claims(CASES, without=("compiled", "arrays_of_jax", "own_gradients")))


def test_all_functions_compile_in_one_program():
    jax = pytest.importorskip("jax")

    def program(x):
        parts = [adjoint.rot90(x), adjoint.unfold(x, 1, 2), adjoint.resize(x, 9), adjoint.delete(x, 1, 0)]
        parts += [adjoint.insert(x, 1, 2.0, 1), adjoint.unflatten(x, 1, (3, 1)), adjoint.linspace(x[0], x[1], 3)]
        parts += [*adjoint.meshgrid(x[0], x[1]), adjoint.geomspace(x[0], x[1], 3), adjoint.logspace(x[0], x[1], 3)]
        return adjoint.concat([adjoint.ravel(part) for part in parts])

    x = np.arange(1.0, 7.0).reshape(2, 3)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        found = np.asarray(adjoint.jit(program)(x))
    require_close(found, program(x))


# --- particular functions -------------------------------------------------------------------------


A, B = np.array([1.0, 2.0, -3.0]), np.array([4.0, 0.5, -1.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: np.linspace(a, b, 4),
        lambda a, b: np.linspace(a, b, 4, endpoint=False, axis=-1),
        lambda a, b: np.linspace(a, b, 1),
        lambda a, b: np.linspace(a, b, 5, retstep=True)[1],
        lambda a, b: np.logspace(a, b, 3, base=2.0),
        lambda a, b: np.geomspace(a, b, 4),
        lambda a, b: np.geomspace(a, b, 4, endpoint=False, axis=1),
        lambda a, b: np.meshgrid(a, b, copy=False)[1] * np.meshgrid(a, b)[0],
        lambda a, b: np.meshgrid(a, b, sparse=True, indexing="ij")[1] * np.meshgrid(a, b)[0],
    ],
)
def test_grids_follow_numpy(call):
    require_numpys_result_and_slope(call, A, B)


@pytest.mark.parametrize("call", [adjoint.linspace, adjoint.logspace, adjoint.geomspace])
def test_grids_of_plain_numbers_are_plain_arrays(call):
    found = call(1.0, 2.0, 3)
    assert type(found) is np.ndarray
    require_close(found, getattr(np, call.__name__)(1.0, 2.0, 3))


def test_the_ends_of_linspace_are_exact():
    start, stop = Value(0.1), Value(0.7)
    found = adjoint.linspace(start, stop, 11).data
    assert (found[0], found[-1]) == (0.1, 0.7)
    found = adjoint.linspace(Value(np.float32([0.1])), 0.7, 11)
    assert found.dtype == np.float32


def test_nested_lists_of_values_become_one_axis():
    a, b = Value(1.0), Value(2.0)
    adjoint.ravel([[a, b], [b, 3.0]]).backward([1.0, 2.0, 3.0, 4.0])
    assert (float(a.grad), float(b.grad)) == (1.0, 5.0)


@pytest.mark.parametrize("values", [9.0, [9.0], Value([9.0]), Value(9.0)])
def test_insert_keeps_the_dtype_of_the_array_as_numpy_does(values):
    x = Value(np.array([1.0, 2.0], np.float32))
    y = adjoint.insert(x, 1, values)
    assert y.dtype == np.float32
    assert y.tolist() == [1.0, 9.0, 2.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_geomspace_passes_nan_on_as_numpy_does():
    stop = [np.nan, 4.0]
    require_close(adjoint.geomspace(1.0, Value(stop), 3).data[1:], np.geomspace(1.0, stop, 3)[1:])


def test_resizing_an_empty_array_gives_zeros_as_numpy_does():
    assert adjoint.resize(Value(np.zeros((0, 2))), (2, 2)).data.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("mask", [[True, False, True], np.array([False, False, True])])
def test_a_mask_chooses_what_is_deleted(mask):
    np.testing.assert_array_equal(adjoint.delete(Value(A), mask).data, np.delete(A, mask))


V = Value(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (ShapeError, lambda: V.unflatten(1, (2, 2)), r"unflatten: an axis of size 3.*\(2, 2\)"),
        (ShapeError, lambda: V.unflatten(1, (-1, -1)), "unflatten: an axis of size 3"),
        (ShapeError, lambda: V.unflatten(2, (3,)), "unflatten: axis 2"),
        (ShapeError, lambda: adjoint.fliplr(Value([1.0])), "axis 1"),
        (ShapeError, lambda: V.rot90(1, (0, 0)), "rot90: axis.*twice"),
        (ShapeError, lambda: V.rot90(1, (0,)), "rot90: axes must be two axes"),
        (ShapeError, lambda: adjoint.rollaxis(V, 0, 3), "rollaxis: start must be from -2 to 2, not 3"),
        (ShapeError, lambda: V.unfold(1, 4), "unfold: a window of 4 elements.*size 3"),
        (ArgumentError, lambda: V.unfold(1, 2, 0), "unfold: step must be an integer of at least 1"),
        (ShapeError, lambda: adjoint.sliding_window_view(V, 2), "got 1 sizes for 2 axes"),
        (ShapeError, lambda: adjoint.resize(V, (-1, 2)), r"resize.*at least 0, not \(-1, 2\)"),
        (ArrayIndexError, lambda: adjoint.delete(V, 5, 0), "delete: int 5 does not fit an axis of size 2"),
        (ArrayIndexError, lambda: adjoint.insert(V, 5, 0.0, 0), "insert: int 5 does not fit an axis of size 2"),
        (ShapeError, lambda: adjoint.insert(V, 1, np.ones(4), 0), r"broadcast_to: \(1, 4\)"),
        (ArgumentError, lambda: adjoint.meshgrid(V, indexing="yx"), "meshgrid: indexing must be 'xy' or 'ij'"),
        (ArgumentError, lambda: adjoint.linspace(V, 1.0, -1), "linspace: num must be an integer of at least 0"),
        (ShapeError, lambda: adjoint.linspace(V, 1.0, 3, axis=4), "linspace: axis 4"),
        (ShapeError, lambda: adjoint.linspace(V, np.ones(2), 3), r"linspace: the shapes \(2, 3\) and \(2,\)"),
        (ArgumentError, lambda: adjoint.geomspace(Value(1.0), -1.0), "geomspace.*same sign"),
        (ArgumentError, lambda: adjoint.geomspace(0.0, Value(1.0)), "geomspace.*must not be 0"),
    ],
)
def test_errors_name_what_was_given(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_resizing_an_empty_array_keeps_its_dtype():
    found = adjoint.resize(Value(np.zeros((0, 3), np.float32)), (2, 2))
    assert (found.dtype, found.tolist()) == (np.float32, [[0.0, 0.0], [0.0, 0.0]])
