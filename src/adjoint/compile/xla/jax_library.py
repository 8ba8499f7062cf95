"""Access to JAX, which is optional and is loaded when the first compiled function is called."""

import importlib.util
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from types import FrameType, ModuleType

from adjoint.errors import MissingExtraError
from adjoint.errors.interruptions import raise_interruption
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


def precision(x64: bool) -> AbstractContextManager:
    """Return a context in which JAX keeps float64 arrays as they are; without `x64`, JAX's own setting holds."""
    return load_jax().enable_x64(True) if x64 else nullcontext()


def leave_precision(context: AbstractContextManager) -> None:
    """Leave a context of `precision` after an exception, which may have come while it was entered or left."""
    with suppress(AttributeError):  # it was not entered
        context.__exit__(None, None, None)  # a second time: it restores what was before


@cache
def single_thread_options() -> dict[str, str] | None:
    """Return the compiler options that order the steps of a small program for one thread; None without such options.

    By default XLA orders them for several threads on a CPU. For small arrays, handing work to another thread takes
    longer than the work.
    """
    options = {"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}
    jax = load_jax()
    if jax.default_backend() != "cpu":
        return None
    try:
        jax.jit(lambda x: x, compiler_options=options).lower(0.0).compile()
    except Exception as error:  # a version of XLA without this option
        raise_interruption(error)
        return None
    return options
