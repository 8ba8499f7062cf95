"""The same programs, written for each library; each runs in a process of its own, made by `processes.Process`.

`problems.py` has the weights and the data as NumPy arrays. `with_adjoint.py`, `with_torch.py`, `with_jax.py` and
`with_mygrad.py` turn each into a step: a function that trains once and returns the loss before the update.
"""

import importlib
from collections.abc import Callable


def training(engine: str, name: str, compiled: bool = False) -> Callable[[], float]:
    """Return the step of a library on the named problem."""
    problem = getattr(importlib.import_module("peers.problems"), name)()
    make = getattr(importlib.import_module(f"peers.with_{engine}"), name)
    return make(problem, compiled=True) if compiled else make(problem)
