"""The random generator that layers, data, dropout and random arrays share: `manual_seed(0)` makes a program repeatable.

A seed given as an argument wins. Without `manual_seed`, the numbers come from Python's `random`, so `random.seed(0)`
works as well, and data sets and the order of batches have the seed 0.
"""

import random
from typing import Literal

from adjoint.errors.given import whole

SharedSeed = int | Literal["shared"] | None  # an explicit seed, the seed that `shared_seed` chooses, or a fresh one

_seeded: list[random.Random] = []  # the generator of the last `manual_seed`


def manual_seed(seed: int) -> None:
    """Seed everything that draws random numbers and is not given a seed of its own.

    This seeds the initial weights of layers, dropout, random arrays, the order of batches and generated data sets.
    Python's `random` and `numpy.random` stay as they are.

    >>> import adjoint
    >>> from adjoint import nn
    >>> adjoint.manual_seed(0)
    >>> first = nn.Linear(2, 3)
    >>> adjoint.manual_seed(0)
    >>> bool((first.weight.data == nn.Linear(2, 3).weight.data).all())
    True
    """
    _seeded[:] = [random.Random(whole(seed, "manual_seed: the seed", least=0))]


def shared_generator() -> random.Random:
    """Return the generator of `manual_seed`; without one, the generator of Python's `random`."""
    return _seeded[0] if _seeded else random._inst  # pyright: ignore[reportAttributeAccessIssue]


def shared_seed(seed: SharedSeed) -> int | None:
    """Return the seed of data. "shared" is drawn from the generator of `manual_seed`, and is 0 if that was not called.

    >>> shared_seed(7), shared_seed("shared")
    (7, 0)
    """
    if seed == "shared":
        return shared_generator().getrandbits(62) if _seeded else 0
    return seed


def generator(seed: SharedSeed, purpose: str) -> random.Random:
    """Return a generator of a seed, or a fresh one for None. Each purpose has numbers of its own.

    >>> generator(0, "data").random() == generator(0, "data").random() != generator(0, "order").random()
    True
    """
    number = shared_seed(seed)
    return random.Random() if number is None else random.Random(f"{purpose} {whole(number, 'seed', least=0)}")
