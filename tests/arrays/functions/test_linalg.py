"""Linear algebra against PyTorch and central differences: stacks of matrices, to the third derivative."""

import itertools
import math

import numpy as np
import pytest
from arrays import (
    Problem,
    as_tensor,
    case,
    jax_in_double,
    require_agreement,
    require_forward_mode,
    solve,
    solve_in_torch,
    to_numpy,
    torch,
)
from claims import claims
from closeness import require_close
from fuzzing import examples
from hypothesis import given, settings, strategies as st

import adjoint
from adjoint import Value, linalg
from adjoint.errors import ArgumentError, GraphError, MatrixError, ShapeError

CASES: dict = {}
STACKS = ((), (2,), (0,), (2, 1))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def rotations(random, stack, n: int) -> np.ndarray:
    return np.linalg.qr(random.normal(size=(*stack, n, n)))[0]


def matrices(draw, rows: int, columns: int, stack=None) -> np.ndarray:
    """Draw matrices whose singular values are well separated and not small, so that all derivatives are moderate."""
    random = np.random.default_rng(draw.integer(0, 2**16))
    stack = draw.one_of(*STACKS) if stack is None else stack
    k = min(rows, columns)
    sizes = 1 + (np.arange(k) + random.uniform(0, 0.4, (*stack, k))) / 2
    left, right = rotations(random, stack, rows)[..., :k], rotations(random, stack, columns)[..., :k]
    return np.asarray((left * sizes[..., None, :]) @ right.swapaxes(-1, -2), draw.dtype)


def symmetric_matrices(draw, signs) -> np.ndarray:
    """Draw symmetric matrices whose eigenvalues are well separated and have the given signs."""
    random = np.random.default_rng(draw.integer(0, 2**16))
    n, stack = draw.side(), draw.one_of(*STACKS)
    values = (1 + (np.arange(n) + random.uniform(0, 0.4, (*stack, n))) / 2) * random.choice(signs, (*stack, n))
    vectors = rotations(random, stack, n)
    return np.asarray((vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2), draw.dtype)


def symmetric(x):
    """Return the symmetric part of a matrix, so that a function of symmetric matrices accepts any matrix."""
    return (x + x.mT) / 2


def flat(parts):
    """Concatenate the elements of several arrays, in adjoint and in PyTorch."""
    library = torch if isinstance(parts[0], torch.Tensor) else adjoint
    return library.concat([library.reshape(part, (-1,) if math.prod(part.shape) else (0,)) for part in parts])


def spectral(values, left, right):
    """Return what does not depend on the signs of vectors: the values, and the products of matching vectors."""
    return flat([values, left[..., :, None, :] * right[..., None, :, :]])


# --- the cases -----------------------------------------------------------------------------------------


@case(CASES, "inv", "det", "slogdet", "matrix_power")
def _(name, draw):
    n = draw.side()
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
    n = draw.side()
    stack, other = draw.one_of(((), ()), ((2,), ()), ((), (2,)), ((2, 1), (3,)), ((2,), (2,)), ((0,), ()))
    b = draw.array((*other, n, draw.one_of(2, 1, 0)))

    def theirs(a, b):  # PyTorch treats some matrices as a stack of vectors unless they are a stack themselves
        return torch.linalg.solve(a, b[(None,) * (a.ndim - b.ndim)])

    return Problem(linalg.solve, theirs, [matrices(draw, n, n, stack), b])


@case(CASES, "solve for a vector")
def _(name, draw):
    n = draw.side()
    return Problem(
        linalg.solve,
        lambda a, b: torch.linalg.solve(a, b[:, None]).squeeze(-1),
        [matrices(draw, n, n), draw.array((n,))],
    )


@case(CASES, "pinv")
def _(name, draw):
    return Problem(linalg.pinv, torch.linalg.pinv, [matrices(draw, draw.side(), draw.side())])


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
    rows, columns = draw.side(), draw.side()
    if name != "svd":  # choose sizes with fewer singular vectors than dimensions on that side
        rows, columns = (3, draw.integer(1, 2)) if name == "U alone" else (draw.integer(1, 2), 3)
    return Problem(
        lambda v: SVD_PARTS[name](*linalg.svd(v, full_matrices=False)),
        lambda t: SVD_PARTS[name](*torch.linalg.svd(t, full_matrices=False)),
        [matrices(draw, rows, columns)],
    )


