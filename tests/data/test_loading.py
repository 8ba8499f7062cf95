"""Splitting data, and loading it in batches."""

import numpy as np
import pytest

from adjoint import Value
from adjoint.data import DataLoader, require_finite, train_test_split
from adjoint.errors import AdjointError, ArgumentError, DataError, ShapeError

X, y = np.arange(92.0).reshape(23, 4), np.arange(23)


def labels(loader):
    return [batch.tolist() for _, batch in loader]


def rows(loader):
    return [row for batch in labels(loader) for row in batch]


# --- splitting ---


@pytest.mark.parametrize(("size", "count"), [(0.2, 5), (0.5, 12), (7, 7), (0.001, 1)])
def test_a_split_has_every_row_once_and_keeps_rows_together(size, count):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=size)
    assert len(X_test) == len(y_test) == count
    assert sorted([*y_train, *y_test]) == y.tolist()
    for inputs, targets in ((X_train, y_train), (X_test, y_test)):
        np.testing.assert_array_equal(inputs[:, 0], 4 * targets)


def test_a_split_is_determined_by_its_seed():
    one, again, other = (train_test_split((X, y), seed=seed)[3].tolist() for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize("size", [0, 1.0, -0.5, 23, "some", True, 0.99999])
def test_a_split_without_rows_to_train_on_is_refused(size):
    with pytest.raises(ArgumentError, match="test_size"):
        train_test_split(X, y, test_size=size)


# --- batches ---


def test_batches_are_rows_in_their_order_and_the_last_may_be_smaller():
    loader = DataLoader(X, y, batch_size=10)
    assert len(loader) == 3
    assert labels(loader) == [list(range(10)), list(range(10, 20)), [20, 21, 22]]
    assert labels(DataLoader((X, y), batch_size=10, drop_last=True)) == [list(range(10)), list(range(10, 20))]
    assert [len(batch) for batch in DataLoader(X, batch_size=12)] == [12, 11]


def test_every_epoch_has_all_rows_in_a_different_order():
    loader = DataLoader(X, y, batch_size=5, shuffle=True, seed=3)
    epochs = [rows(loader) for _ in range(4)]
    assert all(sorted(epoch) == y.tolist() for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 4
    for inputs, targets in loader:
        np.testing.assert_array_equal(inputs[:, 0], 4 * targets)


def test_the_orders_are_determined_by_the_seed():
    one, again, other = (DataLoader(X, y, shuffle=True, seed=seed) for seed in (1, 1, 2))
    assert [labels(one), labels(one)] == [labels(again), labels(again)]
    assert labels(one) != labels(other)


def test_without_a_seed_every_loader_has_a_different_order():
    assert labels(DataLoader(X, y, shuffle=True, seed=None)) != labels(DataLoader(X, y, shuffle=True, seed=None))


@pytest.mark.parametrize("stop", [0, 1, 3, 4, 5, 7, 11])
def test_a_loader_continues_from_a_saved_position(stop):
    def endless(loader):
        while True:
            for _, targets in loader:
                yield targets.tolist()

    whole, first = (DataLoader(X, y, batch_size=6, shuffle=True, seed=5) for _ in range(2))
    stream, beginning = endless(whole), endless(first)
    expected = [next(stream) for _ in range(20)]
    found = [next(beginning) for _ in range(stop)]
    resumed = DataLoader(X, y, batch_size=6, shuffle=True, seed=99)
    resumed.load_state_dict(first.state_dict())
    rest = endless(resumed)
    assert found + [next(rest) for _ in range(20 - stop)] == expected


def test_a_new_iteration_starts_a_new_epoch_after_a_break():
    loader = DataLoader(X, y, batch_size=6, shuffle=True)
    next(iter(loader))
    assert sorted(rows(loader)) == y.tolist()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: DataLoader(), ArgumentError, "needs arrays with one row per sample, such as X, y"),
        (lambda: DataLoader(np.zeros((0, 2)), np.zeros(0)), DataError, "empty data, of shape (0, 2)"),
        (lambda: DataLoader(X, y[:5]), ShapeError, "the arrays have 23 and 5 rows"),
        (lambda: DataLoader(X, y, batch_size=0), ArgumentError, "batch_size must be an integer of at least 1"),
        (lambda: DataLoader(X, y, batch_size=30, drop_last=True), ArgumentError, "drops all 23 rows"),
        (lambda: DataLoader(Value([1.0, 2.0])), ArgumentError, "not a Value; pass its .numpy()"),
        (lambda: DataLoader(["a", "b"]), ArgumentError, "arrays of numbers with one row per sample"),
        (lambda: DataLoader(3.0), ArgumentError, "arrays of numbers with one row per sample"),
        (lambda: DataLoader(X, y).load_state_dict({"epoch": 1}), ArgumentError, "keys seed, epoch and batch"),
        (
            lambda: DataLoader(X, y).load_state_dict({"seed": 0, "epoch": 1, "batch": 7}),
            ArgumentError,
            "is at batch 7, but this loader has 1 batches per epoch",
        ),
    ],
)
def test_invalid_data_is_refused(make, kind, message):
    with pytest.raises(kind) as error:
        make()
    assert message in str(error.value)
    assert isinstance(error.value, AdjointError)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((3,), "nan in row 3 ("),
        ((3, 1), "nan in row 3, column 1 ("),
        ((3, 0, 2), "nan in row 3, column 0, at (3, 0, 2) ("),
    ],
)
def test_a_number_that_is_not_finite_is_named_by_row_and_column(place, message):
    array = np.ones((5, 4, 3)[: len(place)])
    array[place] = np.nan
    with pytest.raises(DataError) as error:
        DataLoader(array)
    assert message in str(error.value)
    array[-1] = np.inf
    with pytest.raises(DataError, match=rf"and {array[-1].size} more"):
        require_finite(array)
