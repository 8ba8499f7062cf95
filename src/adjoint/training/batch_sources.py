"""Sources: where `fit` takes its batches from, epoch by epoch.

A source reads a `DataLoader`, or anything else that yields batches: a loader of PyTorch, a list, an iterable, a
generator, or a function that makes one. A batch is `(x, y)`; several inputs are a tuple or a dict, `((x1, x2), y)`.
"""

import inspect
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from adjoint.data.loading import DataLoader
from adjoint.data.tables import as_rows, as_tree
from adjoint.errors import ArgumentError, DataError, ShapeError, StateError
from adjoint.errors.given import describe
from adjoint.training.weighting import ClassWeights, require_weights, weights_of
from adjoint.transforms.trees import tree_leaves


class Batch(NamedTuple):
    """Inputs and targets of some samples, and their weights."""

    x: Any  # an array, or a tuple or dict of arrays
    y: np.ndarray
    weight: np.ndarray | None = None


class Stream:
    """The batches of anything that is not a `DataLoader`: of one pass for each epoch, or `steps_per_epoch` of them."""

    def __init__(self, given: Any, steps_per_epoch: int | None = None):
        self.given, self.steps_per_epoch = given, steps_per_epoch
        self.is_function = callable(given) and not hasattr(given, "__iter__")
        self.is_one_shot = hasattr(given, "__next__")  # calling iter() would draw random numbers in PyTorch
        self.passes, self.batch = 0, 0  # the number of passes started, and of batches taken in the current one
        self.taken = 0  # the number of batches taken in the current epoch
        self._rest: Iterator[Any] | None = None  # of the current pass

    @property
    def is_rewindable(self) -> bool:
        """Whether a pass can be repeated: that of a list, of a function, or of an unshuffled loader."""
        if isinstance(self.given, DataLoader):
            return self.given.is_rewindable
        return (
            self.is_function
            or isinstance(self.given, (list, tuple))
            or type(getattr(self.given, "sampler", None)).__name__ == "SequentialSampler"
        )

    def steps(self) -> int | None:
        """Return the number of batches per epoch, or None if it is not known."""
        if self.steps_per_epoch is not None:
            return self.steps_per_epoch
        try:
            return len(self.given)
        except TypeError:  # it has no length, or is a function
            return None

    def peek(self) -> Any:
        """Return the first batch, which the next epoch starts with."""
        if self._rest is None:
            self._rest = self._start()
        first = next(self._rest, None)
        if first is None:
            raise self._empty_error()
        self._rest = chain([first], self._rest)
        return first

    def __iter__(self) -> Iterator[Any]:
        while self.steps_per_epoch is None or self.taken < self.steps_per_epoch:
            if self._rest is None:
                self._rest = self._start()
            for batch in self._rest:
                self.taken += 1
                self.batch += 1
                is_last = self.taken == self.steps_per_epoch
                if is_last:  # also if nobody asks for more
                    self.taken = 0
                yield batch
                if is_last:
                    return
            self._rest = None
            if self.batch == 0:
                raise self._empty_error()
            if self.steps_per_epoch is None:
                self.taken = 0
                return
            if self.is_one_shot:
                raise DataError(
                    f"the data are exhausted: {describe(self.given)} had {self.taken} more batches, but an epoch has "
                    f"steps_per_epoch={self.steps_per_epoch}; pass a function that makes the generator, or train for "
                    "fewer epochs"
                )

    def _start(self) -> Iterator[Any]:
        self.passes, self.batch = self.passes + 1, 0
        if not self.is_function:
            return iter(self.given)
        made = self.given(self.passes) if _takes_epoch(self.given) else self.given()
        if not hasattr(made, "__iter__"):
            raise ArgumentError(
                f"the data are a function that must return an iterable of batches, not {describe(made)}"
            )
        return iter(made)

    def _empty_error(self) -> DataError:
        again = "; an iterator can be read only once, so pass a function that makes it" if self.is_one_shot else ""
        return DataError(f"the data have no batches: {describe(self.given)} is empty{again}")

    def state_dict(self) -> dict[str, Any]:
        """Return the position, as far as it is known."""
        if isinstance(self.given, DataLoader):
            return {"loader": self.given.state_dict(), "taken": self.taken}
        return {"passes": self.passes, "batch": self.batch, "is_between": self._rest is None, "taken": self.taken}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go to a position: begin its pass, and skip the batches before it."""
        self._rest = None
        if isinstance(self.given, DataLoader):
            self.given.load_state_dict(state["loader"])
            self.taken = state["taken"]
            return
        self.passes, self.batch, self.taken = state["passes"], state["batch"], state.get("taken", 0)
        if not state["is_between"]:
            self.passes -= 1
            self._rest = self._start()
            for _ in range(state["batch"]):
                next(self._rest)
            self.batch = state["batch"]


def _takes_epoch(function: Callable[..., Any]) -> bool:
    """Return whether a function has an argument for the number of the epoch."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