@case(CASES, "svdvals")
def _(name, draw):
    x = matrices(draw, draw.side(), draw.side())
    return Problem(linalg.svdvals, torch.linalg.svdvals, [x])


QR_PARTS = {"qr": lambda q, r: flat([q, r]), "Q alone": lambda q, r: q, "R alone": lambda q, r: r}


@case(CASES, *QR_PARTS)
def _(name, draw):
    rows, columns = draw.side(), draw.one_of(2, 4, 3, 1, 0)
    x = matrices(draw, rows, min(rows, columns))
    if columns > rows:
        x = np.concatenate([x, draw.array((*x.shape[:-1], columns - rows))], -1)
    return Problem(lambda v: QR_PARTS[name](*linalg.qr(v)), lambda t: QR_PARTS[name](*torch.linalg.qr(t)), [x])


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
        lambda v: linalg.norm(v, order, axis, keepdims),
        lambda t: torch.linalg.norm(t, order, axis, keepdims),
        [x],
    )


globals().update(claims(CASES, without=["ties_and_edges", "arrays_of_jax", "compiled"]))


# --- singular and degenerate matrices ------------------------------------------------------------------


def leibniz(x):
    """Return the determinant as a sum over permutations, a polynomial with derivatives everywhere."""
    total = 0
    for order in itertools.permutations(range(x.shape[-1])):
        sign = round(np.linalg.det(np.eye(len(order))[list(order)]))
        total = total + sign * math.prod(x[..., i, j] for i, j in enumerate(order))
    return total


LACKING_RANK = [
    SINGULAR,
    np.zeros((2, 2)),
    np.zeros((1, 1)),
    np.zeros((3, 3)),
    np.diag([1.0, 1.0, 0.0]),
    np.diag([1.0, 0.0, 0.0]),
    np.ones((3, 3)),
    np.arange(16.0).reshape(4, 4),
    np.stack([np.diag([1.0, 0.0, 0.0]), np.eye(3), np.arange(9.0).reshape(3, 3)]),
]


@pytest.mark.parametrize("x", [*LACKING_RANK, np.eye(4), np.stack([SINGULAR, np.eye(2)]).astype(np.float32)])
def test_four_derivatives_of_det_exist_for_singular_matrices(x):
    require_agreement(Problem(linalg.det, leibniz, [x]), 4)


@settings(max_examples=len(LACKING_RANK))
@given(x=st.sampled_from(LACKING_RANK))
def test_forward_mode_of_det_exists_for_singular_matrices(x):
    require_forward_mode(Problem(linalg.det, leibniz, [x]), 3)


def test_the_gradient_of_det_of_a_large_matrix_is_its_cofactors():
    pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(60, 60)) / 8
    require_agreement(Problem(linalg.det, torch.linalg.det, [x]), 2)


def test_nan_propagates_through_det_and_its_gradient():
    x = Value(np.array([np.eye(3), np.full((3, 3), np.nan)]))
    linalg.det(x).sum().backward()
    require_close(x.grad[0], np.eye(3))
    assert np.isnan(x.grad[1]).all()


def test_the_sign_of_a_determinant_has_no_gradient():
    x = Value(-np.eye(3))
    sign, size = linalg.slogdet(x)
    assert (sign.item(), size.item()) == (-1.0, 0.0)
    sign.backward()
    np.testing.assert_array_equal(x.grad, np.zeros((3, 3)))
    tangents = adjoint.jvp(lambda v: tuple(linalg.slogdet(v)), (-np.eye(3),), (np.eye(3),))[1]
    assert tuple(map(float, tangents)) == (0.0, -3.0)


def test_slogdet_does_not_overflow_where_det_does():
    x = Value(np.eye(400) * 10)
    assert np.isinf(linalg.det(x).data)
    size = linalg.slogdet(x).logabsdet
    require_close(size.item(), 400 * math.log(10))
    size.backward()
    require_close(x.grad, np.eye(400) / 10)


