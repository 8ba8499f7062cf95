"""Guards: warnings for common mistakes, which of them are on, and where they go.

A guard warns once, says what it saw and what to do, and is then silent. `guards(name=False)` switches it off.

Guards follow the rule of the modes in `engine/modes.py`: they belong to a context. Switching one affects the thread or
asyncio task that does it and no other, and a new thread starts with all guards on.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from adjoint.errors import AdjointWarning, ArgumentError, cut
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error
from adjoint.errors.users_code import users_frame

_NAMES = (
    "stale_gradients",  # a step with gradients that were not set to zero since the last one
    "missing_gradients",  # a parameter that no gradient reaches
    "missing_parameters",  # a parameter of the model that the optimizer does not have
    "identity_comparison",  # a Value of one number compared with a plain number by ==
    "recompilation",  # a function that is compiled for the third time for the same shapes
    "random_numbers",  # random numbers that a compiled function draws once, while it is recorded
    "not_finite_loss",  # a loss that became NaN or infinite, which ends training
)


_off: ContextVar[frozenset[str]] = ContextVar("adjoint_guards_off", default=frozenset())
# The list that collects warnings; None for Python's own warnings.
_collected: ContextVar[list[AdjointWarning] | None] = ContextVar("adjoint_collected_warnings", default=None)


class guards:
    """Switch guards on or off in this context from now on; in a `with` statement, until it ends.

    `stale_gradients` warns of a step with gradients that were not set to zero since the last one, and
    `missing_gradients` of parameters that never receive a gradient. `identity_comparison` warns of `v == 2.0`, which is
    always False for a Value of one number. `recompilation` warns of a function that `jit` compiles for the third time
    for the same shapes, and `random_numbers` of random numbers that such a function draws once, while it is recorded.
    In `fit`, `missing_parameters` warns of parameters that the optimizer does not have, and `not_finite_loss` ends
    training when the loss becomes NaN or infinite.

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
    _off.set(frozenset(name for name in _NAMES if not switches.get(name, is_on(name))))


def is_on(name: str) -> bool:
    """Return whether a guard is on in this context."""
    return name not in _off.get()


@contextmanager
def collect_warnings() -> Iterator[list[AdjointWarning]]:
    """Collect the warnings of guards in this context while the context lasts, instead of issuing them.

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
    before, collected = _collected.get(), []
    _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.set(before)


def warn(name: str, category: type[AdjointWarning], message: str) -> None:
    """Warn at the user's line, and say how to switch the guard off."""
    text = f"{cut(message)} (adjoint.guards({name}=False) switches this warning off.)"
    collected = _collected.get()
    if collected is not None:
        collected.append(category(text))
        return
    frame = users_frame()
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno)
