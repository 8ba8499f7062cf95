"""The neurons differ, but by so little that training needs very long to notice: a gradient is multiplied by the
weights it passes, and here each of them is tiny. Start with larger numbers."""

import random


def start(model, seed):
    generator = random.Random(seed)
    for p in model.parameters():
        p.data = generator.uniform(-0.001, 0.001)