COINCIDING = {
    "eigvalsh": (lambda v: linalg.eigvalsh(v) ** 3, lambda t: torch.linalg.eigvalsh(t) ** 3, np.eye(3)),
    "svdvals": (lambda v: linalg.svdvals(v) ** 3, lambda t: torch.linalg.svdvals(t) ** 3, np.eye(3)),
    "nuc": (lambda v: linalg.norm(v, "nuc"), lambda t: torch.linalg.matrix_norm(t, "nuc"), np.eye(3)),
    "2": (lambda v: linalg.norm(v, 2), lambda t: torch.linalg.matrix_norm(t, 2), np.eye(3)),
    "fro": (linalg.norm, lambda t: torch.linalg.matrix_norm(t), np.zeros((2, 2))),
    "1": (lambda v: linalg.norm(v, 1), lambda t: torch.linalg.matrix_norm(t, 1), np.ones((2, 2))),
}


@pytest.mark.parametrize("name", COINCIDING)
def test_gradients_at_equal_values_follow_pytorch(name):
    ours, theirs, x = COINCIDING[name]
    require_agreement(Problem(ours, theirs, [x]), 1)


@pytest.mark.parametrize("vectors", [lambda v: linalg.eigh(v).eigenvectors, lambda v: linalg.svd(v).U])
def test_vectors_of_equal_values_have_no_finite_gradient(vectors):
    x = Value(np.eye(2))
    vectors(x).backward(np.array([[0.0, 1.0], [3.0, 0.0]]))
    assert not np.isfinite(x.grad).any()


@examples(5)
@given(seed=st.integers(0, 100))
def test_the_pseudo_inverse_of_a_singular_matrix_has_derivatives_along_changes_that_keep_its_rank(seed):
    random = np.random.default_rng(seed)
    column, row = random.uniform(0.5, 2, (3, 1)), random.uniform(0.5, 2, (1, 2))

    def closed_form(a, b):
        return b.mT @ a.mT / ((a * a).sum() * (b * b).sum())

    problem = Problem(lambda a, b: linalg.pinv(a @ b), closed_form, [column, row])
    require_agreement(problem, 2)
    require_forward_mode(problem, 2)


def test_rtol_sets_which_singular_values_count_as_zero():
    x = np.diag([4.0, 1.0])
    require_close(linalg.pinv(x, rtol=0.1), np.diag([0.25, 1.0]))
    require_close(linalg.pinv(x, rtol=0.5), np.diag([0.25, 0.0]))


# --- arguments and results -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (linalg.cholesky, lambda t: torch.linalg.cholesky(t)),
        (linalg.eigvalsh, lambda t: torch.linalg.eigvalsh(t)),
        (lambda v: linalg.eigh(v)[1] ** 2, lambda t: torch.linalg.eigh(t)[1] ** 2),
    ],
)
def test_the_gradient_for_a_symmetric_matrix_is_symmetric(ours, theirs):
    problem = Problem(ours, theirs, [np.array([[4.0, 1.0], [1.0, 3.0]])])
    require_agreement(problem, 2)
    gradient = solve(problem).derivatives[0][0]
    require_close(gradient, gradient.T)


@pytest.mark.parametrize("library", [np.array, as_tensor, "jax"], ids=["numpy", "torch", "jax"])
def test_only_the_lower_triangle_is_read(library):
    with jax_in_double() as from_numpy:
        library = from_numpy if library == "jax" else library
        whole, lower = library([[4.0, 1.0], [1.0, 3.0]]), library([[4.0, math.nan], [1.0, 3.0]])
        for function in (linalg.cholesky, linalg.eigvalsh):
            require_close(to_numpy(function(lower)), to_numpy(function(whole)))


@pytest.mark.parametrize("name", ["solve", "det", "slogdet", "pinv"])
def test_a_matrix_assigned_after_its_use_raises_an_error(name):
    x = Value(np.array([[4.0, 1.0], [1.0, 3.0]]))
    y = linalg.solve(x, np.ones(2)) if name == "solve" else getattr(linalg, name)(x)
    x.data = np.eye(2)
    with pytest.raises(GraphError, match=rf"was assigned after {name} of \(2, 2\) had used it"):
        (y[-1] if isinstance(y, tuple) else y).sum().backward()


