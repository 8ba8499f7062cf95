"""Peak memory of training, measured in a separate process.

    python benchmarks/memory.py adjoint|adjoint-retaining|torch

prints the peak memory in megabytes of training the 784-512-512-10 MLP, beyond the memory in use before the
model was created. This includes parameters, gradients, activations, temporaries and the workspace of the
matrix products. It excludes the interpreter, the libraries, the initial weights and the data, which are NumPy
arrays created earlier.

The figures are comparable because:

- A few steps of a small network run first, so that everything that is loaded, compiled or started on first use
  exists before the measurement starts.
- PyTorch's `backward()` frees the graph as it goes. adjoint does so with `retain_graph=False`. The variant
  `retaining` keeps the graph, and with it all activations, as long as the loss lives.
- The peak is measured by the kernel (VmHWM, reset before the model is created), so no allocator can hide memory.
- Both engines allocate with glibc's malloc. Fixed thresholds make it return freed memory to the system at once,
  so the peak counts memory that was in use at the same time, not memory that a pool kept.
"""

import ctypes
import gc
import importlib
import os
import sys
from functools import partial

from peers import problems

# glibc reads these when a process starts
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
    before = reset_memory()
    train(images, problem)
    print((status("VmHWM") - before) / 2**10)


def train(images, problem: problems.Problem) -> None:
    step = images(problem)
    for _ in range(STEPS):
        step()


def reset_memory() -> int:
    """Free all garbage, reset the peak, and return the kilobytes in use."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    return status("VmRSS")


def status(name: str) -> int:
    """Return an entry of /proc/self/status in kilobytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    if not ENVIRONMENT.items() <= os.environ.items():  # started by hand
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    main(sys.argv[1])
