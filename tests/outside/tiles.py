"""`linear_cross_entropy` in tiles on 8 devices: the same results, and one exchange of gradients. Run by tests/nn."""

import jax
import numpy as np
from closeness import require_close

from adjoint import Value, jit
from adjoint.arrays.backends.base import TILE_SIZES
from adjoint.arrays.backends.jax import placed_on
from adjoint.nn import functional as F

assert len(jax.devices()) == 8, "start it with XLA_FLAGS=--xla_force_host_platform_device_count=8"
TEXTS, LENGTH, FEATURES, CLASSES = 16, 12, 4, 32
rng = np.random.default_rng(0)
X, W = rng.normal(size=(TEXTS, LENGTH, FEATURES)), rng.normal(size=(CLASSES, FEATURES))
LABELS = rng.integers(0, CLASSES, (TEXTS, LENGTH))


def step_of(devices):
    w = Value(W.copy())

    @jit(devices=devices)
    def step(x, labels):
        loss = F.linear_cross_entropy(x * 1.0, w, labels)
        w.zero_grad()
        loss.backward()
        return loss

    return float(step(X, LABELS)), w.grad


expected, expected_grad = step_of(1)
TILE_SIZES["cpu"] = CLASSES * 6
loss, gradient = step_of(8)
require_close(loss, expected)
require_close(gradient, expected_grad)


def gradient_of(x, w, labels):
    w = Value(w)
    F.linear_cross_entropy(x, w, labels).backward()
    return w.grad


mesh = jax.make_mesh((8,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))
split, whole = (jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)) for axes in (("batch",), ()))
with placed_on("cpu", 8):
    program = jax.jit(gradient_of, in_shardings=(split, whole, split), out_shardings=whole).lower(X, W, LABELS)
text = program.compile().as_text()
assert "while(" in text  # over the tiles
exchanges = [name for name in ("all-reduce", "all-gather", "all-to-all", "collective-permute") if f" {name}(" in text]
assert exchanges == ["all-reduce"], exchanges
assert text.count(" all-reduce(") == 1, text.count(" all-reduce(")
print("the same on 8 devices, with one exchange")
