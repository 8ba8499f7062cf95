"""Train on 8 devices: the gradients they compute together equal those of one device. Run by tests/compile."""

import jax
import numpy as np
import pytest
from closeness import require_close
from network import batch, classification, require_same, training

from adjoint import Value, jit
from adjoint.errors import ShapeError

assert len(jax.devices()) == 8, "start it with XLA_FLAGS=--xla_force_host_platform_device_count=8"

MESHES = [
    8,
    jax.devices()[:4],
    jax.make_mesh((4, 2), ("batch", "model")),  # its axes are explicit in JAX 0.9 and later
]

other, alone = training(compiled=False)
expected_results = [alone(*batch(seed), 0.1) for seed in range(4)]

for devices in MESHES:
    network, step = training(devices)
    for seed in range(4):
        (loss, outputs), (expected, expected_outputs) = step(*batch(seed), 0.1), expected_results[seed]
        require_close(loss, expected)
        require_close(outputs, expected_outputs)
        on_device = network.weights[0]._data.array.block.array
        assert len(on_device.sharding.device_set) == (4 if isinstance(devices, list) else 8)
    require_same(network, other)
    assert network.count == 4

with pytest.raises(ShapeError, match=r"x of shape \(15, 4\) cannot be split over 4 devices"):
    step(*batch(0, n=15), 0.1)
require_same(network, other)

# Lookups and selections by index: with explicit axes, JAX would require the sharding of each result.
indices, classes = np.arange(16) % 11, np.arange(16) % 5
(tables, classify), (expected_tables, classify_alone) = (
    classification(jax.make_mesh((8,), ("batch",))),
    classification(compiled=False),
)
for _ in range(3):
    loss, expected = classify(indices, classes), classify_alone(indices, classes)
    require_close(loss, expected)
for p, q in zip(tables.parameters(), expected_tables.parameters(), strict=True):
    require_close(p, q)
    require_close(p.grad, q.grad)

# Functions on other devices change the same state, one after the other.
w = Value(np.arange(4.0))


def double(x):
    w.data = w.data * 2
    return (w * x).sum()


for function in [jit(double, devices=count) for count in (8, 2, 4)] * 2 + [jit(double)]:
    function(np.ones((8, 4)))
assert w.data.tolist() == [0.0, 128.0, 256.0, 384.0]

print("the same on 8 devices")
