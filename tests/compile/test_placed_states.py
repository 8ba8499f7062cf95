"""State is loaded into Values whose arrays are split over devices, part by part."""

from types import SimpleNamespace

import numpy as np
import pytest

from adjoint import Value, nn, optim
from adjoint.arrays.stored_tensors import StoredTensor
from adjoint.compile.xla.device_arrays import device_array_of, move_to_device

jax = pytest.importorskip("jax")


@pytest.fixture
def split(monkeypatch):
    """Let all arrays count as split over devices: the tests have one device."""

    def held(value):
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
        return SimpleNamespace(is_fully_replicated=False, shape=value.shape, dtype=value.dtype, sharding=sharding)

    monkeypatch.setattr("adjoint.compile.xla.placed_states.device_array_of", held)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_state_is_put_on_the_devices_that_hold_the_arrays(split, dtype):
    model, other = nn.Linear(3, 2, seed=0, dtype=dtype), nn.Linear(3, 2, seed=1, dtype=dtype)
    asked = []

    def read(index):
        asked.append(index)
        return model.weight.data.astype(np.float64)[index]

    weight = StoredTensor((2, 3), np.dtype(np.float64), read)
    move_to_device(other.parameters())
    other.load_state_dict({"weight": weight, "bias": model.bias.data})
    assert len(asked) == 1
    assert isinstance(device_array_of(other.weight), jax.Array)
    for name, p in other.named_parameters():
        np.testing.assert_array_equal(p.data, getattr(model, name).data, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_buffers_of_an_optimizer_are_put_on_the_devices(split, dtype):
    w, v = Value(np.ones((2, 2), dtype)), Value(np.ones((2, 2), dtype))
    optimizer, other = optim.Adam([w]), optim.Adam([v])
    (w * w).sum().backward()
    optimizer.step()
    (buffers,) = [unit.buffers for unit in other.param_groups[0].units]
    move_to_device(buffers.values())
    other.load_state_dict(optimizer.state_dict())
    assert all(isinstance(device_array_of(buffer), jax.Array) for buffer in buffers.values())
    found, expected = other.state_dict()["state"][0], optimizer.state_dict()["state"][0]
    for name, x in expected.items():
        np.testing.assert_array_equal(found[name], x, strict=True)
