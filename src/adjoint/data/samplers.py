"""Samplers: in which order, and how often, a loader takes the samples of a data set.

The order of an epoch depends only on the seed and the number of the epoch, so training can resume in the middle of a
run. The names are those of `torch.utils.data`.
"""

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np

from adjoint.engine.randomness import SharedSeed, shared_seed
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, whole


class Sampler:
    """The base class of samplers. A subclass defines `__len__` and `order`.

    >>> from adjoint import data
    >>> class Backward(data.Sampler):
    ...     def __len__(self):
    ...         return 4
    ...     def order(self, epoch):
    ...         return [3, 2, 1, 0]
    >>> list(Backward())
    [3, 2, 1, 0]
    """

    _epoch = 0

    def __len__(self) -> int:
        """Return the number of samples per epoch."""
        raise NotImplementedError(f"{type(self).__name__} needs a method __len__")

    def order(self, epoch: int) -> Sequence[Any] | np.ndarray:
        """Return the indices of the samples of an epoch, which is counted from 1."""
        raise NotImplementedError(f"{type(self).__name__} needs a method order(epoch)")

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the order of the next epoch."""
        self._epoch += 1
        order = self.order(self._epoch)
        return iter(order.tolist() if isinstance(order, np.ndarray) else order)


class SequentialSampler(Sampler):
    """All samples in their order.

    >>> from adjoint import data
    >>> list(data.SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data: Sized | int):
        self.size = _size(data)

    def __len__(self) -> int:
        return self.size

    def order(self, epoch: int) -> np.ndarray:
        return np.arange(self.size)


class RandomSampler(Sampler):
    """All samples in a random order, or with `replacement`, `num_samples` of them drawn independently.

    >>> from adjoint import data
    >>> sorted(data.RandomSampler("abcd", seed=1))
    [0, 1, 2, 3]
    >>> len(list(data.RandomSampler("abcd", replacement=True, num_samples=10)))
    10
    """

    def __init__(
        self,
        data: Sized | int,
        replacement: bool = False,
        num_samples: int | None = None,
        *,
        seed: SharedSeed = "shared",
    ):
        self.size, self.replacement, self.seed = _size(data), replacement, seed_number(seed)
        self.count = self.size if num_samples is None else _number(num_samples)

    def __len__(self) -> int:
        return self.count

    def order(self, epoch: int) -> np.ndarray:
        random = np.random.default_rng([self.seed, epoch])
        if self.replacement:
            return random.integers(self.size, size=self.count)
        passes = [random.permutation(self.size) for _ in range(-(-self.count // self.size))]
        return passes[0] if self.count == self.size else np.concatenate(passes)[: self.count]


class WeightedRandomSampler(Sampler):
    """Draws `num_samples` samples with probabilities proportional to their weights, as many as weights by default.

    >>> from adjoint import data
    >>> set(data.WeightedRandomSampler([0.0, 1.0, 3.0], 50, seed=0)) == {1, 2}
    True
    """

    def __init__(
        self,
        weights: Any,
        num_samples: int | None = None,
        replacement: bool = True,
        *,
        seed: SharedSeed = "shared",
    ):
        weights = np.asarray(weights, float)
        if weights.ndim != 1 or not len(weights) or not np.isfinite(weights).all() or not (weights >= 0).all():
            raise ArgumentError("WeightedRandomSampler needs one weight per sample, each finite and at least 0")
        if not weights.any():
            raise ArgumentError("WeightedRandomSampler: all weights are 0; at least one must be positive")
        self.probabilities, self.replacement, self.seed = weights / weights.sum(), replacement, seed_number(seed)
        self.count = len(weights) if num_samples is None else _number(num_samples)
        available = int((weights > 0).sum())
        if not replacement and self.count > available:
            raise ArgumentError(
                f"WeightedRandomSampler cannot draw {self.count} samples without replacement from {available} that "
                "have a weight above 0"
            )

    def __len__(self) -> int:
        return self.count

    def order(self, epoch: int) -> np.ndarray:
        random = np.random.default_rng([self.seed, epoch])
        return random.choice(len(self.probabilities), self.count, self.replacement, self.probabilities)


class SubsetRandomSampler(Sampler):
    """Some samples, given by their indices, in a random order.

    >>> from adjoint import data
    >>> sorted(data.SubsetRandomSampler([3, 5, 8]))
    [3, 5, 8]
    """

    def __init__(self, indices: Sequence[int] | np.ndarray, *, seed: SharedSeed = "shared"):
        self.indices, self.seed = np.asarray(indices, np.int64), seed_number(seed)

    def __len__(self) -> int:
        return len(self.indices)

    def order(self, epoch: int) -> np.ndarray:
        return np.random.default_rng([self.seed, epoch]).permutation(self.indices)


class BatchSampler(Sampler):
    """The indices of another sampler, in batches.

    >>> from adjoint import data
    >>> list(data.BatchSampler(data.SequentialSampler(5), batch_size=2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler, batch_size: int, drop_last: bool = False):
        self.sampler, self.batch_size, self.drop_last = sampler, whole(batch_size, "batch_size"), drop_last

    def __len__(self) -> int:
        return batches_of(len(self.sampler), self.batch_size, self.drop_last)

    def order(self, epoch: int) -> list[list[int]]:
        order = indices_of(self.sampler, epoch)
        return [order[k * self.batch_size : (k + 1) * self.batch_size].tolist() for k in range(len(self))]


def indices_of(sampler: Any, epoch: int) -> np.ndarray:
    """Return the order of an epoch; that of a sampler of another library is not determined by the epoch."""
    order = np.asarray(sampler.order(epoch) if isinstance(sampler, Sampler) else list(sampler))
    if order.size and order.dtype.kind not in "iu":
        hint = "; for a mask, pass numpy.flatnonzero(mask)" if order.dtype.kind == "b" else ""
        raise ArgumentError(f"a sampler must yield the indices of samples, integers, not {describe(order[0])}{hint}")
    return order.astype(np.int64)


def batches_of(samples: int, batch_size: int, drop_last: bool) -> int:
    """Return the number of batches.

    >>> batches_of(10, 4, drop_last=False), batches_of(10, 4, drop_last=True)
    (3, 2)
    """
    return samples // batch_size if drop_last else -(-samples // batch_size)


def seed_number(seed: SharedSeed) -> int:
    """Return a seed as a number: None chooses one."""
    number = shared_seed(seed)
    return int(np.random.SeedSequence().generate_state(1)[0]) if number is None else int(number)


_MOST = 2**32  # the indices of an epoch are held in memory: 32 GiB


def _number(num_samples: int) -> int:
    count = whole(num_samples, "num_samples")
    if count > _MOST:
        raise ArgumentError(
            f"num_samples={count:,}: the indices of an epoch would need {count * 8 / 2**30:,.0f} GiB of memory; draw "
            "fewer samples and train for more epochs"
        )
    return count


def _size(data: Sized | int) -> int:
    size = len(data) if isinstance(data, Sized) else data
    if not isinstance(size, int) or size < 1:
        raise ArgumentError(f"a sampler needs a data set with at least one sample, not {describe(data)}")
    return _number(size)
