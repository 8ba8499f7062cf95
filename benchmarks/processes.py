"""A workload in a Python process of its own, which loads only the library that it measures.

What else a process has imported changes what is measured: Python's garbage collector, for example, visits the objects
of every library. `Process("peers.numbers:moons", "micrograd")` starts a process that calls `moons("micrograd")` of that
module and keeps what it returns, a workload; the methods here run it, time it, and ask it for numbers.
"""

import gc
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# The libraries read these when they are loaded. XLA's flag affects only the matrix products of Eigen; NPROC limits the
# thread pool for everything else.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


class Process:
    """A workload in a process of its own, which runs when it is asked to."""

    def __init__(self, make: str, *arguments: Any, **environment: str):
        self.make = make
        self._process = subprocess.Popen(
            [sys.executable, __file__, make, json.dumps(arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**_environment(), **environment},
        )  # fmt: skip

    def __call__(self) -> Any:
        """Run the workload once, and return its result."""
        return self.ask("__call__")

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the workload, and return its result."""
        return self._request("ask", method, *arguments)

    def time(self, calls: int = 1) -> float:
        """Run the workload, and return the seconds for one call."""
        return self._request("time", calls)

    def collect(self) -> None:
        """Collect the garbage now, so that no slice pays for the garbage of an earlier one."""
        self._request("collect")

    def let_collector_run(self, on: bool) -> None:
        self._request("collector", on)

    def end(self) -> None:
        self._process.communicate()

    def _request(self, *request: Any) -> Any:
        commands, answers = self._process.stdin, self._process.stdout
        assert commands is not None
        assert answers is not None
        try:
            print(json.dumps(request), file=commands, flush=True)
            answer = answers.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            sys.exit(f"the process of {self.make} ended at {request}; its error is above")
        return json.loads(answer)


def fresh_process(*arguments: str) -> str:
    """Run a new Python process with these arguments and return its output."""
    ended = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=_environment())
    if ended.returncode:
        sys.exit(f"a process of the benchmark failed:\n{ended.stderr}")
    return ended.stdout


def _environment() -> dict[str, str]:
    # installed packages have bytecode; without it, every run would also time the compiler
    return {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


# --- in the process of a workload ---


def serve(make: str, arguments: str) -> None:
    """Make the workload, and answer the requests of a `Process` until its pipe is closed."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    module, _, name = make.partition(":")
    workload = getattr(importlib.import_module(module), name)(*json.loads(arguments))
    for line in sys.stdin:
        print(json.dumps(_answer(workload, *json.loads(line))), file=answers, flush=True)


def _answer(workload: Any, request: str, *arguments: Any) -> Any:
    match request:
        case "ask":
            return getattr(workload, arguments[0])(*arguments[1:])
        case "time":
            return _time_per_call(workload, arguments[0])
        case "collect":
            gc.collect()
        case "collector":
            (gc.enable if arguments[0] else gc.disable)()


def _time_per_call(run: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / max(1, calls)


if __name__ == "__main__":
    serve(*sys.argv[1:])
