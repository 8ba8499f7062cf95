"""Notices that a function draws random numbers while jit records it: every call would compute with the same numbers.

The state of a generator before the function runs is compared with the one afterward. Generators are those of `random`,
`numpy.random` and `adjoint.manual_seed`, and the ones that the function can reach. `jax.random` needs no check, because
its keys are state.
"""

import random
import sys
from collections.abc import Callable
from typing import Any

from adjoint.compile.reachable import Reach
from adjoint.engine.randomness import shared_generator
from adjoint.errors import RandomNumbersWarning
from adjoint.errors.guard_warnings import warn

State = tuple[str, Callable[[], Any], Any]  # the name of a generator, how to read its state, and the state


def random_states(reach: Reach) -> list[State]:
    """Return the states of the generators that a function can use."""
    found: list[tuple[str, Callable[[], Any]]] = [("random", random.getstate)]
    found.append(("adjoint.manual_seed", shared_generator().getstate))
    of_numpy: Any = sys.modules.get("numpy.random")
    if of_numpy is not None:
        found.append(("numpy.random", lambda: repr(of_numpy.get_state())))
    x: Any
    for x in reach.constants:
        if isinstance(x, random.Random):
            found.append(("a random.Random", x.getstate))
        elif of_numpy is not None and isinstance(x, of_numpy.Generator):
            found.append(("a NumPy generator", lambda x=x: repr(x.bit_generator.state)))
    return [(name, read, read()) for name, read in found]


def warn_of_random_numbers(states: list[State], function: str) -> None:
    """Warn if a generator has been used since its state was read."""
    for name, read, before in states:
        if read() != before:
            warn(
                "random_numbers",
                RandomNumbersWarning,
                f"{function} draws random numbers of {name} while jit records it, and every later call computes with "
                "the same numbers. Draw them outside of the function, and pass them as arguments",
            )
            return
