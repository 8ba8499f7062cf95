"""Gather and scatter against PyTorch and central differences: indices smaller than the array, duplicates, ties."""

import numpy as np
import pytest
from arrays import FINITE_EDGES, Problem, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError

CASES: dict = {}


def smaller(draw, shape, axis: int) -> tuple[int, ...]:
    """Draw the shape of an index: any size along the axis, at most that of the array along the others."""
    return tuple(
        draw.integer(0, 4) if i == axis % len(shape) else draw.integer(0, n) if draw.flag() else n
        for i, n in enumerate(shape)
    )


def indices(draw, shape, size: int) -> np.ndarray:
    return np.random.default_rng(draw.integer(0, 2**16)).integers(0, size, shape)


@case(CASES, "gather")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1))
    axis = draw.axis(x.ndim)
    index = indices(draw, smaller(draw, x.shape, axis), x.shape[axis])
    return Problem(draw.call("gather", axis, index), lambda t: t.gather(axis, torch.tensor(index)), [x])


@case(CASES, "scatter")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1))
    axis = draw.axis(x.ndim)
    shape = smaller(draw, x.shape, axis)
    shape = tuple(min(a, b) for a, b in zip(shape, x.shape))
    random = np.random.default_rng(draw.integer(0, 2**16))
    order = random.random((*shape[: axis % x.ndim], x.shape[axis], *shape[axis % x.ndim + 1 :])).argsort(axis)
    index = np.take(order, range(shape[axis]), axis)  # no index twice: PyTorch's gradient of duplicates is not defined
    return Problem(
        lambda v, s: adjoint.scatter(v, axis, index, s),
        lambda t, s: t.scatter(axis, torch.tensor(index), s),
        [x, draw.array(shape)],
    )


@case(CASES, "scatter_add", "means", "products", "extremes")
def _(name, draw):
    name = {"means": draw.one_of("sum", "mean"), "products": "prod", "extremes": draw.one_of("amax", "amin")}.get(
        name, name
    )
    special = FINITE_EDGES if draw.kind == "edges" else None
    x = draw.array(draw.shape(1, min_side=1), special=special)
    axis, include_self = draw.axis(x.ndim), draw.flag()
    index = indices(draw, smaller(draw, x.shape, axis), x.shape[axis])
    src, t_index = draw.array(index.shape, special=special), torch.tensor(index)
    if name == "scatter_add":
        return Problem(
            lambda v, s: adjoint.scatter_add(v, axis, index, s), lambda t, s: t.scatter_add(axis, t_index, s), [x, src]
        )
    return Problem(
        lambda v, s: adjoint.scatter_reduce(v, axis, index, s, name, include_self=include_self),
        lambda t, s: reduce_in_torch(t, axis % t.ndim, index, s, name, include_self),
        [x, src],
    )


def reduce_in_torch(t, axis: int, index: np.ndarray, s, name: str, include_self: bool):
    """Reduce place by place: PyTorch's own scatter_reduce has no second derivative."""
    at = {}
    for place in np.ndindex(*index.shape):
        at.setdefault((*place[:axis], int(index[place]), *place[axis + 1 :]), []).append(s[place])
    flat = []
    for place in np.ndindex(*t.shape):
        met = at.get(place, [])
        whole = torch.stack([*([t[place]] if include_self or not met else []), *met])
        flat.append(getattr(torch, name)(whole, 0))
    return torch.stack(flat).reshape(t.shape) if flat else t.clone()


globals().update(
    claims(CASES, singular=["products"], without=["results", "own_gradients", "arrays_of_jax", "compiled"])
)


X = np.array([[0.3, -0.4, 1.5], [2.0, 0.1, -0.7]])
SRC = np.array([[0.5, 0.6, 0.7], [-0.5, 0.9, 1.1], [1.2, 1.3, 1.4]])
INDEX = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 1]])


def test_compiled_programs_scatter_by_indices_that_are_known_only_when_they_run():
    functions = [lambda v, s, i: adjoint.gather(v, 0, i), lambda v, s, i: adjoint.scatter(v, 0, i, s)]
    functions += [lambda v, s, i: adjoint.scatter_add(v, 0, i, s)]
    functions += [
        lambda v, s, i, kind=kind, own=own: adjoint.scatter_reduce(v, 0, i, s, kind, include_self=own)
        for kind, own in (("mean", False), ("prod", True), ("amax", False))
    ]

    def loss(v, s, i):
        return sum(((k + 1.0) * f(v, s, i) ** 2).sum() for k, f in enumerate(functions))

    with jax_in_double():
        gradients = adjoint.grad(loss, (0, 1))
        for found, expected in zip(adjoint.jit(gradients)(X, SRC, INDEX), gradients(X, SRC, INDEX)):
            require_close(found, expected)


def test_the_last_of_several_elements_stays_and_alone_receives_the_gradient():
    pytest.importorskip("torch")
    v, s = Value(X), Value(SRC)
    y = adjoint.scatter(v, 0, INDEX, s)
    np.testing.assert_array_equal(y.data, torch.tensor(X).scatter(0, torch.tensor(INDEX), torch.tensor(SRC)).numpy())
    y.sum().backward()
    np.testing.assert_array_equal(s.grad, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    np.testing.assert_array_equal(v.grad, [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    adjoint.check_gradients(lambda v, s: adjoint.scatter(v, 0, INDEX, s), X, SRC, order=2)


def test_numbers_larger_sources_and_negative_indices_are_accepted():
    np.testing.assert_array_equal(adjoint.scatter([1.0, 2.0, 3.0], 0, [-1], 5.0), [1.0, 2.0, 5.0])
    np.testing.assert_array_equal(adjoint.scatter_add(np.zeros(3), 0, [0, 0], [1.0, 2.0, 3.0]), [3.0, 0.0, 0.0])
    number = Value(2.0)
    y = adjoint.scatter_add(Value([1.0, 2.0]), 0, [0, 0, 1], number)
    y.backward([1.0, 10.0])
    assert y.data.tolist() == [5.0, 4.0]
    assert number.grad == 12.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.gather(v, 0, [0]), ShapeError, r"gather: an index of shape \(1,\).*number of axes"),
        (lambda v: adjoint.gather(v, 2, [[0]]), ShapeError, "gather: axis 2"),
        (lambda v: adjoint.gather(v, 0, [[0, 0, 0, 0]]), ShapeError, r"gather.*\(1, 4\) must not be larger"),
        (lambda v: adjoint.gather(v, 0, [[0.5]]), ArrayIndexError, "gather needs an array of integers"),
        (lambda v: adjoint.gather(v, 0, [[7]]), ArrayIndexError, "7 is out of bounds"),
        (lambda v: adjoint.scatter(v, 0, [[7]], 1.0), ArrayIndexError, "out of range for axis 0 of size 2"),
        (lambda v: adjoint.scatter(v, 0, [[0, 1]], [[1.0]]), ShapeError, r"src of shape \(1, 1\)"),
        (lambda v: adjoint.scatter_reduce(v, 0, [[0]], 1.0, "max"), ArgumentError, "reduce must be one of sum, mean"),
        (lambda v: adjoint.scatter_add(v, 0, v, 1.0), ArrayIndexError, "scatter_add: a Value cannot be an index"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(X))
