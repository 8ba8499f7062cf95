"""Functions against mpmath, with the error that the rounding of the operands allows, and no more.

A result of `eps` digits cannot be better than the operands: a function whose operand is off by a part `eps` is off by
|x f'(x)| eps. So the tolerance of a value f is

    ulps * eps * (|f| + Σ |x f'(x)|)

and that of a slope the same with its own value and derivatives, which mpmath computes with at least 120 digits.
`exponent=True` is for exp of a sum, such as a density: an error of the exponent, which is as large as its own rounding,
is a relative error of the result.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import mpmath as mp
import numpy as np
from closeness import require_close

import adjoint
from adjoint import Value

DIGITS, STEP = 120, "1e-45"
TINY = {"float64": 2.0**-1022, "float32": 2.0**-126}
EPS = {"float64": 2.0**-52, "float32": 2.0**-23}
LARGEST = {"float64": 1.7976931348623157e308, "float32": 3.4028234663852886e38}


@dataclass(frozen=True)
class Row:
    """A function, its reference in mpmath, and the points at which they are compared.

    `variables` are the operands with a gradient. `slopes` are references of their derivatives; without them mpmath
    takes differences of the function. `ulps` above 16 has its reason beside it.
    """

    call: Callable
    reference: Callable
    points: tuple[tuple[float, ...], ...]
    slopes: tuple[Callable, ...] | None = None
    variables: tuple[int, ...] = (0,)
    ulps: float = 16.0
    exponent: bool = False

    def __hash__(self):
        return id(self)


def row(call, reference, points, **options) -> Row:
    """Return a row whose points may be numbers."""
    return Row(call, reference, tuple(p if isinstance(p, tuple) else (p,) for p in points), **options)


def points_of(row: Row, dtype: str) -> list[tuple[float, ...]]:
    """Return the points rounded to the dtype, without those that become infinite or whole numbers, such as poles."""
    with np.errstate(all="ignore"):
        rounded = [tuple(float(np.dtype(dtype).type(x)) for x in point) for point in row.points]
    pairs = zip(rounded, row.points)
    kept = [
        p for p, given in pairs if all(math.isfinite(x) and x.is_integer() == z.is_integer() for x, z in zip(p, given))
    ]
    return [*dict.fromkeys(kept)]


@cache
def references(row: Row, point: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return the value and the slopes at a point, each with the size that its rounding has."""
    smallest = max([-math.log10(abs(x)) for x in point if x], default=0)
    with mp.workdps(DIGITS + 2 * max(0, int(smallest))):  # the steps are parts of the operands
        xs = [mp.mpf(x) for x in point]
        value, slopes, _ = _derivatives(row.reference, xs, 1 if row.slopes is None else 0, row.variables)
        if row.slopes is None:
            found = [_sized(value, [x * s for x, s in zip(xs, slopes)], row.exponent)]
            for i in row.variables:
                _, own, mixed = _derivatives(row.reference, xs, 2, (i,))
                found.append(_sized(own[i], [x * m for x, m in zip(xs, mixed[i])], row.exponent))
            return found
        given = [slope(*xs) for slope in row.slopes]
        found = [_sized(value, [xs[i] * s for i, s in zip(row.variables, given)], row.exponent)]
        for slope in row.slopes:
            own, changes, _ = _derivatives(slope, xs, 1, ())
            found.append(_sized(own, [x * s for x, s in zip(xs, changes)], row.exponent))
        return found


def _sized(value, changes, exponent: bool) -> tuple[float, float]:
    size = abs(value) + sum(map(abs, changes))
    if exponent and value:
        size += abs(value) * abs(mp.log(abs(value)))
    return float(value), float(size)


def _derivatives(function, xs, order: int, wanted: Sequence[int]):
    """Return the value and first derivatives: all for order 1; for order 2 the wanted ones and their derivatives."""
    steps = [abs(x) * mp.mpf(STEP) if x else mp.mpf(STEP) for x in xs]

    def at(*moves):
        moved = list(xs)
        for i, sign in moves:
            moved[i] += sign * steps[i]
        return function(*moved)

    value, n = at(), range(len(xs))
    first = {i: (at((i, 1)) - at((i, -1))) / (2 * steps[i]) for i in (n if order == 1 else wanted if order else ())}
    second = {}
    for i in wanted if order == 2 else ():
        second[i] = [
            (at((i, 1)) - 2 * value + at((i, -1))) / steps[i] ** 2
            if i == j
            else (at((i, 1), (j, 1)) - at((i, 1), (j, -1)) - at((i, -1), (j, 1)) + at((i, -1), (j, -1)))
            / (4 * steps[i] * steps[j])
            for j in n
        ]
    return value, first if order != 1 else list(first.values()), second


def require_right(row: Row, dtype: str, run: Callable | None = None, ulps: float = 1.0, only=None) -> None:
    """Require the values and slopes of a row; `run` maps the function of a row to one that is compiled, for example."""
    points = points_of(row, dtype)[:: only or 1]
    operands = [np.array(column, dtype) for column in zip(*points)]
    expected = list(zip(*[references(row, point) for point in points]))
    values, slopes = (run or eager)(row, operands)
    assert str(values.dtype) == dtype
    names = ["value", *[f"slope of operand {i}" for i in row.variables]]
    for what, found, pairs in zip(names, [values, *slopes], expected):
        right, sizes = (np.array(column) for column in zip(*pairs))
        right = np.where(np.abs(right) > LARGEST[dtype], np.copysign(np.inf, right), right)
        with np.errstate(over="ignore"):
            room = row.ulps * ulps * sizes + TINY[dtype] / EPS[dtype]
        for point, x, e, size in zip(points, np.asarray(found, float), right, room):
            near_the_end = abs(e) > 0.999 * LARGEST[dtype] and abs(x) > 0.99 * LARGEST[dtype]
            if not near_the_end:
                require_close(x, e, f"{what} at {point}", ulps=1, scale=size, each=True, dtype=dtype)


def eager(row: Row, operands: Sequence[np.ndarray]):
    """Return the values and the slopes of a row."""
    given = [Value(x) if i in row.variables else x for i, x in enumerate(operands)]
    y = row.call(*given)
    y.backward(np.ones_like(y.data))
    return y.data, [given[i].grad for i in row.variables]


def numbers(row: Row, operands: Sequence[np.ndarray]):
    """Return the same, computed number by number by the engine of plain Values."""
    values, slopes = [], [[] for _ in row.variables]
    for point in zip(*[x.tolist() for x in operands]):
        given = [Value(x) if i in row.variables else x for i, x in enumerate(point)]
        y = row.call(*given)
        y.backward()
        values.append(y.data)
        for each, i in zip(slopes, row.variables):
            each.append(given[i].grad)
    return np.array(values), [np.array(each) for each in slopes]


def compiled(row: Row, operands: Sequence[np.ndarray]):
    """Return the same from one compiled program."""
    call, variables = row.call, row.variables  # jit reads what the function refers to
    slopes = adjoint.grad(lambda *xs: adjoint.sum(call(*xs)), argnums=variables)
    y, found = adjoint.jit(lambda *xs: (call(*xs), slopes(*xs)))(*operands)
    return np.asarray(y), [np.asarray(x) for x in found]
