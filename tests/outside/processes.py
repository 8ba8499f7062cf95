"""Train in several processes, each on its part of the batch. Run by tests/compile, once for each process.

WORLD_SIZE=2 RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=… python processes.py CASE
"""

import sys

import jax
import pytest
from closeness import require_close
from network import batch, require_same, training
from transformer import TENSOR_PARALLEL, losses_of, training as language_training

from adjoint import distributed, jit
from adjoint.compile.xla.device_arrays import device_array_of
from adjoint.errors import ArrayError

me = distributed.initialize()
assert len(jax.devices()) == me.count
assert len(jax.local_devices()) == 1


def train_small() -> None:
    """Train a small network, with all state on each device."""
    network, step = training(devices=jax.devices())
    other, alone = training(compiled=False)
    size = 16 // me.count
    for seed in range(4):
        x, y = batch(seed)
        mine = slice(size * me.index, size * (me.index + 1))
        loss, outputs = step(x[mine], y[mine], 0.1)
        expected, expected_outputs = alone(x, y, 0.1)
        require_close(loss, expected)
        require_close(outputs, expected_outputs)
    require_same(network, other)


def train_split() -> None:
    """Train a language model with split state: the losses are those of one device."""
    one, _, alone = language_training(jax.local_devices())
    expected = losses_of(alone)
    both = jax.make_mesh((me.count // 2, 2), ("batch", "model"))
    cases = [
        (me.count, None, me.count, me.index),
        (me.count, "parameters", me.count, me.index),
        (both, {**TENSOR_PARALLEL, "*": "parameters"}, me.count // 2, me.index // 2),
    ]
    for devices, shard, parts, part in cases:
        model, _, step = language_training(devices, shard)
        size = 16 // parts
        found = losses_of(step, slice(size * part, size * (part + 1)))
        require_close(found, expected, dtype="float32")
        weight = model.blocks[0].linear1.weight
        array = device_array_of(weight)
        held = sum(shard.data.nbytes for shard in array.addressable_shards)
        assert held == (array.nbytes if shard is None else array.nbytes // (2 if devices is both else me.count))
        if shard is not None:
            with pytest.raises(ArrayError, match="one process cannot read it alone"):
                _ = weight.data
        whole = distributed.gather(weight)
        # each of the 20 steps of Adam divides small gradients, with their rounding errors, by their size
        require_close(whole, one.blocks[0].linear1.weight.data, condition=20)
        evaluate = jit(lambda x, y, model=model: model.loss(x, y), devices=devices, shard=shard)
        found = losses_of(evaluate, slice(size * part, size * (part + 1)))
        without_devices = losses_of(jit(lambda x, y, model=model: model.loss(x, y)))
        require_close(found, without_devices, dtype="float32")


{"small": train_small, "split": train_split}[sys.argv[1]]()
print(f"the same in {me.count} processes")
jax.distributed.shutdown()
