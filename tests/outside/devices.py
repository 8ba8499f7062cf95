"""A program that needs 8 devices: the gradients that they compute together are those of one."""

import jax
import numpy as np
import pytest
from network import batch, require_same, training

from adjoint.errors import ShapeError

assert len(jax.devices()) == 8, "start it with XLA_FLAGS=--xla_force_host_platform_device_count=8"

MESHES = [
    8,
    jax.devices()[:4],
    jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("batch", "model")),
]

for devices in MESHES:
    network, step = training(devices)
    other, alone = training()
    for seed in range(4):
        (loss, outputs), (expected, expected_outputs) = step(*batch(seed), 0.1), alone(*batch(seed), 0.1)
        np.testing.assert_allclose(loss.data, expected.data, rtol=1e-9)
        np.testing.assert_allclose(outputs.data, expected_outputs.data, rtol=1e-9)
        on_device = network.weights[0]._data.array.lot.array
        assert len(on_device.sharding.device_set) == (4 if isinstance(devices, list) else 8)
        if seed == 1:
            require_same(network, other)
    require_same(network, other)
    assert network.count == 4

with pytest.raises(ShapeError, match=r"x of shape \(15, 4\) cannot be split over 4 devices"):
    step(*batch(0, n=15), 0.1)
require_same(network, other)

print("the same on 8 devices")
