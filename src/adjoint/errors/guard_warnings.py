"""Guards against mistakes that are easily made: which of them are on, and how they speak.

A guard warns once, says what it saw and what to do, and then keeps silent. `guards(name=False)` switches it off.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adjoint.errors import AdjointWarning, ArgumentError
from adjoint.errors.given import described
from adjoint.errors.suggest import unknown
from adjoint.errors.users_code import users_frame

_ON = {
    "stale_gradients": True,  # a step with gradients that were not set to zero since the last
    "missing_gradients": True,  # a parameter that no gradient reaches
    "missing_parameters": True,  # a parameter of the model that the optimiser does not have
    "not_finite_loss": True,  # a loss that became NaN or infinite, which ends training
}


class guards:
    """Switch guards on or off from now on; in a `with` statement, until it ends.

    `stale_gradients` warns of a step with gradients that were not set to zero since the last one, and
    `missing_gradients` of parameters that never receive a gradient. In `fit`, `missing_parameters` warns of parameters
    that the optimiser was not given, and `not_finite_loss` ends training when the loss becomes NaN or infinite.

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
            if name not in _ON:
                raise unknown("guard", name, _ON)
            if not isinstance(on, bool):
                raise ArgumentError(f"the guard {name} is switched by True or False, not {described(on)}")
        self._before = {name: _ON[name] for name in switches}
        _ON.update(switches)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        _ON.update(self._before)


def is_on(name: str) -> bool:
    """Return whether a guard is switched on."""
    return _ON[name]


class _Listener(threading.local):
    """Where what the guards say in this thread goes; None for the usual warnings."""

    heard: list[AdjointWarning] | None = None


_listener = _Listener()


@contextmanager
def listening() -> Iterator[list[AdjointWarning]]:
    """Collect what guards say in this thread, while the context lasts, and give no warning.

    `warnings.catch_warnings` would catch those of all threads; so who shows warnings in a place of its own, as the lab
    does, listens instead.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0])
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> with listening() as heard:
    ...     for _ in range(2):
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    >>> [type(warning).__name__ for warning in heard]
    ['StaleGradientWarning']
    """
    before, _listener.heard = _listener.heard, []
    try:
        yield _listener.heard
    finally:
        _listener.heard = before


def warn(name: str, category: type[AdjointWarning], message: str) -> None:
    """Warn at the user's line, and say how to switch the guard off."""
    text = f"{message} (adjoint.guards({name}=False) switches this warning off.)"
    if _listener.heard is not None:
        _listener.heard.append(category(text))
        return
    frame = users_frame()
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno)
