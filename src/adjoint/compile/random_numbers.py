"""Notices that a function draws random numbers while jit records it: every call would compute with the same numbers.

The state of a generator before the function runs is compared with the one afterward. Generators are those of `random`,
`numpy.random` and `adjoint.manual_seed`, and the ones that the function can reach. The functions that ask the system
for random numbers, on which `secrets`, `uuid4` and generators made without a seed depend, are watched meanwhile.
`jax.random` needs no check, because its keys are state.
"""

import os
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

from adjoint.compile.reachable import Reach
from adjoint.engine.randomness import shared_generator
from adjoint.errors import RandomNumbersWarning
from adjoint.errors.guard_warnings import warn

State = tuple[str, Callable[[], Any], Any]  # the name of a generator, how to read its state, and the state


class RandomNumbers:
    """Watches the random numbers that a function draws: `with RandomNumbers(reach) as drawn: ...; drawn.warn(name)`."""

    def __init__(self, reach: Reach, restores: bool = False):
        self._restored = [(g, g.getstate()) for g in {random._inst, shared_generator()}] if restores else []
        found: list[tuple[str, Callable[[], Any]]] = [("random", random.getstate)]
        found.append(("adjoint.manual_seed", shared_generator().getstate))
        of_numpy: Any = sys.modules.get("numpy.random")
        if of_numpy is not None:
            found.append(("numpy.random", lambda: repr(of_numpy.get_state())))
        for x in reach.constants:
            generator: Any = x
            if isinstance(x, random.Random) and not isinstance(x, random.SystemRandom):
                found.append(("a random.Random", generator.getstate))
            elif of_numpy is not None and isinstance(x, of_numpy.RandomState):
                found.append(("a NumPy RandomState", lambda x=generator: repr(x.get_state())))
            elif of_numpy is not None and isinstance(x, of_numpy.Generator):
                found.append(("a NumPy generator", lambda x=generator: repr(x.bit_generator.state)))
        self._states: list[State] = [(name, read, read()) for name, read in found]
        self._of_system, self._thread = False, threading.get_ident()

    def __enter__(self) -> "RandomNumbers":
        self._replaced = [(owner, name, getattr(owner, name)) for owner, name in _SYSTEM]
        try:
            for owner, name, function in self._replaced:
                setattr(owner, name, self._watched(function))
        except BaseException:  # an interrupt
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception) -> None:
        for owner, name, function in self._replaced:
            setattr(owner, name, function)
        for generator, state in self._restored:
            generator.setstate(state)

    def _watched(self, function: Callable) -> Callable:
        def call(*arguments, **options):
            if threading.get_ident() == self._thread:
                is_seeded = getattr(function, "__name__", "") == "seed" and arguments[1:] not in ((), (None,))
                self._of_system |= not is_seeded
            return function(*arguments, **options)

        return call

    def names(self) -> list[str]:
        """Return what has been asked for random numbers."""
        used = [name for name, read, before in self._states if read() != before]
        return used + ["the system, as secrets, uuid4 and generators without a seed do"] * self._of_system

    def warn(self, function: str) -> None:
        """Warn if the function has drawn random numbers."""
        used = self.names()
        if used:
            warn(
                "random_numbers",
                RandomNumbersWarning,
                f"{function} draws random numbers of {used[0]} while jit records it, and every later call computes "
                "with the same numbers. Draw them outside of the function, and pass them as arguments",
            )


# Where Python's library asks the system: `random` and `secrets` by a name of their own, `Random()` when it is seeded
_SYSTEM: list[tuple[Any, str]] = [(os, "urandom"), (random, "_urandom"), (random.Random, "seed")]
