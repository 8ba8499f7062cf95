"""Speed and memory of GPT-2 (124 million weights) on a GPU, compared with JAX by hand and torch.compile.

    python benchmarks/gpu.py [--quick] [--only NAME …] [--json FILE]

Every peer starts from the same weights and trains on the same tokens; the losses are compared before anything is timed.
Each has a process of its own, because each library keeps the memory that it has used. The processes run alternately.
A missed target is reported and is not an error. Without a GPU nothing is measured. BENCHMARK_SIZE=tiny tries it out
with a small model on a CPU; the figures then mean nothing.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, Self

from alternation import Row, alternate, require_same, run, times_the_cost
from peers.gpt2 import NEW_TOKENS, PROMPT, SIZE, Peer, batches

NEEDED = ("numpy", "torch", "jax")
LIBRARIES = ("adjoint", "jax", "torch")
STEPS = 10  # of a call that is timed
WORKER = "--worker"


def main(arguments: Sequence[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == [WORKER]:
        return serve(*arguments[1:])
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


def steps(precision: str, batch: int, rounds: int) -> list[Row]:
    """Compare the time of a step, and the memory of a large one."""
    peers = {name: Process(name, precision, batch) for name in LIBRARIES}
    first = {name: peer.ask("losses") for name, peer in peers.items()}
    for other in ("jax", "torch"):
        require_same(f"{precision}, batch {batch}, {other}", first["adjoint"], first[other], tolerance=2e-3)
    calls: dict[str, Callable[[], Any]] = {name: peer.train for name, peer in peers.items()}
    calls_times = alternate(calls, 4 * rounds, slice_seconds=1.0)
    times = {name: [seconds / STEPS for seconds in each] for name, each in calls_times.items()}
    peaks = {name: peer.ask("peak") / 2**30 for name, peer in peers.items()}
    for peer in peers.values():
        peer.end()
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
    sizes = {}
    for option in ("plain", "checkpoint"):
        peer = Process("adjoint", "bfloat16", 128, option)
        sizes[option] = peer.ask("grow")
        peer.end()
    what = "largest batch with checkpoint on each block, against that without, by doubling"
    ratio = sizes["checkpoint"] / sizes["plain"]
    return [Row(what, sizes["checkpoint"], sizes["plain"], "samples", ratio, "≥", 2)]


def generation(rounds: int) -> list[Row]:
    """Compare the generation of one text with a cache of keys and values."""
    peers = {name: Process(name, "bfloat16", 1) for name in ("adjoint", "jax")}
    for peer in peers.values():
        assert len(peer.ask("generate")) == NEW_TOKENS
    calls: dict[str, Callable[[], Any]] = {name: lambda peer=peer: peer.ask("generate") for name, peer in peers.items()}
    times = alternate(calls, 4 * rounds, slice_seconds=1.0)
    for peer in peers.values():
        peer.end()
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
            peer = Process(name, "bfloat16", 8)
            peer.ask("step")
            each.append(time.perf_counter() - start)
            peer.end()
    what = "from the start of a process to its first step, against JAX by hand"
    return [times_the_cost(what, times["adjoint"], times["jax"], 1.3)]


# --- the processes of the peers ---


class Process:
    """A peer in a process of its own, which waits for commands."""

    def __init__(self, library: str, precision: str, batch: int, option: str = "plain"):
        environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.95"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, WORKER, library, precision, str(batch), option],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def ask(self, command: str) -> Any:
        """Send a command and return the answer."""
        commands, answers = self._process.stdin, self._process.stdout
        assert commands is not None
        assert answers is not None
        commands.write(command + "\n")
        commands.flush()
        answer = answers.readline()
        if not answer:
            sys.exit(f"a peer ended at the command {command!r}; its error is above")
        return json.loads(answer)

    def train(self) -> Self:
        self.ask("steps")
        return self

    def end(self) -> None:
        self._process.communicate()


def serve(library: str, precision: str, batch: str, option: str) -> None:
    """Answer the commands of a `Process`."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    peer = _peer(library, precision, option)
    data = batches(int(batch))
    for line in sys.stdin:
        print(json.dumps(_answer(peer, line.strip(), data)), file=answers, flush=True)


def _peer(library: str, precision: str, option: str) -> Peer:
    if library == "adjoint":
        from peers.gpt2_with_adjoint import WithAdjoint as Chosen
    elif library == "jax":
        from peers.gpt2_with_jax import WithJAX as Chosen
    else:
        from peers.gpt2_with_torch import WithTorch as Chosen
    return Chosen(precision, option == "checkpoint")


def _answer(peer: Peer, command: str, data: list) -> Any:
    if command == "losses":
        return [peer.wait(peer.step(tokens)) for tokens in data[:3]]
    if command == "step":
        return peer.wait(peer.step(data[0]))
    if command == "steps":
        loss = None
        for i in range(STEPS):
            loss = peer.step(data[i % len(data)])
        return peer.wait(loss)
    if command == "peak":
        return peer.peak()
    if command == "generate":
        return peer.generate(data[0][0, :PROMPT], NEW_TOKENS)
    if command == "grow":
        return _largest(peer, len(data[0]))
    raise ValueError(command)


def _largest(peer: Peer, samples: int) -> int:
    """Return the largest of the doubled batches that the memory is sufficient for."""
    largest = 0
    while True:
        try:
            peer.wait(peer.step(batches(samples)[0]))
        except Exception as error:
            if "RESOURCE_EXHAUSTED" not in str(error) and "out of memory" not in str(error).lower():
                raise
            return largest
        largest, samples = samples, 2 * samples


if __name__ == "__main__":
    main()
