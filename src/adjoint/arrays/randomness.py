"""NumPy generators for random arrays, from the seeds that public functions accept."""

import random

import numpy as np

from adjoint.engine.randomness import shared_generator
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe

Seed = int | np.random.Generator | random.Random | None


def generator(seed: Seed = None) -> np.random.Generator:
    """Return the random generator of a seed. Without one, it is drawn from the generator of `manual_seed`.

    >>> int(generator(0).integers(100)) == int(generator(0).integers(100))
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None or isinstance(seed, random.Random):
        return np.random.default_rng((seed or shared_generator()).getrandbits(128))
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or seed < 0:
        raise ArgumentError(
            f"seed must be an integer of at least 0, numpy.random.default_rng(…) or None, not {describe(seed)}"
        )
    return np.random.default_rng(int(seed))
