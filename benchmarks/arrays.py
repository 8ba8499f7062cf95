"""Speed of Values that hold arrays, compared with PyTorch, MyGrad and JAX.

    python benchmarks/arrays.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program, written for each library in `peers/`, alternately, each in a process of its own and on
one thread. Every step reads its loss as a float, so that asynchronous work is included. Each workload first checks that
the peers compute the same losses from the same weights. A missed target is reported and is not an error.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from alternation import Row, Times, alternate, require_same, run, running, times_faster, times_the_cost
from processes import ONE_THREAD, Process, fresh_process

PAIR = ("adjoint", "torch")
NEEDED = ("numpy", "torch", "jax", "mygrad")


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    description = "Measure adjoint on arrays next to its peers."
    measures = (moons, moons_in_words, digits, images, cnn, gpt, operations, overhead, calls, memory)
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
    with running({name: Process("peers.operations:moons_step", name) for name in ("adjoint", "torch")}) as peers:
        require_same("moons in words", *([peer() for _ in range(5)] for peer in peers.values()), tolerance=1e-9)
        times = alternate(peers, 10 * rounds, slice_seconds=0.02, settling=2)
    what = "moons step with @, + and indexing, NumPy vs PyTorch"
    return [times_faster(what, times["adjoint"], times["torch"], at_least=3)]


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
    engines = {engine: Process("peers:training", engine, name) for engine in ("torch", "jax", *others)}
    ours = {"ours": Process("peers:training", "adjoint", name)}
    compiled = {"ours, compiled": Process("peers:training", "adjoint", name, True)}
    with running({**engines, **ours, **compiled}) as peers:
        losses = {engine: [peer() for _ in range(5)] for engine, peer in peers.items()}
        for engine in peers:
            require_same(f"{name} with {engine}", losses[engine], losses["torch"], tolerance)
        if losses["torch"][-1] >= losses["torch"][0]:
            sys.exit(f"{name}: the loss does not decrease, so the step does not train")
        return alternate(peers, 10 * rounds, slice_seconds=0.08, settling=2)


# --- overhead of one operation on small arrays ---


def operations(rounds: int) -> list[Row]:
    """Each operation on 100 by 16 numbers, forward and backward."""
    from peers.operations import PROGRAMS

    rows = []
    for name in PROGRAMS:
        with running(
            {library: Process("peers.operations:Differentiation", name, library) for library in PAIR}
        ) as peers:
            require_same(name, *(peer.ask("gradients") for peer in peers.values()), tolerance=1e-9)
            times = alternate(peers, 10 * rounds, slice_seconds=0.01, settling=2)
        rows.append(times_faster(f"{name}, forward and backward", times["adjoint"], times["torch"], at_least=2))
    return rows


def overhead(rounds: int) -> list[Row]:
    rows, ours, theirs = [], [], []
    for operation in ("tanh", "product", "sum"):
        with running({library: Process("peers.operations:Chain", operation, library) for library in PAIR}) as peers:
            times = alternate(peers, 10 * rounds, slice_seconds=0.04)
            require_same(operation, *(peer.ask("gradients") for peer in peers.values()), tolerance=1e-9)
            length = peers["torch"].ask("length")
        per_operation = {name: [seconds / length for seconds in times[name]] for name in times}
        ours.append(per_operation["adjoint"])
        theirs.append(per_operation["torch"])
        workload = f"  {operation} alone"
        rows.append(times_the_cost(workload, per_operation["adjoint"], per_operation["torch"], at_most=None))
    mixed = [[sum(slices) / len(slices) for slices in zip(*engine)] for engine in (ours, theirs)]
    return [times_the_cost("one operation on 4 elements, NumPy vs PyTorch", *mixed, at_most=1), *rows]


# --- calls of compiled functions ---


def calls(rounds: int) -> list[Row]:
    """What a repeated call of `jit` takes in addition to `jax.jit` by hand, and two programs of many short calls."""
    from peers.calls import CALLS, inference, leapfrog, repeated

    rows = []
    limits = {"one array": 4, "a dict of two": 6, "unravel with a global array": 8, "vmap over it": 8}
    for name, limit in limits.items():
        ours, theirs = _least(rounds, repeated(name, "adjoint"), repeated(name, "jax"))
        what, more = f"a call of jit, {name}, over JAX by hand", 1e6 * (ours - theirs) / CALLS
        rows.append(Row(what, ours / CALLS, theirs / CALLS, "s", more, "≤", limit, "µs"))
    for program, what, limit in ((inference, "variational inference", 1.3), (leapfrog, "Monte Carlo", 1.1)):
        ours, theirs = _least(rounds, program("adjoint"), program("jax"))
        rows.append(times_the_cost(f"{CALLS} steps of {what}, jit vs JAX by hand", [ours], [theirs], at_most=limit))
    return rows


def _least(rounds: int, ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float]:
    """Return the least seconds of two steps that take turns in this process: they differ by microseconds."""
    require_same("compiled calls", [ours() for _ in range(3)], [theirs() for _ in range(3)])
    times: tuple[Times, Times] = [], []
    for _ in range(100 * rounds):
        for step, found in zip((ours, theirs), times):
            start = perf_counter()
            step()
            found.append(perf_counter() - start)
    return min(times[0]), min(times[1])


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
