"""Compiled functions that are made again in each call of `fit` or `generate`, and share their programs."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

_KEPT = 32  # the number of programs that are kept between the calls


def compile_shared(fn: Callable, static_argnames: Iterable[str] = ()) -> Any:
    """Return a compiled function. Functions with the same code share programs for models of the same kind and size."""
    from adjoint.compile.compiled import Compiled  # loaded only where it is used

    return Compiled(fn, static_argnames, programs=_programs())


@cache
def _programs() -> Any:
    from adjoint.compile.programs import Programs

    return Programs(_KEPT)
