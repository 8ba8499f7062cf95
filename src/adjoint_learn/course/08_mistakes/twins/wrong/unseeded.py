"""The numbers are random, but the seed has no effect: another run gives another network, and nobody can repeat what
you saw. Give the seed to the generator before you draw."""

import random


def start(model, seed):
    for p in model.parameters():
        p.data = random.uniform(-1, 1)
