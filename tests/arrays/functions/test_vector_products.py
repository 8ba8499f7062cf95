"""Inner, cross and Kronecker products, polynomials, norms and distances against PyTorch, NumPy and differences."""

import math

import numpy as np
import pytest
from arrays import F, Problem, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value, linalg
from adjoint.errors import ArgumentError, MatrixError, ShapeError

CASES: dict = {}
MODERATE = (-1.0, 0.0, 1.0, 2.0, 0.5, 3.0)


@case(CASES, "products of arrays")
def _(name, draw):
    name = draw.one_of("inner", "kron", "vdot")
    n = draw.side()
    shapes = {
        "inner": ((*draw.shape(0, 2), n), (*draw.shape(0, 2), n)),
        "kron": (draw.shape(0, 2), draw.shape(0, 2)),
        "vdot": ((n, 2), (n, 2)),
    }[name]
    x, z = (draw.array(shape, special=MODERATE) for shape in shapes)
    theirs = torch.inner if name == "inner" else lambda t, u: torch.kron(t.contiguous(), u.contiguous())
    theirs = (lambda t, u: (t * u).sum()) if name == "vdot" else theirs
    return Problem(draw.call(name), theirs, [x, z])


@case(CASES, "products of vectors")
def _(name, draw):
    name = draw.one_of("cross", "vecdot", "matvec", "vecmat")
    stack, n = draw.shape(0, 2), 3 if name == "cross" else draw.side(1)
    x, z = (draw.array((*stack, n), special=MODERATE) for _ in range(2))
    if name == "matvec":
        x = draw.array((*stack, 2, n), special=MODERATE)
        return Problem(adjoint.matvec, lambda t, u: (t @ u[..., None])[..., 0], [x, z])
    if name == "vecmat":
        z = draw.array((*stack, n, 2), special=MODERATE)
        return Problem(adjoint.vecmat, lambda t, u: (t[..., None, :] @ u)[..., 0, :], [x, z])
    return Problem(getattr(adjoint, name), getattr(torch.linalg, name), [x, z])


@case(CASES, "polyval")
def _(name, draw):
    p, x = draw.array((draw.side(1),), special=MODERATE), draw.array(draw.shape(0, 2), special=MODERATE)

    def theirs(p, t):
        return sum(p[k] * t ** (len(p) - 1 - k) for k in range(len(p)))

    return Problem(adjoint.polyval, theirs, [p, x])


@case(CASES, "vander")
def _(name, draw):
    x, n = draw.array(draw.shape(1, 2, min_side=1), special=MODERATE), draw.integer(1, 4)
    increasing = draw.flag()

    def theirs(t):
        powers = [torch.ones_like(t)]
        while len(powers) < n:
            powers.append(powers[-1] * t)
        return torch.stack(powers if increasing else powers[::-1], -1) + 0.0 * t[..., None]

    return Problem(lambda v: adjoint.vander(v, n, increasing), theirs, [x])


@case(CASES, "normalize")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1), 0.2, 2.0, special=MODERATE)
    axis, order = draw.axis(x.ndim), draw.one_of(2.0, 1.0, 3.0, math.inf)
    return Problem(draw.call("normalize", order, axis), lambda t: F.normalize(t, order, axis), [x])


@case(CASES, "cosine_similarity", "pairwise_distance")
def _(name, draw):
    shapes = [tuple(n or 2 for n in shape) for shape in draw.broadcast(2, 1, 2)]
    x, z = (draw.array(shape, *limits, special=MODERATE) for shape, limits in zip(shapes, ((0.2, 2.0), (3.0, 5.0))))
    if name == "cosine_similarity":
        axis = draw.axis(max(x.ndim, z.ndim))  # of the shape that both broadcast to
        return Problem(draw.call(name, axis), lambda t, u: F.cosine_similarity(t, u, axis), [x, z])
    order = draw.one_of(2.0, 1.0, 3.0)
    return Problem(
        lambda v, w: adjoint.pairwise_distance(v, w, order), lambda t, u: F.pairwise_distance(t, u, order), [x, z]
    )


@case(CASES, "cdist")
def _(name, draw):
    stack = draw.one_of((), (2,))
    x, z = draw.array((*stack, 3, 2), special=MODERATE), draw.array((2, 2), 3.0, 5.0, special=MODERATE)
    order = draw.one_of(2.0, 1.0, 3.0, 1.5, math.inf, 0.5)

    def theirs(t, u):  # PyTorch's own has no second derivative for most orders
        return torch.linalg.vector_norm(t[..., :, None, :] - u[None, :, :], order, dim=-1)

    return Problem(lambda v, w: adjoint.cdist(v, w, order), theirs, [x, z])


