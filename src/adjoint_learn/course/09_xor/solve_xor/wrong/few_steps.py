"""The outputs move in the right direction and are not there yet. Train for more steps, or with a somewhat larger
rate."""

import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    random.seed(seed)
    model = MLP(2, [4, 1])
    train(model, CORNERS, [-1.0, 1.0, 1.0, -1.0], 0.1, 20)
    return model
