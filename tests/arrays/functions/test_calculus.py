"""Differences, integrals, interpolation and convolution of samples against PyTorch, NumPy, SciPy and differences."""

import numpy as np
import pytest
from arrays import Problem, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}
MODERATE = (-1.0, 0.0, 1.0, 2.0, 0.5, 3.0)


def coordinates(draw, count: int) -> np.ndarray:
    """Draw an ascending sequence, as coordinates of samples."""
    return np.cumsum(draw.array((count,), 0.2, 1.0, special=(0.5, 1.0, 2.0))).astype(draw.dtype)


@case(CASES, "diff")
def _(name, draw):
    x = draw.array(draw.shape(1))
    axis, n = draw.axis(x.ndim), draw.integer(0, 3)
    n = min(n, x.shape[axis])
    return Problem(draw.call("diff", n, axis), lambda t: torch.diff(t, n, axis) if n else t * 1.0, [x])


@case(CASES, "gradient")
def _(name, draw):
    edge_order = draw.one_of(1, 2)
    x = draw.array((draw.integer(edge_order + 1, 4), draw.integer(edge_order + 1, 4)))
    axis = draw.one_of(0, 1)
    c = coordinates(draw, x.shape[axis])
    return Problem(
        lambda v, c: adjoint.gradient(v, c, axis=axis, edge_order=edge_order),
        lambda t, c: torch.gradient(t, spacing=[c], dim=axis, edge_order=edge_order)[0],
        [x, c],
    )


@case(CASES, "trapezoid", "cumulative_trapezoid")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1), special=MODERATE)
    axis = draw.axis(x.ndim)
    c = coordinates(draw, x.shape[axis])
    return Problem(
        lambda v, c: getattr(adjoint, name)(v, c, axis=axis),
        lambda t, c: (
            torch.trapezoid(t.movedim(axis, -1), c)
            if name == "trapezoid"
            else torch.cumulative_trapezoid(t.movedim(axis, -1), c).movedim(-1, axis)
        ),
        [x, c],
    )


@case(CASES, "simpson", "cumulative_simpson")
def _(name, draw):
    """Parabolas through three neighbors, as PyTorch integrates them: the reference is written for each interval."""
    n = draw.integer(3, 6)
    x, c = draw.array((2, n), special=MODERATE), coordinates(draw, n)

    def between(t, c, i, k):  # of the parabola through i, i + 1, i + 2, the integral over its interval k
        h1, h2 = c[i + 1] - c[i], c[i + 2] - c[i + 1]
        f1, f2, f3 = t[:, i], t[:, i + 1], t[:, i + 2]
        rise, next_rise = (f2 - f1) / h1, (f3 - f2) / h2
        bend = (next_rise - rise) / (h1 + h2)  # f1 + rise s + bend s (s - h1), with s from c[i]

        def primitive(s):
            return f1 * s + rise * s**2 / 2 + bend * (s**3 / 3 - h1 * s**2 / 2)

        return primitive(h1) if k == 0 else primitive(h1 + h2) - primitive(h1)

    def theirs(t, c):
        parts = [between(t, c, k, 0) if k % 2 == 0 and k < n - 2 else between(t, c, k - 1, 1) for k in range(n - 1)]
        found = torch.stack(parts, -1)
        return found.sum(-1) if name == "simpson" else found.cumsum(-1)

    return Problem(lambda v, c: getattr(adjoint, name)(v, x=c), theirs, [x, c])


@case(CASES, "interp")
def _(name, draw):
    n = draw.integer(2, 5)
    c, f = coordinates(draw, n), draw.array((n,), special=MODERATE)
    x = draw.array(draw.shape(0, 2), -0.5, 4.0, special=(-1.0, 0.3, 1.7, 9.0))

    def theirs(t, c, f):
        k = torch.clamp(torch.searchsorted(c.detach(), t.detach().contiguous(), right=True), 1, n - 1)
        inside = f[k - 1] + (t - c[k - 1]) / (c[k] - c[k - 1]) * (f[k] - f[k - 1])
        return torch.where(t < c[0], f[0], torch.where(t > c[-1], f[-1], inside))

    return Problem(adjoint.interp, theirs, [x, c, f])


@case(CASES, "convolve", "correlate")
def _(name, draw):
    a, v = draw.array((draw.integer(1, 5),), special=MODERATE), draw.array((draw.integer(1, 5),), special=MODERATE)
    mode = draw.one_of("full", "same", "valid")

    def theirs(t, u):
        matrix = [[getattr(np, name)(row, unit, mode) for unit in np.eye(len(v))] for row in np.eye(len(a))]
        return torch.einsum("i,j,ijk->k", t, u, torch.tensor(np.array(matrix), dtype=t.dtype))

    return Problem(lambda x, z: getattr(adjoint, name)(x, z, mode), theirs, [a, v])


globals().update(claims(CASES, without=["results", "own_gradients", "arrays_of_jax", "compiled"]))

