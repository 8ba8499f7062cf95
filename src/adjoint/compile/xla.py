"""Whole programs, compiled by XLA by way of JAX, which is optional and loaded when the first of them is run.

A function is run once with tracers (`tracing`) in all that it can reach (`state`, `places`). What it computed becomes
a program (`programs`), and what it gave back becomes templates (`templates`). From then on a call is a look whether
everything is as it was (`bindings`, `arguments`) and a run of the program, whose arrays stay on its device (`lots`).
"""

import importlib.util
import sys
from contextlib import nullcontext
from functools import cache
from typing import Any

from adjoint.errors import MissingExtraError


def load_jax() -> Any:
    """Return JAX, which is loaded when the first compiled function is called."""
    import jax

    return jax


def require_jax(who: str) -> None:
    """Say how to install JAX if it is not there; do not load it yet."""
    is_loaded = sys.modules.get("jax") is not None
    if not is_loaded and importlib.util.find_spec("jax") is None:
        raise MissingExtraError(f"{who} compiles through XLA and needs JAX: pip install adjoint[jax]")


def precision(x64: bool) -> Any:
    """Return the setting under which JAX keeps float64 as it is (float32 stays float32), or no setting at all."""
    return load_jax().enable_x64(True) if x64 else nullcontext()


@cache
def one_after_the_other() -> dict[str, str] | None:
    """Return options by which XLA orders the steps of a program for a single thread, where it knows them.

    On a processor it orders them for several threads, and hands the pieces from one to the other.
    """
    options = {"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}
    jax = load_jax()
    if jax.default_backend() != "cpu":
        return None
    try:
        jax.jit(lambda x: x, compiler_options=options).lower(0.0).compile()
    except Exception:  # another version of XLA
        return None
    return options


def is_literal(var) -> bool:
    """Return whether a variable of a jaxpr is a constant that is written where it is used."""
    return hasattr(var, "val")
