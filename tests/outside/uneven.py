"""Two processes, one of which cannot go on: both end with an error instead of waiting. Run by tests/compile."""

import sys

import numpy as np

from adjoint import distributed, fit, nn

me, case = distributed.initialize(), sys.argv[1]
X, Y = np.random.default_rng(me.index).normal(size=(2, 4, 8))


def batches():
    for i in range(5 - me.index if case == "generator" else 5):
        if case == "data" and me.index and i == 3:
            raise RuntimeError("a mistake in the data")
        yield X, Y


def fail(model, history):
    if case == "callback" and me.index:
        raise RuntimeError("a mistake in a callback")


data = [(X, Y)] * (5 - me.index) if case == "list" else batches
model = nn.Linear(8, 8, seed=0)
fit(model, data, loss="mse", lr=0.01, epochs=2, jit=True, devices=2, callbacks=[fail], progress=False)
print("trained", flush=True)
