"""Choices between arrays against NumPy, PyTorch and central differences."""

import numpy as np
import pytest
from arrays import Problem, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError

CASES: dict = {}


def masks(draw, shape) -> np.ndarray:
    return np.random.default_rng(draw.integer(0, 2**16)).random(shape) < 0.5


@case(CASES, "select")
def _(name, draw):
    shapes = draw.broadcast(5)
    x, z, default = (draw.array(shape) for shape in shapes[:3])
    first, second = masks(draw, shapes[3]), masks(draw, shapes[4])

    def theirs(t, u, d):
        return torch.where(torch.tensor(first), t, torch.where(torch.tensor(second), u, d))

    return Problem(lambda v, w, d: adjoint.select([first, second], [v, w], d), theirs, [x, z, default])


@case(CASES, "choose")
def _(name, draw):
    shapes = draw.broadcast(4)
    xs = [draw.array(shape) for shape in shapes[:3]]
    mode, random = draw.one_of("raise", "clip", "wrap"), np.random.default_rng(draw.integer(0, 2**16))
    a = random.integers(*((0, 3) if mode == "raise" else (-4, 6)), shapes[3])
    numbers = torch.tensor({"raise": a, "clip": np.clip(a, 0, 2), "wrap": a % 3}[mode])

    def theirs(*ts):
        return torch.where(numbers == 0, ts[0], torch.where(numbers == 1, ts[1], ts[2]))

    return Problem(lambda *vs: adjoint.choose(a, vs, mode=mode), theirs, xs)


@case(CASES, "masked_fill", "masked_select")
def _(name, draw):
    shapes = draw.broadcast(2)
    x, mask = draw.array(shapes[0]), masks(draw, shapes[1])
    if name == "masked_select":
        return Problem(draw.call(name, mask), lambda t: t.masked_select(torch.tensor(mask)), [x], by_mask=True)
    whole = np.broadcast_shapes(*shapes)
    call = draw.call(name, mask, 2.5)
    return Problem(call, lambda t: t.broadcast_to(whole).masked_fill(torch.tensor(mask), 2.5), [x])


globals().update(claims(CASES, without=["results", "own_gradients", "arrays_of_jax", "compiled"]))

X, Z = np.array([[0.3, -0.4, 1.5], [2.0, 0.1, -0.7]]), np.array([1.0, 2.0, 3.0])


def test_numpys_functions_give_the_same_with_gradients():
    v, w = Value(X), Value(Z)
    y = np.select([X > 0, X < -0.5], [v, w], default=7.0)
    np.testing.assert_array_equal(y.data, np.select([X > 0, X < -0.5], [X, np.broadcast_to(Z, X.shape)], default=7.0))
    y.sum().backward()
    np.testing.assert_array_equal(v.grad, X > 0)
    y = np.choose([[0, 1, 1], [2, 0, 1]], [v, w, 5.0])
    np.testing.assert_array_equal(y.data, np.choose([[0, 1, 1], [2, 0, 1]], [X, Z, 5.0]))


def test_compiled_programs_choose_by_what_is_known_only_when_they_run():
    def loss(v, w, a):
        y = adjoint.choose(a, [v, w, v * w]) + adjoint.select([a > 1, a > 0], [v, w], v * v)
        return (y * adjoint.masked_fill(v, a > 1, 3.0)).sum()

    a = np.array([[0, 1, 2], [2, 1, 0]])
    with jax_in_double():
        require_close(adjoint.jit(adjoint.grad(loss))(X, Z, a), adjoint.grad(loss)(X, Z, a))


def test_numbers_take_the_dtype_of_the_arrays():
    v = Value(X.astype(np.float32))
    assert adjoint.select([X > 0], [1.0], v).dtype == np.float32
    assert adjoint.choose([1, 0, 1], [2.0, v]).dtype == np.float32
    assert adjoint.masked_fill(v, X > 0, 1.0).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.select([v > 0], [v, v]), ArgumentError, "1 conditions for 2 choices"),
        (lambda v: adjoint.select([], []), ArgumentError, "0 conditions"),
        (lambda v: adjoint.select([v > 0], [np.ones(5)], v), ShapeError, "select: the shapes .* do not broadcast"),
        (lambda v: adjoint.choose([3], [v, v]), ArrayIndexError, "from 0 to 1"),
        (lambda v: adjoint.choose([0.5], [v, v]), ArrayIndexError, "needs integers"),
        (lambda v: adjoint.choose([0], [v], mode="x"), ArgumentError, "mode must be"),
        (lambda v: adjoint.choose([0], []), ArgumentError, "at least one choice"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(X))
