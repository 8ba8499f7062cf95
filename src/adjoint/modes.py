"""What a thread has switched on or off: recording, and the search for anomalies."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from adjoint import native


class _Modes(threading.local):
    """The state of one thread; `plain` is what is asked for each operation, so it is kept and not derived."""

    recording = True
    anomaly = False
    plain = True

    def __setattr__(self, name: str, on: bool) -> None:
        super().__setattr__(name, on)
        super().__setattr__("plain", self.recording and not self.anomaly)


modes = native.core.modes if native.core else _Modes()


@contextmanager
def no_grad() -> Iterator[None]:
    """Record nothing: Values computed inside are leaves, without history. Also a decorator.

    >>> from adjoint import Value, no_grad
    >>> a = Value(2.0)
    >>> with no_grad():
    ...     b = a * 3
    >>> b.data, b.parents
    (6.0, ())
    """
    before, modes.recording = modes.recording, False
    try:
        yield
    finally:
        modes.recording = before


@contextmanager
def detect_anomaly() -> Iterator[None]:
    """Raise an error at the first NaN or infinity, forward or backward, that says where it arose.

    >>> from adjoint import Value, detect_anomaly
    >>> with detect_anomaly():
    ...     Value(0.0, label="a").log()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adjoint.errors.AnomalyError: log(a=0.0) gave -inf, at ...
    """
    before, modes.anomaly = modes.anomaly, True
    try:
        yield
    finally:
        modes.anomaly = before
