"""What the environment says about how a process was started: by Slurm, by MPI, or with the variables of PyTorch.

Half-set variables are the usual reason for programs that hang when they start, or in which every process trains alone.
They raise errors here.
"""

import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjoint.errors import LaunchError


@dataclass(frozen=True)
class Launch:
    """A process among several: what started it, its number, how many there are, and the same on its machine."""

    launcher: str
    index: int
    count: int
    local_index: int | None  # None if unknown
    local_count: int | None


def find_launch(environment: Mapping[str, str] = os.environ) -> Launch | None:
    """Return how a launcher started this process, or None for a process on its own. Raise for half-set variables."""
    for find in (_slurm, _open_mpi, _mpich, _variables):
        found = find(environment)
        if found is not None:
            _require_sensible(found)
            return found if found.count > 1 else None
    return None


def _slurm(env: Mapping[str, str]) -> Launch | None:
    if "SLURM_JOB_ID" not in env:
        return None
    if "SLURM_STEP_NODELIST" not in env:  # a shell of salloc, or a script of sbatch: srun did not start this process
        return None
    names = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS")
    _require_all(
        env, names, "SLURM_STEP_NODELIST", "Slurm sets them for programs that srun starts: srun python train.py"
    )
    index, local, count = (_number(env, name) for name in names)
    return Launch("Slurm", index, count, local, _tasks_on_node(env))


def _tasks_on_node(env: Mapping[str, str]) -> int | None:
    """Return the number of tasks on this node, from a list such as "2(x3),1": two on three nodes, one on the fourth."""
    text, node = env.get("SLURM_STEP_TASKS_PER_NODE"), env.get("SLURM_NODEID")
    if text is None or node is None or not node.isdigit():
        return None
    counts: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if found is None:
            raise LaunchError(
                f"SLURM_STEP_TASKS_PER_NODE must be a list such as 4(x2),3, not {text!r}; Slurm sets it for programs "
                "that srun starts: srun python train.py"
            )
        counts += [int(found[1])] * int(found[2] or 1)
    return counts[int(node)] if int(node) < len(counts) else None


def require_srun(env: Mapping[str, str] = os.environ) -> None:
    """Raise an error for a process in a job of several tasks that srun did not start: it would wait for the others."""
    count = env.get("SLURM_NTASKS", "1")
    if "SLURM_JOB_ID" in env and "SLURM_STEP_NODELIST" not in env and count.isdigit() and int(count) > 1:
        raise LaunchError(
            f"this Slurm job has SLURM_NTASKS={count} tasks, but srun did not start this process, so there is only one "
            "of them; start the program by srun: srun python train.py, or srun --ntasks=1 for a single process"
        )


