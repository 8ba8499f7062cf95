"""Programs of single numbers under `jit`: rows of `benchmarks/scalar.py`.

The step on two moons is micrograd's program, unchanged. Its peers on arrays, PyTorch and JAX, train the same network
from the same weights, in double precision as Values do, on one thread; every step reads its loss as a float.
"""

import gc
import importlib
import random
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from alternation import Row, alternate, require_same, times_faster, times_the_cost
from micrograd_moons import EXAMPLE, Moons, load

import adjoint

CHAIN = 10**5


# --- micrograd's demonstration ---


def compiled_moons(rounds: int) -> list[Row]:
    """Measure a training step on two moons against micrograd, and against arrays in PyTorch and JAX."""
    micrograds, eager, ours = Moons(importlib.import_module("micrograd.engine").Value), *two_of_ours()
    problem = as_problem(ours)
    peers = {name: importlib.import_module(f"peers.with_{name}").moons for name in ("torch", "jax", "adjoint")}
    on_arrays = {name: make(problem) for name, make in peers.items()}
    on_arrays["adjoint, compiled"] = peers["adjoint"](problem, compiled=True)
    step = adjoint.jit(ours.training_step)
    losses = [step().data for _ in range(3)]
    for run in (*on_arrays.values(), lambda: eager.training_step().data):
        require_same("compiled moons", losses, [run() for _ in range(3)])
    require_same("compiled moons", ours.weights(), eager.weights(), tolerance=1e-9)
    require_same("compiled moons", losses[:1], [micrograds.training_step().data])
    scalar = {"micrograd": micrograds.step, "ours": lambda: step().data}
    slow = alternate(scalar, 1 + rounds, slice_seconds=0.2, let_go=micrograds.let_go)
    fast = alternate({**on_arrays, "ours": lambda: step().data, "eager": eager.training_step}, 20 * rounds, 0.05)
    return [
        times_faster("moons step, jit vs micrograd", slow["ours"], slow["micrograd"], at_least=15_000),
        times_faster("moons step, jit vs PyTorch on tensors", fast["ours"], fast["torch"], at_least=4),
        times_faster("moons step, jit vs JAX by hand on arrays", fast["ours"], fast["jax"], at_least=1),
        times_faster("  jit vs the eager native core", fast["ours"], fast["eager"], at_least=None),
        times_faster("  jit vs arrays, eager", fast["ours"], fast["adjoint"], at_least=None),
        times_faster("  jit vs jit on arrays", fast["ours"], fast["adjoint, compiled"], at_least=None),
    ]


def first_call(rounds: int) -> list[Row]:
    """Measure the call that traces and folds the step on two moons, against an eager step."""
    eager, ours = two_of_ours()
    peers = {"first": lambda: adjoint.jit(ours.training_step)(), "eager": eager.training_step}
    times = alternate(peers, 3 * rounds, settling=1)
    seconds = min(times["first"])
    return [
        times_the_cost("moons step, first call of jit vs an eager step", times["first"], times["eager"], at_most=60),
        Row("moons step, first call of jit", seconds, None, "s", seconds, "≤", 0.5, "s"),
    ]


def two_of_ours() -> tuple[Moons, Moons]:
    return Moons(adjoint.Value), Moons(adjoint.Value)


def as_problem(moons: Moons) -> Any:
    """Return the weights and points of the scalar network as arrays."""
    weights = []
    for layer in moons.model.layers:
        weights.append(np.array([[w.data for w in neuron.w] for neuron in layer.neurons]))
        weights.append(np.array([float(neuron.b.data) for neuron in layer.neurons]))
    labels = np.array(moons.labels, float)[:, None]
    return importlib.import_module("peers.problems").Problem(weights, np.array(moons.points), labels)


# --- a scalar GPT, forward and backward, on names of different lengths ---


def compiled_gpt(rounds: int) -> list[Row]:
    gpt = load("scalar_gpt", EXAMPLE)
    weights = gpt.initial_weights(random.Random(1))
    names = [gpt.encoded(name) for name in random.Random(1).sample(adjoint.data.names(), 12)]

    def differentiation() -> tuple[Any, Callable]:
        model = gpt.GPT(gpt.converted(weights, adjoint.Value), gpt.ON_VALUES)

        def differentiate(tokens: list[int]) -> Any:
            loss = model.loss(tokens)
            loss.backward()
            return loss

        return model, differentiate

    (eager, differentiate), (ours, compiled) = differentiation(), differentiation()
    compiled = adjoint.jit(compiled)
    losses = [[run(name).data for name in names] for run in (compiled, differentiate)]
    require_same("compiled GPT", losses[0], losses[1], tolerance=1e-9)
    require_same("compiled GPT", [p.grad for p in ours.parameters()], [p.grad for p in eager.parameters()])
    peers = {"ours": lambda: [*map(compiled, names)], "eager": lambda: [*map(differentiate, names)]}
    times = alternate(peers, 4 * rounds)
    return [times_faster("scalar GPT, 12 names in turn, jit vs eager", times["ours"], times["eager"], at_least=15)]


# --- a chain without lanes ---


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


def compiled_chain(rounds: int) -> list[Row]:
    start = adjoint.Value(0.5)

    def differentiate() -> Any:
        start.zero_grad()
        result = chain_of_differences(start)
        result.backward()
        return result

    compiled = adjoint.jit(differentiate)
    ours, slope = compiled().data, start.grad
    require_same("compiled chain", [ours, slope], [differentiate().data, start.grad])
    times = alternate({"ours": compiled, "eager": differentiate}, 6 * rounds, slice_seconds=0.05)
    return [times_faster("chain of 10^5 operations, jit vs eager", times["ours"], times["eager"], at_least=10)]


# --- memory ---


def compiled_memory(rounds: int) -> list[Row]:
    """Measure by how much the process grows with each program, or what a program says it takes, if that is more."""
    start = adjoint.Value(0.5)
    steps = {
        "moons step": lambda: Moons(adjoint.Value).training_step,
        "chain of 10^5 operations": lambda: lambda: chain_of_differences(start).backward(),
    }
    rows = []
    for workload, make in steps.items():
        kept, sizes = [], []
        for _ in range(3 + 2 * rounds):
            kept.append(adjoint.jit(make()))
            kept[-1]()
            gc.collect()
            sizes.append(resident_bytes())
        # the first ones also fill the memory that recording needs for a moment, and later ones may use it again
        growth = (sizes[-1] - sizes[1]) / (len(sizes) - 2)
        operations, own = counts_of(kept[-1])
        each = max(growth, own) / operations
        rows.append(Row(f"{workload} under jit, memory an operation", each, None, "bytes", each, "≤", 40, "bytes"))
    return rows


def counts_of(compiled: Any) -> tuple[int, int]:
    """Return the operations and the bytes of a program, from its description."""
    numbers = re.findall(r"[\d,]+", str(compiled.program))
    return int(numbers[0].replace(",", "")), int(numbers[-1].replace(",", ""))


def resident_bytes() -> int:
    """Return the memory of this process; on systems without /proc, its peak."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


MEASURES = (compiled_moons, first_call, compiled_gpt, compiled_chain, compiled_memory)
