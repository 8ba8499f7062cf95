"""Your network has learned 0 and 1, and tanh goes from -1 to 1: here 0 means undecided. Use -1 as the target for no."""

import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    random.seed(seed)
    model = MLP(2, [4, 1])
    train(model, CORNERS, [0.0, 1.0, 1.0, 0.0], 0.1, 200)
    return model
