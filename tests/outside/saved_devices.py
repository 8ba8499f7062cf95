"""Train on 4 devices, save, go on with 2, save, go on with 1, and back to 8. Run by tests/files.

python saved_devices.py FOLDER
"""

import sys
from pathlib import Path

import jax
import numpy as np
from closeness import require_close
from transformer import batch, training

import adjoint
from adjoint.compile.xla.device_arrays import device_array_of

assert len(jax.devices()) == 8, "start it with XLA_FLAGS=--xla_force_host_platform_device_count=8"
folder = Path(sys.argv[1]) / "checkpoint"

model, optimizer, step = training()
expected = [float(step(*batch(seed))) for seed in range(12)]


def all_state(model, optimizer) -> dict[str, np.ndarray]:
    held = optimizer.state_dict()["state"]
    return {**model.state_dict(), **{f"{i}/{name}": np.asarray(x) for i in held for name, x in held[i].items()}}


def require_same(found: dict, state: dict) -> None:
    assert found.keys() == state.keys()
    for name, x in state.items():
        assert found[name].tobytes() == x.tobytes(), name


before = None
for start, count in zip(range(0, 12, 3), (4, 2, 1, 8)):
    model, optimizer, step = training(count, "parameters")
    if before is not None:
        extra = adjoint.load(folder, model).extra
        optimizer.load_state_dict(extra["optimizer"])
        assert extra["step"] == start
        require_same(all_state(model, optimizer), before)
    for seed in range(start, start + 3):
        require_close(float(step(*batch(seed))), expected[seed], dtype="float32")
    held = device_array_of(model.token_embedding.weight)
    assert len(held.sharding.device_set) == count
    adjoint.save(folder, model, optimizer=optimizer, step=start + 3, parts=3)
    after = device_array_of(model.token_embedding.weight)
    assert after is held, "saving does not move the state from the devices"
    before = all_state(model, optimizer)

# State is loaded into arrays that are split already: each device gets its own part.
model, optimizer, step = training(4, "parameters")
step(*batch(0))
extra = adjoint.load(folder, model).extra
optimizer.load_state_dict(extra["optimizer"])
held = device_array_of(model.token_embedding.weight)
assert len(held.sharding.device_set) == 4
assert {shard.data.shape for shard in held.addressable_shards} == {(24, 64)}
moments = [b for unit in optimizer.param_groups[0].units for b in unit.buffers.values()]
assert any(not device_array_of(m).is_fully_replicated for m in moments if device_array_of(m) is not None)
step(*batch(12))
model, optimizer, step_alone = training()
optimizer.load_state_dict(adjoint.load(folder, model).extra["optimizer"])
require_same(all_state(model, optimizer), before)

print("the same with 4, 2, 1 and 8 devices")
