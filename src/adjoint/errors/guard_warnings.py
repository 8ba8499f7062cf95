"""Guards: warnings for common mistakes, which of them are on, and where they go.

A guard warns once, says what it saw and what to do, and is then silent. `guards(name=False)` switches it off.

Guards follow the rule of the modes in `engine/modes.py`: they belong to a thread. Switching one affects the thread that
does it and no other, and a new thread starts with all guards on.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from adjoint.errors import AdjointWarning, ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error
from adjoint.errors.users_code import users_frame

_NAMES = (
    "stale_gradients",  # a step with gradients that were not set to zero since the last one
    "missing_gradients",  # a parameter that no gradient reaches
    "missing_parameters",  # a parameter of the model that the optimizer does not have
    "not_finite_loss",  # a loss that became NaN or infinite, which ends training
)


class _Thread(threading.local):
    """The guards of one thread: which are off, and the list that collects warnings; None for Python's warnings."""

    off: frozenset[str] = frozenset()
    collected: list[AdjointWarning] | None = None


_thread = _Thread()


class guards:
    """Switch guards on or off in this thread from now on; in a `with` statement, until it ends.

    `stale_gradients` warns of a step with gradients that were not set to zero since the last one, and
    `missing_gradients` of parameters that never receive a gradient. In `fit`, `missing_parameters` warns of parameters
    that the optimizer does not have, and `not_finite_loss` ends training when the loss becomes NaN or infinite.

    >>> from adjoint import Value, guards
    >>> from adjoint.optim import SGD
    >>> w = Value([1.0])
    >>> optimizer = SGD([w], lr=0.1)
    >>> with guards(stale_gradients=False):
    ...     for _ in range(2):
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    """

    def __init__(self, **switches: bool):
        for name, on in switches.items():
            if name not in _NAMES:
                raise unknown_name_error("guard", name, _NAMES)
            if not isinstance(on, bool):
                raise ArgumentError(f"guards: {name} must be True or False, not {describe(on)}")
        self._before = {name: is_on(name) for name in switches}
        _switch(switches)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _switch(self._before)


def _switch(switches: dict[str, bool]) -> None:
    _thread.off = frozenset(name for name in _NAMES if not switches.get(name, is_on(name)))


def is_on(name: str) -> bool:
    """Return whether a guard is on in this thread."""
    return name not in _thread.off


@contextmanager
def collect_warnings() -> Iterator[list[AdjointWarning]]:
    """Collect the warnings of guards in this thread while the context lasts, instead of issuing them.

    `warnings.catch_warnings` would catch those of all threads. The lab, which shows warnings in its own page, uses this
    instead.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0])
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> with collect_warnings() as collected:
    ...     for _ in range(2):
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    >>> [type(warning).__name__ for warning in collected]
    ['StaleGradientWarning']
    """
    before, _thread.collected = _thread.collected, []
    try:
        yield _thread.collected
    finally:
        _thread.collected = before


def warn(name: str, category: type[AdjointWarning], message: str) -> None:
    """Warn at the user's line, and say how to switch the guard off."""
    text = f"{message} (adjoint.guards({name}=False) switches this warning off.)"
    if _thread.collected is not None:
        _thread.collected.append(category(text))
        return
    frame = users_frame()
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno)
