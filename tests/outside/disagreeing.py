"""Two processes that do not compute the same: both end with an error instead of waiting. Run by tests/compile."""

import os
import sys

import jax
import numpy as np
from network import batch, training

from adjoint import distributed, jit

me, case = distributed.initialize(), sys.argv[1]
mesh = jax.make_mesh((1, 2), ("batch", "model")) if case == "rows" else 2
network, step = training(mesh)
x, y = batch(me.index if case == "rows" else 0)
if case == "shapes":
    x, y = x[: 8 - 2 * me.index], y[: 8 - 2 * me.index]
if case == "weights":
    network.weights[0].data += me.index
if case == "program" and me.index:
    step = jit(lambda x, y, rate: [(network(x) * rate).mean()], devices=mesh)
try:
    print(np.asarray(step(x, y, 0.1)[0].data))
except Exception as error:
    print(type(error).__name__, error, flush=True)
    os._exit(1)  # without waiting for the other process
