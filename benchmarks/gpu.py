"""Speed and memory of GPT-2 (124 million weights) on a GPU, compared with JAX by hand and torch.compile.

    python benchmarks/gpu.py [--quick] [--only NAME …] [--json FILE]

Every peer starts from the same weights and trains on the same tokens; the losses are compared before anything is timed.
Each has a process of its own, because each library keeps the memory that it has used. The processes run alternately.
A missed target is reported and is not an error. Without a GPU nothing is measured. BENCHMARK_SIZE=tiny tries it out
with a small model on a CPU; the figures then mean nothing.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from alternation import Row, alternate, require_same, run, running, times_the_cost
from peers.gpt2 import NEW_TOKENS, SIZE, STEPS
from processes import Process

NEEDED = ("numpy", "torch", "jax")
LIBRARIES = ("adjoint", "jax", "torch")
MEMORY = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.95"}


def main(arguments: Sequence[str] | None = None) -> None:
    if not _has_gpu() and "BENCHMARK_SIZE" not in os.environ:
        return print("This benchmark needs a GPU that JAX and PyTorch can use, and found none; nothing was measured.")
    measures = (bfloat16_batch_8, bfloat16_batch_32, float32_batch_8, largest_batch, generation, first_step)
    run("Measure GPT-2 on a GPU and compare it with its peers.", measures, NEEDED, arguments)


def _has_gpu() -> bool:
    code = "import jax, sys; sys.exit(jax.default_backend() != 'gpu')"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


# --- the measurements ---


def bfloat16_batch_8(rounds: int) -> list[Row]:
    return steps("bfloat16", 8, rounds)


def bfloat16_batch_32(rounds: int) -> list[Row]:
    return steps("bfloat16", 32, rounds)


def float32_batch_8(rounds: int) -> list[Row]:
    return steps("float32", 8, rounds)


def gpt2(library: str, precision: str, batch: int, checkpoint: bool = False) -> Process:
    return Process("peers.gpt2:Training", library, precision, batch, checkpoint, **MEMORY)


def steps(precision: str, batch: int, rounds: int) -> list[Row]:
    """Compare the time of a step, and the memory of a large one."""
    with running({name: gpt2(name, precision, batch) for name in LIBRARIES}) as peers:
        first = {name: peer.ask("losses") for name, peer in peers.items()}
        for other in ("jax", "torch"):
            require_same(f"{precision}, batch {batch}, {other}", first["adjoint"], first[other], tolerance=2e-3)
        calls_times = alternate(peers, 4 * rounds, slice_seconds=1.0)
        peaks = {name: peer.ask("peak") / 2**30 for name, peer in peers.items()} if batch == 32 else {}
    times = {name: [seconds / STEPS for seconds in each] for name, each in calls_times.items()}
    what = f"GPT-2, {precision}, batch {batch}"
    rows = [
        times_the_cost(f"{what}, a step, against JAX by hand", times["adjoint"], times["jax"], 1.03),
        times_the_cost(
            "  against torch.compile", times["adjoint"], times["torch"], 1.12 if precision == "bfloat16" else None
        ),
    ]
    if batch == 32:
        speeds = {name: batch * SIZE.context / median(each) for name, each in times.items()}
        for name, limit in (("jax", None), ("torch", 470_000)):
            rows.append(
                Row(
                    f"  tokens per second; peer: {name}",
                    speeds["adjoint"],
                    speeds[name],
                    "",
                    speeds["adjoint"],
                    "≥",
                    limit,
                    "",
                )
            )
        for name, limit in (("jax", None), ("torch", 1.1)):
            ratio = peaks["adjoint"] / peaks[name]
            rows.append(Row(f"  peak memory; peer: {name}", peaks["adjoint"], peaks[name], "GiB", ratio, "≤", limit))
    return rows


def largest_batch(rounds: int) -> list[Row]:
    """Double the batch until the memory is not sufficient, with and without the recomputation of each block."""
    peers = {"plain": gpt2("adjoint", "bfloat16", 128), "checkpoint": gpt2("adjoint", "bfloat16", 128, True)}
    with running(peers):
        sizes = {option: peer.ask("largest") for option, peer in peers.items()}
    what = "largest batch with checkpoint on each block, against that without, by doubling"
    ratio = sizes["checkpoint"] / sizes["plain"]
    return [Row(what, sizes["checkpoint"], sizes["plain"], "samples", ratio, "≥", 2)]


def generation(rounds: int) -> list[Row]:
    """Compare the generation of one text with a cache of keys and values."""
    libraries = ("adjoint", "jax")
    with running({name: Process("peers.gpt2:Generation", name, "bfloat16", **MEMORY) for name in libraries}) as peers:
        for peer in peers.values():
            assert len(peer()) == NEW_TOKENS
        times = alternate(peers, 4 * rounds, slice_seconds=1.0)
    speeds = {name: NEW_TOKENS / median(each) for name, each in times.items()}
    ratio = median(theirs / ours for ours, theirs in zip(times["adjoint"], times["jax"]))
    what = "tokens per second of a generation, batch 1, against JAX by hand"
    return [Row(what, speeds["adjoint"], speeds["jax"], "", ratio, "≥", 0.95)]


def first_step(rounds: int) -> list[Row]:
    """Compare the time from the start of a process to the end of its first step."""
    times: dict[str, list[float]] = {"adjoint": [], "jax": []}
    for _ in range(rounds):
        for name, each in times.items():
            start = time.perf_counter()
            peer = gpt2(name, "bfloat16", 8)
            peer.ask("step")
            each.append(time.perf_counter() - start)
            peer.end()
    what = "from the start of a process to its first step, against JAX by hand"
    return [times_the_cost(what, times["adjoint"], times["jax"], 1.3)]


if __name__ == "__main__":
    main()
