"""Speed of single Values, eager and under `jit`, compared with micrograd, plain floats, PyTorch and JAX.

    python benchmarks/scalar.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program on two kinds of numbers, alternately, each in a process of its own. The step on two
moons is micrograd's program, unchanged; its peers on arrays train the same network from the same weights, in double
precision as Values do, on one thread. Each workload first checks that the peers compute the same numbers. A missed
target is reported and is not an error.
"""

import os
import random
import sys
from collections.abc import Sequence
from statistics import median

from alternation import Row, alternate, require_same, run, running, times_faster, times_the_cost
from processes import ONE_THREAD, Process, fresh_process

import adjoint

NEEDED = ("micrograd", "torch", "jax")
PURE = {"ADJOINT_PURE": "1"}  # the Python engine


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    eager = (moons, scalar_gpt, chain_cost, chain_growth, chain_memory, imports)
    compiled = (compiled_moons, first_call, compiled_gpt, compiled_chain, compiled_memory)
    run("Measure adjoint's scalar engine next to its peers.", (*eager, *compiled), NEEDED, arguments)


def numbers(make: str, *arguments: object, **environment: str) -> Process:
    """Start a workload of single numbers."""
    return Process(f"peers.numbers:{make}", *arguments, **environment)


# --- eager ---


def moons(rounds: int) -> list[Row]:
    """Measure a training step with and without the garbage collector, which is most of micrograd's time."""
    peers = {
        "micrograd": numbers("moons", "micrograd"),
        "ours": numbers("moons", "adjoint"),
        "pure": numbers("moons", "adjoint", **PURE),
        "floats": numbers("forward_of_moons"),
    }
    with running(peers):
        require_same("moons", [peers["ours"]()], [peers["floats"]()])
        engines = {name: peer for name, peer in peers.items() if name != "floats"}
        for name, peer in engines.items():
            peer()
            if name != "ours":
                peer()
        for name in ("micrograd", "pure"):
            require_same(f"moons, {name}", peers["ours"].ask("weights"), peers[name].ask("weights"))
        # micrograd leaves its graphs to the garbage collector; the full cost shows after a few steps
        collected = alternate(engines, 1 + 2 * rounds, slice_seconds=0.2, settling=2)
        bare = alternate(engines, 2 + 2 * rounds, slice_seconds=0.2, collector=False)
        short = alternate({name: peers[name] for name in ("ours", "floats")}, 40 * rounds, slice_seconds=0.03)
    off = "the same, garbage collector off"
    return [
        times_faster("moons step, native vs micrograd", collected["ours"], collected["micrograd"], at_least=150),
        times_faster(f"  {off}", bare["ours"], bare["micrograd"], at_least=None),
        times_faster("moons step, pure Python vs micrograd", collected["pure"], collected["micrograd"], at_least=3),
        times_faster(f"  {off}", bare["pure"], bare["micrograd"], at_least=None),
        times_the_cost("moons step, native vs floats forward", short["ours"], short["floats"], at_most=2.2),
    ]


def scalar_gpt(rounds: int) -> list[Row]:
    peers = {"ours": numbers("ScalarGPT", ["eleanor"]), "pure": numbers("ScalarGPT", ["eleanor"], **PURE)}
    with running(peers):
        require_same("scalar GPT", peers["ours"](), peers["pure"]())
        require_same("scalar GPT", peers["ours"].ask("gradients"), peers["pure"].ask("gradients"))
        times = alternate(peers, 4 * rounds, slice_seconds=0.1)
    return [times_faster("scalar GPT, native vs pure Python", times["ours"], times["pure"], at_least=20)]


def chain_cost(rounds: int) -> list[Row]:
    million = 10**6
    peers = {"ours": numbers("differentiated_chain", million), "floats": numbers("forward_of_chain", million)}
    with running(peers):
        require_same("chain", [peers["ours"]()], [0.999999 ** (million / 2)])
        times = alternate(peers, 10 * rounds)
    return [times_the_cost("chain of 10^6, native vs floats forward", times["ours"], times["floats"], at_most=3)]


def chain_growth(rounds: int) -> list[Row]:
    lengths = (10**4, 10**5, 10**6)
    peers = {str(length): numbers("differentiated_chain", length) for length in lengths}
    with running(peers):
        times = alternate(peers, 6 * rounds, slice_seconds=0.05)
    per_node = [[seconds / length for seconds in times[str(length)]] for length in lengths]
    slowest, fastest = max(per_node, key=median), min(per_node, key=median)
    workload = "chain, a node: slowest vs fastest of 10^4 … 10^6"
    return [times_the_cost(workload, slowest, fastest, at_most=2)]


def chain_memory(rounds: int) -> list[Row]:
    with running({"ours": numbers("peak_of_chain", 10**6)}) as peers:
        peak = peers["ours"]()
    return [Row("chain of 10^6, peak memory of the process", peak, None, "MB", peak, "≤", 120, "MB")]


