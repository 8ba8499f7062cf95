"""Speed of single Values, compared with micrograd, plain floats, the Python engine and the import of PyTorch.

The rows of compiled_numbers.py are about the same programs under `jit`.

    python benchmarks/scalar.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program on two kinds of numbers, alternately, in this process; only imports and peak
memory are measured in separate processes. Each workload first checks that the peers compute the same numbers.
A missed target is reported and is not an error.
"""

import gc
import importlib
import inspect
import os
import random
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

import compiled_numbers
from alternation import ONE_THREAD, Row, alternate, fresh_process, require_same, run, times_faster, times_the_cost
from micrograd_moons import EXAMPLE, Moons, load, pure_python_adjoint, relu_of_float

import adjoint

NEEDED = ("micrograd", "torch", "jax")


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    description = "Measure adjoint's scalar engine next to its peers."
    eager = (moons, scalar_gpt, chain_cost, chain_growth, chain_memory, imports)
    run(description, (*eager, *compiled_numbers.MEASURES), NEEDED, arguments)


def moons(rounds: int) -> list[Row]:
    micrograds = Moons(importlib.import_module("micrograd.engine").Value)
    ours, pure = Moons(adjoint.Value), Moons(pure_python_adjoint().Value)
    floats = Moons(float, relu_of_float)
    require_same("moons", [ours.loss().data], [floats.loss()])
    steps = {"micrograd": micrograds.step, "ours": ours.step, "pure": pure.step}
    for step in steps.values():
        step()
    require_same("moons", ours.weights() * 2, micrograds.weights() + pure.weights())

    def let_go():
        for peer in (micrograds, ours, pure):
            peer.let_go()

    # micrograd leaves its graphs to the garbage collector; the full cost shows after a few steps
    long = alternate(steps, 1 + 2 * rounds, slice_seconds=0.2, settling=2, let_go=let_go)
    # with the collector off, only the engines are compared
    gc.disable()
    bare = alternate(steps, 2 + 2 * rounds, slice_seconds=0.2, let_go=let_go)
    gc.enable()
    let_go()
    short = alternate({"ours": ours.step, "floats": floats.loss}, 40 * rounds, slice_seconds=0.03)
    return [
        times_faster("moons step, native vs micrograd", long["ours"], long["micrograd"], at_least=150),
        times_the_cost("moons step, native vs floats forward", short["ours"], short["floats"], at_most=2.2),
        times_faster("moons step, pure Python vs micrograd", long["pure"], long["micrograd"], at_least=3),
        times_faster("  native vs micrograd, garbage collector off", bare["ours"], bare["micrograd"], at_least=None),
        times_faster(
            "  pure Python vs micrograd, garbage collector off",
            bare["pure"],
            bare["micrograd"],
            at_least=None,
        ),
    ]


# --- a scalar GPT, forward and backward ---


def scalar_gpt(rounds: int) -> list[Row]:
    gpt = load("scalar_gpt", EXAMPLE)
    weights, tokens = gpt.initial_weights(random.Random(1)), gpt.encoded("eleanor")

    def model_on(Value: type) -> Any:
        return gpt.GPT(gpt.converted(weights, Value), gpt.functions_of(Value))

    ours, pure = model_on(adjoint.Value), model_on(pure_python_adjoint().Value)
    passes = {
        "ours": lambda: ours.loss(tokens).backward(),
        "pure": lambda: pure.loss(tokens).backward(),
    }
    for differentiate in passes.values():
        differentiate()
    require_same("scalar GPT", [p.grad for p in ours.parameters()], [p.grad for p in pure.parameters()])
    times = alternate(passes, 4 * rounds, slice_seconds=0.1)
    return [times_faster("scalar GPT, native vs pure Python", times["ours"], times["pure"], at_least=20)]


# --- a chain of additions and multiplications ---


def chain(x: Any, length: int) -> Any:
    for _ in range(length // 2):
        x = x * 0.999999
        x = x + 0.000001
    return x


def differentiated_chain(length: int) -> float:
    """Build a chain, differentiate it and free it; return the gradient."""
    start = adjoint.Value(0.5)
    chain(start, length).backward()
    return start.grad


def chain_cost(rounds: int) -> list[Row]:
    million = 10**6
    require_same("chain", [differentiated_chain(million)], [0.999999 ** (million / 2)])
    peers = {"ours": lambda: differentiated_chain(million), "floats": lambda: chain(0.5, million)}
    times = alternate(peers, 10 * rounds)
    return [times_the_cost("chain of 10^6, native vs floats forward", times["ours"], times["floats"], at_most=3)]


def chain_growth(rounds: int) -> list[Row]:
    lengths = (10**4, 10**5, 10**6)
    peers = {str(length): lambda length=length: differentiated_chain(length) for length in lengths}
    times = alternate(peers, 6 * rounds, slice_seconds=0.05)
    per_node = [[seconds / length for seconds in times[str(length)]] for length in lengths]
    slowest, fastest = max(per_node, key=median), min(per_node, key=median)
    workload = "chain, a node: slowest vs fastest of 10^4 … 10^6"
    return [times_the_cost(workload, slowest, fastest, at_most=2)]


# On Linux, a child process inherits ru_maxrss from its parent; VmHWM starts from zero.
PEAK_MEGABYTES = """
try:
    status = open("/proc/self/status").read()
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024)
except (OSError, IndexError):
    import resource, sys
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
"""


def chain_memory(rounds: int) -> list[Row]:
    functions = inspect.getsource(chain) + inspect.getsource(differentiated_chain)
    program = f"import adjoint\nfrom typing import Any\n{functions}\ndifferentiated_chain(10**6)\n{PEAK_MEGABYTES}"
    peak = float(fresh_process("-c", program))
    return [Row("chain of 10^6, peak memory of the process", peak, None, "MB", peak, "≤", 120, "MB")]


# --- importing ---


def imports(rounds: int) -> list[Row]:
    programs = {"bare": "pass", "ours": "from adjoint import Value", "torch": "import torch"}
    peers = {name: lambda program=program: fresh_process("-c", program) for name, program in programs.items()}
    times = alternate(peers, 2 + rounds, slice_seconds=0.2, settling=0)
    ours, torch = ([x - z for x, z in zip(times[name], times["bare"])] for name in ("ours", "torch"))
    count = "from adjoint import Value; import sys; print(sum(m.split('.')[0] == 'numpy' for m in sys.modules))"
    loaded = fresh_process("-c", count)
    return [
        times_the_cost("import, adjoint vs torch", ours, torch, at_most=1 / 20),
        Row("import adjoint, modules of NumPy loaded", int(loaded), None, "", int(loaded), "≤", 0, ""),
    ]


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
