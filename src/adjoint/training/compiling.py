"""Compiled functions of training, whose programs serve the next call of `fit` too."""

from collections.abc import Callable
from functools import cache
from typing import Any

_KEPT = 32  # the number of programs that are kept between calls of `fit`


def compile_shared(fn: Callable) -> Any:
    """Return a compiled function. Functions with the same code share programs for models of the same kind and size."""
    from adjoint.compile.compiled import Compiled  # loaded only where it is used

    return Compiled(fn, programs=_programs())


@cache
def _programs() -> Any:
    from adjoint.compile.programs import Programs

    return Programs(_KEPT)
