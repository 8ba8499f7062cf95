"""Processes compare what they are about to compute, by the keys and values that they share."""

import json
import re
from contextlib import nullcontext

import pytest
from outside_scripts import free_port, run_outside

from adjoint.distributed import agreement
from adjoint.distributed.agreement import Announcement, require_agreement
from adjoint.distributed.coordination import coordination_client
from adjoint.errors import LaunchError

pytest.importorskip("jax")


def test_jax_has_a_client_only_in_a_process_that_joined_others():
    assert coordination_client() is None


class SharedStore:
    """Stands for JAX's store of keys and values: another process has said `other`, or nothing."""

    def __init__(self, other: Announcement | None):
        self.other = other

    def key_value_set(self, key: str, text: str) -> None:
        assert key.endswith("/0")
        json.loads(text)

    def blocking_key_value_get(self, key: str, milliseconds: int) -> str:
        assert key.endswith("/1")
        if self.other is None:
            raise RuntimeError("DEADLINE_EXCEEDED: GetKeyValue() timed out")
        return json.dumps(self.other)


OWN = Announcement({"x": [8, 4]}, "program", {"w": 1}, 5)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (OWN, None),
        (OWN._replace(shapes={"x": [6, 4]}), r"x has the shape \(8, 4\) in process 0, but \(6, 4\) in process 1"),
        (OWN._replace(program="another"), "processes 0 and 1 run different programs"),
        (OWN._replace(state={"w": 2}), "w has other numbers in process 0 than in process 1"),
        (OWN._replace(batch=6), "processes 0 and 1 compute with the same part of the batch"),
        (None, r"process 1 has not compiled its program number \d within 600 seconds"),
    ],
)
def test_processes_compare_what_they_are_about_to_compute(monkeypatch, other, message):
    monkeypatch.setattr(agreement, "coordination_client", lambda: SharedStore(other))
    with nullcontext() if message is None else pytest.raises(LaunchError, match=message):
        require_agreement(OWN, 0, [0, 1], [0, 1])


def test_processes_with_different_rows_may_have_other_numbers_in_their_batches(monkeypatch):
    monkeypatch.setattr(agreement, "coordination_client", lambda: SharedStore(OWN._replace(batch=6)))
    require_agreement(OWN, 0, [0, 1], [0])


@pytest.mark.full
@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("shapes", r"x has the shape \(\d, 4\) in process \d, but \(\d, 4\) in process \d; every process must pass"),
        ("program", r"processes \d and \d run different programs, and would wait for each other forever"),
        ("weights", r"network.weights\[0\] has other numbers in process \d than in process \d; make the model"),
        ("rows", r"processes \d and \d compute with the same part of the batch, .* but they were given different rows"),
    ],
)
def test_processes_that_disagree_raise_an_error(case, message):
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "XLA_FLAGS": ""}
    started = [run_outside("disagreeing.py", case, RANK=str(i), **common) for i in range(2)]
    outputs = [process.communicate(timeout=900)[0] for process in started]
    assert any(re.search(message, output) for output in outputs), outputs
    assert all(process.returncode for process in started)
