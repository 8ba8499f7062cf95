"""How much memory training needs, measured in a process of its own.

    python benchmarks/memory.py adjoint|adjoint-retaining|torch

prints the megabytes that the steps of the 784-512-512-10 MLP need at their peak, beyond what the process
held before the model was made. What is counted: parameters, gradients, activations, everything temporary,
and the workspace that the library's matrix multiplication takes for matrices of this size. What is not: the
interpreter, the libraries, and the first weights and the data, which are NumPy arrays that were there before.

What makes the figures comparable:

- A few steps of a small network come first, so that all that is loaded, compiled or started on first use is
  there already, and belongs to the state before.
- PyTorch's `backward()` frees the graph on its way; ours does so if asked, with `retain_graph=False`. What it
  takes when the graph, and with it all activations, lives as long as the loss is another figure: `retaining`.
- The peak is the kernel's own (VmHWM, set back before the model is made), so that no allocator hides from it.
- Both engines take their memory from glibc's malloc. It is told to give back to the system at once whatever
  is freed, by fixed thresholds instead of those that grow as a program runs: what counts is then what was in
  use at the same time, not what a pool kept for later.
"""

import ctypes
import gc
import importlib
import os
import sys
from functools import partial

from peers import problems

# glibc reads them when a process starts
ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_TOP_PAD_": "0"}
STEPS = 5


def main(engine: str) -> None:
    name, _, retaining = engine.partition("-")
    images = importlib.import_module(f"peers.with_{name}").images
    if name == "adjoint":
        images = partial(images, retain_graph=bool(retaining))
    for _ in range(2):
        train(images, problems.classification((20, 30, 10), batch=16))
    problem = problems.images()
    before = settled()
    train(images, problem)
    print((status("VmHWM") - before) / 2**10)


def train(images, problem: problems.Problem) -> None:
    step = images(problem)
    for _ in range(STEPS):
        step()


def settled() -> int:
    """Return the kilobytes held now, with all garbage given back, and let the peak start from there."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    return status("VmRSS")


def status(name: str) -> int:
    """Return a figure of /proc/self/status in kilobytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    if not ENVIRONMENT.items() <= os.environ.items():  # it was started by hand
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    main(sys.argv[1])
