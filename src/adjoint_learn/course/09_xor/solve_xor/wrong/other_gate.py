"""Your network answers the question of another gate. XOR is true where exactly one input is 1: at (0, 1) and at (1,
0)."""

import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    random.seed(seed)
    model = MLP(2, [4, 1])
    train(model, CORNERS, [-1.0, 1.0, 1.0, 1.0], 0.1, 200)
    return model
