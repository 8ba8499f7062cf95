"""Speed of training from end to end with `fit`, compared with the same loops in PyTorch and micrograd.

    python benchmarks/training.py [--quick] [--only NAME …] [--json FILE]

All peers start from the same weights, use the same batches, read the loss of each step and count correct predictions.
The losses are compared before anything is timed. The peers run alternately, each in a process of its own, on one
thread. A missed target is reported and is not an error.
"""

import os
from collections.abc import Sequence

from alternation import Row, alternate, require_same, run, running, times_faster
from processes import ONE_THREAD, Process

NEEDED = ("numpy", "torch", "jax", "micrograd")
TIMED = 10  # number of timed micrograd steps; 100 would take minutes, and all take equally long


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    run("Measure training with fit and compare it with its peers.", (digits, compiled_digits, moons), NEEDED, arguments)


def digits(rounds: int) -> list[Row]:
    with running({"ours": Process("peers.fitting:Digits"), "torch": Process("peers.fitting:TorchDigits")}) as peers:
        for _ in range(3):
            require_same("digits", peers["ours"](), peers["torch"](), tolerance=1e-3)
        times = alternate(peers, 10 * rounds, slice_seconds=0.1)
    workload = "digits MLP, one epoch through fit, NumPy vs PyTorch"
    return [times_faster(workload, times["ours"], times["torch"], at_least=1)]


def compiled_digits(rounds: int) -> list[Row]:
    """Time the epochs of one call of `fit`. The first epoch compiles."""
    peers = {"ours": Process("peers.fitting:CompiledDigits"), "torch": Process("peers.fitting:TorchDigits")}
    with running(peers):
        first = peers["ours"].time()
        peers["torch"]()
        for _ in range(3):
            require_same("digits, compiled", peers["ours"](), peers["torch"](), tolerance=1e-3)
        times = alternate(peers, 30 * rounds)
    return [
        times_faster("the same with jit, epochs after the first", times["ours"], times["torch"], at_least=2),
        Row("  the first of them, which compiles", first, None, "s", first, "≤", None, "s"),
    ]


def moons(rounds: int) -> list[Row]:
    from peers.fitting import STEPS

    peers = {"ours": Process("peers.fitting:Moons"), "micrograd": Process("peers.fitting:MicrogradMoons", TIMED)}
    with running(peers):
        require_same("moons", peers["ours"]()[:TIMED], peers["micrograd"]())
        times = alternate(peers, rounds, settling=0)
    whole = [seconds * STEPS / TIMED for seconds in times["micrograd"]]
    workload = f"scalar moons, {STEPS} steps through fit vs micrograd ({TIMED} of them timed)"
    return [times_faster(workload, times["ours"], whole, at_least=150)]


if __name__ == "__main__":
    main()