class BatchSource:
    """The batches of an epoch, as inputs, targets and weights."""

    def __init__(
        self,
        raw: DataLoader | Stream,
        class_weight: Any = None,
        has_weights: bool = False,
        columns: list[str] | None = None,
    ):
        self.raw, self.has_weights = raw, has_weights
        self.columns = columns  # the names of the columns of the inputs, if they have names
        self.arrays = raw.arrays if isinstance(raw, DataLoader) else []
        self._first = self._read(raw.dataset[:] if isinstance(raw, DataLoader) and raw.arrays else raw.peek())
        if self.arrays and self._first.weight is not None and not self._first.weight.any():
            raise DataError("all numbers of sample_weight are 0, so there is nothing to train on")
        targets = self._first.y if self.arrays else None
        self.classes = None if class_weight is None else ClassWeights(class_weight, targets)

    @property
    def steps(self) -> int | None:
        """The number of batches per epoch; None if it is not known."""
        return len(self.raw) if isinstance(self.raw, DataLoader) else self.raw.steps()

    @property
    def batch_size(self) -> int | None:
        """The number of samples in a batch of a loader; None for other data, whose first batch has it."""
        return self.raw.batch_size if isinstance(self.raw, DataLoader) else None

    @property
    def is_weighted(self) -> bool:
        return self.has_weights or self.classes is not None

    @property
    def is_complete(self) -> bool:
        """Whether `sample()` has all samples, not only those of the first batch."""
        return bool(self.arrays)

    def sample(self) -> Batch:
        """Return all samples if they are arrays, else those of the first batch."""
        return self._first

    def __iter__(self) -> Iterator[Batch]:
        for item in self.raw:
            batch = Batch(*item) if self.arrays else self._read(item)  # arrays were checked as a whole
            yield batch._replace(weight=weights_of(batch.y, batch.weight, self.classes)) if self.is_weighted else batch

    def batch_at(self, step: int) -> Batch | None:
        """Return a batch of the current epoch again, given its number from 1; None if the data cannot be rewound."""
        if not isinstance(self.raw, DataLoader) or not self.raw.is_rewindable:
            return None
        self.raw.load_state_dict({**self.raw.state_dict(), "batch": step - 1})
        return next(iter(self))

    def _read(self, item: Any) -> Batch:
        """Return a batch that has the form (x, y), or (x, y, weights)."""
        expected = 3 if self.has_weights else 2
        if not isinstance(item, (tuple, list)) or len(item) != expected:
            raise _form_error(item, self.has_weights)
        x, y = item[0], as_rows(item[1], "a batch")
        if isinstance(x, list) and x and all(hasattr(part, "shape") for part in x):
            x = tuple(x)  # loaders of PyTorch make lists of tuples
        x = as_tree(x, "a batch")
        counts = {len(array) for array in (*tree_leaves(x), y)}
        if len(counts) > 1 or 0 in counts:
            raise ShapeError(
                f"a batch has arrays with {' and '.join(map(str, sorted(counts)))} rows; give one row per sample"
            )
        weight = require_weights(as_rows(item[2], "a batch"), y) if self.has_weights else None
        return Batch(x, y, weight)

    def state_dict(self) -> dict[str, Any]:
        """Return the position in the data."""
        return self.raw.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go to a position in the data."""
        self.raw.load_state_dict(state)

    def require_rewindable(self) -> None:
        """Raise unless the data can start at the epoch of a checkpoint."""
        if not self.raw.is_rewindable:
            raise StateError(
                "resume=True needs data that can be rewound, and the order of these batches is not known: use (X, y), "
                "a DataLoader of adjoint.data, a list of batches, or a function that makes a generator"
            )


def _form_error(item: Any, has_weights: bool) -> ArgumentError:
    form = "inputs, targets and weights, (x, y, weights)" if has_weights else "inputs and targets, (x, y)"
    count = len(item) if isinstance(item, (tuple, list)) else 0
    what = f"has {count} part{'s' * (count > 1)}" if count else f"is {describe(item)}"
    hint = ""
    if count == 3 and not has_weights:
        hint = "; two inputs are written ((x1, x2), y), and sample_weight=True says that the third part are weights"
    elif count > 3:
        hint = "; several inputs are written ((x1, x2, …), y)"
    elif count == 1:
        hint = "; an autoencoder has its inputs as targets, (x, x)"
    return ArgumentError(f"a batch must be {form}, but it {what}{hint}")


def is_list_of_batches(given: object) -> bool:
    """Return whether a list contains batches, and is not the pair [X, y]."""
    return isinstance(given, list) and all(
        isinstance(item, (tuple, list)) and len(item) > 1 and hasattr(item[-1], "shape") for item in given
    )
