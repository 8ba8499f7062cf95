"""The programs of compiled functions, by the keys of their calls.

A function keeps its programs. Several functions with the same code can share them: each call of `fit` makes a new
training step, and the steps of models of the same kind and size have the same keys.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from adjoint.compile.backend import Program


class ChangedNumbers(NamedTuple):
    """Which numbers a function changes that are constants in a key. As constants they cannot be compiled."""

    paths: frozenset[str]
    kept: Sequence[object]  # alive, so that the ids in the key stay theirs


class NotCompiled:
    """Stands for the program of a function that was not called yet. It is false."""

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "no program yet: jit compiles a function when it is called; call it once"

    def __repr__(self) -> str:
        return f"<{self}>"

    def listing(self, full: bool = False) -> str:
        """Return the sentence: there are no instructions."""
        return str(self)


class Programs:
    """A mapping from keys to programs, which forgets those that were not used for the longest time."""

    def __init__(self, limit: int | None = None):
        self._limit, self._lock = limit, threading.Lock()
        self._entries: OrderedDict[Hashable, Program | ChangedNumbers] = OrderedDict()

    def get(self, key: Hashable) -> Program | ChangedNumbers | None:
        """Return what is known about the calls with a key."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def add(self, key: Hashable, entry: Program | ChangedNumbers) -> None:
        """Keep a program, or the reason why there is none."""
        with self._lock:
            self._entries[key] = entry
            while self._limit is not None and len(self._entries) > self._limit:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
