"""Several processes that run one program by `jax.distributed`, and write one checkpoint together."""

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from adjoint.errors import FileError

R = TypeVar("R")
_WIDTH = 8  # the numbers that a process may tell the others


class Processes:
    """The processes of this program: how many there are, and which one this is."""

    def __init__(self) -> None:
        jax = sys.modules.get("jax")
        self.count, self.index = 1, 0
        if jax is not None and jax.distributed.is_initialized():
            self.count, self.index = jax.process_count(), jax.process_index()

    def do(
        self, what: str, action: Callable[[], R], numbers: Callable[[R], Sequence[int]] = lambda result: ()
    ) -> tuple[R, list[list[int]]]:
        """Do something in every process, and wait for all; if one fails, raise in all of them.

        Return the result, and some numbers about the result of each process.
        """
        results: list[R] = []
        error: BaseException | None = None
        try:
            results.append(action())
            row = [1, *numbers(results[0])]
        except BaseException as caught:  # the others must not wait for this process
            if self.count == 1:
                raise
            error, row = caught, [0]
        rows = self.gather(row)
        if error is not None:
            raise error
        failed = [i for i, (is_done, *_) in enumerate(rows) if not is_done]
        if failed:
            raise FileError(f"cannot {what}: process {failed[0]} failed, and its error says why")
        return results[0], [numbers for _, *numbers in rows]

    def gather(self, row: Sequence[int]) -> list[list[int]]:
        """Return the numbers of each process, by its index."""
        if self.count == 1:
            return [list(row)]
        from jax.experimental import multihost_utils

        padded = np.zeros(_WIDTH, np.int32)
        padded[: len(row)] = row
        return np.asarray(multihost_utils.process_allgather(padded)).tolist()
