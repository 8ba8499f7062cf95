"""Each layer has its own number, but inside of a layer all neurons are equal. They get equal gradients and stay
equal. Draw a new number for each single parameter."""

import random


def start(model, seed):
    generator = random.Random(seed)
    for layer in model.layers:
        number = generator.uniform(-1, 1)
        for p in layer.parameters():
            p.data = number
