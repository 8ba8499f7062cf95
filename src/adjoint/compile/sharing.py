"""Compiled functions that are made again in each call of `fit` or `generate`, and share their programs."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from adjoint.compile.shard_rules import Shard

_KEPT = 32  # the number of programs that are kept between the calls


def compile_shared(
    fn: Callable, static_argnames: Iterable[str] = (), devices: object = None, shard: Shard = None
) -> Any:
    """Return a compiled function. Functions with the same code share programs for models of the same kind and size.

    Programs for several devices are not shared.
    """
    from adjoint.compile.compiled import Compiled  # loaded only where it is used

    if devices is not None or shard is not None:
        return Compiled(fn, static_argnames, devices, shard)
    return Compiled(fn, static_argnames, programs=_programs())


@cache
def _programs() -> Any:
    from adjoint.compile.programs import Programs

    return Programs(_KEPT)
