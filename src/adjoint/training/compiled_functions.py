"""The compiled functions of steps: the shapes of batches that each is for, and how long its compilation takes.

A batch is a tuple of inputs, targets and weights; several inputs are a tuple or a dict. Everything else in it is an
array, in contrast to trees, whose lists have parts. Arrays may be nested lists of numbers where NumPy is not needed.
"""

from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Any, NamedTuple


class Shape(NamedTuple):
    """The shape of one array of a batch."""

    sizes: tuple[int, ...]


CHECKED_STEPS = 2  # of a training, which are compared with eager steps
CHECKED_SIZE = 100_000  # numbers among the parameters: eager steps of larger models take too long


def parts_of(batch: Any) -> list:
    """Return the arrays of a batch in order."""
    if isinstance(batch, tuple):
        return [part for given in batch for part in parts_of(given)]
    return [part for given in batch.values() for part in parts_of(given)] if isinstance(batch, dict) else [batch]


def structure_of(batch: Any) -> Any:
    """Return a batch with the shapes of the arrays in their places."""
    if isinstance(batch, tuple):
        return tuple([structure_of(part) for part in batch])
    if isinstance(batch, dict):
        return {key: structure_of(part) for key, part in batch.items()}
    return Shape(_shape(batch))


def shapes_of(batch: Any) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of the arrays of a batch, by which compiled functions are recognized.

    >>> shapes_of(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 0]))
    ((3, 2), (3,))
    """
    return tuple(map(_shape, parts_of(batch)))


def _shape(array: Any) -> tuple[int, ...]:
    return (len(array), *_shape(array[0])) if isinstance(array, list) else getattr(array, "shape", ())


class Stopwatch:
    """Measures the first call of a compiled function for each kind of arguments: that call compiles.

    >>> stopwatch = Stopwatch()
    >>> stopwatch.measure("float", abs, -1.0)
    1.0
    >>> stopwatch.seconds > 0
    True
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._known: set[Hashable] = set()

    def measure(self, kind: Hashable, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, and measure the call unless there was one of its kind."""
        if kind in self._known:
            return function(*arguments)
        begun = perf_counter()
        result = function(*arguments)
        self.seconds += perf_counter() - begun
        self._known.add(kind)
        return result
