import random


def start(model, seed):
    """Give every parameter of the model a number to start with."""
    generator = random.Random(seed)
    for p in model.parameters():
        p.data = generator.uniform(-1, 1)