def _open_mpi(env: Mapping[str, str]) -> Launch | None:
    if "OMPI_COMM_WORLD_SIZE" not in env:
        return None
    names = [f"OMPI_COMM_WORLD_{name}" for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")]
    _require_all(env, names, "OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI sets them")
    return Launch("Open MPI", *(_number(env, name) for name in names))


def _mpich(env: Mapping[str, str]) -> Launch | None:
    if "PMI_SIZE" not in env:
        return None
    _require_all(env, ("PMI_RANK",), "PMI_SIZE", "mpiexec of MPICH sets it")
    local = [_number(env, name) if name in env else None for name in ("MPI_LOCALRANKID", "MPI_LOCALNRANKS")]
    return Launch("MPICH", _number(env, "PMI_RANK"), _number(env, "PMI_SIZE"), *local)


def _variables(env: Mapping[str, str]) -> Launch | None:
    """Read the variables of PyTorch's launchers and of Kubernetes, whose jobs number their pods."""
    if "WORLD_SIZE" not in env:
        return None
    rank = "RANK" if "RANK" in env else "JOB_COMPLETION_INDEX"
    if rank not in env:
        raise LaunchError(
            f"WORLD_SIZE={env['WORLD_SIZE']} is set, but RANK is not: set RANK to the number of the process, from 0, "
            "or unset WORLD_SIZE to run a single process"
        )
    local = [_number(env, name) if name in env else None for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE")]
    return Launch("WORLD_SIZE", _number(env, rank), _number(env, "WORLD_SIZE"), *local)


def coordinator(launch: Launch, env: Mapping[str, str] = os.environ) -> str | None:
    """Return the address of process 0, where the others meet it; None if JAX finds it."""
    if "JAX_COORDINATOR_ADDRESS" in env:
        address = env["JAX_COORDINATOR_ADDRESS"]
        if not re.fullmatch(r".+:\d+", address):
            raise LaunchError(f"JAX_COORDINATOR_ADDRESS must be a host and a port, such as host:55527, not {address!r}")
        return address
    if "MASTER_ADDR" in env:
        return _master(env["MASTER_ADDR"], env.get("MASTER_PORT", _PORT))
    if launch.launcher == "Slurm" and "SLURM_NTASKS" not in env:
        raise LaunchError(
            f"Slurm started {launch.count} processes, but SLURM_NTASKS is not set, and JAX finds process 0 only with "
            f"it; start the program by srun --ntasks={launch.count}, or set MASTER_ADDR to the host of process 0"
        )
    if launch.launcher == "Slurm" or "OMPI_MCA_orte_hnp_uri" in env:
        return None
    raise LaunchError(
        f"{launch.launcher} started {launch.count} processes, but does not say where process 0 is; set MASTER_ADDR to "
        "the name of its machine for all processes: mpirun -x MASTER_ADDR=$(hostname) python train.py"
    )


_PORT = "55527"


def _master(host: str, port: str) -> str:
    """Return the address of process 0 from MASTER_ADDR and MASTER_PORT."""
    if not host or re.fullmatch(r"[^:]*:\d*", host):  # an address of IPv6 has more colons
        raise LaunchError(
            f"MASTER_ADDR must be the host of process 0, without a port, not {host!r}; the port is MASTER_PORT"
        )
    if not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise LaunchError(f"MASTER_PORT must be a number from 1 to 65535, not {port!r}; unset it to use {_PORT}")
    return f"{host}:{port}"


def require_free_port(address: str, env: Mapping[str, str] = os.environ) -> None:
    """Raise an error if another program uses the port at which process 0, which this is, waits for the others."""
    if "JAX_COORDINATOR_BIND_ADDRESS" in env:
        return
    port = int(address.rpartition(":")[2])
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a program that has just ended does not count
        try:
            probe.bind(("", port))
        except OSError as error:
            raise LaunchError(
                f"process 0 cannot wait for the others at port {port} of {address}: {error.strerror}. An earlier "
                "program may still run; end it, or set MASTER_PORT to another port for all processes"
            ) from error


def devices_of_process(launch: Launch, env: Mapping[str, str] = os.environ) -> Sequence[int] | None:
    """Return which of the GPUs that a process sees it uses; None for all of them, or if there are none.

    By default JAX lets each process of Slurm and Open MPI use the GPU of its number on the machine. That is wrong where
    a process has several GPUs, or sees only its own, under the number 0.
    """
    visible = _count_visible(env)
    if not visible:
        return None
    tasks, index = launch.local_count, launch.local_index
    on_node = env.get("SLURM_GPUS_ON_NODE", "")
    is_bound = visible == 1 or (on_node.isdigit() and int(on_node) > visible)
    if is_bound or tasks == 1 or tasks is None or index is None:
        return range(visible)
    if visible % tasks:
        raise LaunchError(
            f"{tasks} processes on this machine see the same {visible} GPUs, which cannot be shared equally; start one "
            "process per GPU, or one per machine"
        )
    share = visible // tasks
    return range(index * share, (index + 1) * share)


def _count_visible(env: Mapping[str, str]) -> int:
    listed = env.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return 0 if listed.strip() in ("", "-1", "NoDevFiles") else len(listed.split(","))
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def _require_all(env: Mapping[str, str], names: Sequence[str], found: str, who: str) -> None:
    missing = [name for name in names if name not in env]
    if missing:
        raise LaunchError(
            f"the environment has {found}, but not {', '.join(missing)}, so the processes cannot find each other; {who}"
        )


def _require_sensible(launch: Launch) -> None:
    if not 0 <= launch.index < launch.count:
        raise LaunchError(
            f"the environment says that this is process {launch.index} of {launch.count} ({launch.launcher}), "
            "where processes are numbered from 0; the variables may come from another job, so start it in a new shell"
        )


def _number(env: Mapping[str, str], name: str) -> int:
    try:
        return int(env[name])
    except ValueError:
        raise LaunchError(f"{name} must be a whole number, not {env[name]!r}") from None
