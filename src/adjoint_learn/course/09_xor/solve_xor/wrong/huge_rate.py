"""The outputs are all near -1 or 1, and some are wrong: the first steps were so large that the neurons ended where
tanh is flat, and from there no gradient brings them back. Take a smaller rate."""

import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    random.seed(seed)
    model = MLP(2, [4, 1])
    train(model, CORNERS, [-1.0, 1.0, 1.0, -1.0], 3.0, 200)
    return model
