"""Special functions against PyTorch to the third derivative, and against SciPy in their numbers."""

import math

import numpy as np
import pytest
from arrays import Problem, case, jax_in_double, require_the_same_compiled
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value, check_gradients, grad, special
from adjoint.errors import ArgumentError, MissingRuleError

of_scipy = pytest.importorskip("scipy.special")
torch = pytest.importorskip("torch")
CASES: dict = {}


class Polygamma(torch.autograd.Function):
    """The derivatives of gammaln in PyTorch, by its zeta function: its own trigamma has only 9 digits."""

    @staticmethod
    def forward(ctx, n, x):
        ctx.n = n
        ctx.save_for_backward(x)
        if n < 1:
            return torch.digamma(x) if n == 0 else torch.lgamma(x)
        return (-1) ** (n + 1) * math.factorial(n) * torch.special.zeta(n + 1.0, x)

    @staticmethod
    def backward(ctx, g):
        return None, g * Polygamma.apply(ctx.n + 1, *ctx.saved_tensors)


def lgamma(x):
    return Polygamma.apply(-1, x)


def betaln(a, b):
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def multigammaln(a, d):
    return d * (d - 1) / 4 * math.log(math.pi) + sum(lgamma(a - k / 2) for k in range(d))


POSITIVE, PROBABILITY = (0.3, 3.0), (0.05, 0.95)
# The function in PyTorch, where it is smooth, and edge values where PyTorch has a reference.
UNARY = {
    "gammaln": (lgamma, POSITIVE, (1.0, 2.0, 0.5, 40.0)),
    "digamma": (lambda x: Polygamma.apply(0, x), POSITIVE, (1.0, 2.0, 0.5, 40.0, 1e-5)),
    "erfc": (torch.special.erfc, (-2.0, 2.0), None),
    "erfinv": (torch.special.erfinv, (-0.9, 0.9), (0.0, 1.0, -1.0, 0.5, -0.99, 2.0)),
    "erfcinv": (lambda x: torch.special.erfinv(1 - x), (0.1, 1.9), (1.0, 0.5, 0.01)),
    "ndtr": (torch.special.ndtr, (-2.0, 2.0), None),
    "ndtri": (torch.special.ndtri, PROBABILITY, (0.0, 1.0, 0.5, 1e-5, 0.99, 2.0)),
    "log_ndtr": (torch.special.log_ndtr, (-2.0, 2.0), (0.0, 1.0, -10.0, -0.5, 5.0)),
    "expit": (torch.special.expit, (-2.0, 2.0), None),
    "logit": (torch.special.logit, PROBABILITY, (0.5, 0.25, 0.99)),
    "log_expit": (torch.nn.functional.logsigmoid, (-2.0, 2.0), (0.0, 1.0, -1.0, 40.0, -40.0)),
    "entr": (torch.special.entr, POSITIVE, (1.0, 0.5, 40.0)),
    "i0": (torch.special.i0, (0.2, 3.0), (1.0, -1.0, 3.0, -5.0)),
    "i0e": (torch.special.i0e, (0.2, 3.0), (1.0, -1.0, 3.0, 40.0, -40.0)),
    "i1": (torch.special.i1, (0.2, 3.0), (1.0, -1.0, 3.0, -5.0)),
    "i1e": (torch.special.i1e, (0.2, 3.0), (1.0, -1.0, 3.0, 40.0, -40.0)),
}
BINARY = {
    "xlogy": (torch.special.xlogy, (0.0, 1.0, 3.0, -1.0)),
    "xlog1py": (torch.special.xlog1py, (0.0, 1.0, 3.0)),
    "beta": (lambda a, b: torch.exp(betaln(a, b)), (1.0, 0.5, 3.0)),
    "betaln": (betaln, (1.0, 0.5, 3.0)),
    "rel_entr": (lambda x, z: x * (torch.log(x) - torch.log(z)), (1.0, 0.5, 3.0)),
    "kl_div": (lambda x, z: x * (torch.log(x) - torch.log(z)) - x + z, (1.0, 0.5, 3.0)),
}


def of(name: str, *arguments, **options):
    """Return a function of `adjoint.special` with its arguments beyond the operands."""
    return lambda *xs: getattr(special, name)(*xs, *arguments, **options)


