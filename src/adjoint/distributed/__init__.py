"""Several processes, on one machine or on many, that run the same program: `initialize` and `gather`.

    from adjoint import distributed

    process = distributed.initialize()  # at the start of the program: process.index of process.count

Each process then calls the same functions, compiled by `jit(devices=...)`, with its own part of the batch. This is the
public face of `adjoint.compile.xla.processes`, where the code is; it holds nothing else.
"""

from adjoint.compile.xla.processes import *  # noqa: F403
from adjoint.compile.xla.processes import __all__ as __all__


def __dir__() -> list[str]:
    return [*__all__]
