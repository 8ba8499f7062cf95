"""Speed of Values that hold arrays, compared with PyTorch, MyGrad and JAX.

    python benchmarks/arrays.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program, written for each library in `peers/`, alternately, in this process and on one
thread; only peak memory is measured in separate processes. Every step reads its loss as a float, so that
asynchronous work is included. Each workload first checks that the peers compute the same losses from the same
weights. A missed target is reported and is not an error.
"""

import gc
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from alternation import (
    ONE_THREAD,
    Row,
    Times,
    alternate,
    fresh_process,
    require_same,
    run,
    times_faster,
    times_the_cost,
)

import adjoint

NEEDED = ("numpy", "torch", "jax", "mygrad")


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    description = "Measure adjoint on arrays next to its peers."
    measures = (moons, moons_in_words, digits, images, cnn, gpt, operations, overhead, memory)
    run(description, measures, NEEDED, arguments)


# --- training steps ---


def moons(rounds: int) -> list[Row]:
    times = training("moons", rounds, ("mygrad",), tolerance=1e-9)
    return [
        times_faster("moons step, NumPy vs PyTorch", times["ours"], times["torch"], at_least=2.5),
        times_faster("moons step, NumPy vs MyGrad", times["ours"], times["mygrad"], at_least=3),
        *compiled("moons step", times),
    ]


def moons_in_words(rounds: int) -> list[Row]:
    """The step with `h @ w + b`, `h[:, 0]` and `w.data = w.data - …` instead of `linear` and `-=`."""
    words, problem = importlib.import_module("peers.operations"), importlib.import_module("peers.problems").moons()
    steps = {name: words.moons_step(problem, words.WORDS[name]()) for name in ("ours", "torch")}
    require_same("moons in words", *([step() for _ in range(5)] for step in steps.values()), tolerance=1e-9)
    times = alternate(steps, 10 * rounds, slice_seconds=0.02, settling=2)
    return [
        times_faster("moons step with @, + and indexing, NumPy vs PyTorch", times["ours"], times["torch"], at_least=3)
    ]


def digits(rounds: int) -> list[Row]:
    times = training("digits", rounds)
    return [
        times_faster("digits MLP, Adam step, NumPy vs PyTorch", times["ours"], times["torch"], at_least=1.2),
        *compiled("digits MLP, Adam step", times),
    ]


def images(rounds: int) -> list[Row]:
    times = training("images", rounds)
    return [
        times_faster("784 MLP step, NumPy vs PyTorch", times["ours"], times["torch"], at_least=1),
        *compiled("784 MLP step", times),
    ]


def cnn(rounds: int) -> list[Row]:
    times = training("cnn", rounds)
    return [
        times_faster("digits CNN step, NumPy vs PyTorch", times["ours"], times["torch"], at_least=1),
        *compiled("digits CNN step", times),
    ]


def gpt(rounds: int) -> list[Row]:
    times = training("gpt", rounds)
    return [
        times_faster("GPT step, NumPy vs PyTorch", times["ours"], times["torch"], at_least=0.9),
        *compiled("GPT step", times, at_least=1.05),
    ]


def compiled(workload: str, times: Mapping[str, Times], at_least: float = 1) -> list[Row]:
    ours = times["ours, compiled"]
    return [
        times_the_cost(f"{workload}, jit vs JAX by hand", ours, times["jax"], at_most=1.1),
        times_faster(f"{workload}, jit vs PyTorch", ours, times["torch"], at_least=at_least),
    ]


def training(
    name: str,
    rounds: int,
    others: Sequence[str] = (),
    tolerance: float = 1e-4,  # single precision, and sums in another order
) -> dict[str, Times]:
    """Return the times of one training step on the named problem, for each engine."""
    problem = getattr(importlib.import_module("peers.problems"), name)()
    ours = getattr(peer("adjoint"), name)
    steps = {engine: getattr(peer(engine), name)(problem) for engine in ("torch", "jax", *others)}
    steps |= {"ours": ours(problem), "ours, compiled": ours(problem, compiled=True)}
    losses = {engine: [step() for _ in range(5)] for engine, step in steps.items()}
    for engine in steps:
        require_same(f"{name} with {engine}", losses[engine], losses["torch"], tolerance)
    if losses["torch"][-1] >= losses["torch"][0]:
        sys.exit(f"{name}: the loss does not decrease, so the step does not train")
    gc.freeze()  # the libraries hold 250,000 objects; exclude them from each collection
    return alternate(steps, 10 * rounds, slice_seconds=0.08, settling=2)


