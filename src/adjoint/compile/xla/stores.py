"""Storing the results of a program so that no exception can come between two of the assignments.

A signal handler, such as that of Ctrl-C, and another thread can raise an exception between any two steps of Python
code. They cannot do so inside a function that is written in C and calls no Python code. So all assignments are made by
one call of such a function: a deque that keeps nothing exhausts iterators, and these call `setattr` and its relatives.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, starmap
from operator import delitem, setitem
from typing import Any

from adjoint.compile.places import Attributes, Container

_set_slot = object.__setattr__  # works for frozen classes too


class Stores:
    """Where the results of a program belong: attributes of Values and blocks, then items of containers."""

    def __init__(self, attributes: Sequence[tuple[object, str]], items: Sequence[tuple[Container, object, bool]]):
        """`items` are containers, keys and whether the item is removed, in the order of `group_of`."""
        self._owners, self._names = [owner for owner, _ in attributes], [name for _, name in attributes]
        groups: list[list[tuple]] = [[], [], []]
        for container, key, is_removed in items:
            of = container.of.of if isinstance(container.of, Attributes) else container.of
            groups[group_of(container, is_removed)].append((of, slice(None) if key is None else key))
        self._slots, self._items, self._removed = ([list(column) for column in zip(*group)] for group in groups)

    def assign(self, contents: Iterable) -> Iterator:
        """Return an iterator that makes the assignments when it is exhausted, in C."""
        remaining = iter(contents)
        parts = [map(setattr, self._owners, self._names, remaining)]
        if self._slots:
            parts.append(map(_set_slot, *self._slots, remaining))
        if self._items:
            parts.append(map(setitem, *self._items, remaining))
        if self._removed:
            parts.append(map(delitem, *self._removed))
        return chain.from_iterable(parts)


def group_of(container: Container, is_removed: bool) -> int:
    """Return how an item is stored: 0 for an attribute, 1 for an item, 2 for an item that is removed."""
    return 0 if isinstance(container.of, Attributes) else 2 if is_removed else 1


def store(stores: Stores, contents: Iterable) -> None:
    """Make all assignments at once."""
    deque(stores.assign(contents), maxlen=0)


def run_and_store(run: Callable, inputs: Sequence, count: int, stores: Stores, contents: Iterable) -> Any:
    """Run a program, store its first `count` results followed by other contents, and return its results.

    The program may delete its inputs, since nothing can come between its end and the assignment of its results.
    """
    results: list = []
    # evaluated when the program has run: an iterator over a list sees what is appended later
    stored = chain(islice(chain.from_iterable(results), count), contents)
    deque(chain(map(results.append, starmap(run, (inputs,))), stores.assign(stored)), maxlen=0)
    return results[0]
