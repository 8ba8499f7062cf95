"""Storing the results of a program so that no exception can come between two of the assignments.

A signal handler, such as that of Ctrl-C, and another thread can raise an exception between any two steps of Python
code. They cannot do so inside a function that is written in C and calls no Python code. So all assignments are made by
one call of such a function: a deque that keeps nothing exhausts iterators, and these call `setattr` and its relatives.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice, starmap
from operator import delitem, setitem
from typing import Any

from adjoint.compile.places import ABSENT, Attributes, Container

_set_slot = object.__setattr__  # works for frozen classes too


class Stores:
    """Assignments to attributes and items, which `commit` makes at once."""

    def __init__(self) -> None:
        self._attributes: tuple[list, list, list] = ([], [], [])  # owners, names and contents
        self._slots: tuple[list, list, list] = ([], [], [])
        self._items: tuple[list, list, list] = ([], [], [])
        self._removed: tuple[list, list] = ([], [])

    def attribute(self, owner: object, name: str, content: object) -> None:
        """Assign to an attribute of a Value or a block."""
        _append(self._attributes, owner, name, content)

    def item(self, container: Container, key: object, content: object) -> None:
        """Assign to an item of a container; to the whole list for the key None. ABSENT removes the item."""
        of = container.of
        if isinstance(of, Attributes):
            _append(self._slots, of.of, key, content)
        elif content is ABSENT:
            _append(self._removed, of, key)
        else:
            _append(self._items, of, slice(None) if key is None else key, content)

    def commit(self) -> None:
        """Make the assignments."""
        _exhaust(
            chain(
                map(setattr, *self._attributes),
                map(_set_slot, *self._slots),
                map(setitem, *self._items),
                map(delitem, *self._removed),
            )
        )


def _append(columns: Sequence[list], *row: object) -> None:
    for column, x in zip(columns, row):
        column.append(x)


def _exhaust(iterator: Iterable) -> None:
    deque(iterator, maxlen=0)


def run_and_store(
    run: Callable, inputs: Sequence, count: int, attributes: tuple[Sequence, Sequence, Sequence],
    items: tuple[Sequence, Sequence, Sequence],
) -> Any:  # fmt: skip
    """Run a program and assign to attributes its first `count` results, followed by other contents; and to items.

    The program may delete its inputs, since nothing can come between its end and the assignment of its results.
    """
    owners, names, contents = attributes
    results: list = []
    _exhaust(
        chain(
            map(results.append, starmap(run, (inputs,))),
            # both are evaluated when the program has run: an iterator over a list sees what is appended later
            map(setattr, owners, names, chain(islice(chain.from_iterable(results), count), contents)),
            map(setitem, *items),
        )
    )
    return results[0]
