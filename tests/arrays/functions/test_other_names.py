"""Functions that are others under a second name, or special cases of them, against PyTorch and central differences."""

import math

import pytest
from arrays import Problem, case, torch
from claims import claims

import adjoint
from adjoint import linalg, special

CASES: dict = {}
SPECIAL = {
    "erf": lambda t: torch.special.erf(t),
    "softmax": lambda t: t.flatten().softmax(0).reshape(t.shape),
    "log_softmax": lambda t: t.flatten().log_softmax(0).reshape(t.shape),
}


@case(CASES, *SPECIAL)
def _(name, draw):
    return Problem(getattr(special, name), SPECIAL[name], [draw.array()])


@case(CASES, "positive")
def _(name, draw):
    return Problem(draw.one_of(draw.call(name), lambda v: +v), lambda t: t * 1.0, [draw.array()])


@case(CASES, "divmod")
def _(name, draw):
    first, second = draw.broadcast(2)
    both = draw.one_of(adjoint.divmod, divmod)
    return Problem(
        lambda v, w: sum(both(v, w)),
        lambda t, u: torch.floor(t / u).detach() + torch.remainder(t, u),
        [draw.array(first, 0.3, 5.0), draw.array(second, 0.7, 0.9)],
    )


@case(CASES, "percentile", "nanpercentile")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    axis, q, keepdims = draw.one_of(None, draw.axis(x.ndim)), draw.one_of(30.0, 0.0, 75.0), draw.flag()
    return Problem(
        lambda v: getattr(adjoint, name)(v, q, axis=axis, keepdims=keepdims),
        lambda t: torch.quantile(t, q / 100, dim=axis, keepdim=keepdims),
        [x],
    )


@case(CASES, "ediff1d")
def _(name, draw):
    return Problem(adjoint.ediff1d, lambda t: t.flatten().diff(), [draw.array(draw.shape(min_side=1))])


@case(CASES, "logspace", "geomspace")
def _(name, draw):
    num, endpoint = draw.integer(1, 4), draw.flag()
    steps = torch.arange(num, dtype=torch.float64) / max(num - 1 if endpoint else num, 1)

    def theirs(t, u):
        at = steps.reshape((num,) + (1,) * t.ndim)
        if name == "logspace":
            return 2.0 ** (t + (u - t) * at)
        return torch.exp(torch.log(t) + (torch.log(u) - torch.log(t)) * at)

    shape, options = draw.shape(most=2), {"base": 2.0} if name == "logspace" else {}
    return Problem(
        lambda v, w: getattr(adjoint, name)(v, w, num, endpoint, **options),
        theirs,
        [draw.array(shape, 0.3, 2.0), draw.array(shape, 0.3, 2.0)],
    )


@case(CASES, "ravel_pytree")
def _(name, draw):
    inputs = [draw.array() for _ in range(2)]
    return Problem(
        lambda v, w: adjoint.ravel_pytree({"a": [v], "b": w})[0],
        lambda t, u: torch.cat([t.flatten(), u.flatten()]),
        inputs,
    )


@case(CASES, "vector_norm")
def _(name, draw):
    x = draw.array(draw.shape(min_side=1), 0.2, 2.0)  # higher derivatives do not exist at zero
    axis, order = draw.one_of(None, *range(-x.ndim, x.ndim)), draw.one_of(1, 2, 3, math.inf)
    return Problem(
        lambda v: linalg.vector_norm(v, order, axis=axis), lambda t: torch.linalg.vector_norm(t, order, dim=axis), [x]
    )


@case(CASES, "matrix_norm")
def _(name, draw):
    x = draw.array((*draw.shape(most=1), draw.side(1), draw.side(1)))
    order, keepdims = draw.one_of("fro", 1, -1, math.inf), draw.flag()
    return Problem(
        lambda v: linalg.matrix_norm(v, order, keepdims=keepdims),
        lambda t: torch.linalg.matrix_norm(t, order, keepdim=keepdims),
        [x],
    )


# Each is checked where it is smooth; ties, edges and other libraries are those of the functions that they stand for.
WITHOUT = ["results", "ties_and_edges", "own_gradients", "arrays_of_torch", "arrays_of_jax", "compiled"]
globals().update(claims(CASES, without=WITHOUT))


@pytest.mark.parametrize(
    ("name", "other"), [(adjoint.lgamma, special.gammaln), (special.psi, special.digamma)], ids=["lgamma", "psi"]
)
def test_a_second_name_gives_the_same_derivatives(name, other):
    for x in (0.4, 1.5, 3.0):
        for function in (lambda f: f, adjoint.grad, lambda f: adjoint.grad(adjoint.grad(f))):
            assert function(name)(x) == function(other)(x)
