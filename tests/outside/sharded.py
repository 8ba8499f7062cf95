"""Train on 8 devices with split state: the losses are those of one device. Run by tests/compile."""

from tempfile import TemporaryDirectory

import jax
import numpy as np
import pytest
from closeness import require_close
from transformer import TENSOR_PARALLEL, batch, losses_of, training

from adjoint import Value, fit, jit, load, nn
from adjoint.compile.xla.device_arrays import device_array_of, set_device_array
from adjoint.errors import ShapeError

assert len(jax.devices()) == 8, "start it with XLA_FLAGS=--xla_force_host_platform_device_count=8"

grid = jax.make_mesh((2, 4), ("batch", "model"))
CASES = {
    "replicated": (8, None),
    "parameters": (8, "parameters"),
    "tensor": (jax.make_mesh((1, 8), ("batch", "model")), TENSOR_PARALLEL),
    "both": (grid, {**TENSOR_PARALLEL, "*": "parameters"}),
}


def bytes_on(device, model, optimizer) -> int:
    """Return the bytes of the state that a device really holds."""
    buffers = [b for unit in optimizer.param_groups[0].units for b in unit.buffers.values()]
    held = [device_array_of(value) for value in (*model.parameters(), *buffers)]
    held += [device_array_of(value, "grad") for value in model.parameters()]
    return sum(s.data.nbytes for array in held for s in array.addressable_shards if s.device == device)


expected = losses_of(training()[2])
assert expected[-1] < expected[0] - 0.5
found = {}
for name, (devices, shard) in CASES.items():
    model, optimizer, step = training(devices, shard)
    require_close(losses_of(step), expected, name, dtype="float32")
    found[name] = step.placement().bytes_per_device
    for device in jax.devices():
        assert bytes_on(device, model, optimizer) == found[name], name
    print(name, f"{found[name]:,} bytes on each device")

# The weights of a block take 12 · 64² · 4 = 196,608 bytes: there are two blocks, and each weight is stored four times.
assert found["replicated"] > 8 * 196_608
assert found["parameters"] < found["replicated"] / 4  # the out projections of 16 KiB are not split
assert found["tensor"] < found["replicated"] / 4
assert found["both"] < found["replicated"] / 3

# State from another split, as from a file, is taken as it is; what the step was given is not deleted.
model, optimizer, step = training(8, "parameters")
other, _, step_of_other = training(grid, {**TENSOR_PARALLEL, "*": "parameters"})
step(*batch(0)), step_of_other(*batch(0))
arrays = [device_array_of(p) for p in other.parameters()]
for p, array in zip(model.parameters(), arrays, strict=True):
    set_device_array(p, array)
for seed in range(1, 4):
    require_close(float(step(*batch(seed))), expected[seed], dtype="float32")
assert not any(array.is_deleted() for array in arrays)
assert device_array_of(model.token_embedding.weight).sharding.spec == jax.sharding.PartitionSpec("batch")

# A function without devices, and one with the whole state on each device, compute with split weights.
loss = model.loss(*batch(4)).data
evaluate = jit(lambda x, y: model.loss(x, y))
step(*batch(4))
step(*batch(5))
split = model.token_embedding.weight
for function in (evaluate, jit(lambda x, y: model.loss(x, y), devices=8)):
    assert device_array_of(split) is not None
    found_loss = float(function(*batch(4)))
    assert device_array_of(split) is not None  # it was not fetched
require_close(found_loss, float(model.loss(*batch(4))), dtype="float32")
assert found_loss < loss

# Reading gathers an array, and assigning splits it again.
step(*batch(6))
split.data = split.data * 1.0
step(*batch(7))
assert device_array_of(split).sharding.spec == jax.sharding.PartitionSpec("batch")

# Arrays of JAX stay arrays of JAX.
w = Value(jax.numpy.ones((64, 128)))


@jit(devices=8, shard="parameters")
def grow(x):
    w.data = w.data + x.mean()


grow(np.ones(8))
grow(np.ones(8))
assert w.data.sharding.spec == jax.sharding.PartitionSpec(None, "batch")
assert float(w.data.min()) == float(w.data.max()) == 3.0

_, _, step = training(jax.devices()[:3], {"position_embedding.weight": ("batch",)})
with pytest.raises(
    ShapeError, match=r"position_embedding.weight of shape \(16, 64\) by .* but 3, .* divide the size 16"
):
    step(*batch(0, n=15))

# A model of float64 trains with split state, and its best state is read from the checkpoint.
X, Y = np.random.default_rng(0).normal(size=(2, 32, 64))
model = nn.Linear(64, 128, seed=0)
targets = np.hstack([Y, Y])
with TemporaryDirectory() as folder:
    history = fit(
        model, X, targets, validation=(X, -targets), loss="mse", lr=0.01, batch_size=16, epochs=3, progress=False,
        jit=True, devices=8, shard="parameters", checkpoint=f"{folder}/run/",
    )  # fmt: skip
    best = load(f"{folder}/run/", model).model
reached = ((best(X).data + targets) ** 2).mean()
require_close(reached, min(history["validation_loss"]))

print("the same, split over 8 devices")