@case(CASES, *UNARY)
def _(name, draw):
    theirs, domain, edges = UNARY[name]
    ours = draw.call(name) if hasattr(adjoint, name) else of(name)
    # The second derivative of log_ndtr at -10 is -h (h - 10), where h is 10.1: two digits cancel.
    condition = 10.0 if name == "log_ndtr" else 1.0
    return Problem(ours, theirs, [draw.array(None, *domain, special=edges)], condition=condition)


@case(CASES, *BINARY)
def _(name, draw):
    theirs, edges = BINARY[name]
    return Problem(of(name), theirs, [draw.array(shape, 0.3, 3.0, special=edges) for shape in draw.broadcast(2)])


@case(CASES, "polygamma")
def _(name, draw):
    n, x = draw.integer(0, 2), draw.array(None, 0.4, 3.0, special=(1.0, 0.5, 3.0))
    return Problem(lambda v: special.polygamma(n, v), lambda t: Polygamma.apply(n, t), [x])


@case(CASES, "multigammaln")
def _(name, draw):
    d, x = draw.integer(1, 3), draw.array(None, 1.5, 3.0, special=(1.5, 2.0, 3.0))
    return Problem(of(name, d), lambda t: multigammaln(t, d), [x])


SINGULAR = ["erfc", "erfinv", "expit", "ndtr", "ndtri", "xlogy", "xlog1py"]
globals().update(
    claims(CASES, SINGULAR, without=["results", "arrays_of_jax", "compiled", "central_differences", "own_gradients"])
)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc", "gamma", "betainc"])
def test_central_differences_confirm_derivatives_that_pytorch_does_not_have(name):
    x = np.array([0.2, 0.4, 0.9])
    constants = {"gamma": (), "betainc": (1.5, np.array([2.0, 0.5, 3.0]))}.get(name, (np.array([0.5, 2.0, 3.5]),))
    check_gradients(lambda v: getattr(special, name)(*constants, v), x, order=2)
    expected = getattr(of_scipy, name)(*constants, x)
    require_close(getattr(special, name)(*constants, Value(x)).data, expected, each=True)
    require_close(getattr(special, name)(*[np.ravel(c)[0] for c in constants], 0.2), expected[0])


GRID = {
    "gammaln": np.r_[np.linspace(-20.3, 40, 301), np.logspace(-300, 300, 50), 0.0, -1.0, math.inf, math.nan],
    "digamma": np.r_[np.linspace(-20.3, 40, 301), np.logspace(-30, 30, 50), 0.0, -1.0, math.inf, math.nan],
    "gamma": np.r_[np.linspace(-20.3, 170, 301), 0.0, -1.0, math.nan],
    "erfinv": np.r_[np.linspace(-1, 1, 201), np.logspace(-300, -1, 50), 1 - np.logspace(-16, -1, 20), 2.0, math.nan],
    "erfcinv": np.r_[np.linspace(0, 2, 201), np.logspace(-300, -1, 50), 2 - np.logspace(-15, -1, 20), -1.0, math.nan],
    "ndtri": np.r_[np.linspace(0, 1, 201), np.logspace(-307, -1, 50), 1 - np.logspace(-16, -1, 20), 2.0, math.nan],
    "log_ndtr": np.r_[np.linspace(-40, 40, 201), -1e3, -1e100, math.inf, math.nan],
    "erfc": np.r_[np.linspace(-30, 30, 201), math.inf, -math.inf, math.nan],
    "i0e": np.r_[np.linspace(-100, 100, 201), np.logspace(-30, 5, 30)],
    "i1e": np.r_[np.linspace(-100, 100, 201), np.logspace(-30, 5, 30)],
    "entr": np.array([0.0, 0.5, 1.0, 3.0, -1.0, math.inf, math.nan]),
}


