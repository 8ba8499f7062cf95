"""Several processes: how they are found, and the mistakes of launches that would make them hang or train alone."""

import json
import re
import socket
from contextlib import nullcontext

import numpy as np
import pytest
from outside_scripts import free_port, run_outside

from adjoint import Value, distributed, jit
from adjoint.distributed import agreement
from adjoint.distributed.agreement import Statement, require_agreement
from adjoint.distributed.coordination import coordination_client
from adjoint.distributed.launch import coordinator, devices_of_process, find_launch, require_free_port, require_srun
from adjoint.errors import ArgumentError, LaunchError

jax = pytest.importorskip("jax")

SLURM = {
    "SLURM_JOB_ID": "7",
    "SLURM_NTASKS": "8",
    "SLURM_STEP_NODELIST": "node[1-2]",
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_STEP_TASKS_PER_NODE": "4(x2)",
    "SLURM_NODEID": "1",
    "SLURM_PROCID": "5",
    "SLURM_LOCALID": "1",
}
OPEN_MPI = {
    "OMPI_COMM_WORLD_SIZE": "4",
    "OMPI_COMM_WORLD_RANK": "3",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
}
TORCH = {"WORLD_SIZE": "4", "RANK": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "first"}


def without(environment: dict[str, str], *names: str) -> dict[str, str]:
    return {name: x for name, x in environment.items() if name not in names}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        (SLURM, (5, 8, 1, 4)),
        (SLURM | {"SLURM_STEP_TASKS_PER_NODE": "3,5", "SLURM_NODEID": "1"}, (5, 8, 1, 5)),
        (
            SLURM | {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},
            None,
        ),  # srun --ntasks=1 in a larger job
        (without(SLURM, "SLURM_STEP_NODELIST"), None),  # a shell of salloc
        (OPEN_MPI, (3, 4, 1, 2)),
        ({"PMI_SIZE": "2", "PMI_RANK": "1"}, (1, 2, None, None)),
        (TORCH, (2, 4, 0, 2)),
        ({"WORLD_SIZE": "3", "JOB_COMPLETION_INDEX": "2"}, (2, 3, None, None)),  # an indexed job of Kubernetes
        ({"WORLD_SIZE": "1", "RANK": "0"}, None),
    ],
)
def test_the_environment_says_which_process_this_is(environment, expected):
    found = find_launch(environment)
    assert expected == (found and (found.index, found.count, found.local_index, found.local_count))


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            without(SLURM, "SLURM_PROCID", "SLURM_LOCALID"),
            "not SLURM_PROCID, SLURM_LOCALID, .* srun python train.py",
        ),
        (SLURM | {"SLURM_PROCID": "8"}, "this is process 8 of 8 .* may come from another job"),
        (without(OPEN_MPI, "OMPI_COMM_WORLD_RANK"), "not OMPI_COMM_WORLD_RANK, .* mpirun"),
        ({"PMI_SIZE": "2"}, "not PMI_RANK"),
        (without(TORCH, "RANK"), "WORLD_SIZE=4 is set, but RANK is not"),
        (SLURM | {"SLURM_STEP_TASKS_PER_NODE": "abc"}, r"TASKS_PER_NODE must be a list such as 4\(x2\),3, not 'abc'"),
        (TORCH | {"RANK": "first"}, "RANK must be a whole number, not 'first'"),
    ],
)
def test_variables_that_are_set_in_part_are_explained(environment, message):
    with pytest.raises(LaunchError, match=message):
        find_launch(environment)


def test_a_job_of_slurm_needs_srun():
    require_srun(SLURM)
    require_srun({})
    require_srun({"SLURM_JOB_ID": "7", "SLURM_NTASKS": "1"})
    with pytest.raises(LaunchError, match=r"SLURM_NTASKS=8 tasks, but srun did not start this process"):
        require_srun(without(SLURM, "SLURM_STEP_NODELIST"))


