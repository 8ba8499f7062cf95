"""The samples of the room Train: built-in data sets, points that the user adds, and CSV files.

A sample is a row: its inputs and its class. Samples with two inputs are points in the plane; with more inputs, a page
shows a table instead.
"""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from adjoint.data import parse_table, points
from adjoint.errors import LabError, describe
from adjoint_lab.serve import messages
from adjoint_lab.serve.messages import Message

GATES = ("xor", "and", "or")  # truth tables with two inputs
GENERATED = (*GATES, "circles", "moons", "spirals", "blobs")  # in the plane; with a size, noise and a seed
BUILT_IN = (*GATES, "four_points", *GENERATED[len(GATES) :])  # in the order in which a page lists them
DATASETS = (*BUILT_IN, "points", "csv")  # in the last two, the samples are the user's

MAX_SAMPLES, MAX_CLASSES, MAX_INPUTS = 500, 8, 16
MAX_COORDINATE = 1e6  # of the user's own samples

CLASS_OPTIONS = {"blobs": "classes", "spirals": "arms"}  # the option of each data set for the number of classes

Lists = tuple[list[list[float]], list[int]]  # the inputs of each sample, and the classes
Row = tuple[float, ...]  # a sample: its inputs and its class
Point = tuple[float, float, int]  # a sample in the plane

# The four points of examples/four_points.py.
FOUR_POINTS: tuple[Row, ...] = ((2.0, 3.0, -1.0, 1), (3.0, -1.0, 0.5, 0), (0.5, 1.0, 1.0, 0), (1.0, 1.0, -1.0, 1))


def generate(name: str, n: int, noise: float, seed: int, classes: int) -> Lists:
    """Return a generated data set.

    >>> generate("and", 4, 0.0, 0, 2)[1]
    [0, 0, 0, 1]
    """
    if name in ("and", "or"):
        X, _ = points("xor", n=n, noise=noise, seed=seed)
        corners, _ = points("xor", n=n)
        return X, [int(all(corner) if name == "and" else any(corner)) for corner in corners]
    options = {CLASS_OPTIONS[name]: classes} if name in CLASS_OPTIONS else {}
    return points(name, n=n, noise=noise, seed=seed, **options)


def as_lists(rows: Iterable[Row]) -> Lists:
    """Return samples as a list of inputs and a list of classes."""
    rows = list(rows)
    return [[float(x) for x in row[:-1]] for row in rows], [int(row[-1]) for row in rows]


def read_point(given: object, classes: int) -> Point:
    """Read a sample in the plane from a list of its coordinates and its class.

    >>> read_point([0.5, -1, 1], classes=2)
    (0.5, -1.0, 1)
    """
    if not isinstance(given, list) or len(given) != 3:
        raise LabError(f"a point must be a list [x1, x2, class], not {describe(given)}")
    (x1, x2), label = _inputs(given[:2]), _class(given[2], classes)
    return x1, x2, label


def read_points(message: Message, name: str, classes: int) -> tuple[Point, ...]:
    """Read a list of points from a message."""
    return tuple(read_point(given, classes) for given in messages.items(message, name, MAX_SAMPLES, []))


def read_rows(message: Message, name: str) -> tuple[Row, ...]:
    """Read a list of samples with the same number of inputs, at least two, from a message."""
    rows = messages.items(message, name, MAX_SAMPLES, [])
    for given in rows:
        if not isinstance(given, list) or not 3 <= len(given) <= MAX_INPUTS + 1 or len(given) != len(rows[0]):
            raise LabError(
                f"a sample must be a list [x1, x2, …, class] of 2 to {MAX_INPUTS} inputs, as many as in the others, "
                f"and a class, not {describe(given)}"
            )
    return tuple((*_inputs(row[:-1]), _class(row[-1], MAX_CLASSES)) for row in rows)


def _inputs(given: Sequence[object]) -> list[float]:
    return [messages.finite(x, f"x{i}", -MAX_COORDINATE, MAX_COORDINATE) for i, x in enumerate(given, 1)]


def _class(given: object, classes: int) -> int:
    return messages.whole({"class": given}, "class", 0, classes - 1)


class Table(TypedDict):
    """The samples of a CSV file, as fields of a configuration."""

    rows: list[list[float]]
    labels: list[str]


def read_csv(text: str, name: str) -> Table:
    """Read a CSV file with at least two inputs and a class.

    >>> read_csv("x1,x2,class\\n0,1,5\\n1,0,7", "points.csv")
    {'rows': [[0.0, 1.0, 0], [1.0, 0.0, 1]], 'labels': ['5', '7']}
    """
    X, y = parse_table(text, name)
    inputs = len(X[0])
    if not 2 <= inputs <= MAX_INPUTS:
        raise LabError(f"{name} has {inputs} input column{'s' * (inputs != 1)}; use 2 to {MAX_INPUTS}")
    if len(X) > MAX_SAMPLES:
        raise LabError(f"{name} has {len(X)} samples; the limit is {MAX_SAMPLES}")
    other = next((x for x in y if not x.is_integer()), None)
    if other is not None:
        raise LabError(f"{name}: the last column contains {other:g}; classes must be whole numbers")
    known = sorted(set(map(int, y)))
    if not 2 <= len(known) <= MAX_CLASSES:
        raise LabError(f"{name} has {len(known)} class{'es' * (len(known) != 1)}; use 2 to {MAX_CLASSES}")
    return {
        "rows": [[*row, known.index(int(label))] for row, label in zip(X, y)],
        "labels": [str(label) for label in known],
    }
