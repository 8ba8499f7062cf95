"""Data sets: anything with a length and samples by index, and what is made of others. Names are PyTorch's.

    train, test = random_split(TensorDataset(X, y), [0.8, 0.2], seed=0)
    loader = DataLoader(train.map(lambda x, y: (x + generator().normal(size=2), y)), batch_size=32, shuffle=True)

A data set of PyTorch is a data set here too, and the reverse: both need only `__len__` and `__getitem__`.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from adjoint.data.samplers import seed_number
from adjoint.data.tables import Rows, trees_of
from adjoint.engine.randomness import SharedSeed
from adjoint.errors import ArgumentError, ArrayIndexError, DataError
from adjoint.errors.given import describe, is_number
from adjoint.errors.interruptions import raise_interruption
from adjoint.errors.settings import Setting
from adjoint.transforms.trees import tree_leaves, tree_map


class Samples(Protocol):
    """What a data set needs: a length, and a sample for each index from 0."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...


class Dataset:
    """The base class of data sets. A subclass defines `__len__` and `__getitem__`; it gets `map` and `+`.

    >>> from adjoint import data
    >>> class Squares(data.Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, index):
    ...         return index, index**2
    >>> Squares()[3], Squares().map(lambda x, y: (x, y + 1))[3]
    ((3, 9), (3, 10))
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} needs a method __len__, the number of samples")

    def __getitem__(self, index: int, /) -> Any:
        raise NotImplementedError(f"{type(self).__name__} needs a method __getitem__, the sample of an index")

    def map(self, function: Callable[..., Any]) -> "MapDataset":
        """Return a data set whose samples are the results of a function; a tuple is passed as several arguments."""
        return MapDataset(self, function)

    def __add__(self, other: Samples) -> "ConcatDataset":
        return ConcatDataset([self, other])


class TensorDataset(Dataset):
    """Rows of arrays as samples: sample i is the tuple of their rows i.

    >>> from adjoint import data
    >>> dataset = data.TensorDataset([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    >>> len(dataset), dataset[1]
    (2, (array([3., 4.]), np.int64(1)))
    """

    def __init__(self, *data: Rows):
        self.parts = trees_of(data, "TensorDataset")
        self.size = len(tree_leaves(self.parts)[0])

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any, /) -> Any:
        """Return a sample, or for a slice or an array of indices, their rows."""
        return tree_map(lambda array: array[index], self.parts)


class MapDataset(Dataset):
    """The samples of a data set, each passed through a function when it is read.

    >>> from adjoint import data
    >>> data.MapDataset([1, 2, 3], lambda x: 10 * x)[1]
    20
    """

    def __init__(self, dataset: Samples, function: Callable[..., Any]):
        if not callable(function):
            raise ArgumentError(f"map needs a function of a sample, not {describe(function)}")
        self.dataset, self.function = require_samples(dataset), function

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int, /) -> Any:
        sample = self.dataset[index]
        return self.function(*sample) if isinstance(sample, tuple) else self.function(sample)


class Subset(Dataset):
    """Some samples of a data set, given by their indices.

    >>> from adjoint import data
    >>> data.Subset("abcde", [0, 3])[1]
    'd'
    """

    def __init__(self, dataset: Samples, indices: Sequence[int] | np.ndarray):
        self.dataset, self.indices = require_samples(dataset), [int(i) for i in indices]
        wrong = next((i for i in self.indices if not -len(dataset) <= i < len(dataset)), None)
        if wrong is not None:
            raise ArrayIndexError(f"Subset: index {wrong} is out of range: there are {len(dataset)} samples")

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int, /) -> Any:
        return self.dataset[self.indices[index]]


class ConcatDataset(Dataset):
    """The samples of several data sets, one after the other.

    >>> from adjoint import data
    >>> both = data.ConcatDataset(["ab", "cde"])
    >>> len(both), both[1], both[2], both[-1]
    (5, 'b', 'c', 'e')
    """

    def __init__(self, datasets: Iterable[Samples]):
        self.datasets = [require_samples(dataset) for dataset in datasets]
        if not self.datasets:
            raise ArgumentError("ConcatDataset needs at least one data set")
        self.ends = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.ends[-1]

    def __getitem__(self, index: int, /) -> Any:
        if not -len(self) <= index < len(self):
            raise ArrayIndexError(f"ConcatDataset: index {index} is out of range: there are {len(self)} samples")
        index %= len(self)
        which = bisect_right(self.ends, index)
        return self.datasets[which][index - (self.ends[which - 1] if which else 0)]


def random_split(
    dataset: Samples, lengths: Sequence[float] | Sequence[int], *, seed: SharedSeed = "shared"
) -> list[Subset]:
    """Split a data set at random into parts, given their sizes or fractions that add up to 1.

    >>> from adjoint import data
    >>> [len(part) for part in data.random_split(range(10), [0.8, 0.2])]
    [8, 2]
    >>> [len(part) for part in data.random_split("abcde", [2, 3])]
    [2, 3]
    """
    total = len(require_samples(dataset))
    if not lengths or not all(is_number(x) and x >= 0 for x in lengths):
        raise ArgumentError(f"random_split needs sizes or fractions of the parts, not {describe(lengths)}")
    if abs(sum(lengths) - 1) < 1e-9 and total != 1:
        sizes = [int(total * x) for x in lengths]
        for k in range(total - sum(sizes)):  # the rest goes to the first parts, as in PyTorch
            sizes[k % len(sizes)] += 1
    else:
        sizes = [int(x) for x in lengths]
        if sizes != list(lengths) or sum(sizes) != total:
            raise ArgumentError(
                f"random_split: sizes must add up to {total}, the number of samples, and fractions to 1; the sum of "
                f"{list(lengths)} is {sum(lengths):g}"
            )
    order = np.random.default_rng(seed_number(seed)).permutation(total)
    ends = list(accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends)]


def require_samples(dataset: Any) -> Any:
    """Return a data set; raise if it has no length or no samples by index."""
    if hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__"):
        return dataset
    raise ArgumentError(f"a data set needs __len__ and __getitem__, but {describe(dataset)} does not have both")


# --- batches of samples ---


def collate(samples: Sequence[Any]) -> Any:
    """Return samples as one batch: numbers and arrays are stacked, also inside tuples, lists and dicts.

    >>> import numpy as np
    >>> from adjoint import data
    >>> data.collate([(np.array([1.0, 2.0]), 0), (np.array([3.0, 4.0]), 1)])
    (array([[1., 2.],
           [3., 4.]]), array([0, 1]))
    """
    first = samples[0]
    if isinstance(first, dict):
        return {name: collate([sample[name] for sample in samples]) for name in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            lengths = " and ".join(map(str, sorted({len(sample) for sample in samples})))
            raise DataError(f"samples of different lengths, {lengths}, cannot be one batch; pad them, or pass collate=")
        return tuple(collate(part) for part in zip(*samples))
    rows = [np.asarray(sample) for sample in samples]
    shape = rows[0].shape
    if rows[0].dtype.kind not in "fiub":
        raise DataError(
            f"a sample contains {describe(first)}; a batch needs numbers or arrays. Convert it, or pass collate="
        )
    for k, row in enumerate(rows):
        if row.shape != shape:
            raise DataError(
                f"samples of different shapes, {shape} and {row.shape} (the first and number {k} of the batch), cannot "
                "be one batch; crop or pad them, or pass collate="
            )
    return np.stack(rows)


_current: Setting[tuple[int, ...]] = Setting(())


def generator() -> np.random.Generator:
    """Return the random generator of the sample that a loader is reading, for random changes of the data.

    It depends on the seed of the loader, the epoch and the index of the sample: so the numbers are the same for any
    number of workers, and differ from epoch to epoch. Outside a loader it is a new generator without a seed.

    >>> from adjoint import data
    >>> noisy = data.MapDataset([0.0, 0.0], lambda x: x + data.generator().normal())
    """
    current = _current.get()
    return np.random.default_rng(current or None)


def read_samples(dataset: Samples, indices: Sequence[int] | np.ndarray, seed: int, epoch: int) -> list[Any]:
    """Return samples by their indices; an error names the index."""
    found = []
    for index in indices:
        try:
            with _current.to((seed, epoch, int(index))):
                found.append(dataset[int(index)])
        except Exception as error:
            raise_interruption(error)
            raise DataError(
                f"sample {int(index)} of {type(dataset).__name__} could not be read: {type(error).__name__}: {error}"
            ) from error
    return found