def imports(rounds: int) -> list[Row]:
    programs = {"bare": "pass", "ours": "from adjoint import Value", "torch": "import torch"}
    peers = {name: numbers("importing", program) for name, program in programs.items()}
    with running(peers):
        times = alternate(peers, 2 + rounds, slice_seconds=0.2, settling=0)
    ours, torch = ([x - z for x, z in zip(times[name], times["bare"])] for name in ("ours", "torch"))
    count = "from adjoint import Value; import sys; print(sum(m.split('.')[0] == 'numpy' for m in sys.modules))"
    loaded = fresh_process("-c", count)
    return [
        times_the_cost("import, adjoint vs torch", ours, torch, at_most=1 / 20),
        Row("import adjoint, modules of NumPy loaded", int(loaded), None, "", int(loaded), "≤", 0, ""),
    ]


# --- under jit ---


def compiled_moons(rounds: int) -> list[Row]:
    """Measure a training step against micrograd, and against arrays in PyTorch and JAX."""
    slow = {"micrograd": numbers("moons", "micrograd")}
    fast = {
        "ours": numbers("compiled_moons"),
        "eager": numbers("moons", "adjoint"),
        "torch": numbers("moons_on_arrays", "torch"),
        "jax": numbers("moons_on_arrays", "jax"),
        "arrays": numbers("moons_on_arrays", "adjoint"),
        "arrays, compiled": numbers("moons_on_arrays", "adjoint", True),
    }
    with running({**slow, **fast}) as peers:
        losses = {name: [peer() for _ in range(3)] for name, peer in peers.items()}
        for name in peers:
            require_same(f"compiled moons, {name}", losses["ours"], losses[name])
        against_micrograd = alternate({**slow, "ours": fast["ours"]}, 1 + rounds, slice_seconds=0.2, settling=2)
        times = alternate(fast, 20 * rounds, slice_seconds=0.05)
    ours = times["ours"]
    micrograd = (against_micrograd["ours"], against_micrograd["micrograd"])
    return [
        times_faster("moons step, jit vs micrograd", *micrograd, at_least=15_000),
        times_faster("moons step, jit vs PyTorch on tensors", ours, times["torch"], at_least=4),
        times_faster("moons step, jit vs JAX by hand on arrays", ours, times["jax"], at_least=1),
        times_faster("  jit vs the eager native core", ours, times["eager"], at_least=None),
        times_faster("  jit vs arrays, eager", ours, times["arrays"], at_least=None),
        times_faster("  jit vs jit on arrays", ours, times["arrays, compiled"], at_least=None),
    ]


def first_call(rounds: int) -> list[Row]:
    """Measure the call that traces and folds the step on two moons, against an eager step."""
    with running({"first": numbers("first_call_of_moons"), "eager": numbers("moons", "adjoint")}) as peers:
        require_same("first call", [peers["first"]()], [peers["eager"]()])
        times = alternate(peers, 3 * rounds)
    seconds = min(times["first"])
    return [
        times_the_cost("moons step, first call of jit vs an eager step", times["first"], times["eager"], at_most=60),
        Row("moons step, first call of jit", seconds, None, "s", seconds, "≤", 0.5, "s"),
    ]


def compiled_gpt(rounds: int) -> list[Row]:
    """Measure the scalar GPT on names of different lengths."""
    names = random.Random(1).sample(adjoint.data.names(), 12)
    with running({"ours": numbers("ScalarGPT", names, True), "eager": numbers("ScalarGPT", names)}) as peers:
        require_same("compiled GPT", peers["ours"](), peers["eager"](), tolerance=1e-9)
        require_same("compiled GPT", peers["ours"].ask("gradients"), peers["eager"].ask("gradients"))
        times = alternate(peers, 4 * rounds)
    return [times_faster("scalar GPT, 12 names in turn, jit vs eager", times["ours"], times["eager"], at_least=15)]


def compiled_chain(rounds: int) -> list[Row]:
    """Measure a chain without lanes."""
    with running({"ours": numbers("differences", True), "eager": numbers("differences")}) as peers:
        require_same("compiled chain", peers["ours"](), peers["eager"]())
        times = alternate(peers, 6 * rounds, slice_seconds=0.05)
    return [times_faster("chain of 10^5 operations, jit vs eager", times["ours"], times["eager"], at_least=10)]


def compiled_memory(rounds: int) -> list[Row]:
    rows = []
    for workload, what in {"moons": "moons step", "chain": "chain of 10^5 operations"}.items():
        with running({"ours": numbers("memory_of_programs", workload, 3 + 2 * rounds)}) as peers:
            each = peers["ours"]()
        rows.append(Row(f"{what} under jit, memory an operation", each, None, "bytes", each, "≤", 40, "bytes"))
    return rows


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