@pytest.mark.parametrize("name", GRID)
def test_numbers_agree_with_scipy_over_the_whole_range(name):
    x = GRID[name]
    with np.errstate(all="ignore"):
        expected = getattr(of_scipy, name)(x)
    require_close(getattr(special, name)(x), expected, each=True, scale=0.01)  # near a zero, digits cancel
    for a in x[:: max(1, len(x) // 7)].tolist():
        with np.errstate(all="ignore"):
            expected = float(getattr(of_scipy, name)(a))
        found = getattr(special, name)(Value(a))
        assert type(found) is Value
        require_close(found.data, expected, scale=0.01)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_polygamma_agrees_with_scipy(n):
    x = np.r_[np.linspace(-8.3, 60, 200), np.logspace(-10, 8, 30), 0.0, -2.0]
    require_close(special.polygamma(n, x), of_scipy.polygamma(n, x), each=True)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc", "betainc", "rel_entr", "kl_div", "xlogy", "xlog1py"])
def test_functions_of_several_numbers_agree_with_scipy(name):
    a, x = np.meshgrid([0.01, 0.5, 1.0, 2.5, 10.0, 50.0], np.r_[0.0, np.logspace(-5, 3, 30), math.nan])
    operands = (a, a.T[:1].T, x / 1000) if name == "betainc" else (a, x)
    expected = getattr(of_scipy, name)(*operands)
    # Some are differences from 1, and SciPy's numbers end at 1e-300.
    require_close(getattr(special, name)(*operands), expected, each=True, scale=1e-288, condition=6.0)


def test_scipys_own_functions_give_values_with_gradients():
    x = np.array([0.2, 0.7])
    for name in [*UNARY, "psi", "gamma"]:
        function = getattr(of_scipy, name)
        require_close(function(Value(x)).data, function(x), each=True)
    v = Value(x)
    of_scipy.xlogy(v, v).sum().backward()
    require_close(v.grad, np.log(x) + 1)
    assert type(of_scipy.expit(Value(0.5))) is Value


def test_bessel_functions_have_their_derivatives_at_0():
    third = grad(grad(grad(special.i1)))
    require_close(third(0.0), 0.375)
    require_close(grad(grad(special.i0))(0.0), 0.5)


def test_weights_of_logsumexp_follow_scipy():
    a, b = np.array([[1.0, -2.0, 300.0], [0.5, 0.1, 299.0]]), np.array([[1.0, 2.0, 0.5], [3.0, -0.1, 1.0]])
    for axis in (None, 0, 1):
        found = special.logsumexp(Value(a), axis=axis, b=Value(b), keepdims=axis == 1)
        require_close(found.data, of_scipy.logsumexp(a, axis, b, axis == 1))
    check_gradients(lambda x, w: special.logsumexp(x, 0, w), a[:, :2], np.abs(b[:, :2]), order=2)


def test_they_compile_in_one_program():
    names = ("gammaln", "log_ndtr", "ndtri", "xlogy")

    def ours(x, z):
        return sum(getattr(special, name)(x, z) if name in BINARY else getattr(special, name)(x) for name in names)

    def theirs(x, z):
        functions = UNARY | BINARY
        return sum(functions[name][0](x, z) if name in BINARY else functions[name][0](x) for name in names)

    with jax_in_double():
        require_the_same_compiled(Problem(ours, theirs, [np.array([0.3, 0.6]), np.array([[0.7], [1.4]])]))


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_reductions_follow_scipy_over_all_axes_or_one(name):
    x = np.array([[1.0, -2.0, 300.0], [0.5, 0.1, 299.0]])
    for axis in (None, 0, -1):
        found = getattr(special, name)(Value(x), axis=axis)
        require_close(found.data, getattr(of_scipy, name)(x, axis=axis), each=True)


def test_a_constant_operand_is_an_error_if_it_is_a_value():
    with pytest.raises(MissingRuleError, match=r"gammainc has no derivative for a: pass a\.data"):
        special.gammainc(Value(2.0), 1.0)
    with pytest.raises(ArgumentError, match=r"polygamma: n is an integer of at least 0, not float 1\.5"):
        special.polygamma(1.5, Value(2.0))


def test_the_logarithm_of_the_normal_distribution_is_exact_far_below_0():
    x = np.array([-1e8, -1e4, -300.0, -20.0, -15.0, -13.0, -5.01, -4.99])
    with np.errstate(all="ignore"):
        expected = of_scipy.log_ndtr(x)
    hazard = np.sqrt(2 / np.pi) / of_scipy.erfcx(-x / np.sqrt(2))  # the derivative, the density / distribution
    for dtype in ("float64", "float32"):
        v = Value(x.astype(dtype))
        y = special.log_ndtr(v)
        y.backward(np.ones(8, dtype))
        require_close(y.data, expected, each=True, dtype=dtype)
        require_close(v.grad, hazard, each=True, dtype=dtype)
