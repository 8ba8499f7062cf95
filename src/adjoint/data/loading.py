"""Splitting data for training and testing, and loading it in batches, in a new order for each epoch."""

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from adjoint.data.datasets import TensorDataset, collate, read_samples
from adjoint.data.samplers import RandomSampler, Sampler, batches_of, indices_of, seed_number
from adjoint.data.tables import Rows, trees_of
from adjoint.engine.randomness import SharedSeed, shared_seed
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.transforms.trees import tree_leaves, tree_map

if TYPE_CHECKING:
    from adjoint.data.workers import Workers


def train_test_split(*data: Rows, test_size: float | int = 0.2, seed: SharedSeed = "shared") -> list[np.ndarray]:
    """Split arrays into rows to train on and rows to test with; return both parts of each array in turn.

    `test_size` is a fraction of the rows, or their number. Without a seed, the rows depend on `adjoint.manual_seed`; if
    that was not called, they are the same each time.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = np.arange(20.0).reshape(10, 2), np.arange(10)
    >>> X_train, X_test, y_train, y_test = data.train_test_split(X, y, test_size=0.3)
    >>> X_train.shape, X_test.shape, bool((X_test[:, 0] == 2 * y_test).all())
    ((7, 2), (3, 2), True)
    """
    parts = trees_of(data, "train_test_split")
    rows = len(tree_leaves(parts)[0])
    is_part = isinstance(test_size, float) and 0 < test_size < 1
    is_count = not isinstance(test_size, (float, bool)) and is_number(test_size) and 0 < test_size < rows
    if not is_part and not is_count:
        raise ArgumentError(
            f"test_size must be a fraction between 0 and 1, or a number below {rows}, not {describe(test_size)}"
        )
    count = max(1, round(test_size * rows)) if is_part else int(test_size)
    if count >= rows:
        raise ArgumentError(f"test_size={test_size} of {rows} rows leaves no rows to train on; use a smaller one")
    order = np.random.default_rng(shared_seed(seed)).permutation(rows)
    test, train = np.sort(order[:count]), np.sort(order[count:])
    return [tree_map(lambda array, rows=rows: array[rows], part) for part in parts for rows in (train, test)]


