"""The batches of a training run: all samples at once, or some of them, in a new order for each epoch."""

from collections.abc import Iterator, Sequence
from random import Random

Inputs = list[list[float]]  # of some samples
Targets = list[int]
Batch = tuple[Inputs, Targets]


class Batches:
    """Iterates over the batches of an epoch. Its order depends only on the seed and the number of the epoch.

    >>> batches = Batches([[0.0], [1.0], [2.0]], [0, 1, 0], size=2, seed=0)
    >>> len(batches), sum(len(y) for x, y in batches), batches.epoch
    (2, 3, 1)
    """

    def __init__(self, x: Sequence[list[float]], y: Sequence[int], size: int | None, seed: int):
        self.x, self.y, self.seed = x, y, seed
        self.size, self.is_shuffled = size or len(y), size is not None
        self.epoch, self.batch = 0, 0  # the number of epochs started, and of batches of the current one

    def __len__(self) -> int:
        """Return the number of batches per epoch."""
        return -(-len(self.y) // self.size)

    def __iter__(self) -> Iterator[Batch]:
        """Start an epoch."""
        self.epoch += 1
        order = list(range(len(self.y)))
        if self.is_shuffled:
            Random(f"epoch {self.epoch} {self.seed}").shuffle(order)
        for k in range(len(self)):
            self.batch = k + 1
            rows = order[k * self.size : self.batch * self.size]
            yield [self.x[i] for i in rows], [self.y[i] for i in rows]


def held_out(count: int, fraction: float, seed: int) -> list[bool]:
    """Return which of the samples are held out for testing; none if the fraction is less than half a sample.

    >>> sum(held_out(10, 0.25, seed=0)), held_out(1, 0.5, seed=0)
    (2, [False])
    """
    size = min(count - 1, max(1, round(fraction * count))) if count > 1 and fraction * count >= 0.5 else 0
    chosen = set(Random(f"held out {seed}").sample(range(count), size))
    return [i in chosen for i in range(count)]
