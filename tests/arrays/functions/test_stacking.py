"""Joining and splitting arrays against PyTorch, NumPy and central differences."""

import numpy as np
import pytest
from arrays import Problem, case, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Tensor, Value
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}


@case(CASES, "atleast_1d", "atleast_2d", "atleast_3d")
def _(name, draw):
    return Problem(draw.call(name), getattr(torch, name), [draw.array()])


@case(CASES, "vstack", "hstack", "dstack", "column_stack")
def _(name, draw):
    shape = draw.one_of((), (3,), (2, 3), (2, 1, 3), (0, 2), (1,))
    inputs = [draw.array(shape) for _ in range(draw.integer(1, 3))]
    return Problem(lambda *vs: getattr(adjoint, name)(vs), lambda *ts: getattr(torch, name)(ts), inputs, name)


@case(CASES, "append")
def _(name, draw):
    shape = draw.shape(least=1)
    axis = draw.one_of(None, *range(-len(shape), len(shape)))
    inputs = [draw.array(shape), draw.array(shape)]
    return Problem(
        draw.call("append", axis=axis),
        lambda *ts: torch.cat([t.flatten() for t in ts]) if axis is None else torch.cat(ts, axis),
        inputs,
    )


@case(CASES, "block")
def _(name, draw):
    rows, columns = draw.side(), draw.side()
    return Problem(
        lambda a, b, c: adjoint.block([[a, b], [c, c]]),
        lambda a, b, c: torch.cat([torch.cat([a, b], 1), torch.cat([c, c], 1)], 0),
        [draw.array((rows, columns)), draw.array((rows, columns)), draw.array((1, columns))],
        "block",
    )


@case(CASES, "broadcast_arrays")
def _(name, draw):
    def total(first, second):
        return first * 2.0 + second

    inputs = [draw.array(shape) for shape in draw.broadcast(2)]
    return Problem(
        lambda *vs: total(*adjoint.broadcast_arrays(*vs)),
        lambda *ts: total(*torch.broadcast_tensors(*ts)),
        inputs,
        name,
    )


@case(CASES, "array_split")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    axis, sections = draw.axis(x.ndim), draw.one_of(1, 2, 4, [1, 2])
    part = draw.integer(0, (sections if isinstance(sections, int) else 3) - 1)
    return Problem(
        lambda v: adjoint.array_split(v, sections, axis)[part],
        lambda t: torch.tensor_split(t, sections, axis)[part],
        [x],
        f"array_split({sections}, {axis})[{part}]",
    )


@case(CASES, "vsplit", "hsplit", "dsplit")
def _(name, draw):
    x = draw.array((2, 4, 2) if name == "dsplit" else draw.one_of((2, 4), (4, 2, 3)))
    sections = draw.one_of(2, [1])
    call = draw.call(name, sections)
    return Problem(lambda v: call(v)[1], lambda t: getattr(torch, name)(t, sections)[1], [x], name)


@case(CASES, "unstack")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    axis = draw.axis(x.ndim)
    return Problem(lambda v: adjoint.unstack(v, axis)[-1], lambda t: t.unbind(axis)[-1], [x], f"unstack({axis})")


@case(CASES, "r_")
def _(name, draw):
    inputs = [draw.array((3,)), draw.array((2,))]
    return Problem(
        lambda a, b: adjoint.r_[a, 0.5, b, a],
        lambda a, b: torch.cat([a, torch.full((1,), 0.5, dtype=a.dtype), b, a]),
        inputs,
        "r_",
    )


@case(CASES, "c_")
def _(name, draw):
    inputs = [draw.array((3,)), draw.array((3, 2))]
    return Problem(
        lambda a, b: adjoint.c_[a, b, a], lambda a, b: torch.cat([a[:, None], b, a[:, None]], 1), inputs, "c_"
    )


# All are compositions of functions that the other files compile; a few programs suffice here.
globals().update(claims(CASES, without=("compiled", "arrays_of_jax", "own_gradients")))


def test_all_joins_and_splits_compile_in_one_program():
    jax = pytest.importorskip("jax")

    def program(x):
        parts = [*adjoint.array_split(x, 2, 1), adjoint.unstack(x)[0], adjoint.c_[x[0], x[1]], adjoint.r_[x[0], 1.0]]
        joined = [adjoint.vstack([x, x]), adjoint.hstack([x, x]), adjoint.dstack([x, x]), adjoint.block([[x], [x]])]
        return adjoint.concat([adjoint.ravel(part) for part in parts + joined])

    x = np.arange(6.0).reshape(2, 3)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        found = np.asarray(adjoint.jit(program)(x))
    require_close(found, program(x))


