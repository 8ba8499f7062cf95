"""The models that the scripts for several devices train."""

import numpy as np
from closeness import require_close

from adjoint import Value, jit, nn


class Network:
    def __init__(self):
        rng = np.random.default_rng(0)
        self.weights = [Value(rng.standard_normal(shape) / 2) for shape in ((4, 6), (6, 3))]
        self.momentum = [Value(np.zeros(w.shape)) for w in self.weights]
        self.count = 0

    def __call__(self, x):
        first, second = self.weights
        return (x @ first).tanh() @ second


def training(devices=None, compiled=True):
    """Return a network, and the step that trains it with momentum."""
    network = Network()

    def step(x, y, rate):
        network.count += 1
        loss = ((network(x) - y) ** 2).mean()
        for w in network.weights:
            w.zero_grad()
        loss.backward()
        for w, m in zip(network.weights, network.momentum):
            m.data = 0.9 * m.data + w.grad
            w.data -= rate * m.data / (1 - 0.9**network.count)
        return loss, network(x)

    return network, jit(step, devices=devices) if compiled else step


def classification(devices=None, compiled=True):
    """Return an embedding with a linear classifier, and the step that trains it with cross entropy."""
    model = nn.Sequential(nn.Embedding(11, 6, seed=0), nn.Linear(6, 5, seed=1))

    def step(indices, classes):
        loss = nn.cross_entropy(model(indices), classes)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.1 * p.grad
        return loss

    return model, jit(step, devices=devices) if compiled else step


def batch(seed: int, n: int = 16):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 4)), rng.standard_normal((n, 3))


def require_same(network: Network, other: Network) -> None:
    for w, v in zip(network.weights, other.weights):
        require_close(w.grad, v.grad)
        require_close(w, v)
