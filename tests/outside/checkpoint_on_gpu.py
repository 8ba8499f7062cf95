"""Count the matrix products of a compiled training step with and without `checkpoint`, on JAX's default device.

    python tests/outside/checkpoint_on_gpu.py

XLA writes the optimized program of every compilation to a folder, and this script counts the products there: `dot`
operations, and calls of a matrix multiplication from a library. The step has 4 layers: 4 products forward and
7 backward, because the input needs no gradient. A checkpoint that is kept apart adds up to 4. The exit code is 0 if
it adds any. On a CPU it adds none: XLA's compiler for the CPU drops optimization barriers, JAX's own included.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_dump_to={folder} --xla_dump_hlo_as_text"

import jax  # noqa: E402 - XLA reads its flags when it is loaded
import numpy as np  # noqa: E402

from adjoint import Value, checkpoint, jit  # noqa: E402

_PRODUCT = re.compile(r' dot\(|custom_call_target="[^"]*(?:gemm|matmul)')


def train_step(wrap):
    """Run one compiled step of a network of 4 layers, and return its gradients."""
    rng = np.random.default_rng(0)
    weights = [Value(rng.standard_normal((512, 512)).astype(np.float32) / 22) for _ in range(4)]

    def block(x):
        for w in weights:
            x = (x @ w).tanh()
        return x

    @jit
    def step(x):
        for w in weights:
            w.zero_grad()
        loss = (wrap(block)(x) ** 2).mean()
        loss.backward()
        return loss

    step(rng.standard_normal((256, 512)).astype(np.float32))
    return [w.grad for w in weights]


def products_of_new_programs(seen: set[Path]) -> int:
    """Return the products of the largest program that was compiled since the last call."""
    programs = set(folder.glob("*after_optimizations.txt")) - seen
    seen |= programs
    return max(len(_PRODUCT.findall(path.read_text())) for path in programs)


seen: set[Path] = set()
plain_gradients = train_step(lambda f: f)
plain = products_of_new_programs(seen)
recomputed_gradients = train_step(checkpoint)
recomputed = products_of_new_programs(seen)
for a, b in zip(plain_gradients, recomputed_gradients, strict=True):
    assert abs(a - b).max() <= 1e-2 * abs(b).max()  # a GPU may multiply with ten bits
print(f"{jax.devices()[0].device_kind}, JAX {jax.__version__}")
print(f"matrix products in the compiled step: {plain} without checkpoint, {recomputed} with checkpoint")
sys.exit(0 if recomputed > plain else 1)
