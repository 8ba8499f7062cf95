"""Speed of single Values, compared with micrograd, plain floats, the Python engine and the import of PyTorch.

    python benchmarks/scalar.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program on two kinds of numbers, alternately, in this process; only imports and peak
memory are measured in separate processes. Each workload first checks that the peers compute the same numbers.
A missed target is reported and is not an error.
"""

import gc
import importlib
import importlib.util
import inspect
import math
import os
import random
import sys
from collections.abc import Callable, Sequence
from operator import methodcaller
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any
from unittest.mock import patch

from alternation import Row, alternate, fresh_process, require_same, run, times_faster, times_the_cost

import adjoint

EXAMPLE = Path(__file__).parents[1] / "examples" / "scalar_gpt.py"
NEEDED = ("micrograd", "torch")


def main(arguments: Sequence[str] | None = None) -> None:
    description = "Measure adjoint's scalar engine next to its peers."
    run(description, (moons, scalar_gpt, chain_cost, chain_growth, chain_memory, imports), NEEDED, arguments)


# --- further copies of a module, for other kinds of numbers ---


def load(name: str, path: str | Path) -> ModuleType:
    """Execute a module's file again, as a copy separate from the imported module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pure_python_adjoint() -> ModuleType:
    """Import the package again with its Python engine; the copy of this process stays in place."""
    with patch.dict(os.environ, ADJOINT_PURE="1"), patch.dict(sys.modules):
        for name in [name for name in sys.modules if name.split(".")[0] == "adjoint"]:
            del sys.modules[name]
        package = importlib.import_module("adjoint")
        assert not package.accelerated  # also loads the engine, while the copy is the one that `import` finds
        assert package.Value.__module__ == "adjoint.engine.value"
        return package


# --- one training step on two moons, with micrograd's network ---


class Moons:
    """micrograd's MLP on one kind of number, and its training data."""

    def __init__(self, number: Callable[[float], Any], relu: Callable[[Any], Any] = methodcaller("relu")):
        random.seed(1)  # the same weights and points for every peer
        self.number, self.relu = number, relu
        self.model = network_of(number, relu).MLP(2, [16, 16, 1])
        self.points, self.labels = two_moons(100)
        self.last_loss: Any = None

    def loss(self) -> Any:
        inputs = [[self.number(x) for x in point] for point in self.points]
        scores = [self.model(point) for point in inputs]
        hinges = [self.relu(1 - label * score) for label, score in zip(self.labels, scores)]
        penalty = 1e-4 * sum(p * p for p in self.model.parameters())
        return sum(hinges) / len(hinges) + penalty

    def step(self) -> None:
        self.last_loss = self.loss()  # releases the graph of the previous step
        self.model.zero_grad()
        self.last_loss.backward()
        for parameter in self.model.parameters():
            parameter.data -= 0.05 * parameter.grad

    def let_go(self) -> None:
        self.last_loss = None

    def weights(self) -> list[float]:
        return [parameter.data for parameter in self.model.parameters()]


def network_of(number: Callable[[float], Any], relu: Callable[[Any], Any]) -> ModuleType:
    """Return micrograd's `nn` module with another kind of number instead of its Value."""
    path = importlib.import_module("micrograd.nn").__file__
    assert path is not None
    nn = load(f"micrograd_nn_on_{number.__name__}", path)
    nn.Value = number  # pyright: ignore[reportAttributeAccessIssue]
    if number is float:  # floats have no relu method

        class Neuron(nn.Neuron):
            def __call__(self, inputs):
                total = sum((weight * number for weight, number in zip(self.w, inputs)), self.b)
                return relu(total) if self.nonlin else total

        nn.Neuron = Neuron  # pyright: ignore[reportAttributeAccessIssue]
    return nn


def two_moons(count: int) -> tuple[list[list[float]], list[int]]:
    """Return noisy points on two interleaved half circles, with their classes."""
    points, labels = [], []
    for i in range(count):
        angle, label = math.pi * random.random(), 1 if i % 2 else -1
        x, y = math.cos(angle), math.sin(angle)
        if label == 1:
            x, y = 1 - x, 0.5 - y
        points.append([x + random.gauss(0, 0.1), y + random.gauss(0, 0.1)])
        labels.append(label)
    return points, labels


def relu_of_float(x: float) -> float:
    return x if x > 0.0 else 0.0


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
