"""Several processes take their batches together: each needs as many as the others."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from adjoint.errors import LaunchError
from adjoint.training.batch_sources import BatchSource, Stream
from adjoint.training.joint_batches import require_same_steps, taken_together

BATCH = np.ones((2, 3)), np.ones(2)


class Coordinator:
    """Stands for JAX's coordinator: another process has ended after some batches, by an error or without one."""

    def __init__(self, *other):
        self.keys = {"1": json.dumps(other)} if other else {}
        self.meetings = 0

    def key_value_set(self, key, text):
        self.keys[key] = text

    def wait_at_barrier(self, name, milliseconds):
        self.meetings += 1

    def key_value_dir_get(self, name):
        return list(self.keys.items())


def take(monkeypatch, own, *other):
    """Return the batches that a process takes, and how often it has met the other one."""

    def batches():
        for i in range(5):
            if i == own:
                return
            if own == "error" and i == 3:
                raise RuntimeError("a mistake in the data")
            yield BATCH

    coordinator = Coordinator(*other)
    monkeypatch.setattr("adjoint.distributed.coordination.coordination_client", lambda: coordinator)
    return len(
        list(taken_together(BatchSource(Stream(batches)), SimpleNamespace(count=2, index=0)))
    ), coordinator.meetings


def test_processes_with_as_many_batches_meet_before_each_of_them_and_at_the_end(monkeypatch):
    assert take(monkeypatch, 5, 5, False) == (5, 6)


@pytest.mark.parametrize(
    ("own", "other", "message"),
    [
        (4, (5, False), "training batches per epoch: 4 in process 0, more in process 1; give every process as many"),
        (5, (3, False), "training batches per epoch: more in process 0, 3 in process 1; give every process as many"),
        (5, (3, True), "process 1 could not read training batch 4, and its error says why"),
    ],
)
def test_a_process_with_fewer_batches_is_an_error_in_all(monkeypatch, own, other, message):
    with pytest.raises(LaunchError, match=message):
        take(monkeypatch, own, *other)


def test_an_error_in_the_data_is_raised_after_the_others_were_told(monkeypatch):
    with pytest.raises(RuntimeError, match="a mistake in the data"):
        take(monkeypatch, "error")


@pytest.mark.parametrize(
    ("others", "message"), [([5, 5], ""), ([5, 4], "5 in process 0, 4 in process 1"), ([5, -1], "an unknown number in")]
)
def test_known_numbers_of_batches_are_compared_before_training(others, message):
    source = BatchSource(Stream([BATCH] * 5))
    processes = SimpleNamespace(count=2, index=0, gather=lambda row: [[n, 0] for n in others])
    if message:
        with pytest.raises(LaunchError, match=message):
            require_same_steps(source, processes, "validation")
    else:
        require_same_steps(source, processes, "validation")
        assert len(list(taken_together(source, processes))) == 5
