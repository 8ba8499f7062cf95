"""Replay random draws when `checkpoint` recomputes a function.

`checkpoint` records what its function draws in the first run. In the second run, which computes derivatives, the
function gets the same again, for instance the same mask of dropout, and running statistics stay as they are.
"""

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from adjoint import errors
from adjoint.errors.settings import Setting

_NOTHING: Any = object()
T = TypeVar("T")


_recording: Setting[tuple[list, ...]] = Setting(())  # lists of what is drawn, one for each checkpoint that runs
_given: Setting[Iterator | None] = Setting(None)  # what a second run gets


def other_run_error(what: str) -> "errors.GraphError":
    """Return the error for a function that does something else in the second run of a checkpoint."""
    return errors.GraphError(
        f"checkpoint: the function {what} when it ran again for the derivative, so the derivative would be wrong. It "
        "must do the same in both runs. A function in a loop may use the last value of a loop variable: pass the "
        "variable as an argument. A model must stay in train() or eval() until backward() has ended"
    )


def drawn(draw: Callable[[], T]) -> T:
    """Return what `draw` returns; in the second run of a checkpoint, what it returned in the first."""
    given = _given.get()
    found = draw() if given is None else next(given, _NOTHING)
    if found is _NOTHING:
        raise other_run_error("drew more random numbers")
    for draws in _recording.get():
        draws.append(found)
    return found


def same_generator(generator: T, copied: Callable[[T], Any] = copy.deepcopy) -> T:
    """Return a random generator; in the second run of a checkpoint, one in the state that it had in the first."""
    if _given.get() is None and not _recording.get():
        return generator
    before = drawn(lambda: copied(generator))
    return generator if _given.get() is None else copied(before)


def is_second_run() -> bool:
    """Return whether a checkpoint runs its function for the second time."""
    return _given.get() is not None


@contextmanager
def recorded_draws() -> Iterator[list]:
    """Record what is drawn in this context."""
    draws = []
    with _recording.to((*_recording.get(), draws)):
        yield draws


@contextmanager
def second_run(draws: Iterable) -> Iterator[None]:
    """Give out in this context what was drawn before, in the same order, and require that all of it is used."""
    given = iter(draws)
    with _given.to(given), _recording.to(()):
        yield
    if next(given, _NOTHING) is not _NOTHING:
        raise other_run_error("drew fewer random numbers")
