"""Let `state_dict()` return the arrays themselves, without copies, for a checkpoint that is written at once."""

from contextlib import AbstractContextManager

from adjoint.errors.settings import Setting

_is_live = Setting(False)


def without_copies() -> AbstractContextManager[None]:
    """Let `state_dict()` return the Values themselves in place of copies of their arrays, while the context lasts.

    >>> from adjoint import nn
    >>> model = nn.Linear(2, 1)
    >>> with without_copies():
    ...     model.state_dict()["weight"] is model.weight
    True
    """
    return _is_live.to(True)


def is_live() -> bool:
    """Return whether a state is read at once, so that it needs no copies."""
    return _is_live.get()
