"""Sorting and running extremes against PyTorch and central differences: values, indices and three derivatives."""

import math

import numpy as np
import pytest
from arrays import FINITE_EDGES, Problem, as_tensor, case, jax_in_double, to_numpy, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ShapeError

CASES: dict = {}


@case(CASES, "sort with indices", "smallest with indices")
def _(name, draw):
    x = draw.array(draw.shape(1))
    axis, descending = draw.axis(x.ndim), draw.flag()
    k = x.shape[axis] if name[0:4] == "sort" else draw.integer(0, x.shape[axis])

    def ours(v):
        if name[0:4] == "sort":
            values, indices = adjoint.sort(v, axis, descending, return_indices=True)
        else:
            values, indices = adjoint.topk(v, k, axis, largest=descending)
        expected = torch.argsort(as_tensor(to_numpy(v)), dim=axis, descending=descending, stable=True)
        np.testing.assert_array_equal(to_numpy(indices), expected.narrow(axis, 0, k).numpy())
        return values

    def theirs(t):
        return t.sort(dim=axis, descending=descending, stable=True).values.narrow(axis, 0, k)

    return Problem(ours, theirs, [x])


@case(CASES, "partition")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1))
    axis = draw.axis(x.ndim)
    kth = draw.integer(-x.shape[axis], x.shape[axis] - 1)
    if draw.kind != "generic":  # which of several equal elements a partition chooses differs between CPUs
        random = np.random.default_rng(draw.seed)
        edges = np.array([-math.inf, -40.0, 0.0, 1.0, math.inf, math.nan], x.dtype)
        x = np.apply_along_axis(lambda lane: random.permutation(edges)[: len(lane)], axis, x)

    def ours(v):  # the order of the elements on either side of the kth is not defined
        y = adjoint.moveaxis(adjoint.partition(v, kth, axis), axis, -1)
        kth_ = kth % y.shape[-1]
        return adjoint.concat(
            [adjoint.sort(y[..., :kth_]), y[..., kth_:][..., :1], adjoint.sort(y[..., kth_ + 1 :])], -1
        )

    return Problem(ours, lambda t: t.sort(dim=axis, stable=True).values.movedim(axis, -1), [x])


@case(CASES, "cummax", "cummin", "logcumsumexp")
def _(name, draw):
    x = draw.array(draw.shape(1), special=FINITE_EDGES if name == "logcumsumexp" and draw.kind == "edges" else None)
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))

    def theirs(t):
        t, dim = (t.flatten(), 0) if axis is None else (t, axis)
        if name == "logcumsumexp":  # the higher derivatives of PyTorch's own are NaN
            parts = [t.narrow(dim, 0, k + 1).logsumexp(dim, keepdim=True) for k in range(t.shape[dim])]
            return torch.cat(parts, dim) if parts else t.clone()
        return getattr(torch, name)(t, dim).values

    call = draw.call(name, axis)
    return Problem(lambda v: call(v) if name == "logcumsumexp" else call(v)[0], theirs, [x])


globals().update(claims(CASES, without=["arrays_of_jax", "compiled"]))


def test_all_of_them_compiled_give_the_same_derivatives():
    x = np.array([[0.3, -0.4, 1.5, 0.2], [2.0, 0.1, -0.7, 0.9]])
    functions = [
        lambda v: adjoint.sort(v, descending=True, return_indices=True)[0],
        lambda v: adjoint.topk(v, 2, axis=0, largest=False)[0],
        lambda v: adjoint.partition(v, 1)[:, 1],
        lambda v: adjoint.cummax(v, 1)[0],
        lambda v: adjoint.cummin(v, 1)[0],
        lambda v: adjoint.logcumsumexp(v, 1),
    ]

    def loss(v):
        return sum(((k + 1.0) * f(v) ** 3).sum() for k, f in enumerate(functions))

    with jax_in_double():
        require_close(adjoint.jit(adjoint.grad(loss))(x), adjoint.grad(loss)(x))


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("library", [np.asarray, as_tensor, "jax"])
def test_running_extremes_return_the_indices_of_pytorch(name, library):
    pytest.importorskip("torch")
    x = np.array(
        [[1.0, 3.0, 3.0, 2.0, 3.0], [0.0, -1.0, math.nan, 5.0, math.nan], [-0.0, 0.0, math.inf, 1.0, math.inf]]
    )
    if library == "jax":
        jax = pytest.importorskip("jax")
        library = jax.numpy.asarray
    values, indices = getattr(adjoint, name)(Value(library(x)), 1)
    expected = getattr(torch, name)(torch.tensor(x), 1)
    np.testing.assert_array_equal(to_numpy(values), expected.values.numpy())
    np.testing.assert_array_equal(to_numpy(indices), expected.indices.numpy())


def test_argsort_agrees_with_pytorch_in_both_directions():
    pytest.importorskip("torch")
    x = np.array([[2.0, math.nan, 1.0, 2.0], [0.0, -math.inf, -0.0, 1.0]])
    for axis in (0, 1, -1):
        for descending in (False, True):
            expected = torch.argsort(torch.tensor(x), dim=axis, descending=descending, stable=True).numpy()
            np.testing.assert_array_equal(Value(x).argsort(axis, descending), expected)
            np.testing.assert_array_equal(adjoint.argsort(x, axis, descending), expected)
    np.testing.assert_array_equal(adjoint.argsort(x, None), np.argsort(x, None, stable=True))


def test_plain_arrays_and_lists_give_plain_arrays():
    assert adjoint.cummax([1.0, 3.0, 2.0])[0].tolist() == [1.0, 3.0, 3.0]
    assert adjoint.partition([3.0, 1.0, 2.0], 1).tolist()[1] == 2.0
    assert adjoint.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]
    np.testing.assert_array_equal(np.partition(Value([3.0, 1.0, 2.0]), 1).data, np.partition([3.0, 1.0, 2.0], 1))


def test_a_number_is_flattened_where_numpy_does_and_has_no_largest_elements_if_none_are_asked_for():
    for call in (np.sort, np.argsort):
        assert np.shape(call(Value(1.25), axis=None)) == call(1.25, axis=None).shape == (1,)
        assert np.shape(call(Value(1.25), None)) == (1,)
    values, places = adjoint.topk(Value(1.25), 0)
    assert values.shape == places.shape == (0,)
    assert adjoint.topk(Value(1.25), 1).values.shape == adjoint.sort(Value(1.25)).shape == ()


def test_errors_name_the_axis_and_the_position():
    with pytest.raises(ShapeError, match=r"cummax: axis 1"):
        adjoint.cummax(Value([1.0]), 1)
    with pytest.raises(ShapeError, match=r"partition: kth=int 5 .* 0 to 1"):
        adjoint.partition(Value([1.0, 2.0]), 5)
