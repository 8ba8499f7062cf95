"""The programs of compiled functions, by the keys of their calls.

Functions with the same code share their programs. `jit(...)` written inside a function makes a new compiled function in
each call, each call of `fit` makes a new training step, and those of models of the same kind and size have the same
keys.
"""

import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from types import CodeType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from adjoint.compile.backend import Program

PROGRAMS = 128  # to keep for a function; the one that was not used for the longest time is dropped


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


_shared: WeakKeyDictionary[CodeType, dict[frozenset, Programs]] = WeakKeyDictionary()


def shared_programs(fn: Callable, static: Iterable[int | str]) -> Programs:
    """Return the programs of all functions with the code of this one and these static arguments."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None:
        return Programs(PROGRAMS)
    return _shared.setdefault(code, {}).setdefault(frozenset(static), Programs(PROGRAMS))
