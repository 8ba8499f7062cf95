"""Speed, memory and utilization of GPT-2 on a GPU, compared with JAX by hand and torch.compile.

    python benchmarks/gpu.py [--quick] [--only NAME …] [--json FILE]

Every peer starts from the same weights and trains on the same tokens; the losses are compared before anything is timed.
Each has a process of its own, because each library keeps the memory that it has used. The processes run alternately.
A missed target is reported and is not an error. Operations and the peak of the device are those of
`adjoint.training.utilization`, which says how they are counted. Without a GPU nothing is measured. BENCHMARK_SIZE=tiny
tries it out with a small model on a CPU; the figures then mean nothing.
"""

import functools
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from statistics import median

from alternation import Row, Times, alternate, require_same, run, running, times_the_cost
from peers.gpt2 import IS_TINY, NEW_TOKENS, SIZES, STEPS
from processes import Process, fresh_process

from adjoint.training.utilization import operations_per_token, peak_of

NEEDED = ("numpy", "torch", "jax")
PEERS = {"jax": "JAX by hand", "torch": "torch.compile"}
SLICE = 0.0 if IS_TINY else 1.0  # seconds of a measurement of one peer, before it is the turn of the next one
MEMORY = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.95"}


def main(arguments: Sequence[str] | None = None) -> None:
    if device() == "cpu" and "BENCHMARK_SIZE" not in os.environ:
        return print("This benchmark needs a GPU that JAX and PyTorch can use, and found none; nothing was measured.")
    measures = (
        bfloat16_batch_8,
        bfloat16_batch_32,
        float32_batch_8,
        medium_batch_16,
        xl_batch_4,
        largest_batch,
        generation,
        first_step,
        second_start,
    )
    run("Measure GPT-2 on a GPU and compare it with its peers.", measures, NEEDED, arguments)


@functools.cache
def device() -> str:
    """Return JAX's name of the kind of device. A process of its own asks, which then leaves the memory to the peers."""
    return fresh_process("-c", "import jax; print(jax.devices()[0].device_kind)").strip()


def size_of(model: str) -> str:
    """Return the size that stands for a model: its own, or that of BENCHMARK_SIZE."""
    return os.environ.get("BENCHMARK_SIZE", model)


def training(
    library: str, precision: str, batch: int, checkpoint: bool = False, model: str = "gpt2", programs: str = ""
) -> Process:
    environment = {**MEMORY, "BENCHMARK_SIZE": size_of(model), "BENCHMARK_PROGRAMS": programs}
    return Process("peers.gpt2:Training", library, precision, batch, checkpoint, **environment)


# --- training steps ---


def bfloat16_batch_8(rounds: int) -> list[Row]:
    times, _ = steps("gpt2", "bfloat16", 8, rounds)
    what = "GPT-2, bfloat16, batch 8"
    return [*against_each(what, times, {"jax": 1.03, "torch": 1.12}), *speeds("gpt2", "bfloat16", 8, times)]


def bfloat16_batch_32(rounds: int) -> list[Row]:
    times, peaks = steps("gpt2", "bfloat16", 32, rounds)
    what = "GPT-2, bfloat16, batch 32"
    return [
        *against_each(what, times, {"jax": 1.03, "torch": 1.12}),
        *speeds("gpt2", "bfloat16", 32, times, 470_000),
        *(memory(peaks, name, limit) for name, limit in (("jax", None), ("torch", 1.1))),
    ]


def float32_batch_8(rounds: int) -> list[Row]:
    times, _ = steps("gpt2", "float32", 8, rounds)
    return against_each("GPT-2, float32, batch 8", times, {"jax": 1.03, "torch": None})


def medium_batch_16(rounds: int) -> list[Row]:
    return against_best("gpt2-medium", 16, rounds)


def xl_batch_4(rounds: int) -> list[Row]:
    return against_best("gpt2-xl", 4, rounds)


def steps(model: str, precision: str, batch: int, rounds: int) -> tuple[dict[str, Times], dict[str, float]]:
    """Return the seconds of a step, slice by slice, and the peak of memory in GiB, of adjoint and each peer."""
    peers = {name: training(name, precision, batch, model=model) for name in ("adjoint", *PEERS)}
    with running(peers):
        first = {name: peer.ask("losses") for name, peer in peers.items()}
        for other in PEERS:
            require_same(f"{model}, {precision}, batch {batch}, {other}", first["adjoint"], first[other], 2e-3)
        times = alternate(peers, 4 * rounds, slice_seconds=SLICE)
        peaks = {name: peer.ask("peak") / 2**30 for name, peer in peers.items()}
    return {name: [seconds / STEPS for seconds in each] for name, each in times.items()}, peaks


