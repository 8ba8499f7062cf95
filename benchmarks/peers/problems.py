"""The problems: initial weights and data as NumPy arrays, the same for every library.

A weight has the shape (outputs, inputs), as in PyTorch and `adjoint.linear`; its bias follows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Step = Callable[[], float]  # takes one training step and returns the loss before it

RATE = 0.05  # learning rate of gradient descent
PENALTY = 1e-4  # L2 penalty of the moons demo


class ADAM:
    """The defaults of torch.optim.Adam."""

    rate, decays, floor = 1e-3, (0.9, 0.999), 1e-8


class GPT:
    """The sizes of the GPT, and the epsilon of its norms."""

    vocabulary, tokens, width, heads, layers = 65, 64, 64, 4, 2
    head_width = width // heads
    norm_floor = 1e-5


@dataclass(frozen=True)
class Problem:
    weights: list[np.ndarray]
    inputs: np.ndarray
    targets: np.ndarray


def moons() -> Problem:
    """micrograd's demo: 100 points on two moons, an MLP 2-16-16-1, in double precision."""
    random = np.random.default_rng(1)
    labels = np.where(np.arange(100) % 2, 1.0, -1.0)[:, None]
    angles = np.pi * random.random((100, 1))
    upper = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    points = np.where(labels > 0, [1.0, 0.5] - upper, upper) + random.normal(0, 0.1, (100, 2))
    return Problem(_layers(random, (2, 16, 16, 1)), points, labels)


def digits() -> Problem:
    """Images of 8 by 8, a batch of 64: an MLP 64-128-64-10, in single precision."""
    return classification((64, 128, 64, 10), batch=64)


def images() -> Problem:
    """Images of 28 by 28, a batch of 256: an MLP 784-512-512-10, in single precision."""
    return classification((784, 512, 512, 10), batch=256)


def cnn() -> Problem:
    """Images of 8 by 8, a batch of 64, in single precision.

    Two convolutions of 3 by 3, with 16 and 32 channels and a pool of 2 after each, and a linear layer.
    """
    random = np.random.default_rng(1)
    weights = []
    for inputs, outputs in ((1, 16), (16, 32)):
        weights += [random.normal(0, 1 / math.sqrt(9 * inputs), (outputs, inputs, 3, 3)), np.zeros(outputs)]
    weights += _layers(random, (128, 10))
    images = random.random((64, 1, 8, 8), dtype=np.float32)
    return Problem(_single(weights), images, random.integers(0, 10, 64))


def gpt() -> Problem:
    """A GPT of 2 layers, 64 wide, with 4 heads, on 16 texts of 64 letters, in single precision.

    Its weights: the tables of tokens and of positions; for each layer the first norm, the projection to
    queries, keys and values, the one back, the second norm and the MLP's two; the last norm, and the head.
    """
    random = np.random.default_rng(1)
    weights = [random.normal(0, 0.1, (size, GPT.width)) for size in (GPT.vocabulary, GPT.tokens)]
    norm = [np.ones(GPT.width), np.zeros(GPT.width)]
    for _ in range(GPT.layers):
        weights += norm + _layers(random, (GPT.width, 3 * GPT.width)) + _layers(random, (GPT.width, GPT.width))
        weights += norm + _layers(random, (GPT.width, 4 * GPT.width, GPT.width))
    weights += norm + _layers(random, (GPT.width, GPT.vocabulary))
    letters = random.integers(0, GPT.vocabulary, (16, GPT.tokens + 1))
    return Problem(_single(weights), letters[:, :-1].copy(), letters[:, 1:].copy())


def classification(sizes: tuple[int, ...], batch: int) -> Problem:
    random = np.random.default_rng(1)
    images = random.random((batch, sizes[0]), dtype=np.float32)
    return Problem(_single(_layers(random, sizes)), images, random.integers(0, sizes[-1], batch))


def _layers(random: np.random.Generator, sizes: tuple[int, ...]) -> list[np.ndarray]:
    weights = []
    for inputs, outputs in pairwise(sizes):
        weights += [random.normal(0, 1 / math.sqrt(inputs), (outputs, inputs)), np.zeros(outputs)]
    return weights


def _single(weights: list[np.ndarray]) -> list[np.ndarray]:
    return [weight.astype(np.float32) for weight in weights]
