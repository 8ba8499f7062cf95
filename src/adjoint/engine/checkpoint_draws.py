"""Replay random draws when `checkpoint` recomputes a function.

`checkpoint` records what its function draws in the first run. In the second run, which computes derivatives, the
function gets the same again, for instance the same mask of dropout, and running statistics stay as they are.
"""

import copy
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from adjoint.errors import GraphError

_NOTHING: Any = object()
T = TypeVar("T")


class _Runs(threading.local):
    """The lists that record what is drawn, one for each checkpoint that runs, and what a second run gets."""

    recording: tuple[list, ...] = ()
    given: Iterator | None = None


_runs = _Runs()


def other_run_error(what: str) -> GraphError:
    """Return the error for a function that does something else in the second run of a checkpoint."""
    return GraphError(
        f"checkpoint: the function {what} when it ran again for the derivative, so the derivative would be wrong. It "
        "must do the same in both runs. A function in a loop may use the last value of a loop variable: pass the "
        "variable as an argument. A model must stay in train() or eval() until backward() has ended"
    )


def drawn(draw: Callable[[], T]) -> T:
    """Return what `draw` returns; in the second run of a checkpoint, what it returned in the first."""
    found = draw() if _runs.given is None else next(_runs.given, _NOTHING)
    if found is _NOTHING:
        raise other_run_error("drew more random numbers")
    for draws in _runs.recording:
        draws.append(found)
    return found


def same_generator(generator: T, copied: Callable[[T], Any] = copy.deepcopy) -> T:
    """Return a random generator; in the second run of a checkpoint, one in the state that it had in the first."""
    if _runs.given is None and not _runs.recording:
        return generator
    before = drawn(lambda: copied(generator))
    return generator if _runs.given is None else copied(before)


def is_second_run() -> bool:
    """Return whether a checkpoint runs its function for the second time."""
    return _runs.given is not None


@contextmanager
def recorded_draws() -> Iterator[list]:
    """Record what is drawn in this context."""
    before, draws = _runs.recording, []
    _runs.recording = (*before, draws)
    try:
        yield draws
    finally:
        _runs.recording = before


@contextmanager
def second_run(draws: Iterable) -> Iterator[None]:
    """Give out in this context what was drawn before, in the same order, and require that all of it is used."""
    before, given = (_runs.given, _runs.recording), iter(draws)
    _runs.given, _runs.recording = given, ()
    try:
        yield
    finally:
        _runs.given, _runs.recording = before
    if next(given, _NOTHING) is not _NOTHING:
        raise other_run_error("drew fewer random numbers")
