"""The keys, values and barriers that all processes share. JAX's coordinator, in process 0, keeps them.

JAX uses them itself, but its public names cover only joining and leaving. The functions of
`jax.experimental.multihost_utils` cannot replace them: they run a program on the devices of all processes. Such a
program has no time limit if another process never runs it, and a thread that watches for failures cannot run it beside
the program that trains.
"""

from typing import Any


def coordination_client() -> Any:
    """Return JAX's client of the coordinator; None in a process on its own."""
    from jax._src import distributed  # the only use of a private module of JAX

    return distributed.global_state.client
