"""Settings of a context: a thread or an asyncio task that changes one affects no other, and a new thread has defaults.

They share one context variable. The modes that every operation asks for are in `engine/modes.py`, also for the core.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_changed: ContextVar[Mapping["Setting", Any]] = ContextVar("adjoint_settings", default=MappingProxyType({}))


class Setting(Generic[T]):
    """A setting and its default.

    >>> size = Setting(1)
    >>> with size.to(2):
    ...     size.get()
    2
    >>> size.get()
    1
    """

    def __init__(self, default: T):
        self._default = default

    def get(self) -> T:
        """Return the setting of this context."""
        return _changed.get().get(self, self._default)

    def set(self, x: T) -> None:
        """Change the setting in this context, from now on."""
        _changed.set({**_changed.get(), self: x})

    @contextmanager
    def to(self, x: T) -> Iterator[None]:
        """Change the setting while the context lasts."""
        before = self.get()
        self.set(x)
        try:
            yield
        finally:
            self.set(before)
