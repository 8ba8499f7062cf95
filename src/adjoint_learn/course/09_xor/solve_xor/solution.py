import random

from loop import train
from network import MLP

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def solve(seed):
    """Return a network that was trained on XOR."""
    random.seed(seed)
    model = MLP(2, [4, 1])
    train(model, CORNERS, [-1.0, 1.0, 1.0, -1.0], 0.1, 200)
    return model


if __name__ == "__main__":
    model = solve(1)
    print([round(model(x).data, 2) for x in CORNERS])