def well_conditioned(draw, *shape) -> np.ndarray:
    random = np.random.default_rng(draw.integer(0, 2**16))
    x = np.eye(*shape) * np.arange(2, 2 + shape[-1]) + 0.3 * random.normal(size=shape)
    return np.asarray(x, draw.dtype)


def condition(t, p):
    """Return the condition number; PyTorch's own cannot be differentiated for most orders."""
    if p is None or abs(p) == 2 if not isinstance(p, str) else False:
        return torch.linalg.cond(t, p)
    return torch.linalg.matrix_norm(t, p) * torch.linalg.matrix_norm(torch.linalg.inv(t), p)


@case(CASES, "cond", "eigvalsh of the upper triangle", "singular values alone", "lstsq", "multi_dot")
def _(name, draw):
    x = well_conditioned(draw, 3, 3)
    if name == "cond":
        p = draw.one_of(None, 2, -2, 1, "fro", "nuc", math.inf)
        return Problem(lambda v: linalg.cond(v, p), lambda t: condition(t, p), [x])
    if name == "eigvalsh of the upper triangle":
        call = (lambda v: linalg.eigh(v, "U")[0]) if draw.flag() else (lambda v: linalg.eigvalsh(v, UPLO="u"))

        def theirs(t):
            return torch.linalg.eigvalsh((t + t.mT) / 2, UPLO="U")

        return Problem(lambda v: call((v + v.mT) / 2), theirs, [x + x.T])
    if name == "singular values alone":
        return Problem(lambda v: linalg.svd(v, compute_uv=False), torch.linalg.svdvals, [well_conditioned(draw, 4, 2)])
    if name == "lstsq":
        a, b = well_conditioned(draw, 4, 2), draw.array((4,), special=MODERATE)
        return Problem(
            lambda v, w: linalg.lstsq(v, w).solution, lambda t, u: torch.linalg.solve(t.mT @ t, t.mT @ u), [a, b]
        )
    xs = [draw.array(shape, special=MODERATE) for shape in ((2,), (2, 4), (4, 1), (1, 3))]
    return Problem(lambda *vs: linalg.multi_dot(vs), lambda *ts: ts[0] @ ts[1] @ ts[2] @ ts[3], xs)


# Norms at zero and singular values of ties: only the first derivative is defined.
SINGULAR = ["normalize", "cosine_similarity", "pairwise_distance", "cdist", "cond", "lstsq"]
globals().update(claims(CASES, singular=SINGULAR, without=["results", "own_gradients", "arrays_of_jax", "compiled"]))

RANDOM = np.random.default_rng(0)
A, B, A2 = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 2))

NUMPY = {
    "cross, one vector": lambda a, b: np.cross(a, b[0]),
    "cross, axes": lambda a, b: np.cross(a.T, b, axisa=0, axisc=0),
    "cross, axis": lambda a, b: np.cross(a.T, b.T, axis=0),
    "linalg.cross": lambda a, b: np.linalg.cross(a, b),
    "linalg.vecdot": lambda a, b: np.linalg.vecdot(a, b, axis=0),
    "inner of a number": lambda a, b: np.inner(2.0, a),
    "kron": lambda a, b: np.kron(a, b[0]),
    "vander": lambda a, b: np.vander(a[0], 2, True),
    "polyval": lambda a, b: np.polyval(a[0], b),
    "linalg.vector_norm": lambda a, b: np.linalg.vector_norm(a, ord=3, axis=0),
    "linalg.lstsq": lambda a, b: np.linalg.lstsq(a, b)[1],
    "linalg.svd": lambda a, b: np.linalg.svd(a, compute_uv=False),
}


@pytest.mark.parametrize("call", NUMPY.values(), ids=NUMPY)
def test_numpys_functions_give_the_same_and_have_gradients(call):
    require_close(call(Value(A), Value(B)).data, call(A, B))
    adjoint.check_gradients(lambda a, b: call(a, b) + 0.0 * (a.sum() + b.sum()), A, B, order=1)


def test_cross_products_of_two_elements():
    third = A2[:, 0] * B[:, 1] - A2[:, 1] * B[:, 0]
    require_close(adjoint.cross(Value(A2), B[:, :2]).data, third)
    found = adjoint.cross(Value(A2), B)
    require_close(found.data, np.cross(np.pad(A2, ((0, 0), (0, 1))), B))


