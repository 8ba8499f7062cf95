"""Several processes that run one program: how they join, and how each reads what they hold together."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjoint.arrays.backends.resident import Resident, reading
from adjoint.distributed.coordination import coordination_client
from adjoint.distributed.failures import FailureWatch
from adjoint.distributed.launch import coordinator, devices_of_process, find_launch, require_free_port, require_srun
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, LaunchError
from adjoint.errors.given import describe
from adjoint.errors.optional_jax import load_jax, require_jax

__all__ = ["Process", "gather", "initialize"]


@dataclass(frozen=True)
class Process:
    """A process among those of a program: its number, from 0, and how many there are.

    >>> from adjoint import distributed
    >>> distributed.initialize().index
    0
    """

    index: int
    count: int


def initialize() -> Process:
    """Join the processes of a program; call it once, at the start. A program on its own needs no change.

    The processes are those that `srun` of Slurm, `mpirun` or `mpiexec` started, or those that the variables
    `WORLD_SIZE`, `RANK` and `MASTER_ADDR` describe, as in a job of Kubernetes. It calls `jax.distributed.initialize`
    with the address of process 0 and with the GPUs of this process, and raises a `LaunchError` for variables that are
    set in part, where JAX would wait for processes that do not exist. An exception that ends a process ends the others
    too, a few seconds later.

    >>> from adjoint import distributed
    >>> distributed.initialize()
    Process(index=0, count=1)
    """
    require_jax("distributed.initialize")
    jax = load_jax()
    if not jax.distributed.is_initialized():
        require_srun()
        launch = find_launch()
        if launch is None:
            return Process(0, 1)
        address, devices = coordinator(launch), devices_of_process(launch)
        if launch.index == 0 and address is not None:
            require_free_port(address)
        try:
            jax.distributed.initialize(address, launch.count, launch.index, devices)
        except RuntimeError as error:
            if "before any JAX calls" not in str(error):
                raise
            raise LaunchError(
                "distributed.initialize() must be called before JAX is used for anything else, also before "
                "jax.devices(); call it first in the program"
            ) from error
        FailureWatch(coordination_client(), launch.index).start()
    return Process(jax.process_index(), jax.process_count())


def require_joined(jax: Any) -> None:
    """Raise an error if a launcher started several processes that do not know of each other: each would train alone."""
    if jax.process_count() > 1 or os.environ.get("ADJOINT_ALONE") == "1":
        return
    launch = find_launch()
    if launch is not None:
        raise LaunchError(
            f"{launch.launcher} started {launch.count} processes, but each would train alone; call "
            "adjoint.distributed.initialize() at the start of the program. If each is to train a model of its own, set "
            "ADJOINT_ALONE=1 in the environment"
        )


def gather(value: Value) -> np.ndarray:
    """Return the whole array of a Value, also one that devices of several processes hold in parts.

    With several processes, every process must call it, for the same Values in the same order. The Value itself stays
    split.

    >>> from adjoint import Value, distributed
    >>> distributed.gather(Value([1.0, 2.0]))
    array([1., 2.])
    """
    if not isinstance(value, Value):
        raise ArgumentError(f"gather needs a Value, not {describe(value)}")
    with reading:
        held: object = value._data
        array = held.on_device() if type(held) is Resident else None
    if array is None:
        return np.array(value.data)
    if array.is_fully_addressable or array.is_fully_replicated:
        return np.array(array)
    from jax.experimental import multihost_utils

    return np.array(multihost_utils.process_allgather(array, tiled=True))
