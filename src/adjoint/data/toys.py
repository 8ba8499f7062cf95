"""Small classification problems in the plane, generated from a seed.

Each function returns `(X, y)`: points, one per row, and their classes as integers from 0. A hinge loss needs the
classes -1 and 1 instead of 0 and 1: `2 * y - 1`.
"""

import numpy as np

from adjoint.engine.randomness import SharedSeed, shared_seed
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole

Data = tuple[np.ndarray, np.ndarray]


def xor(n: int = 4, noise: float = 0.0, seed: SharedSeed = "shared") -> Data:
    """Return the corners of a square, of class 1 where the coordinates differ; they repeat for more than 4 points.

    >>> from adjoint import data
    >>> X, y = data.xor()
    >>> [[*map(int, point), int(label)] for point, label in zip(X, y)]
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    random = _generator(n, noise, seed, least=4)
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X = corners[np.arange(n) % 4]
    return X + noise * random.normal(size=X.shape), np.array([0, 1, 1, 0])[np.arange(n) % 4]


def moons(n: int = 100, noise: float = 0.1, seed: SharedSeed = "shared") -> Data:
    """Return two interleaving half circles.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.moons(100, noise=0.1, seed=1)
    >>> X.shape, np.bincount(y)
    ((100, 2), array([50, 50]))
    """
    random = _generator(n, noise, seed, least=2)
    upper, lower = (np.linspace(0, np.pi, count) for count in _shares(n, 2))
    parts = [_columns(np.cos(upper), np.sin(upper)), _columns(1 - np.cos(lower), 0.5 - np.sin(lower))]
    return _shuffle(parts, noise, random)


def circles(n: int = 100, noise: float = 0.05, factor: float = 0.5, seed: SharedSeed = "shared") -> Data:
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
    parts = []
    for count, radius in zip(_shares(n, 2), (1.0, factor)):
        angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
        parts.append(radius * _columns(np.cos(angle), np.sin(angle)))
    return _shuffle(parts, noise, random)


def blobs(n: int = 100, classes: int = 3, noise: float = 1.0, seed: SharedSeed = "shared") -> Data:
    """Return a round cluster of points for each class; their centers are spread evenly on a circle of radius 4.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = data.blobs(90, classes=3)
    >>> np.bincount(y)
    array([30, 30, 30])
    """
    random = _generator(n, noise, seed, least=whole(classes, "classes"))
    angles = 2 * np.pi * np.arange(classes) / classes
    centers = 4 * _columns(np.cos(angles), np.sin(angles))
    return _shuffle([np.tile(center, (count, 1)) for center, count in zip(centers, _shares(n, classes))], noise, random)


def spirals(n: int = 300, arms: int = 3, noise: float = 0.1, seed: SharedSeed = "shared") -> Data:
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
        radius = np.linspace(0, 1, count)
        angle = 4 * radius + 2 * np.pi * arm / arms + noise * random.normal(size=count)
        parts.append(_columns(radius * np.sin(angle), radius * np.cos(angle)))
    return _shuffle(parts, 0.0, random)


def _columns(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack([x, y], axis=1)


def _shares(n: int, classes: int) -> list[int]:
    """Return the number of points of each class."""
    return [n // classes + (k < n % classes) for k in range(classes)]


def _shuffle(parts: list[np.ndarray], noise: float, random: np.random.Generator) -> Data:
    """Return the points of all classes with noise, in random order."""
    X, y = np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    X = X + noise * random.normal(size=X.shape)
    order = random.permutation(len(X))
    return X[order], y[order]


def _generator(n: int, noise: float, seed: SharedSeed, least: int) -> np.random.Generator:
    whole(n, "the number of points n", least)
    if not is_number(noise) or not 0 <= noise < np.inf:
        raise ArgumentError(f"noise must be a number of at least 0, not {describe(noise)}")
    return np.random.default_rng(shared_seed(seed))
