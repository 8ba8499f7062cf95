"""Models, optimizers and helpers for the tests of `jit`, in the style of user code."""

import functools
import itertools
from queue import SimpleQueue

import numpy as np

from adjoint import Value, jit


class Linear:
    def __init__(self, inputs, outputs, rng, dtype=np.float64):
        self.inputs, self.outputs = inputs, outputs
        self.weight = Value((rng.standard_normal((inputs, outputs)) / inputs**0.5).astype(dtype))
        self.bias = Value(np.zeros(outputs, dtype))

    def __call__(self, x):
        return x @ self.weight + self.bias


class Network:
    def __init__(self, sizes, seed=0, dtype=np.float64):
        rng = np.random.default_rng(seed)
        self.layers = [Linear(a, b, rng, dtype) for a, b in itertools.pairwise(sizes)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = layer(x).tanh()
        return self.layers[-1](x)

    def parameters(self):
        return [p for layer in self.layers for p in (layer.weight, layer.bias)]

    def zero_grad(self):
        for p in self.parameters():
            p.zero_grad()


class Descent:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = parameters, lr

    def step(self):
        for p in self.parameters:
            p.data -= self.lr * p.grad


class Adam:
    """Adam with plain arrays as buffers and a plain count."""

    def __init__(self, parameters, lr=0.01):
        self.parameters, self.lr, self.t = parameters, lr, 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self):
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.999 * self.v[i] + 0.001 * p.grad * p.grad
            m, v = self.m[i] / (1 - 0.9**self.t), self.v[i] / (1 - 0.999**self.t)
            p.data -= self.lr * m / (v**0.5 + 1e-8)


class ValueAdam:
    """Adam with Values as buffers, which stay on the device."""

    def __init__(self, parameters, lr=0.01):
        self.parameters, self.lr, self.t = parameters, lr, 0
        self.m = [Value(np.zeros_like(p.data)) for p in parameters]
        self.v = [Value(np.zeros_like(p.data)) for p in parameters]

    def step(self):
        self.t += 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            m.data = 0.9 * m.data + 0.1 * p.grad
            v.data = 0.999 * v.data + 0.001 * p.grad * p.grad
            p.data -= self.lr * (m.data / (1 - 0.9**self.t)) / ((v.data / (1 - 0.999**self.t)) ** 0.5 + 1e-8)


def batch(n=8, inputs=3, outputs=2, seed=1, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, inputs)).astype(dtype), rng.standard_normal((n, outputs)).astype(dtype)


def training(optimizer=Descent, compiled=False, dtype=np.float64, to=lambda x: x, lr=0.1):
    """Return a model, its optimizer and a training step."""
    model = Network([3, 5, 2], dtype=dtype)
    for p in model.parameters():
        p._data = to(p._data)
    optimizer = optimizer(model.parameters(), lr)

    def step(x, y):
        loss = ((model(x) - y) ** 2).mean()
        model.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, jit(step) if compiled else step


def both(make, run):
    """Return `run(make(compile))` with `jit` as `compile`, and with the identity."""
    return run(make(jit)), run(make(lambda f: f))


class Runs:
    """How often the Python code of a function ran.

    An attribute or a list would be state of the function, which `jit` tracks; it does not inspect a queue.
    """

    def __init__(self):
        self.queue = SimpleQueue()

    def __len__(self):
        return self.queue.qsize()


def counted(fn):
    """Return a function, and how often its Python code runs, as the length of an object."""
    runs = Runs()
    note = runs.queue.put

    @functools.wraps(fn)
    def counting(*arguments, **options):
        note("a run")
        return fn(*arguments, **options)

    return counting, runs