class DataLoader:
    """Iterates over batches of a data set: `for x, y in DataLoader(X, y, batch_size=32):`.

    The data are arrays with one row per sample, one by one or as a tuple, or a data set with `__len__` and
    `__getitem__`, such as one of PyTorch. A tuple or a dict of arrays stays one in each batch:
    `DataLoader((x1, x2), y)`. Samples of a data set become a batch by `collate`.

    With `shuffle`, each epoch has a different order, which depends only on the seed and the number of the epoch. So
    `state_dict()` is three numbers, and a loader that has loaded them continues with the next batch. A `sampler`
    chooses the order otherwise, and a `batch_sampler` whole batches.

    With `workers`, threads load up to `prefetch` batches each in the background; with `processes`, they are processes.
    The batches and their order do not depend on the number of workers. `close()` ends the workers; so does deleting the
    loader.

    >>> import numpy as np
    >>> from adjoint import data
    >>> X, y = np.arange(10.0).reshape(5, 2), np.arange(5)
    >>> loader = data.DataLoader(X, y, batch_size=2)
    >>> len(loader), [labels.tolist() for _, labels in loader]
    (3, [[0, 1], [2, 3], [4]])
    """

    def __init__(
        self,
        *data: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        seed: SharedSeed = "shared",
        drop_last: bool = False,
        sampler: Any = None,
        batch_sampler: Any = None,
        collate: Callable[[Sequence[Any]], Any] | None = None,
        workers: int = 0,
        processes: bool = False,
        prefetch: int = 2,
        **words: Never,
    ):
        if words:
            raise _torch_word_error(words)
        self.dataset = _dataset_of(data)
        self.arrays: list[np.ndarray] = []
        if isinstance(self.dataset, TensorDataset) and collate is None:
            self.arrays = tree_leaves(self.dataset.parts)
        self.batch_size, self.shuffle, self.drop_last = whole(batch_size, "batch_size"), shuffle, drop_last
        self.seed = seed_number(seed)
        if sampler is not None or batch_sampler is not None:
            _require_one_order(shuffle, sampler, batch_sampler)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        if drop_last and len(self) == 0:
            raise ArgumentError(
                f"drop_last with batch_size={batch_size} drops all {self.samples} rows; use smaller batches"
            )
        for i, part in enumerate(self.dataset.parts if self.arrays else ()):
            for array in tree_leaves(part):
                require_finite(array, _PARTS[min(i, 2)])
        self._read = _Reader(self.dataset, collate)
        self._workers = whole(workers, "workers", 0), processes, whole(prefetch, "prefetch")
        self._pool: Workers | None = None
        self.epoch, self.batch = 0, 0  # the number of epochs started, and of batches of the current one
        self._is_resumed = False

    @property
    def samples(self) -> int:
        """The number of samples per epoch."""
        return len(self.dataset if self.sampler is None else self.sampler)

    def __len__(self) -> int:
        """Return the number of batches per epoch."""
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        return batches_of(self.samples, self.batch_size, self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        """Start an epoch, or continue the epoch of a loaded state."""
        if not self._is_resumed or self.batch >= len(self):
            self.epoch, self.batch = self.epoch + 1, 0
        self._is_resumed = False
        first, batches = self.batch, self._batches()
        tasks = ((rows, self.seed, self.epoch) for rows in batches)
        for k, batch in enumerate(self._loaded(tasks), first + 1):
            self.batch = k
            yield batch

    def _batches(self) -> Iterator[Any]:
        """Yield the rows of each batch of the rest of the epoch: a slice, or indices."""
        if self.batch_sampler is not None:
            sampler = self.batch_sampler
            batches = sampler.order(self.epoch) if isinstance(sampler, Sampler) else list(sampler)
            yield from batches[self.batch :]
            return
        order = self._order()
        count = len(self) if order is None else batches_of(len(order), self.batch_size, self.drop_last)
        for k in range(self.batch, count):
            batch = slice(k * self.batch_size, (k + 1) * self.batch_size)
            yield batch if order is None else order[batch]

    def _order(self) -> np.ndarray | None:
        if self.sampler is not None:
            return indices_of(self.sampler, self.epoch)
        if self.shuffle:
            return RandomSampler(len(self.dataset), seed=self.seed).order(self.epoch)
        return None if self.arrays else np.arange(len(self.dataset))

    def _loaded(self, tasks: Iterator[tuple[Any, int, int]]) -> Iterator[Any]:
        count, processes, prefetch = self._workers
        if not count:
            return (self._read(*task) for task in tasks)
        if self._pool is None:
            from adjoint.data.workers import Workers  # which loads the libraries of processes and threads

            self._pool = Workers(self._read, count, processes, prefetch)
        return self._pool.map(tasks)

    def close(self) -> None:
        """End the workers. The next iteration starts new ones."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def peek(self) -> Any:
        """Return a batch of the first sample, without starting an epoch."""
        return self._read(slice(0, 1) if self.arrays else [0], self.seed, 0)

    @property
    def is_rewindable(self) -> bool:
        """Whether the order of an epoch is determined by its number, so that a state can be loaded."""
        return isinstance(self.sampler or self.batch_sampler, Sampler | None)

    def state_dict(self) -> dict[str, int]:
        """Return the position of the loader."""
        return {"seed": self.seed, "epoch": self.epoch, "batch": self.batch}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Load the position of a loader of the same data: the next iteration starts with its next batch."""
        if not isinstance(state, dict) or state.keys() != self.state_dict().keys():
            raise ArgumentError(f"DataLoader needs a state with the keys seed, epoch and batch, not {describe(state)}")
        if state["batch"] > len(self):
            raise ArgumentError(
                f"the state is at batch {state['batch']}, but this loader has {len(self)} batches per epoch; use the "
                "same data and batch_size"
            )
        self.seed, self.epoch, self.batch = (int(state[name]) for name in ("seed", "epoch", "batch"))
        self._is_resumed = self.epoch > 0

    def __repr__(self) -> str:
        shapes = ", ".join(str(array.shape) for array in self.arrays) or f"{len(self.dataset)} samples"
        return f"DataLoader({shapes}, batch_size={self.batch_size}, {len(self)} batches, shuffle={self.shuffle})"


_PARTS = ("the data", "the targets", "the third array")


class _Reader:
    """Reads the batch of some rows; worker processes have a copy of it."""

    def __init__(self, dataset: Any, collate: Callable[[Sequence[Any]], Any] | None):
        self.dataset, self.collate = dataset, collate

    def __call__(self, rows: Any, seed: int, epoch: int) -> Any:
        if isinstance(self.dataset, TensorDataset) and self.collate is None:
            parts: Any = self.dataset[rows]
            if isinstance(rows, slice):  # a program may change its batch in place, but not the data
                parts = tuple([x.copy() if type(x) is np.ndarray else tree_map(np.copy, x) for x in parts])
            return parts if len(parts) > 1 else parts[0]
        indices = range(len(self.dataset))[rows] if isinstance(rows, slice) else rows
        return (self.collate or collate)(read_samples(self.dataset, indices, seed, epoch))


def _dataset_of(data: tuple[Any, ...]) -> Any:
    """Return the data set of a loader: a single object that is not an array, or a TensorDataset of arrays."""
    if len(data) == 1:
        is_plain = isinstance(data[0], (tuple, list, dict, str, Value)) or hasattr(data[0], "shape")
        if not is_plain and hasattr(data[0], "__getitem__") and hasattr(data[0], "__len__"):
            return data[0]
    return TensorDataset(*trees_of(data, "DataLoader"))


def _require_one_order(shuffle: bool, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle=True": shuffle, "a sampler": sampler is not None, "a batch_sampler": batch_sampler is not None}
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise ArgumentError(f"DataLoader got {' and '.join(names)}; give only one of them")
    one = sampler if sampler is not None else batch_sampler
    if not hasattr(one, "__iter__") or not hasattr(one, "__len__"):
        raise ArgumentError(
            f"{names[0]} must be a sampler of adjoint.data, or have __iter__ and __len__, not {describe(one)}"
        )


_TORCH_WORDS = {
    "collate_fn": "collate",
    "num_workers": "workers",
    "prefetch_factor": "prefetch",
    "generator": "seed",
    "persistent_workers": "",
    "pin_memory": "",
    "timeout": "",
    "worker_init_fn": "",
    "multiprocessing_context": "processes",
}


def _torch_word_error(words: dict[str, Any]) -> ArgumentError:
    word = next(iter(words))
    if word not in _TORCH_WORDS:
        known = [name for name, p in signature(DataLoader).parameters.items() if p.kind is p.KEYWORD_ONLY]
        return unknown_name_error("argument of DataLoader", word, known)
    ours = _TORCH_WORDS[word]
    return ArgumentError(
        f"DataLoader has no argument {word}" + (f"; it is called {ours} here" if ours else "; leave it out")
    )


def require_finite(array: np.ndarray, what: str = "the data") -> None:
    """Raise an error that names the position of the first NaN or infinite number, if there is one.

    >>> import numpy as np
    >>> from adjoint import data
    >>> data.require_finite(np.array([[1.0, 2.0], [3.0, np.nan]]))
    Traceback (most recent call last):
    adjoint.errors.DataError: the data has nan in row 1, column 1 (rows and columns are counted from 0); remove or \
replace it
    """
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    count = int((~np.isfinite(array)).sum())
    where = f"row {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"
    where += f", at {place}" if len(place) > 2 else ""
    more = f", and {count - 1} more" if count > 1 else ""
    raise DataError(
        f"{what} {'have' if what.endswith('s') else 'has'} {array[place]} in {where} (rows and columns are counted "
        f"from 0){more}; remove or replace it"
    )
