"""Linear algebra against PyTorch and central differences: matrices and stacks of them, to the third derivative."""

import itertools
import math

import numpy as np
import pytest
import torch
from arrays import (
    Problem,
    case,
    jax_in_double,
    problems,
    require_agreement,
    require_central_differences,
    require_forward_mode,
    require_own_gradients,
    solved,
    to_numpy,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import adjoint
from adjoint import Value, linalg
from adjoint.errors import ArgumentError, MatrixError, ShapeError

CASES: dict = {}
STACKS = ((), (2,), (0,), (2, 1))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def rotations(random, stack, n: int) -> np.ndarray:
    return np.linalg.qr(random.normal(size=(*stack, n, n)))[0]


def matrices(draw, rows: int, columns: int, stack=None) -> np.ndarray:
    """Matrices whose singular values are well apart, and not small: all their derivatives are tame."""
    random = np.random.default_rng(draw.integer(0, 2**16))
    stack = draw.one_of(*STACKS) if stack is None else stack
    k = min(rows, columns)
    sizes = 1 + (np.arange(k) + random.uniform(0, 0.4, (*stack, k))) / 2
    left, right = rotations(random, stack, rows)[..., :k], rotations(random, stack, columns)[..., :k]
    return np.asarray((left * sizes[..., None, :]) @ right.swapaxes(-1, -2), draw.dtype)


def symmetric_matrices(draw, signs) -> np.ndarray:
    """Symmetric matrices whose eigenvalues are well apart, of the signs given."""
    random = np.random.default_rng(draw.integer(0, 2**16))
    n, stack = draw.integer(0, 3), draw.one_of(*STACKS)
    values = (1 + (np.arange(n) + random.uniform(0, 0.4, (*stack, n))) / 2) * random.choice(signs, (*stack, n))
    vectors = rotations(random, stack, n)
    return np.asarray((vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2), draw.dtype)


def symmetric(x):
    """Half of a matrix and of its transpose: so that a function of symmetric matrices is one of all."""
    return (x + x.mT) / 2


def flat(parts):
    """The numbers of several arrays in one row, here and there."""
    library = torch if isinstance(parts[0], torch.Tensor) else adjoint
    return library.concat([library.reshape(part, (-1,) if math.prod(part.shape) else (0,)) for part in parts])


def spectral(values, left, right):
    """What does not depend on the signs of vectors: the values, and the products of vectors that belong together."""
    return flat([values, left[..., :, None, :] * right[..., None, :, :]])


# --- the cases ------------------------------------------------------------------------------------------------


@case(CASES, "inv", "det", "slogdet", "matrix_power")
def _(name, draw):
    n = draw.integer(0, 3)
    power = draw.integer(-2, 4) if name == "matrix_power" else 0
    ours = {
        "inv": linalg.inv,
        "det": linalg.det,
        "slogdet": lambda v: linalg.slogdet(v).logabsdet,
        "matrix_power": lambda v: linalg.matrix_power(v, power),
    }
    theirs = {
        "inv": torch.linalg.inv,
        "det": torch.linalg.det,
        "slogdet": lambda t: torch.linalg.slogdet(t).logabsdet,
        "matrix_power": lambda t: torch.linalg.matrix_power(t, power),
    }
    return Problem(ours[name], theirs[name], [matrices(draw, n, n)], f"{name}({power})")


@case(CASES, "solve")
def _(name, draw):
    n = draw.integer(0, 3)
    stack, other = draw.one_of(((), ()), ((2,), ()), ((), (2,)), ((2, 1), (3,)), ((2,), (2,)), ((0,), ()))
    b = draw.array((*other, n, draw.integer(0, 2)))

    def theirs(a, b):  # PyTorch takes some matrices for a stack of vectors, unless they are a stack themselves
        return torch.linalg.solve(a, b[(None,) * (a.ndim - b.ndim)])

    return Problem(linalg.solve, theirs, [matrices(draw, n, n, stack), b])


@case(CASES, "solve for a vector")
def _(name, draw):
    n = draw.integer(0, 3)
    return Problem(
        linalg.solve,
        lambda a, b: torch.linalg.solve(a, b[:, None]).squeeze(-1),
        [matrices(draw, n, n), draw.array((n,))],
    )


@case(CASES, "pinv")
def _(name, draw):
    return Problem(linalg.pinv, torch.linalg.pinv, [matrices(draw, draw.integer(0, 3), draw.integer(0, 3))])


@case(CASES, "cholesky")
def _(name, draw):
    upper = draw.flag()
    return Problem(
        lambda v: linalg.cholesky(symmetric(v), upper=upper),
        lambda t: torch.linalg.cholesky(symmetric(t), upper=upper),
        [symmetric_matrices(draw, [1])],
    )


@case(CASES, "eigh")
def _(name, draw):
    def all_of(result):
        return spectral(result[0], result[1], result[1])

    return Problem(
        lambda v: all_of(linalg.eigh(symmetric(v))),
        lambda t: all_of(torch.linalg.eigh(symmetric(t))),
        [symmetric_matrices(draw, [1, -1])],
    )


@case(CASES, "eigenvectors alone")
def _(name, draw):
    return Problem(
        lambda v: linalg.eigh(symmetric(v)).eigenvectors ** 2,
        lambda t: torch.linalg.eigh(symmetric(t)).eigenvectors ** 2,
        [symmetric_matrices(draw, [1, -1])],
    )


@case(CASES, "eigvalsh")
def _(name, draw):
    return Problem(
        lambda v: linalg.eigvalsh(symmetric(v)),
        lambda t: torch.linalg.eigvalsh(symmetric(t)),
        [symmetric_matrices(draw, [1, -1])],
    )


SVD_PARTS = {
    "svd": lambda u, s, vh: spectral(s, u, vh.mT),
    "U alone": lambda u, s, vh: u**2,
    "Vh alone": lambda u, s, vh: vh**2,
}


@case(CASES, *SVD_PARTS)
def _(name, draw):
    return Problem(
        lambda v: SVD_PARTS[name](*linalg.svd(v, full_matrices=False)),
        lambda t: SVD_PARTS[name](*torch.linalg.svd(t, full_matrices=False)),
        [matrices(draw, draw.integer(0, 3), draw.integer(0, 3))],
    )


@case(CASES, "svdvals")
def _(name, draw):
    x = matrices(draw, draw.integer(0, 3), draw.integer(0, 3))
    return Problem(linalg.svdvals, torch.linalg.svdvals, [x])


QR_PARTS = {"qr": lambda q, r: flat([q, r]), "Q alone": lambda q, r: q, "R alone": lambda q, r: r}


@case(CASES, *QR_PARTS)
def _(name, draw):
    rows, columns = draw.integer(0, 3), draw.integer(0, 4)
    x = matrices(draw, rows, min(rows, columns))
    if columns > rows:
        x = np.concatenate([x, draw.array((*x.shape[:-1], columns - rows))], -1)
    return Problem(
        lambda v: QR_PARTS[name](*linalg.qr(v)), lambda t: QR_PARTS[name](*torch.linalg.qr(t)), [x]
    )


@case(CASES, "norm of matrices")
def _(name, draw):
    order, keepdims = draw.one_of(None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf), draw.flag()
    x = matrices(draw, draw.integer(1, 3), draw.integer(1, 3), draw.one_of((), (2,)))
    axes = [i if draw.flag() else i - x.ndim for i in draw(st.permutations(range(x.ndim)))][:2]
    axes = tuple(axes) if x.ndim == 3 or draw.flag() else None
    if x.ndim == 2 and axes is None and order is None:
        order = "fro"
    return Problem(
        lambda v: linalg.norm(v, order, axes, keepdims),
        lambda t: torch.linalg.norm(t, "fro" if order is None else order, axes, keepdims),
        [x],
        f"norm({order}, {axes}, {keepdims})",
    )


@case(CASES, "norm of vectors")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    order, keepdims = draw.one_of(None, 1, 2, 3, math.inf, -math.inf), draw.flag()
    axis = None if order is None and draw.flag() else draw.axis(x.ndim)
    return Problem(
        lambda v: linalg.norm(v, order, axis, keepdims), lambda t: torch.linalg.norm(t, order, axis, keepdims), [x]
    )


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=15)
@given(data=st.data())
def test_results_and_gradients_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name)), 1)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=8)
@given(data=st.data())
def test_the_third_derivative_follows_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name, dtypes=["float64"])), 3)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=5)
@given(data=st.data())
def test_central_differences_confirm_each_derivative(name, data):
    require_central_differences(data.draw(problems(CASES, name, dtypes=["float64"])), 3)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=5)
@given(data=st.data())
def test_forward_mode_gives_the_same_derivatives(name, data):
    require_forward_mode(data.draw(problems(CASES, name, dtypes=["float64"])), 2)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=5)
@given(data=st.data())
def test_gradients_belong_to_their_value_alone(name, data):
    require_own_gradients(data.draw(problems(CASES, name)))


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=4)
@given(data=st.data())
def test_tensors_of_pytorch_serve_as_data(name, data):
    require_agreement(data.draw(problems(CASES, name)), 2, lambda x: torch.from_numpy(np.array(x)))


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=3)
@given(data=st.data())
def test_arrays_of_jax_serve_as_data(name, data):
    with jax_in_double() as library:
        require_agreement(data.draw(problems(CASES, name, dtypes=["float64"])), 2, library)