def against_each(what: str, times: Mapping[str, Times], at_most: Mapping[str, float | None]) -> list[Row]:
    return [
        times_the_cost(f"{what}, a step, against {peer}", times["adjoint"], times[name], at_most[name])
        for name, peer in PEERS.items()
    ]


def against_best(model: str, batch: int, rounds: int) -> list[Row]:
    """Compare the time with that of the faster peer, and the memory with that of the smaller one."""
    times, peaks = steps(model, "bfloat16", batch, rounds)
    what = f"{model}, bfloat16, batch {batch}, a step, against {PEERS[fastest(times)]}, the faster peer"
    return [
        times_the_cost(what, times["adjoint"], times[fastest(times)], 0.98),
        *speeds(model, "bfloat16", batch, times),
        memory(peaks, min(PEERS, key=peaks.__getitem__), 1.05),
    ]


def fastest(times: Mapping[str, Times]) -> str:
    return min(PEERS, key=lambda name: median(times[name]))


def speeds(
    model: str, precision: str, batch: int, times: Mapping[str, Times], at_least: float | None = None
) -> list[Row]:
    """Return the tokens and the operations per second, and their share of the device's peak, beside the faster peer."""
    size, peer = SIZES[size_of(model)], fastest(times)
    tokens, theirs = (batch * size.context / median(times[name]) for name in ("adjoint", peer))
    rows = [Row(f"  tokens per second; peer: {PEERS[peer]}", tokens, theirs, "", tokens, "≥", at_least, "")]
    operations = operations_per_token(size, size.context) / 1e12
    rows.append(Row("  TFLOP/s", tokens * operations, theirs * operations, "", tokens * operations, "≥", None, ""))
    if peak := peak_of(device(), precision):
        share, other = (100 * each * operations / peak for each in (tokens, theirs))
        rows.append(Row(f"  share of {peak:g} TFLOP/s (MFU)", share, other, "%", share, "≥", None, "%"))
    return rows


def memory(peaks: Mapping[str, float], peer: str, at_most: float | None) -> Row:
    ratio = peaks["adjoint"] / peaks[peer]
    return Row(f"  peak memory; peer: {PEERS[peer]}", peaks["adjoint"], peaks[peer], "GiB", ratio, "≤", at_most)


# --- memory, generation and start ---


def largest_batch(rounds: int) -> list[Row]:
    """Double the batch until the memory is not sufficient, with and without the recomputation of each block."""
    peers = {"plain": training("adjoint", "bfloat16", 128), "checkpoint": training("adjoint", "bfloat16", 128, True)}
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
        times = alternate(peers, 4 * rounds, slice_seconds=SLICE)
    speeds = {name: NEW_TOKENS / median(each) for name, each in times.items()}
    ratio = median(theirs / ours for ours, theirs in zip(times["adjoint"], times["jax"]))
    what = "tokens per second of a generation, batch 1, against JAX by hand"
    return [Row(what, speeds["adjoint"], speeds["jax"], "", ratio, "≥", 0.95)]


def first_step(rounds: int) -> list[Row]:
    """Compare the time from the start of a process to the end of its first step."""
    times = {name: [seconds_to_first_step(name) for _ in range(rounds)] for name in ("adjoint", "jax")}
    what = "from the start of a process to its first step, against JAX by hand"
    return [times_the_cost(what, times["adjoint"], times["jax"], 1.3)]


def second_start(rounds: int) -> list[Row]:
    """Measure the same where an earlier process has kept its compiled programs in a directory."""
    with tempfile.TemporaryDirectory() as folder:
        times = {
            name: [seconds_to_first_step(name, f"{folder}/{name}") for _ in range(1 + rounds)][1:]
            for name in ("adjoint", "jax")
        }
    ours, theirs = median(times["adjoint"]), median(times["jax"])
    return [Row("the same with the programs of an earlier process", ours, theirs, "s", ours, "≤", 6.0, "s")]


def seconds_to_first_step(library: str, programs: str = "") -> float:
    """Start a peer, which keeps its compiled programs in a directory if one is named, and time its first step."""
    start = time.perf_counter()
    peer = training(library, "bfloat16", 8, programs=programs)
    peer.ask("step")
    seconds = time.perf_counter() - start
    peer.end()
    return seconds


if __name__ == "__main__":
    main()
