"""Batches that are split over devices: their sizes are checked before training."""

from types import SimpleNamespace

import numpy as np
import pytest

from adjoint import data, fit, nn
from adjoint.errors import ShapeError
from adjoint.training.batch_sources import BatchSource, Stream
from adjoint.training.passes import Execution

pytest.importorskip("jax")


@pytest.fixture(params=[1, 2])
def processes(request, monkeypatch):
    """Let there be 8 devices in each of some processes: the tests have one."""
    placement = SimpleNamespace(local_parts=8, processes=request.param)
    monkeypatch.setattr("adjoint.compile.xla.devices.Placement", lambda devices: placement)
    return request.param


def loader(rows: int, batch_size: int, **options) -> data.DataLoader:
    return data.DataLoader(np.ones((rows, 4)), np.ones((rows, 2)), batch_size=batch_size, **options)


@pytest.mark.parametrize(
    ("rows", "batch_size", "message"),
    [
        (
            44,
            16,
            "the last training batch has 12 of 44 rows, .* over 8 devices.*; leave out 4 rows, or pass a DataLoad",
        ),
        (44, 44, "the training batch of 44 rows cannot be split over 8 devices.*; leave out 4 rows$"),
        (6, 16, "the training batch of 6 rows cannot be split over 8 devices.*; use fewer devices$"),
        (48, 12, "training batches of batch_size=12 rows cannot be split over 8 devices.*; use a multiple of 8$"),
    ],
)
def test_batches_that_cannot_be_split_are_explained(processes, rows, batch_size, message):
    with pytest.raises(ShapeError, match=message) as caught:
        Execution(devices=8).require_divisible(BatchSource(loader(rows, batch_size)))
    assert ("of each process" in str(caught.value)) == (processes > 1)


def test_batches_that_are_never_split_may_have_any_size(processes):
    Execution(devices=8).require_divisible(BatchSource(loader(40, 16)))
    Execution(devices=8).require_divisible(BatchSource(loader(44, 16, drop_last=True)))
    Execution(devices=8).require_divisible(
        BatchSource(loader(44, 16)), batches=2
    )  # training ends before the last batch
    Execution().require_divisible(BatchSource(loader(44, 16)))
    batches = Stream([(np.ones((3, 4)), np.ones(3))])
    Execution(devices=8).require_divisible(BatchSource(batches))  # the other batches are not known


@pytest.mark.parametrize("validation", [None, (np.ones((12, 4)), np.ones((12, 2)))])
def test_fit_checks_the_sizes_before_anything_changes(processes, validation):
    model = nn.Linear(4, 2, seed=0)
    before = model.weight.data.copy()
    rows = 44 if validation is None else 48
    X, Y = np.ones((rows, 4)), np.ones((rows, 2))
    with pytest.raises(ShapeError, match="training" if validation is None else "the validation batch of 12 rows"):
        fit(model, X, Y, validation=validation, loss="mse", batch_size=16, jit=True, devices=8, progress=False)
    np.testing.assert_array_equal(model.weight.data, before)
