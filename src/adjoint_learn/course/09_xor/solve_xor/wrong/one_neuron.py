"""The training is in order, but the network is a single neuron. It draws one line, and no line separates XOR: the
best it can do is to answer 0 everywhere, or to give up one corner. Add a hidden layer."""

import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    random.seed(seed)
    model = MLP(2, [1])
    train(model, CORNERS, [-1.0, 1.0, 1.0, -1.0], 0.1, 200)
    return model