@pytest.mark.parametrize("name", ["inv", "cholesky", "eigh", "svd", "qr"])
def test_a_matrix_may_be_assigned_if_the_derivative_reads_only_the_result(name):
    x, other = (Value(np.array([[4.0, 1.0], [1.0, 3.0]])) for _ in range(2))
    for leaf in (x, other):
        y = getattr(linalg, name)(leaf)
        if leaf is x:
            x.data = np.eye(2)
        (y[1] if isinstance(y, tuple) else y).sum().backward()
    np.testing.assert_array_equal(x.grad, other.grad)


def test_a_result_assigned_before_backward_raises_an_error():
    y = linalg.inv(Value(np.eye(2)))
    z = y.sum()
    y.data = np.ones((2, 2))
    with pytest.raises(GraphError, match=r"was assigned after inv of \(2, 2\) had used it"):
        z.backward()


def test_results_have_the_field_names_of_the_array_api_standard():
    x = Value(np.diag([3.0, 2.0]))
    assert linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.svd(x)._fields == ("U", "S", "Vh")
    assert linalg.qr(x)._fields == ("Q", "R")


def test_factors_multiply_to_the_matrix():
    x = np.random.default_rng(0).normal(size=(2, 3, 5))
    square = x[..., :3]
    u, s, vh = linalg.svd(Value(x), full_matrices=False)
    require_close(((u * s[..., None, :]) @ vh).data, x)
    for wide_tall_or_square in (x, x.swapaxes(-1, -2), square):
        q, r = linalg.qr(Value(wide_tall_or_square))
        require_close((q @ r).data, wide_tall_or_square)
        require_close(r.data, np.triu(r.data))
    w, v = linalg.eigh(Value(square + square.swapaxes(-1, -2)))
    require_close(((v * w[..., None, :]) @ v.mT).data, square + square.swapaxes(-1, -2))


def test_several_parts_of_a_result_receive_their_gradients_together():
    x = Value(np.array([[2.0, 1.0], [1.0, 3.0]]))
    w, v = linalg.eigh(x)
    (v @ (w[:, None] * v.mT)).sum().backward()  # x itself
    require_close(x.grad, np.ones((2, 2)))


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "eigvalsh", "svdvals", "pinv", "norm"])
def test_plain_arrays_and_lists_give_plain_arrays(name):
    x = [[4, 1], [1, 3]]
    found, expected = getattr(linalg, name)(x), getattr(np.linalg, name)(np.array(x, float))
    assert not isinstance(found, Value)
    require_close(found, expected)


def test_a_power_of_zero_is_the_identity_and_has_the_gradient_zero():
    x = Value(np.full((2, 2, 2), np.nan, np.float32))
    y = linalg.matrix_power(x, 0)
    np.testing.assert_array_equal(y.data, np.broadcast_to(np.eye(2, dtype=np.float32), (2, 2, 2)))
    assert y.dtype == np.float32
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, np.zeros((2, 2, 2)))


