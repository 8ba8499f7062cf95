"""Several processes, on one machine or on many, that run the same program: `initialize` and `gather`.

    from adjoint import distributed

    process = distributed.initialize()  # at the start of the program: process.index of process.count

Each process then calls the same functions, compiled by `jit(devices=...)`, with its own part of the batch. Start with
`processes.py`, which has the public names. `launch.py` reads what Slurm, MPI or Kubernetes says about a process,
`coordination.py` gives the keys and values that all processes share, `agreement.py` compares by them what the processes
are about to compute, and `failures.py` ends the others after an error in one. How arrays are split over devices is in
`adjoint.compile.xla`.

This layer uses `errors`, `engine` and `arrays`.
"""

from adjoint.distributed.processes import *  # noqa: F403
from adjoint.distributed.processes import __all__ as __all__


def __dir__() -> list[str]:
    return [*__all__]
