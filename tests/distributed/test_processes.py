"""Several processes: how they join, read what they hold together, and end."""

import numpy as np
import pytest
from outside_scripts import free_port, run_outside

from adjoint import Value, distributed, jit
from adjoint.errors import ArgumentError, LaunchError

jax = pytest.importorskip("jax")


def test_processes_that_did_not_join_do_not_train_alone(monkeypatch):
    w = Value([1.0, 2.0])
    for name, x in {"RANK": "3", "SIZE": "4", "LOCAL_RANK": "1", "LOCAL_SIZE": "2"}.items():
        monkeypatch.setenv(f"OMPI_COMM_WORLD_{name}", x)
    x = np.ones((1, 2))
    with pytest.raises(LaunchError, match=r"Open MPI started 4 processes, but each would train alone; call"):
        jit(lambda x: (w * x).sum(), devices=1)(x)
    monkeypatch.setenv("ADJOINT_ALONE", "1")
    assert float(jit(lambda x: (w * x).sum(), devices=1)(x)) == 3.0
    jax.devices()
    with pytest.raises(LaunchError, match="does not say where process 0 is"):
        distributed.initialize()
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    with pytest.raises(LaunchError, match=r"must be called before JAX is used"):
        distributed.initialize()


def test_gather_returns_the_whole_array():
    w = Value(np.zeros((2, 3)))
    step = jit(lambda: setattr(w, "data", w.data + 1.0), devices=1)
    step()
    np.testing.assert_array_equal(distributed.gather(w), np.ones((2, 3)))
    with pytest.raises(ArgumentError, match="gather needs a Value, not list"):
        distributed.gather([w])


@pytest.mark.full
@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("list", "different numbers of training batches per epoch: 5 in process 0, 4 in process 1; give every process"),
        ("generator", "different numbers of training batches per epoch: more in process 0, 4 in process 1; give every"),
        ("data", "LaunchError: process 1 could not read training batch 4, and its error says why"),
        ("callback", "adjoint: process 1 ended with RuntimeError: a mistake in a callback"),
    ],
)
def test_an_error_in_one_process_ends_the_others_at_once(case, message):
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "XLA_FLAGS": ""}
    started = [run_outside("uneven.py", case, RANK=str(i), **common) for i in range(2)]
    outputs = [process.communicate(timeout=200)[0] for process in started]  # JAX would wait for 300 seconds
    assert message in outputs[0], outputs
    assert case not in ("data", "callback") or "RuntimeError: a mistake in" in outputs[1]
    assert [process.returncode for process in started] == [1, 1]
