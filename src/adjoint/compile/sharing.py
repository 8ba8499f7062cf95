"""Compiles functions for code that loads the compiler only where it is used."""

from collections.abc import Callable, Iterable
from typing import Any

from adjoint.compile.shard_rules import Shard
from adjoint.errors.guard_warnings import is_on


def compile_shared(
    fn: Callable, static_argnames: Iterable[str] = (), devices: object = None, shard: Shard = None,
    check: bool | int = False,
) -> Any:  # fmt: skip
    """Return a compiled function; it shares its programs with those of the same code, unless it has devices.

    The first `check` calls on one device warn of a result that is not that of the eager function.
    """
    from adjoint.compile.compiled import Compiled  # loaded only where it is used

    check = check if devices is None and is_on("compiled_results") else False
    return Compiled(fn, static_argnames, devices, shard, check=check, is_strict=False)
