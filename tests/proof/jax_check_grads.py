"""JAX's numerical checks of derivatives, `jax.test_util`, on the cases of the tests, to third order.

A case draws a function and its inputs. The distributions and a few other functions have no case; `WITHOUT_CASE` has
their calls.
"""

import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

import jax
import numpy as np
from jax.test_util import check_jvp, check_vjp
from report import Difference, Report, Share

import adjoint
from adjoint import nn, special, stats

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("support", "stats")]
from arrays import Draw, Problem
from random_programs.cases import all_cases, draw_from_bytes
from test_stats import CONTINUOUS, DISCRETE

ORDER, STEP = 3, 1e-4  # the step is that of JAX
SMALL_STEP = 1e-6
DRAWS = 4  # problems of each case; some cases choose between functions

X = np.array([[-1.3, 0.4, 1.1, -0.2], [0.7, -0.9, 0.1, 1.6], [-0.5, 1.9, -1.7, 0.9]])
UNIT = np.array([0.2, 0.4, 0.9])
SHARES = np.array([0.2, 0.3, 0.5])
WITHOUT_CASE: dict[str, tuple[Callable, tuple]] = {
    "dropout": (lambda x: adjoint.dropout(x, 0.5, generator=np.random.default_rng(0)), (X,)),
    "lgamma": (adjoint.lgamma, (UNIT,)),
    "nn.ctc": (lambda x: nn.ctc(adjoint.log_softmax(x, -1), [1, 3], 3, 2), (X,)),
    "nn.multilabel_margin": (lambda x: nn.multilabel_margin(x, np.array([[3, 0, -1, 1]] * 3)), (X,)),
    "special.betainc": (lambda x: special.betainc(1.5, 2.0, x), (UNIT,)),
    "special.gamma": (special.gamma, (UNIT,)),
    "special.gammainc": (lambda x: special.gammainc(1.5, x), (UNIT,)),
    "special.gammaincc": (lambda x: special.gammaincc(1.5, x), (UNIT,)),
    "special.logsumexp": (lambda x, b: special.logsumexp(x, axis=1, b=b), (X, X * X + 0.3)),
    "special.psi": (special.psi, (UNIT,)),
    "stats.dirichlet": (stats.dirichlet.logpdf, (SHARES, UNIT)),
    "stats.multinomial": (lambda p: stats.multinomial.logpmf(np.array([1.0, 2.0, 2.0]), 5.0, p), (SHARES,)),
    "stats.multivariate_normal": (
        lambda x, root: stats.multivariate_normal.logpdf(x, UNIT, root @ root.T + np.eye(3)),
        (X[:, :3], X),
    ),
}


def problems() -> Iterator[tuple[str, Callable, tuple]]:
    """Yield problems of each case and the calls of functions without one: the name, the function, and a point."""
    for name, table in all_cases():
        suitable = filter(_is_suitable, (_drawn(name, table, seed) for seed in range(100)))
        for problem in itertools.islice(suitable, DRAWS):
            yield name, problem.ours, tuple(problem.inputs)
    for name, (function, point) in WITHOUT_CASE.items():
        yield name, function, point
    for name, (shapes, _) in CONTINUOUS.items():
        x = UNIT + 2.1 if name == "pareto" else UNIT  # its support starts at 1
        density = partial(_with_parameters, getattr(stats, name).logpdf)
        yield f"stats.{name}", density, (x, np.array([*shapes, 0.1, 1.4]))
    for name, (shapes, _) in DISCRETE.items():
        k = np.array([1.0, 0.0, 1.0] if name == "bernoulli" else [1.0, 1.0, 2.0])
        constants = (k, *shapes[:1]) if name == "binom" else (k,)  # n is a whole number
        mass = partial(_with_parameters, partial(getattr(stats, name).logpmf, *constants))
        yield f"stats.{name}", mass, (np.array(shapes[len(constants) - 1 :]),)


def _drawn(name: str, table: dict, seed: int) -> Problem | None:
    return draw_from_bytes(lambda draw: table[name](name, Draw(draw, "generic", "float64")), f"{seed} {name}")


def _is_suitable(problem: Problem | None) -> bool:
    """Whether JAX's checks can take a problem: arrays with axes and elements, and numbers of 64 bits throughout."""
    if problem is None or not all(x.ndim and x.size and x.dtype == np.float64 for x in problem.inputs):
        return False
    return _value(problem.ours, *problem.inputs).dtype == np.float64


def _with_parameters(function: Callable, *operands: object) -> object:
    """Call a function whose parameters are the elements of the last array."""
    *others, parameters = operands
    return function(*others, *parameters)


def _value(function: Callable, *point: object) -> object:
    """Return the value of a function that sees Values, also where plain arrays are given."""
    return adjoint.vjp(function, *point)[0]


def check(function: Callable, point: tuple, order: int, step: float) -> None:
    """Do what `jax.test_util.check_grads` does, with the `jvp` and `vjp` of adjoint in the place of JAX's."""
    check_jvp(function, partial(adjoint.jvp, function), point, eps=step)
    check_vjp(function, partial(adjoint.vjp, function), point, eps=step)
    if order > 1:
        check(lambda x, t: adjoint.jvp(function, x, t), (point, point), order - 1, step)
        check(lambda *x: _pull_back(function, x), point, order - 1, step)


def _pull_back(function: Callable, point: tuple) -> tuple:
    value, pullback = adjoint.vjp(function, *point)
    return pullback(value)


def run() -> Report:
    """Check every problem, in both modes and their combinations."""
    report = Report(
        "Checks of JAX",
        f"jax {version('jax')}, jax.test_util",
        "the recursion of check_grads to third order, on problems that the cases of the tests draw: check_jvp and "
        "check_vjp compare adjoint's jvp and vjp, and those of their results, with central differences, with the "
        "tolerances of JAX for float64",
    )
    agree = total = 0
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function, point in problems():
            total += 1
            found = _compare(partial(_value, function), point)
            agree += found is None or found[0] == "reference"
            if found:
                kind, what, reason = found
                report.differences.append(Difference(f"{name}{what}", kind, reason))
    report.shares.append(Share("problems to third order", agree, total))
    return report


def _compare(function: Callable, point: tuple) -> tuple[str, str, str] | None:
    """Return the kind of a difference, what differs, and the reason if it is known; None if every derivative agrees."""
    try:
        check(function, point, ORDER, STEP)
    except AssertionError as error:
        try:
            check(function, point, ORDER, SMALL_STEP)
        except AssertionError:
            return "wrong", f": {' '.join(str(error).split())[:200]}", ""
        return (
            "reference",
            "",
            "central differences with the step of JAX, 1e-4, are not accurate here; with 1e-6 they agree",
        )
    except Exception as error:
        return "refused", f": {type(error).__name__}: {error}"[:200], ""
    return None