def test_process_0_is_found_by_its_address():
    assert coordinator(find_launch(SLURM), SLURM) is None  # JAX reads it from the list of nodes
    assert coordinator(find_launch(TORCH), TORCH) == "first:55527"
    assert coordinator(find_launch(TORCH), TORCH | {"MASTER_PORT": "9"}) == "first:9"
    assert coordinator(find_launch(TORCH), TORCH | {"JAX_COORDINATOR_ADDRESS": "a:1"}) == "a:1"
    with pytest.raises(LaunchError, match=r"Open MPI started 4 processes, but .* mpirun -x MASTER_ADDR=\$\(hostname\)"):
        coordinator(find_launch(OPEN_MPI), OPEN_MPI)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (TORCH | {"MASTER_PORT": "abc"}, "MASTER_PORT must be a number from 1 to 65535, not 'abc'"),
        (TORCH | {"MASTER_PORT": "65536"}, "MASTER_PORT must be a number from 1 to 65535, not '65536'"),
        (TORCH | {"MASTER_ADDR": "127.0.0.1:4567"}, "without a port, not '127.0.0.1:4567'; the port is MASTER_PORT"),
        (TORCH | {"JAX_COORDINATOR_ADDRESS": "first"}, "must be a host and a port, such as host:55527, not 'first'"),
        (without(SLURM, "SLURM_NTASKS"), "SLURM_NTASKS is not set, .* srun --ntasks=8, or set MASTER_ADDR"),
    ],
)
def test_addresses_that_cannot_be_right_are_explained(environment, message):
    with pytest.raises(LaunchError, match=message):
        coordinator(find_launch(environment), environment)


def test_a_port_that_another_program_uses_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LaunchError, match=rf"cannot wait for the others at port {port} .* set MASTER_PORT"):
            require_free_port(f"127.0.0.1:{port}", {})
        require_free_port(f"127.0.0.1:{port}", {"JAX_COORDINATOR_BIND_ADDRESS": "[::]:1"})
    require_free_port(f"127.0.0.1:{port}", {})


@pytest.mark.parametrize(
    ("visible", "more", "expected"),
    [
        ("0,1,2,3", {}, [1]),  # four tasks on the node share four GPUs
        ("0,1,2,3,4,5,6,7", {}, [2, 3]),
        ("5", {}, [0]),  # srun --gpus-per-task=1: each task sees one GPU, under the number 0
        ("2,3", {"SLURM_GPUS_ON_NODE": "8"}, [0, 1]),  # srun --gpus-per-task=2
        ("0,1,2,3", {"SLURM_STEP_TASKS_PER_NODE": "1(x8)", "SLURM_LOCALID": "0"}, [0, 1, 2, 3]),  # a task on each node
        ("", {}, None),
    ],
)
def test_each_process_uses_its_own_gpus(visible, more, expected):
    environment = SLURM | {"CUDA_VISIBLE_DEVICES": visible} | more
    found = devices_of_process(find_launch(environment), environment)
    assert expected == (found if found is None else list(found))


def test_gpus_that_cannot_be_shared_equally_are_an_error():
    environment = SLURM | {"CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5"}
    with pytest.raises(LaunchError, match="4 processes on this machine see the same 6 GPUs"):
        devices_of_process(find_launch(environment), environment)


def test_processes_that_did_not_join_do_not_train_alone(monkeypatch):
    w = Value([1.0, 2.0])
    for name, x in OPEN_MPI.items():
        monkeypatch.setenv(name, x)
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


def test_jax_has_a_client_only_in_a_process_that_joined_others():
    assert coordination_client() is None


class SharedStore:
    """Stands for JAX's store of keys and values: another process has said `other`, or nothing."""

    def __init__(self, other: Statement | None):
        self.other = other

    def key_value_set(self, key: str, text: str) -> None:
        assert key.endswith("/0")
        json.loads(text)

    def blocking_key_value_get(self, key: str, milliseconds: int) -> str:
        assert key.endswith("/1")
        if self.other is None:
            raise RuntimeError("DEADLINE_EXCEEDED: GetKeyValue() timed out")
        return json.dumps(self.other)


OWN = Statement({"x": [8, 4]}, "program", {"w": 1}, 5)


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
