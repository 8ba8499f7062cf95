"""Small classification problems in the plane, generated from a seed.

Each function returns `(X, y)`: points, one per row, and their classes as integers from 0. A hinge loss needs the
classes -1 and 1 instead of 0 and 1: `2 * y - 1`.

The points are computed as lists with Python's generator, so that `points` gives the same numbers without NumPy.
"""

import math
import random
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from adjoint.engine.randomness import SharedSeed, generator
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole

if TYPE_CHECKING:
    import numpy as np

Lists = tuple[list[list[float]], list[int]]
P = ParamSpec("P")

TOYS: dict[str, Callable[..., Lists]] = {}  # the data sets as lists, by name


def _arrays(make: Callable[P, Lists]) -> "Callable[P, tuple[np.ndarray, np.ndarray]]":
    """Return a function whose points and classes are arrays."""
    TOYS[make.__name__] = make

    @wraps(make)
    def make_arrays(*args: P.args, **options: P.kwargs) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        X, y = make(*args, **options)
        return np.array(X), np.array(y, np.int64)

    return make_arrays


def points(name: str, **options: Any) -> Lists:
    """Return the points of a generated data set and their classes as lists, which needs no NumPy.

    The options are those of the function with that name, such as `data.moons`.

    >>> from adjoint import data
    >>> data.points("xor")
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    return TOYS[name](**options)


@_arrays
def xor(n: int = 4, noise: float = 0.0, seed: SharedSeed = "shared") -> Lists:
    """Return the corners of a square, of class 1 where the coordinates differ; they repeat for more than 4 points.

    >>> from adjoint import data
    >>> X, y = data.xor()
    >>> [[*map(int, point), int(label)] for point, label in zip(X, y)]
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    random = _generator(n, noise, seed, least=4)
    corners = [(i // 2 % 2, i % 2) for i in range(n)]
    return [[_near(a, noise, random), _near(b, noise, random)] for a, b in corners], [a ^ b for a, b in corners]


@_arrays
def moons(n: int = 100, noise: float = 0.1, seed: SharedSeed = "shared") -> Lists:
    """Return two interleaving half circles.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.moons(100, noise=0.1, seed=1)
    >>> X.shape, np.bincount(y)
    ((100, 2), array([50, 50]))
    """
    random = _generator(n, noise, seed, least=2)
    upper, lower = ([math.pi * t for t in _fractions(count)] for count in _shares(n, 2))
    parts = [[(math.cos(t), math.sin(t)) for t in upper], [(1 - math.cos(t), 0.5 - math.sin(t)) for t in lower]]
    return _shuffle(parts, noise, random)


@_arrays
def circles(n: int = 100, noise: float = 0.05, factor: float = 0.5, seed: SharedSeed = "shared") -> Lists:
    """Return a circle of class 0 and a circle of class 1 inside it, `factor` times as large.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.circles(60, noise=0.0)
    >>> np.hypot(*X[y == 1].T).round(6).max()
    np.float64(0.5)
    """
    random = _generator(n, noise, seed, least=2)
    if not is_number(factor) or not 0 < factor < 1:
        raise ArgumentError(f"factor, the size of the inner circle, must be between 0 and 1, not {describe(factor)}")
    parts = [_circle(count, radius) for count, radius in zip(_shares(n, 2), (1.0, float(factor)))]
    return _shuffle(parts, noise, random)


@_arrays
def blobs(n: int = 100, classes: int = 3, noise: float = 1.0, seed: SharedSeed = "shared") -> Lists:
    """Return a round cluster of points for each class; their centers are spread evenly on a circle of radius 4.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.blobs(90, classes=3)
    >>> np.bincount(y)
    array([30, 30, 30])
    """
    random = _generator(n, noise, seed, least=whole(classes, "classes"))
    return _shuffle(
        [[center] * count for center, count in zip(_circle(classes, 4.0), _shares(n, classes))], noise, random
    )


@_arrays
def spirals(n: int = 300, arms: int = 3, noise: float = 0.1, seed: SharedSeed = "shared") -> Lists:
    """Return the arms of a spiral, one class per arm; the noise is added to the angle.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.spirals(300, arms=3)
    >>> X.shape, np.bincount(y)
    ((300, 2), array([100, 100, 100]))
    """
    random = _generator(n, noise, seed, least=whole(arms, "arms"))
    parts = []
    for arm, count in enumerate(_shares(n, arms)):
        turn = 2 * math.pi * arm / arms
        polar = [(radius, _near(4 * radius + turn, noise, random)) for radius in _fractions(count)]
        parts.append([(radius * math.sin(angle), radius * math.cos(angle)) for radius, angle in polar])
    return _shuffle(parts, 0.0, random)


def _shares(n: int, classes: int) -> list[int]:
    """Return the number of points of each class."""
    return [n // classes + (k < n % classes) for k in range(classes)]


def _fractions(count: int) -> list[float]:
    """Return evenly spaced numbers from 0 to 1."""
    return [i / max(1, count - 1) for i in range(count)]


def _circle(count: int, radius: float) -> list[tuple[float, float]]:
    angles = [2 * math.pi * i / count for i in range(count)]
    return [(radius * math.cos(t), radius * math.sin(t)) for t in angles]


def _shuffle(parts: list[list[tuple[float, float]]], noise: float, random: random.Random) -> Lists:
    """Return the points of all classes with noise, in random order."""
    rows = [
        ([_near(a, noise, random), _near(b, noise, random)], label) for label, part in enumerate(parts) for a, b in part
    ]
    random.shuffle(rows)
    return [place for place, _ in rows], [label for _, label in rows]


def _near(x: float, noise: float, random: random.Random) -> float:
    return x + float(noise) * random.gauss()  # a float32 would make all points float32


def _generator(n: int, noise: float, seed: SharedSeed, least: int) -> random.Random:
    whole(n, "the number of points n", least)
    if not is_number(noise) or not 0 <= noise < math.inf:
        raise ArgumentError(f"noise must be a number of at least 0, not {describe(noise)}")
    return generator(seed, "data")
