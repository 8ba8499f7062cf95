"""What the environment says about a launch, and the mistakes that would make processes hang or train alone."""

import socket

import pytest

from adjoint.distributed.launch import coordinator, devices_of_process, find_launch, require_free_port, require_srun
from adjoint.errors import LaunchError

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