def peer(engine: str) -> ModuleType:
    return importlib.import_module(f"peers.with_{engine}")


# --- overhead of one operation on small arrays ---


def operations(rounds: int) -> list[Row]:
    """Each operation on 100 by 16 numbers, forward and backward."""
    words = importlib.import_module("peers.operations")
    libraries = {name: words.WORDS[name]() for name in ("ours", "torch")}
    rows = []
    for name in words.PROGRAMS:
        passes = {library: words.Differentiation(name, libraries[library]) for library in libraries}
        require_same(name, *(run.gradients() for run in passes.values()), tolerance=1e-9)
        times = alternate(passes, 10 * rounds, slice_seconds=0.01, settling=2)
        rows.append(times_faster(f"{name}, forward and backward", times["ours"], times["torch"], at_least=2))
    return rows


LENGTH = 100


def tanhs(x: Any, w: Any) -> Any:
    for _ in range(LENGTH):
        x = x.tanh()
    return x


def products(x: Any, w: Any) -> Any:
    for _ in range(LENGTH):
        x = x * w
    return x


def sums(x: Any, w: Any) -> Any:
    for _ in range(LENGTH):
        x = x + w
    return x


class Chain:
    """A chain of operations on leaves of four elements, on any engine."""

    def __init__(self, operations: Callable[[Any, Any], Any], leaf: Callable[[list[float]], Any]):
        self.operations = operations
        self.x, self.w = leaf([0.1, 0.2, 0.3, 0.4]), leaf([0.98, 0.99, 1.01, 1.02])

    def differentiate(self) -> None:
        self.x.grad = self.w.grad = None
        self.operations(self.x, self.w).sum().backward()

    def gradients(self) -> list[float]:
        grads = [[0.0] * 4 if leaf.grad is None else leaf.grad for leaf in (self.x, self.w)]
        return [float(g) for grad in grads for g in grad]


def overhead(rounds: int) -> list[Row]:
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    rows, ours, theirs = [], [], []
    for operations in (tanhs, products, sums):
        own = Chain(operations, adjoint.Value)
        other = Chain(operations, lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True))
        passes = {"ours": own.differentiate, "torch": other.differentiate}
        times = alternate(passes, 10 * rounds, slice_seconds=0.04)
        require_same(operations.__name__, own.gradients(), other.gradients(), tolerance=1e-9)
        per_operation = {name: [seconds / LENGTH for seconds in times[name]] for name in times}
        ours.append(per_operation["ours"])
        theirs.append(per_operation["torch"])
        workload = f"  {operations.__name__} alone"
        rows.append(times_the_cost(workload, per_operation["ours"], per_operation["torch"], at_most=None))
    mixed = [[sum(slices) / len(slices) for slices in zip(*engine)] for engine in (ours, theirs)]
    return [times_the_cost("one operation on 4 elements, NumPy vs PyTorch", *mixed, at_most=1), *rows]


# --- memory ---


def memory(rounds: int) -> list[Row]:
    """Return the figures of `memory.py`, which describes what it counts."""
    program = str(Path(__file__).with_name("memory.py"))

    def megabytes(engine: str) -> float:
        return median(float(fresh_process(program, engine)) for _ in range(rounds))

    ours, retaining, theirs = map(megabytes, ("adjoint", "adjoint-retaining", "torch"))
    workload = "784 MLP step, peak memory, NumPy vs PyTorch"
    return [
        Row(workload, ours, theirs, "MB", ours / theirs, "≤", 1.2),
        Row("  with the graph retained", retaining, theirs, "MB", retaining / theirs, "≤", None),
    ]


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