RANDOM = np.random.default_rng(0)
X, V, C = RANDOM.normal(size=(3, 4, 5)), RANDOM.normal(size=6), np.cumsum(RANDOM.random(6) + 0.1)
Q = np.array([[-1.0, 0.2, C[2]], [C[-1], 9.0, C[0]]])

NUMPY = {
    "diff, joined": lambda v, c, x: np.diff(x, 2, axis=1, prepend=0.0, append=x[:, :1]),
    "ediff1d": lambda v, c, x: np.ediff1d(v, to_begin=[1.0, 2.0], to_end=3.0),
    "gradient": lambda v, c, x: np.gradient(x, 2.0, axis=1),
    "gradient, coordinates": lambda v, c, x: np.gradient(v, C, edge_order=2),
    "gradient, axes": lambda v, c, x: np.gradient(x, 0.5, [0.0, 1.0, 3.0, 3.5, 4.0], axis=(1, 2))[1],
    "trapezoid": lambda v, c, x: np.trapezoid(v, C),
    "trapezoid, dx": lambda v, c, x: np.trapezoid(x, dx=0.3, axis=1),
    "interp": lambda v, c, x: np.interp(Q, C, v),
    "interp, left": lambda v, c, x: np.interp(Q, C, v, left=-5.0, right=7.0),
    "interp, period": lambda v, c, x: np.interp(Q, C, v, period=2.0),
    "interp, one point": lambda v, c, x: np.interp(Q, [1.0], v[:1]),
}


@pytest.mark.parametrize("call", NUMPY.values(), ids=NUMPY)
def test_numpys_functions_give_the_same_and_have_gradients(call):
    require_close(call(Value(V), Value(C), Value(X)).data, call(V, C, X))
    adjoint.check_gradients(lambda v, x: call(v, C, x) + 0.0 * (v.sum() + x.sum()), V, X, order=1)


@pytest.mark.parametrize("n", range(1, 7))
def test_integrals_are_those_of_scipy(n):
    integrate = pytest.importorskip("scipy.integrate")
    y, c = RANDOM.normal(size=(2, n)), np.cumsum(RANDOM.random(n) + 0.1)
    for options in ({"dx": 0.5}, {"x": c}):
        require_close(adjoint.simpson(Value(y), **options).data, integrate.simpson(y, **options))
        if n < 2:
            continue
        for initial in (None, 2.0):
            found = adjoint.cumulative_simpson(Value(y.T), axis=0, initial=initial, **options)
            require_close(found.data, integrate.cumulative_simpson(y.T, axis=0, initial=initial, **options))
        found = adjoint.cumulative_trapezoid(Value(y), initial=0, **options)
        require_close(found.data, integrate.cumulative_trapezoid(y, initial=0, **options))


def test_all_of_them_compiled_give_the_same_derivatives():
    def loss(v, c):
        parts = [
            adjoint.diff(v, 2),
            adjoint.gradient(v, c),
            adjoint.trapezoid(v, c),
            adjoint.cumulative_simpson(v, x=c),
        ]
        parts += [
            adjoint.simpson(v),
            adjoint.interp(v * 2, c, v),
            adjoint.convolve(v, c),
            adjoint.correlate(v, c, "same"),
        ]
        return sum(((k + 1.0) * part**2).sum() for k, part in enumerate(parts))

    with jax_in_double():
        gradients = adjoint.grad(loss, (0, 1))
        for found, expected in zip(adjoint.jit(gradients)(V, C), gradients(V, C)):
            require_close(found, expected)


def test_a_gradient_with_equal_steps_does_not_read_the_sample_itself():
    x = Value([1.0, np.nan, 2.0, 4.0])
    y = adjoint.gradient(x)
    np.testing.assert_array_equal(y.data, np.gradient(x.data))
    y[1].backward()
    np.testing.assert_array_equal(x.grad, [-0.5, 0.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.diff(v, -1), ArgumentError, "n must be an integer of at least 0"),
        (lambda v: adjoint.gradient(v, 1.0, 2.0), ArgumentError, "2 spacings for 1 axes"),
        (lambda v: adjoint.gradient(v, [1.0, 2.0]), ShapeError, "coordinates for axis 0 must be 6"),
        (lambda v: adjoint.gradient(v[:1]), ShapeError, "needs at least 2 samples"),
        (lambda v: adjoint.gradient(v, edge_order=3), ArgumentError, "edge_order must be 1 or 2"),
        (lambda v: adjoint.trapezoid(v, [1.0, 2.0]), ShapeError, "x must have the 6 samples"),
        (lambda v: adjoint.interp(v, [1.0], [1.0, 2.0]), ShapeError, "xp and fp must be vectors"),
        (lambda v: adjoint.interp(v, [1.0], [1.0], period=0), ArgumentError, "period must be"),
        (lambda v: adjoint.convolve(v, v[:0]), ShapeError, "not empty"),
        (lambda v: adjoint.correlate(v, v, "x"), ArgumentError, "mode must be 'full'"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(V))
