"""Where the time of a training step of GPT-2 goes on a GPU, kernel by kernel, for each library.

    python benchmarks/kernels.py [--batch 8] [--precision bfloat16] [--libraries adjoint jax torch] [--most 25]

Each library trains in a process of its own and is profiled for a few steps: JAX's programs by its profiler, PyTorch's
by its own. Kernels whose names differ by a number only count as one. BENCHMARK_SIZE=gpt2-medium or gpt2-xl takes a
wider
model. It compares nothing; `benchmarks/gpu.py` does.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any

PROFILED = 3  # steps
KINDS = (  # of kernels, by words in their names; the first that fits counts
    ("attention", ("fmha", "flash", "sdpa", "cudnn_generated", "mha")),
    ("products", ("gemm", "nvjet", "cutlass", "cublas", "wgmma", "triton_gemm", "splitk")),
    ("copies", ("memcpy", "memset", "copy")),
    ("transposes", ("transpose",)),
    ("reductions", ("reduce", "reduction", "red_")),
    ("the rest", ("",)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Profile a training step of GPT-2 on a GPU.")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--libraries", nargs="+", default=["adjoint", "jax", "torch"])
    parser.add_argument("--most", type=int, default=25, help="kernels to list")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return print(json.dumps(profile(given.libraries[0], given.precision, given.batch)))
    for library in given.libraries:
        command = [sys.executable, __file__, "--child", "--libraries", library]
        command += ["--batch", str(given.batch), "--precision", given.precision]
        environment = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.95"}
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        if result.returncode:
            print(f"{library}: the process ended with exit status {result.returncode}")
        else:
            show(library, json.loads(result.stdout.splitlines()[-1]), given.most)


def profile(library: str, precision: str, batch: int) -> dict[str, Any]:
    """Return the time of a step, the peaks of memory, and the kernels of a step: name, calls and milliseconds."""
    from peers.gpt2 import STEPS, Training

    training = Training(library, precision, batch)
    first = training.step()
    peak_of_first = training.peak()
    training.step()
    start = time.perf_counter()
    training()
    milliseconds = (time.perf_counter() - start) * 1000 / STEPS
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for name, duration in (_torch_kernels if library == "torch" else _jax_kernels)(training):
        entry = found[re.sub(r"\d+", "#", name)[:90]]
        entry[0] += 1 / PROFILED
        entry[1] += duration / PROFILED
    peaks = [peak_of_first / 2**30, training.peak() / 2**30]
    return {"loss": first, "milliseconds": milliseconds, "peaks": peaks, "kernels": found}


def _jax_kernels(training: Any) -> list[tuple[str, float]]:
    """Return the name of each kernel of the profiled steps, and its milliseconds."""
    import jax
    from jax.profiler import ProfileData

    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for _ in range(PROFILED):
                training.step()
        (path,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
        planes = [plane for plane in ProfileData.from_file(path).planes if plane.name.startswith("/device:GPU")]
        return [
            (event.name, event.duration_ns / 1e6)
            for plane in planes
            for line in plane.lines
            if line.name.startswith("Stream")
            for event in line.events
        ]


def _torch_kernels(training: Any) -> list[tuple[str, float]]:
    """Return the same for PyTorch."""
    import torch
    from torch.profiler import ProfilerActivity

    if not torch.cuda.is_available():
        return []
    with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(PROFILED):
            training.step()
        torch.cuda.synchronize()
    events = profiler.events() or []
    return [
        (event.name, event.time_range.elapsed_us() / 1e3) for event in events if str(event.device_type).endswith("CUDA")
    ]


def kind_of(name: str) -> str:
    """Return the kind of a kernel.

    >>> kind_of("nvjet_sm90_tst_64x64"), kind_of("input_reduce_fusion_2"), kind_of("loop_add_fusion")
    ('products', 'reductions', 'the rest')
    """
    return next(kind for kind, words in KINDS if any(word in name.lower() for word in words))


def show(library: str, found: dict[str, Any], most: int) -> None:
    """Print the time of a step by kinds of kernels, and the kernels that take the most of it."""
    kernels = found["kernels"]
    busy = sum(milliseconds for _, milliseconds in kernels.values())
    first, last = found["peaks"]
    print(
        f"\n{library}: a step {found['milliseconds']:.2f} ms, kernels {busy:.2f} ms; loss {found['loss']:.4f}; "
        f"peak {first:.1f} GiB after the first step, {last:.1f} GiB in the end"
    )
    kinds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for name, (calls, milliseconds) in kernels.items():
        kinds[kind_of(name)][0] += calls
        kinds[kind_of(name)][1] += milliseconds
    for kind, (calls, milliseconds) in sorted(kinds.items(), key=lambda item: -item[1][1]):
        print(f"  {milliseconds:8.2f} ms {calls:7.0f}  {kind}")
    for name, (calls, milliseconds) in sorted(kernels.items(), key=lambda item: -item[1][1])[:most]:
        print(f"    {milliseconds:8.3f} ms {calls:7.1f}  {name}")


if __name__ == "__main__":
    main()
