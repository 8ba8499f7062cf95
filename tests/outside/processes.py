"""Train in two processes, each on its half of the batch. Run twice by tests/compile.

python processes.py PORT INDEX
"""

import sys

import jax
import numpy as np
from network import batch, require_same, training

port, index = sys.argv[1], int(sys.argv[2])
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=index)
assert len(jax.devices()) == 2
assert len(jax.local_devices()) == 1

network, step = training(devices=jax.devices())
other, alone = training(compiled=False)
for seed in range(4):
    x, y = batch(seed)
    mine = slice(8 * index, 8 * index + 8)
    loss, outputs = step(x[mine], y[mine], 0.1)
    expected, expected_outputs = alone(x, y, 0.1)
    np.testing.assert_allclose(loss.data, expected.data, rtol=1e-9)
    np.testing.assert_allclose(outputs.data, expected_outputs.data, rtol=1e-9)
require_same(network, other)
print("the same in 2 processes")
jax.distributed.shutdown()
