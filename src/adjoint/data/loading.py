"""Splitting data for training and testing, and loading it in batches, in a new order for each epoch."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjoint.arrays.backends import require_unmasked
from adjoint.engine.randomness import SharedSeed, shared_seed
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError, ShapeError
from adjoint.errors.given import describe, is_number, whole

Data = np.ndarray | Sequence[object]  # an array or nested lists, with one row per sample


def train_test_split(*data: Data, test_size: float | int = 0.2, seed: SharedSeed = "shared") -> list[np.ndarray]:
    """Split arrays into rows to train on and rows to test with; return both parts of each array in turn.

    `test_size` is a fraction of the rows, or their number. Without a seed, the rows depend on `adjoint.manual_seed`; if
    that was not called, they are the same each time.

    >>> X, y = np.arange(20.0).reshape(10, 2), np.arange(10)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3)
    >>> X_train.shape, X_test.shape, bool((X_test[:, 0] == 2 * y_test).all())
    ((7, 2), (3, 2), True)
    """
    arrays = arrays_of(data, "train_test_split")
    rows = len(arrays[0])
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
    return [part for array in arrays for part in (array[train], array[test])]


class DataLoader:
    """Iterates over batches of the rows of arrays: `for x, y in DataLoader(X, y, batch_size=32):`.

    With `shuffle`, each epoch has a different order, which depends only on the seed and the number of the epoch. So
    `state_dict()` is three numbers, and a loader that has loaded them continues with the next batch.

    >>> X, y = np.arange(10.0).reshape(5, 2), np.arange(5)
    >>> loader = DataLoader(X, y, batch_size=2)
    >>> len(loader), [labels.tolist() for _, labels in loader]
    (3, [[0, 1], [2, 3], [4]])
    """

    def __init__(
        self,
        *data: Data,
        batch_size: int = 32,
        shuffle: bool = False,
        seed: SharedSeed = "shared",
        drop_last: bool = False,
    ):
        self.arrays = arrays_of(data, "DataLoader")
        batch_size = whole(batch_size, "batch_size")
        if drop_last and batch_size > len(self.arrays[0]):
            raise ArgumentError(
                f"drop_last with batch_size={batch_size} drops all {len(self.arrays[0])} rows; use smaller batches"
            )
        for i, array in enumerate(self.arrays):
            require_finite(array, "the data" if i == 0 else "the targets")
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last
        seed = shared_seed(seed)
        self.seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        self.epoch, self.batch = 0, 0  # the number of epochs started, and of batches of the current one
        self._is_resumed = False

    def __len__(self) -> int:
        """Return the number of batches per epoch."""
        rows = len(self.arrays[0])
        return rows // self.batch_size if self.drop_last else -(-rows // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        """Start an epoch, or continue the epoch of a loaded state."""
        if not self._is_resumed or self.batch >= len(self):
            self.epoch, self.batch = self.epoch + 1, 0
        self._is_resumed = False
        order = self._order()
        for k in range(self.batch, len(self)):
            batch = slice(k * self.batch_size, (k + 1) * self.batch_size)
            rows = batch if order is None else order[batch]
            parts = [array[rows] for array in self.arrays]
            self.batch = k + 1
            yield tuple(parts) if len(parts) > 1 else parts[0]

    def _order(self) -> np.ndarray | None:
        if not self.shuffle:
            return None
        return np.random.default_rng([self.seed, self.epoch]).permutation(len(self.arrays[0]))

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
        shapes = ", ".join(str(array.shape) for array in self.arrays)
        return f"DataLoader({shapes}, batch_size={self.batch_size}, {len(self)} batches, shuffle={self.shuffle})"


def require_finite(array: np.ndarray, what: str = "the data") -> None:
    """Raise an error that names the position of the first NaN or infinite number, if there is one.

    >>> require_finite(np.array([[1.0, 2.0], [3.0, np.nan]]))
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
        f"{what} has {array[place]} in {where} (rows and columns are counted from 0){more}; remove or replace it"
    )


def arrays_of(data: Sequence[Data], who: str) -> list[np.ndarray]:
    """Return the arrays of a data set, given one by one or as a tuple; all have the same number of rows."""
    given_data = data[0] if len(data) == 1 and isinstance(data[0], tuple) else data
    if not given_data:
        raise ArgumentError(f"{who} needs arrays with one row per sample, such as X, y")
    arrays = []
    for given in given_data:
        if isinstance(given, Value):
            raise ArgumentError(f"{who} needs plain arrays, not a Value; pass its .numpy()")
        require_unmasked(given)
        try:
            array = np.asarray(given)
        except ValueError:  # lists of different lengths
            array = np.asarray(None)
        if array.ndim == 0 or array.dtype.kind not in "fiub":
            raise ArgumentError(f"{who} needs arrays of numbers with one row per sample, not {describe(given)}")
        arrays.append(array)
    rows = [len(array) for array in arrays]
    if len(set(rows)) > 1:
        counts = " and ".join(map(str, rows))
        raise ShapeError(f"{who}: the arrays have {counts} rows; they must have the same number of rows")
    if rows[0] == 0:
        raise DataError(f"{who} got empty data, of shape {arrays[0].shape}")
    return arrays
