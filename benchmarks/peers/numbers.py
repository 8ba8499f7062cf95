"""Programs of single numbers: on micrograd's Values, on ours, eager or compiled, and on plain floats.

Each function returns a workload for a process of its own: a function, or an object that can be called and asked for
numbers. ADJOINT_PURE=1 in the environment of the process chooses adjoint's Python engine.
"""

import gc
import importlib
import importlib.util
import random
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from processes import fresh_process

from peers.micrograd_moons import Moons, relu_of_float

EXAMPLE = Path(__file__).parents[2] / "examples" / "scalar_gpt.py"


# --- micrograd's demonstration ---


def moons(engine: str) -> Moons:
    """Return training steps with the Values of an engine: micrograd or adjoint."""
    return Moons(importlib.import_module({"micrograd": "micrograd.engine"}.get(engine, engine)).Value)


def forward_of_moons() -> Callable[[], float]:
    """Return the loss in plain floats, without gradients."""
    return Moons(float, relu_of_float).loss


def compiled_moons() -> Callable[[], float]:
    import adjoint

    step = adjoint.jit(moons("adjoint").training_step)
    return lambda: step().data


def first_call_of_moons() -> Callable[[], object]:
    """Return a workload that records and compiles the training step, and runs it once."""
    import adjoint

    ours = moons("adjoint")
    return lambda: adjoint.jit(ours.training_step)().data


def moons_on_arrays(engine: str, compiled: bool = False) -> Callable[[], float]:
    """Return training steps of the same network, from the same weights, on the arrays of a library."""
    import numpy as np

    from peers.problems import Problem

    floats = Moons(float, relu_of_float)
    weights = []
    for layer in floats.model.layers:
        weights.append(np.array([neuron.w for neuron in layer.neurons]))
        weights.append(np.array([float(neuron.b) for neuron in layer.neurons]))
    problem = Problem(weights, np.array(floats.points), np.array(floats.labels, float)[:, None])
    make = importlib.import_module(f"peers.with_{engine}").moons
    return make(problem, compiled=True) if compiled else make(problem)


# --- a scalar GPT, forward and backward ---


class ScalarGPT:
    """The GPT of examples/scalar_gpt.py, which is differentiated on names, one after the other."""

    def __init__(self, names: list[str], compiled: bool = False):
        example = load(EXAMPLE)
        weights = example.converted(example.initial_weights(random.Random(1)), example.Value)
        self.model = example.GPT(weights, example.ON_VALUES)
        self.names = [example.encoded(name) for name in names]
        model = self.model

        def differentiated(tokens: list[int]) -> Any:  # it does not refer to the names, which would be state under jit
            loss = model.loss(tokens)
            loss.backward()
            return loss

        self.differentiated = example.adjoint.jit(differentiated) if compiled else differentiated

    def __call__(self) -> list[float]:
        return [self.differentiated(tokens).data for tokens in self.names]

    def gradients(self) -> list[float]:
        return [p.grad for p in self.model.parameters()]


def load(path: Path) -> ModuleType:
    """Execute the file of a module that is in none of Python's folders."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- chains ---


def additions_and_multiplications(x: Any, length: int) -> Any:
    for _ in range(length // 2):
        x = x * 0.999999
        x = x + 0.000001
    return x


def differentiated_chain(length: int) -> Callable[[], float]:
    """Return a workload that builds a chain, differentiates it, frees it, and returns the gradient."""
    from adjoint import Value

    def differentiate() -> float:
        start = Value(0.5)
        additions_and_multiplications(start, length).backward()
        return start.grad

    return differentiate


def forward_of_chain(length: int) -> Callable[[], float]:
    return lambda: additions_and_multiplications(0.5, length)


CHAIN = 10**5


def chain_of_differences(x: Any) -> Any:
    """Return the result of 10^5 operations, each of which needs the one before and has another constant."""
    z = x
    for i in range(CHAIN // 5):
        constant = 0.9 + i * 1e-6
        x = x * constant
        x = x + z
        z = z * 0.5
        z = constant - z
        x = x / (1.5 + constant)
    return x + z


def differences(compiled: bool = False) -> Callable[[], list[float]]:
    """Return a workload that differentiates the chain of different operations; it returns the result and the slope."""
    import adjoint

    start = adjoint.Value(0.5)

    def differentiate() -> Any:
        start.zero_grad()
        result = chain_of_differences(start)
        result.backward()
        return result

    run = adjoint.jit(differentiate) if compiled else differentiate
    return lambda: [run().data, start.grad]


# --- memory ---


def memory_of_programs(workload: str, count: int) -> Callable[[], float]:
    """Return a workload that compiles `count` programs, and returns the bytes an operation takes.

    That is how far the process grows with each program, or what a program says it takes, if that is more.
    """
    import adjoint

    start = adjoint.Value(0.5)

    def step() -> Callable:
        return moons("adjoint").training_step if workload == "moons" else lambda: chain_of_differences(start).backward()

    def measure() -> float:
        kept, sizes = [], []
        for _ in range(count):
            kept.append(adjoint.jit(step()))
            kept[-1]()
            gc.collect()
            sizes.append(_resident_bytes())
        # the first ones also fill the memory that recording needs for a moment, and later ones may use it again
        growth = (sizes[-1] - sizes[1]) / (len(sizes) - 2)
        operations, *_, size = re.findall(r"\d[\d,]*", str(kept[-1].program))  # the description says bytes last
        return max(growth, int(size.replace(",", ""))) / int(operations.replace(",", ""))

    return measure


def _resident_bytes() -> int:
    """Return the memory of this process; on systems without /proc, its peak."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


def peak_of_chain(length: int) -> Callable[[], float]:
    """Return a workload that differentiates a chain, and returns the peak memory of the process in megabytes."""

    def measure() -> float:
        differentiated_chain(length)()
        try:  # a child process inherits ru_maxrss from its parent; VmHWM starts from zero
            return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
        except (OSError, IndexError):
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)

    return measure


# --- imports ---


def importing(program: str) -> Callable[[], str]:
    """Return a workload that runs a program in a new process, such as an import."""
    return lambda: fresh_process("-c", program)
