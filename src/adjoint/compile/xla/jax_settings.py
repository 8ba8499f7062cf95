"""The settings with which JAX traces and compiles: the precision of arrays, and the options of small programs."""

from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache

from adjoint.errors.interruptions import raise_interruption
from adjoint.errors.optional_jax import load_jax


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
