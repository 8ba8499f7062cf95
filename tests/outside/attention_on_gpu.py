"""Compare attention by cuDNN with the general operation in float32, forward and backward, on JAX's default device.

    python tests/outside/attention_on_gpu.py

The exit code is 0 if all cases agree and each used the kernels of cuDNN. Without a GPU, XLA computes what cuDNN would.
"""

import sys
import warnings

import jax
import numpy as np

import adjoint
from adjoint import Value, jit
from adjoint.arrays.backends import cudnn

if jax.default_backend() != "gpu":
    cudnn.IMPLEMENTATION, cudnn.PLATFORM = "xla", jax.default_backend()
warnings.simplefilter("error", adjoint.errors.AttentionFallbackWarning)
rng = np.random.default_rng(0)


def allowed(*shape):
    """Return a mask with a query that may attend to nothing."""
    mask = rng.random(shape) < 0.7
    mask[..., 3, :] = False
    return mask


CASES = {
    "plain": ((2, 4, 128, 64), (2, 4, 128, 64), {}),
    "causal": ((2, 4, 128, 64), (2, 4, 128, 64), {"causal": True}),
    "short and narrow": ((2, 4, 16, 8), (2, 4, 16, 8), {"causal": True}),
    "wide heads": ((2, 4, 128, 128), (2, 4, 128, 128), {"causal": True}),
    "odd, causal": ((2, 4, 127, 64), (2, 4, 127, 64), {"causal": True}),
    "odd": ((2, 4, 127, 64), (2, 4, 65, 64), {}),
    "other lengths": ((2, 4, 64, 64), (2, 4, 192, 64), {}),
    "mask": ((2, 4, 128, 64), (2, 4, 128, 64), {"mask": allowed(128, 128)}),
    "mask of samples": ((2, 4, 128, 64), (2, 4, 128, 64), {"mask": allowed(2, 1, 128, 128)}),
    "mask of samples and heads": ((2, 4, 128, 64), (2, 4, 128, 64), {"mask": allowed(2, 4, 128, 128)}),
    "mask, odd": ((2, 4, 127, 64), (2, 4, 65, 64), {"mask": allowed(127, 65)}),
    "mask and causal": ((2, 4, 128, 64), (2, 4, 128, 64), {"mask": allowed(128, 128), "causal": True}),
    "groups": ((2, 8, 128, 64), (2, 2, 128, 64), {"causal": True, "enable_gqa": True}),
    "without samples": ((4, 128, 64), (4, 128, 64), {"causal": True}),
    "more axes": ((2, 3, 4, 128, 64), (2, 3, 4, 128, 64), {"causal": True}),
}


def results(arrays, g, options, precision):
    leaves = [Value(x) for x in arrays]

    @jit(precision=precision)
    def step(g):
        y = adjoint.scaled_dot_product_attention(*leaves, **options)
        (y.astype("float32") * g).sum().backward()
        return y.astype("float32")

    return [step(g).data, *[x.grad for x in leaves]]


worst = 0.0
for precision in ("bfloat16", "float16") if cudnn.IMPLEMENTATION == "cudnn" else ("bfloat16",):
    for name, (of_q, of_k, options) in CASES.items():
        arrays = [rng.normal(size=shape).astype(np.float32) for shape in (of_q, of_k, of_k)]
        g = rng.normal(size=of_q).astype(np.float32)
        found = results(arrays, g, options, precision)
        with jax.default_matmul_precision("highest"):
            expected = results(arrays, g, options, None)
        errors = [float(np.abs(a - e).max() / np.abs(e).max()) for a, e in zip(found, expected)]
        print(f"{precision} {name}: largest error relative to the largest number {max(errors):.4f}")
        worst = max(worst, *errors)
print(f"{jax.devices()[0].device_kind}, {cudnn.IMPLEMENTATION}, JAX {jax.__version__}: largest of all {worst:.4f}")
sys.exit(worst > 0.03)
