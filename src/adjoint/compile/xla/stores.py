"""Storing the results of a program so that no exception can come between two of the assignments.

A signal handler, such as that of Ctrl-C, and another thread can raise an exception between any two steps of Python
code. They cannot do so inside a function that is written in C and calls no Python code. So all assignments are made by
one call of such a function: a deque that keeps nothing exhausts iterators, and these call `setattr` and its relatives.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, starmap
from operator import call
from typing import Any

from adjoint.compile.places import Assignment


class Stores:
    """The attributes that results of a program are assigned to."""

    def __init__(self, attributes: Sequence[tuple[object, str]]):
        self._owners, self._names = [owner for owner, _ in attributes], [name for _, name in attributes]

    def assign(self, contents: Iterable, assignments: Iterable[Assignment]) -> Iterator:
        """Return an iterator that assigns to the attributes, and makes other assignments, when it is exhausted."""
        return chain(map(setattr, self._owners, self._names, contents), starmap(call, assignments))


def store(stores: Stores, contents: Iterable, assignments: Iterable[Assignment]) -> None:
    """Make all assignments at once."""
    deque(stores.assign(contents, assignments), maxlen=0)


def run_and_store(
    run: Callable, inputs: Sequence, count: int, stores: Stores, contents: Iterable, assignments: Iterable[Assignment]
) -> Any:
    """Run a program, store its first `count` results followed by other contents, and return its results.

    The program may delete its inputs, since nothing can come between its end and the assignment of its results.
    """
    results: list = []
    # evaluated when the program has run: an iterator over a list sees what is appended later
    stored = chain(islice(chain.from_iterable(results), count), contents)
    deque(chain(map(results.append, starmap(run, (inputs,))), stores.assign(stored, assignments)), maxlen=0)
    return results[0]


def without_interrupt(f: Callable[[], Any]) -> Any:
    """Return `f()`, computed by a thread of its own: signal handlers, such as that of Ctrl-C, run in the main thread.

    The first run of a program calls Python code of JAX, in which an exception of a handler would lose the state that
    the program was given. Such an exception is raised again when `f` has ended.
    """
    outcome: list = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(f())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="adjoint-first-run")
    interruption = None
    thread.start()
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:
            interruption = error
    if interruption is not None or errors:
        raise interruption or errors[0]
    return outcome[0]