@pytest.mark.parametrize("order", [None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize("axis", [(0, 1), (2, 0), (-1, -2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices_along_any_axes_agree_with_numpy(order, axis, keepdims):
    x = np.random.default_rng(0).normal(size=(3, 4, 2))
    found, expected = linalg.norm(x, order, axis, keepdims), np.linalg.norm(x, order, axis, keepdims)
    assert found.shape == expected.shape
    require_close(found, expected)


# --- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh"])
def test_a_matrix_that_is_not_square_raises_an_error(name):
    with pytest.raises(ShapeError, match=rf"^{name} needs square matrices: .* shape \(4, 2, 3\) differ"):
        getattr(linalg, name)(Value(np.ones((4, 2, 3))))


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "eigh", "svd", "svdvals", "qr", "pinv", "matrix_norm"])
def test_an_array_of_fewer_than_two_axes_raises_an_error(name):
    with pytest.raises(ShapeError, match=rf"^{name} needs matrices: .* not an array of shape \(3,\)"):
        getattr(linalg, name)(Value(np.ones(3)))
    with pytest.raises(ShapeError, match=rf"^{name} needs matrices: .* not Value"):
        getattr(linalg, name)(Value(2.0))


NUMPY_AND_TORCH = pytest.mark.parametrize("library", [np.array, as_tensor], ids=["numpy", "torch"])
STACK = np.stack([np.eye(2), SINGULAR])


@NUMPY_AND_TORCH
def test_a_singular_matrix_raises_an_error(library):
    with pytest.raises(MatrixError, match=r"^inv: a matrix of shape \(2, 2\) is singular"):
        linalg.inv(Value(library(SINGULAR)))
    with pytest.raises(MatrixError, match=r"^inv: a matrix in the stack of shape \(2, 2, 2\) is singular"):
        linalg.inv(library(STACK))
    with pytest.raises(MatrixError, match=r"^solve: a matrix of shape \(2, 2\) is singular"):
        linalg.solve(Value(library(SINGULAR)), library([1.0, 2.0]))
    with pytest.raises(MatrixError, match=r"^inv: a matrix of shape \(2, 2\) is singular"):
        linalg.matrix_power(Value(library(SINGULAR)), -1)


@NUMPY_AND_TORCH
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_derivative_at_a_singular_matrix_raises_an_error(library, create_graph):
    x = Value(library(SINGULAR))
    with pytest.raises(MatrixError, match=r"slogdet has no derivative here: a matrix of shape \(2, 2\) is singular"):
        linalg.slogdet(x).logabsdet.backward(create_graph=create_graph)
    x = Value(library(np.zeros((3, 2))))
    with pytest.raises(MatrixError, match=r"qr has no derivative here: a matrix of shape \(2, 2\) is singular"):
        linalg.qr(x).R.sum().backward(create_graph=create_graph)


@NUMPY_AND_TORCH
def test_a_matrix_that_is_not_positive_definite_raises_an_error(library):
    with pytest.raises(MatrixError, match=r"^cholesky: a matrix of shape \(2, 2\) is not positive definite"):
        linalg.cholesky(Value(library(SINGULAR - 5 * np.eye(2))))
    with pytest.raises(MatrixError, match=r"^cholesky: a matrix in the stack .* is not positive definite"):
        linalg.cholesky(Value(library(STACK - np.eye(2))))


@NUMPY_AND_TORCH
@pytest.mark.parametrize("name", ["svd", "pinv"])
def test_singular_values_of_nan_raise_an_error(library, name):
    with pytest.raises(MatrixError, match=rf"^{name}: a matrix of shape \(2, 2\) has no singular values .*NaN"):
        getattr(linalg, name)(Value(library([[math.nan, 1.0], [2.0, 3.0]])))


def test_singular_arrays_of_jax_give_infinity_or_nan():
    with jax_in_double() as library:
        for function in (
            linalg.inv,
            lambda v: linalg.cholesky(-v),
            lambda v: linalg.solve(v, library([1.0, 1.0])),
        ):
            assert not np.isfinite(function(Value(library(SINGULAR))).numpy()).all()


def test_solve_with_sides_of_different_sizes_raises_an_error():
    a = Value(np.stack([np.eye(3)] * 4))
    for b, shape in ((np.ones(2), r"\(2,\)"), (np.ones((2, 3)), r"\(2, 3\)"), (1.0, r"\(\)")):
        with pytest.raises(ShapeError, match=rf"b must have 3 rows for a of shape \(4, 3, 3\), not shape {shape}"):
            linalg.solve(a, b)
    with pytest.raises(ShapeError, match=r"a of shape \(4, 3, 3\) and b of shape \(5, 3, 1\) do not broadcast"):
        linalg.solve(a, np.ones((5, 3, 1)))


def test_full_matrices_of_a_matrix_that_is_not_square_raise_an_error():
    with pytest.raises(ShapeError, match=r"svd: .* shape \(3, 2\), .* use full_matrices=False"):
        linalg.svd(Value(np.ones((3, 2))))
    with pytest.raises(ArgumentError, match=r"qr: mode must be 'reduced', .*, not 'complete'"):
        linalg.qr(Value(np.ones((3, 2))), mode="complete")


def test_invalid_orders_and_powers_raise_an_error():
    x = Value(np.ones((2, 2)))
    for order in (3, "max", [1]):
        with pytest.raises(ArgumentError, match="norm: ord of a matrix norm must be 'fro', 'nuc', 1"):
            linalg.norm(x, order)
    with pytest.raises(ShapeError, match=r"norm with ord=2 along 3 axes of an array of shape \(2, 2, 2\): give axis"):
        linalg.norm(Value(np.ones((2, 2, 2))), 2)
    with pytest.raises(ArgumentError, match=r"matrix_power: the power must be an integer, not float 0\.5"):
        linalg.matrix_power(x, 0.5)


# --- JAX: few shapes, because XLA recompiles for each --------------------------------------------------

POSITIVE = np.array(
    [
        [[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]],
        [[2.0, 0.3, 0.1], [0.3, 1.5, 0.4], [0.1, 0.4, 3.0]],
    ]
)
ANY_MATRIX = {
    "inv": (linalg.inv, lambda t: torch.linalg.inv(t)),
    "solve": (lambda v: linalg.solve(v, v[..., :1] ** 2), lambda t: torch.linalg.solve(t, t[..., :1] ** 2)),
    "det": (linalg.det, lambda t: torch.linalg.det(t)),
    "slogdet": (lambda v: linalg.slogdet(v)[1], lambda t: torch.linalg.slogdet(t)[1]),
    "pinv": (lambda v: linalg.pinv(v[..., :2]), lambda t: torch.linalg.pinv(t[..., :2])),
    "cholesky": (linalg.cholesky, lambda t: torch.linalg.cholesky(t)),
    "eigh": (lambda v: linalg.eigh(v)[1] ** 2, lambda t: torch.linalg.eigh(t)[1] ** 2),
    "svd": (
        lambda v: SVD_PARTS["svd"](*linalg.svd(v[..., :2], full_matrices=False)),
        lambda t: SVD_PARTS["svd"](*torch.linalg.svd(t[..., :2], full_matrices=False)),
    ),
    "qr": (lambda v: QR_PARTS["qr"](*linalg.qr(v)), lambda t: QR_PARTS["qr"](*torch.linalg.qr(t))),
    "norm": (lambda v: linalg.matrix_norm(v, "nuc"), lambda t: torch.linalg.matrix_norm(t, "nuc")),
}


@pytest.mark.parametrize("name", ["det", "eigh"])
def test_arrays_of_jax_work_as_data(name):
    with jax_in_double() as library:
        require_agreement(Problem(*ANY_MATRIX[name], [POSITIVE]), 1, library)


@pytest.mark.parametrize("name", ANY_MATRIX)
def test_derivatives_compile_under_xla(name):
    jax = pytest.importorskip("jax")
    problem = Problem(*ANY_MATRIX[name], [POSITIVE])
    expected = solve_in_torch(problem, 2)
    weights = [problem.weights(expected.value, 0), problem.weights(POSITIVE, 1)]

    def gradient(v):
        return adjoint.grad(lambda v: (problem.ours(v) * weights[0]).sum())(v)

    @jax.jit
    def all_three(x):
        return problem.ours(x), gradient(x), adjoint.grad(lambda v: (gradient(v) * weights[1]).sum())(x)

    with jax_in_double() as library:
        value, first, second = map(np.asarray, all_three(library(POSITIVE)))
    require_close(value, expected.value, "the result", scale=1.0)
    require_close(first, expected.derivatives[0][0], "the first derivative", scale=1.0)
    require_close(second, expected.derivatives[1][0], "the second derivative", scale=1.0)


def test_det_of_a_singular_matrix_has_a_gradient_under_xla():
    pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    x = np.arange(9.0).reshape(3, 3)
    expected = torch.autograd.functional.jacobian(leibniz, torch.from_numpy(x)).numpy()
    with jax_in_double() as library:
        require_close(np.asarray(jax.jit(adjoint.grad(linalg.det))(library(x))), expected, "the gradient", scale=1.0)


@pytest.mark.parametrize("shape", [(0, 0, 1), (2, 0), (0, 0)])
def test_matrices_without_elements_have_no_condition_number(shape):
    with pytest.raises(ShapeError, match="cond: matrices without elements"):
        linalg.cond(Value(np.zeros(shape)))
