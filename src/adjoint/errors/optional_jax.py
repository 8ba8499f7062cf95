"""JAX, which is optional, and is loaded by the first call that needs it."""

import importlib.util
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType

from adjoint.errors import MissingExtraError
from adjoint.errors.optional import install_command


def load_jax() -> ModuleType:
    """Return JAX. The first call loads it."""
    if "jax" not in sys.modules:
        with _interrupt_held_back():
            import jax
    import jax

    return jax


@contextmanager
def _interrupt_held_back() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the context: Python cannot load a library again that was loaded in part."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # Python calls no function for Ctrl-C here
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *about: held.append(about))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            before(*held[0])


def require_jax(who: str) -> None:
    """Raise an error that says how to install JAX if it is missing. This does not load it."""
    is_loaded = sys.modules.get("jax") is not None
    if not is_loaded and importlib.util.find_spec("jax") is None:
        raise MissingExtraError(f"{who} compiles through XLA and needs JAX: {install_command('jax')}")
