"""JAX's numerical checks of derivatives, `jax.test_util`, on the functions of adjoint, to third order."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version

import jax
import numpy as np
from jax.test_util import check_jvp, check_vjp
from report import Difference, Report, Share

import adjoint
from adjoint import ops
from adjoint.cli.checks import tables

ORDER, STEP = 3, 1e-4  # the step is that of JAX


def functions() -> Iterator[tuple[str, Callable, tuple]]:
    """Yield each row of the table of operations and each function of arrays: its name, the function, and a point."""
    rng = np.random.default_rng(0)
    for name, row in ops.TABLE.items():
        point = rng.uniform(0.3, 0.7, (len(row.operands), 3)) + (1.5 if name == "acosh" else 0.0)
        yield name, partial(_value, row), tuple(point)
    for group, members in tables().items():
        for name, function in members.items():
            apart = rng.permutation(np.linspace(-1.7, 1.9, 12)) + rng.uniform(-0.05, 0.05, 12)  # no sums are equal
            yield f"{name} ({group})", partial(_value, function), (apart.reshape(3, 4),)


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
    """Check every function, in both modes and their combinations."""
    report = Report(
        "Checks of JAX",
        f"jax {version('jax')}, jax.test_util",
        "the recursion of check_grads to third order: check_jvp and check_vjp compare adjoint's jvp and vjp, and those "
        "of their results, with central differences, with the tolerances of JAX for float64",
    )
    agree = total = 0
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function, point in functions():
            total += 1
            found = _compare(function, point)
            agree += found is None or found[0] == "reference"
            if found:
                kind, what, reason = found
                report.differences.append(Difference(f"{name}{what}", kind, reason))
    report.shares.append(Share("functions to third order", agree, total))
    return report


def _compare(function: Callable, point: tuple) -> tuple[str, str, str] | None:
    """Return the kind of a difference, what differs, and the reason if it is known; None if every derivative agrees."""
    try:
        check(function, point, ORDER, STEP)
    except AssertionError as error:
        try:
            check(function, point, ORDER, STEP / 4)
        except AssertionError:
            return "wrong", f": {' '.join(str(error).split())[:200]}", ""
        return (
            "reference",
            "",
            "central differences with the step of JAX, 1e-4, are not accurate here; with 2.5e-5 they agree",
        )
    except Exception as error:
        return "refused", f": {type(error).__name__}: {error}"[:200], ""
    return None
