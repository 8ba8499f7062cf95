"""Let `state_dict()` return the arrays themselves, without copies, for a checkpoint that is written at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_live: ContextVar[bool] = ContextVar("adjoint_live_states", default=False)


@contextmanager
def without_copies() -> Iterator[None]:
    """Let `state_dict()` return the Values themselves in place of copies of their arrays, while the context lasts.

    >>> from adjoint import nn
    >>> model = nn.Linear(2, 1)
    >>> with without_copies():
    ...     model.state_dict()["weight"] is model.weight
    True
    """
    token = _is_live.set(True)
    try:
        yield
    finally:
        _is_live.reset(token)


def is_live() -> bool:
    """Return whether a state is read at once, so that it needs no copies."""
    return _is_live.get()