def test_all_of_them_compiled_give_the_same_derivatives():
    def loss(a, b):
        parts = [adjoint.inner(a, b), adjoint.cross(a, b), adjoint.kron(a[0], b[0]), adjoint.vdot(a, b)]
        parts += [adjoint.polyval(a[0], b), adjoint.vander(a[0], 3), adjoint.cdist(a, b, 3.0), adjoint.normalize(a)]
        parts += [linalg.multi_dot([a, b.T, a]), adjoint.cosine_similarity(a, b), adjoint.norm(a, 0.5)]
        return sum(((k + 1.0) * part**2).sum() for k, part in enumerate(parts))

    with jax_in_double():
        require_close(adjoint.jit(adjoint.grad(loss))(A, B), adjoint.grad(loss)(A, B))


def test_a_distance_of_zero_has_no_gradient():
    v = Value([[1.0, 2.0], [3.0, 4.0]])
    for order in (1.5, 2.0, 3.0, 0.5):
        v.zero_grad()
        adjoint.cdist(v, v.data, order).sum().backward()
        assert np.isfinite(v.grad).all(), order


@pytest.mark.parametrize("order", [0, 0.5, 1, 1.5, 2, 3, -1, -0.5, math.inf, -math.inf])
@pytest.mark.parametrize("x", [[0.0, 0.0], [0.0, 2.0], [-1.0, 0.0, 3.0]], ids=str)
def test_norms_of_zeros_have_the_value_and_gradient_of_pytorch(order, x):
    pytest.importorskip("torch")
    v, t = Value(x), torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y, reference = adjoint.norm(v, order), torch.linalg.vector_norm(t, order)
    y.backward()
    reference.backward()
    require_close(y.item(), reference.item())
    require_close(v.grad, np.zeros(len(x)) if t.grad is None else t.grad.numpy())


def test_only_the_named_triangle_is_read():
    x = RANDOM.normal(size=(3, 3))
    for triangle in "LU":
        expected = np.linalg.eigh(x, UPLO=triangle)
        require_close(np.linalg.eigh(Value(x), UPLO=triangle)[0].data, expected[0])
        require_close(np.linalg.eigvalsh(Value(x), UPLO=triangle).data, expected[0])


def test_ranks_are_plain_integers():
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert linalg.matrix_rank(Value(singular)) == 1
    assert np.linalg.matrix_rank(Value(singular)) == 1
    assert linalg.matrix_rank(np.stack([singular, np.eye(2)])).tolist() == [1, 2]
    assert linalg.matrix_rank(singular, tol=10.0) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.inner(v, [1.0]), ShapeError, "inner: the last axes"),
        (lambda v: adjoint.vdot(v, [1.0]), ShapeError, "vdot needs arrays of equal size"),
        (lambda v: adjoint.vecdot(v, [1.0]), ShapeError, "vecdot: vectors of 3 and 1"),
        (lambda v: adjoint.matvec(v[0], [1.0, 2.0, 3.0]), ShapeError, "matvec needs matrices"),
        (lambda v: adjoint.vecmat([1.0, 2.0, 3.0], v[0]), ShapeError, "vecmat needs matrices"),
        (lambda v: adjoint.cross(v, [1.0]), ShapeError, "cross needs vectors of 3"),
        (lambda v: adjoint.polyval(v, v), ShapeError, "coefficients must be a vector"),
        (lambda v: adjoint.vander(v, 0), ArgumentError, "N must be"),
        (lambda v: adjoint.vander(2.0), ShapeError, "vander needs a vector"),
        (lambda v: adjoint.cdist(v, [[1.0]]), ShapeError, "cdist needs two arrays of rows"),
        (lambda v: adjoint.cdist(v, v, -1), ArgumentError, "ord must be a number of at least 0"),
        (lambda v: adjoint.normalize(v, eps=-1), ArgumentError, "eps must be"),
        (lambda v: linalg.multi_dot([v]), ShapeError, "at least two matrices"),
        (lambda v: linalg.eigh(v[:3], UPLO="x"), ArgumentError, "UPLO must be"),
        (lambda v: linalg.lstsq(v, [1.0]), ShapeError, "lstsq needs"),
        (lambda v: linalg.cond(v[:2, :2] * 0.0, 1), MatrixError, "singular"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(A))