# --- particular functions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        np.index_exp[0],
        np.index_exp[0, 1.5, 1:4, 0],
        np.index_exp[0:1:5j, 0],
        np.index_exp["0", 0],
        np.index_exp["0,2", 0],
        np.index_exp["1,2", 0, 0],
        np.index_exp["0,2,0", 0],
        np.index_exp["1,2,0", 0, 0],
        np.index_exp["0,3,1", 0],
        np.index_exp["-1,3,0", 0, 0],
    ],
)
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_brackets_join_as_numpys_do(name, key):
    x = np.array([1.0, 2.0, 3.0])
    if name == "c_" and 1.5 in key:
        pytest.skip("a number and a vector have different lengths as columns")

    def filled(with_what):
        return tuple(with_what if type(entry) is int else entry for entry in key)

    try:
        expected = getattr(np, name)[filled(x)]
    except ValueError:
        with pytest.raises(ShapeError):
            getattr(adjoint, name)[filled(Value(x))]
    else:
        np.testing.assert_array_equal(getattr(adjoint, name)[filled(Value(x))].data, expected)


def test_numbers_keep_the_dtype_of_the_values_they_join():
    x = Value(np.ones(2, np.float32))
    assert adjoint.r_[x, 0.1, 1:3].dtype == np.float32
    assert adjoint.vstack([x, x]).dtype == np.float32


@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
def test_single_values_join_with_gradients(name):
    a, b = Value(1.0), Value(2.0)
    y = getattr(adjoint, name)([a, b, a])
    assert y.shape == getattr(np, name)([1.0, 2.0, 1.0]).shape
    y.sum().backward()
    assert (float(a.grad), float(b.grad)) == (2.0, 1.0)


def test_nested_lists_of_values_are_arrays():
    a, b = Value(1.0), Value(2.0)
    y = adjoint.vstack([[a, b], [b, 0.5]])
    (y * np.array([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert y.data.tolist() == [[1.0, 2.0], [2.0, 0.5]]
    assert (float(a.grad), float(b.grad)) == (1.0, 5.0)


@pytest.mark.parametrize("blocks", [lambda x: [x, x], lambda x: [[x[0], 5.0]], lambda x: [[[x]]], lambda x: x])
def test_blocks_join_as_numpys_do(blocks):
    x = np.arange(4.0).reshape(2, 2)
    np.testing.assert_array_equal(adjoint.block(blocks(Value(x))).data, np.block(blocks(x)))


def test_plain_arrays_give_plain_arrays():
    x = np.ones((2, 2))
    for y in (adjoint.vstack([x, x]), adjoint.block([x, x]), adjoint.r_[x, x], adjoint.atleast_3d(x)):
        assert type(y) is np.ndarray


def test_several_arrays_give_a_tuple():
    first, second = adjoint.atleast_1d(Value(1.0), Value([2.0]))
    assert isinstance(first, Tensor)
    assert (first.shape, second.shape) == ((1,), (1,))


V = Value(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjoint.vstack([V, np.ones(2)]), r"\(2, 3\), \(1, 2\)"),
        (lambda: adjoint.broadcast_arrays(V, np.ones(2)), r"broadcast_arrays: the shapes \(2, 3\) and \(2,\)"),
        (lambda: adjoint.block([[V], V]), "block: the lists are nested to different depths"),
        (lambda: adjoint.array_split(V, 0), "array_split.*at least 1, not 0"),
        (lambda: adjoint.array_split(V, 2, 5), "array_split: axis 5"),
        (lambda: adjoint.vsplit(Value([1.0]), 1), r"vsplit.*at least 2 axes, not one of shape \(1,\)"),
        (lambda: adjoint.hsplit(Value(1.0), 1), "hsplit.*at least one axis"),
        (lambda: adjoint.dsplit(V, 1), "dsplit.*at least 3 axes"),
        (lambda: adjoint.unstack(Value(1.0)), "unstack.*no axes"),
    ],
)
def test_errors_about_shapes_name_what_was_given(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjoint.vstack([]), "vstack needs at least one array"),
        (lambda: adjoint.hstack(1.5), "hstack needs a sequence of arrays, not float 1.5"),
        (lambda: adjoint.block([[]]), "block: a list is empty"),
        (lambda: adjoint.r_["r", V], "'r' must be 'axis'"),
        (lambda: adjoint.r_["0"], "at least one array"),
        (lambda: adjoint.r_[V, 0 : Value(2.0)], "use adjoint.linspace"),
    ],
)
def test_errors_about_arguments_name_what_was_given(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
