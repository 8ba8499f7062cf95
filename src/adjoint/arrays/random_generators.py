"""Generators of random arrays and random numbers, from the seeds that public functions accept."""

import random
from typing import TYPE_CHECKING, TypeAlias

from adjoint.engine.checkpoint_draws import drawn, same_generator
from adjoint.engine.randomness import shared_generator
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    import numpy as np

Seed: TypeAlias = "int | np.random.Generator | random.Random | None"


def generator(seed: Seed = None) -> "np.random.Generator":
    """Return the random generator of a seed. Without one, it is drawn from the generator of `manual_seed`.

    >>> int(generator(0).integers(100)) == int(generator(0).integers(100))
    True
    """
    import numpy as np

    if isinstance(seed, np.random.Generator):
        return same_generator(seed)
    if seed is None or isinstance(seed, random.Random):
        return np.random.default_rng(drawn(lambda: (seed or shared_generator()).getrandbits(128)))
    return np.random.default_rng(_as_seed(seed))


def number_generator(seed: "int | random.Random | None" = None) -> random.Random:
    """Return the random generator of a seed for single numbers: Python's, so that NumPy is not needed.

    >>> number_generator(0).random() == number_generator(0).random()
    True
    """
    if isinstance(seed, random.Random):
        return seed
    return shared_generator() if seed is None else random.Random(_as_seed(seed))


def _as_seed(seed: int) -> int:
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or seed < 0:
        raise ArgumentError(
            f"seed must be an integer of at least 0, numpy.random.default_rng(…) or None, not {describe(seed)}"
        )
    return int(seed)
