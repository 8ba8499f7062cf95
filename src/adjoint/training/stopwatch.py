"""Stopwatch: how long compilation takes, as part of the calls of a compiled function."""

from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Any


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
