"""Modes: whether operations are recorded, and whether NaN and infinity are errors.

Modes belong to a thread, as guards do (`errors/guard_warnings.py`): `with no_grad():` in one thread does not affect
another, and a new thread starts with the defaults.
"""

import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import TypeVar, overload

from adjoint.engine import native
from adjoint.errors import ArgumentError

F = TypeVar("F", bound=Callable)


class _Modes(threading.local):
    """The modes of one thread. Every operation asks for `plain`, so it is stored rather than computed."""

    recording = True
    anomaly = False
    reading = False  # a rule is being evaluated with Values: float(value) would lose a derivative
    plain = True

    def __setattr__(self, name: str, on: bool) -> None:
        super().__setattr__(name, on)
        super().__setattr__("plain", self.recording and not self.anomaly)


modes = native.core.modes if native.core else _Modes()


class Switch(ContextDecorator):
    """Set a mode inside a `with` statement, or during the calls of a decorated function."""

    def __init__(self, mode: str, on: bool):
        self._mode, self._on, self._before = mode, on, []

    def __enter__(self) -> None:
        self._before.append(getattr(modes, self._mode))
        setattr(modes, self._mode, self._on)

    def __exit__(self, *exception) -> None:
        setattr(modes, self._mode, self._before.pop())

    def _recreate_cm(self) -> "Switch":
        return Switch(self._mode, self._on)  # one for each call of a decorated function, so threads do not share it

    def __call__(self, func: F) -> F:
        if getattr(func, "__code__", None) and func.__code__.co_flags & _SUSPENDS:
            raise ArgumentError(
                f"{func.__name__} is a generator or coroutine: its body runs after the decorator has ended; "
                "write the `with` statement inside it"
            )
        return super().__call__(func)


_SUSPENDS = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator: inspect's CO_ flags


@overload
def no_grad() -> Switch: ...
@overload
def no_grad(function: F) -> F: ...
def no_grad(function: Callable | None = None) -> Switch | Callable:
    """Do not record: Values computed inside are leaves, without history. Also a decorator.

    >>> from adjoint import Value, no_grad
    >>> a = Value(2.0)
    >>> with no_grad():
    ...     b = a * 3
    >>> b.data, b.parents
    (6.0, ())
    """
    switch = Switch("recording", False)
    return switch if function is None else switch(function)


def detect_anomaly() -> Switch:
    """Raise an error at the first NaN or infinity, forward or backward, that names the operation and the line.

    >>> from adjoint import Value, detect_anomaly
    >>> with detect_anomaly():
    ...     Value(0.0, label="a").log()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adjoint.errors.AnomalyError: log(a=0.0) gave -inf, at ...
    """
    return Switch("anomaly", True)
