"""Save and load a checkpoint in several processes, each with two devices. Run by tests/files.

python saved_processes.py PORT INDEX COUNT FOLDER

The folder may have a checkpoint of another number of processes: training goes on from it.
"""

import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from transformer import batch, training

import adjoint
from adjoint.compile.xla.device_arrays import device_array_of
from adjoint.errors import FileError
from adjoint.files import parts
from adjoint.files.tensors import open_tensors

port, index, count, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
if count > 1:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=count, process_id=index)
assert len(jax.devices()) == 2 * count
size = 16 // count
part = slice(size * index, size * (index + 1))

model, optimizer, step = training(jax.devices(), "parameters")
start = 0
if folder.exists():
    extra = adjoint.load(folder, model).extra
    optimizer.load_state_dict(extra["optimizer"])
    start = extra["step"]
losses = [float(step(*(x[part] for x in batch(seed)))) for seed in range(start, start + 3)]

if start and count > 1:  # a process that fails leaves the old checkpoint, and all raise
    write, before = parts.write_tensors, (folder / "model.safetensors.index.json").read_bytes()

    def fail(path, *arguments):
        if index == 1 and path.name.startswith("extra"):
            raise FileError("no space left")
        write(path, *arguments)

    parts.write_tensors = fail
    files = {path.name for path in folder.iterdir()}
    with pytest.raises(FileError, match="no space left" if index == 1 else "process 1 failed"):
        adjoint.save(folder, model, optimizer=optimizer, step=start + 3, max_size="100KB")
    parts.write_tensors = write
    jax.experimental.multihost_utils.sync_global_devices("failed")
    assert (folder / "model.safetensors.index.json").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == files

adjoint.save(folder, model, optimizer=optimizer, step=start + 3, max_size="100KB")

# The same numbers again, in arrays that are split: each process reads what its devices hold.
held = {name: device_array_of(p) for name, p in model.named_parameters()}
shards = {name: [np.array(s.data) for s in x.addressable_shards] for name, x in held.items()}
assert not held["token_embedding.weight"].is_fully_replicated
again, other, step_again = training(jax.devices(), "parameters")
step_again(*(x[part] for x in batch(99)))
other.load_state_dict(adjoint.load(folder, again).extra["optimizer"])
for name, p in again.named_parameters():
    found = device_array_of(p)
    mine = [np.asarray(p.data)] * len(shards[name]) if found is None else [s.data for s in found.addressable_shards]
    for x, y in zip(mine, shards[name], strict=True):
        assert np.asarray(x).tobytes() == y.tobytes(), name
seed = start + 3
assert float(step(*(x[part] for x in batch(seed)))) == float(step_again(*(x[part] for x in batch(seed))))
assert float(step(*(x[part] for x in batch(seed)))) == float(step_again(*(x[part] for x in batch(seed))))

tensors = open_tensors(folder)
split = sorted(name for name, slices in tensors.tensors.items() if slices is not None)
assert ("token_embedding.weight" in split) == (count > 1), split
print("losses", *losses)
if count > 1:
    jax.distributed.shutdown()
