"""Workers: threads or processes that load batches in the background, in order.

Threads need no preparation and suffice where reading releases the interpreter: files, images, NumPy. Processes run
Python code in parallel; they are started anew rather than forked, so the data set must be picklable.
"""

import multiprocessing
import os
import pickle
import random
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any
from weakref import finalize

import numpy as np

from adjoint.errors import ArgumentError, DataError
from adjoint.errors.interruptions import raise_interruption

Load = Callable[..., Any]  # of the indices of a batch, the seed and the epoch


class Workers:
    """Threads or processes that call a function for each batch, some batches ahead of the reader."""

    def __init__(self, load: Load, count: int, processes: bool, prefetch: int):
        self.ahead = count * prefetch
        self._executor, self._load = _processes(load, count) if processes else _threads(load, count)
        self.close = finalize(self, _end, self._executor)  # also when the loader is no longer used

    def map(self, batches: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results for batches in their order; what is not needed any more is canceled."""
        waiting: deque[Future[Any]] = deque()
        try:
            for batch in batches:
                waiting.append(self._executor.submit(self._load, *batch))
                if len(waiting) > self.ahead:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()


def _threads(load: Load, count: int) -> tuple[Executor, Load]:
    return ThreadPoolExecutor(count, thread_name_prefix="adjoint-loader"), load


def _processes(load: Load, count: int) -> tuple[Executor, Load]:
    try:
        content = pickle.dumps(load)
    except Exception as error:
        raise_interruption(error)
        raise ArgumentError(
            f"processes need a data set that can be pickled, but pickling failed: {error}. Define its classes and "
            "functions at the top level of a module, or use threads: processes=False"
        ) from error
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    return ProcessPoolExecutor(count, context, initializer=_start, initargs=(content,)), _load_in_process


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise DataError(
            "a worker process ended unexpectedly: it ran out of memory, crashed or was killed. Use fewer workers, or "
            "threads: processes=False"
        ) from error


def _end(executor: Executor) -> None:
    executor.shutdown(wait=True, cancel_futures=True)


# --- in a worker process ---

_loads: list[Load] = []
_failures: list[Exception] = []


def _start(content: bytes) -> None:
    threading.Thread(target=_end_with_reader, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that reads, which ends its workers
    try:
        _loads[:] = [pickle.loads(content)]
    except Exception as error:  # raised for the first batch: an error here would only end the process
        _failures.append(error)


def _end_with_reader() -> None:
    """End this process when the one that reads has ended without ending its workers: it was killed."""
    reader = multiprocessing.parent_process()
    if reader is not None:
        wait([reader.sentinel])
        os._exit(1)


def _load_in_process(indices: Any, *seeds: int) -> Any:
    if _failures:
        raise DataError(
            f"a worker process cannot load the data set: {_failures[0]}. Its classes and functions must be in a module "
            "that can be imported, not in a notebook or an interactive session; or use threads: processes=False"
        )
    # Code that uses the global generators gets the same numbers for any number of workers.
    rows = (indices.start, indices.stop) if isinstance(indices, slice) else indices
    entropy = np.random.SeedSequence([*seeds, *map(int, rows)]).generate_state(4)
    np.random.seed(entropy)
    random.seed(entropy.tobytes())
    return _loads[0](indices, *seeds)
