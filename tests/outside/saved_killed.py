"""Save in two processes, of which one is killed while the second checkpoint is written. Run by tests/files.

python saved_killed.py PORT INDEX FOLDER
"""

import os
import signal
import sys

import jax
import numpy as np

from adjoint import jit, nn, optim, save
from adjoint.files import parts

port, index, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(
    f"127.0.0.1:{port}", num_processes=2, process_id=index, heartbeat_timeout_seconds=10
)  # after which the other process notices
model = nn.Linear(256, 64, seed=0)
optimizer = optim.Adam(model)


@jit(devices=jax.devices(), shard="parameters")
def step(x):
    loss = (model(x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


x = np.ones((4, 256))
step(x)
save(folder, model, optimizer=optimizer, step=1, parts=1)
print("saved the first", flush=True)
step(x)
if index == 1:
    parts.write_tensors = kill
save(folder, model, optimizer=optimizer, step=2, parts=1)
print("saved the second", flush=True)
