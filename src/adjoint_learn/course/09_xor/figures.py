"""Figures of the lesson on XOR. Forty networks are trained at once, as one array with a row for each seed."""

import math
import random
from functools import cache

import numpy as np

from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, Sketch

_CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
_X = np.array(_CORNERS, float)
_XOR = [0, 1, 1, 0]


def corners() -> str:
    """Draw AND with a line that separates it, and XOR with a line that gets three corners right."""
    sketch = Sketch((-0.6, 4.4), (-0.5, 1.6), "", "", (600, 300))
    for left, name, targets, line in ((0, "AND", [0, 0, 0, 1], 1.5), (2.6, "XOR", _XOR, 0.5)):
        low, high = max(-0.3, line - 1.5), line + 0.25
        sketch.path([(left + low, line - low), (left + high, line - high)], GRAY, dashed=True)
        for (x1, x2), target in zip(_CORNERS, targets):
            sketch.dot(left + x1, x2, f"({x1}, {x2})", BLUE if target else ORANGE, dx=-20, dy=22)
        sketch.word(left + 0.5, -0.45, name, anchor="middle")
    sketch.word(3.6, 1.0, "wrong side", color=RED, dx=-26, dy=-14)
    return sketch.svg(
        "Four corners each. For AND a line has (1, 1) on one side and the others on the other. For XOR the best line "
        "still has (1, 1) on the wrong side."
    )


def fold() -> str:
    """Draw relu(s), relu(s - 1) and relu(s) - 2 relu(s - 1) over the sum s of the inputs."""
    sketch = Sketch((-0.5, 2.5), (-0.6, 2.6), "x1 + x2", "")
    sketch.curve(lambda s: max(0.0, s), BLUE, dashed=True)
    sketch.curve(lambda s: max(0.0, s - 1), PURPLE, dashed=True)
    sketch.path([(-0.5, 0), (0, 0), (1, 1), (2, 0), (2.5, -0.5)], ORANGE)
    for s, word in ((0, "(0, 0)"), (1, "(0, 1) and (1, 0)"), (2, "(1, 1)")):
        sketch.dot(s, 1 - abs(s - 1), word, ORANGE, dx=12 if s else -20, dy=4 if s == 1 else -12)
    sketch.word(1.75, 1.9, "relu(s)", dx=-52, color=BLUE)
    sketch.word(2.2, 1.2, "relu(s − 1)", dx=-4, dy=22, color=PURPLE)
    sketch.marks([(0, "0"), (1, "1"), (2, "2")], [(0, "0"), (1, "1"), (2, "2")])
    return sketch.svg("Two ReLUs make a tent over the sum of the inputs: 0 at 0, 1 at 1, and 0 again at 2")


def slopes() -> str:
    """Draw tanh, the sigmoid and ReLU with the places where their slopes are 0."""
    sketch = Sketch((-5, 5), (-1.2, 2.2), "x", "")
    sketch.curve(math.tanh, BLUE)
    sketch.curve(lambda x: 1 / (1 + math.exp(-x)), ORANGE)
    sketch.path([(-5, 0), (0, 0), (2.2, 2.2)], GREEN)
    sketch.word(-0.4, -0.7, "tanh: flat at both ends", color=BLUE)
    sketch.word(-4.9, 0.35, "sigmoid: steepest slope 0.25", color=ORANGE)
    sketch.word(2.0, 1.75, "ReLU: flat on the left", dx=14, color=GREEN)
    sketch.marks([(-4, "−4"), (-2, "−2"), (0, "0"), (2, "2"), (4, "4")], [(-1, "−1"), (0, "0"), (1, "1"), (2, "2")])
    return sketch.svg("tanh from -1 to 1, the sigmoid from 0 to 1, and ReLU, which is 0 for negative inputs")


def outcomes() -> str:
    """Draw how many of 40 networks solve XOR, how many have a dead output, and how many are stuck otherwise."""
    rows = (
        (4, "tanh", "tanh", 0.1),
        (4, "tanh", "linear", 0.1),
        (4, "relu", "relu", 0.1),
        (4, "relu", "linear", 0.1),
        (4, "relu", "linear", 0.02),
        (16, "relu", "linear", 0.02),
    )
    sketch = Sketch((0, 40), (0, 6), "networks of 40", "", (600, 400))
    for i, (size, hidden, output, rate) in enumerate(rows):
        solved, dead = outcome_counts(size, hidden, output, rate)
        y = 5.25 - i
        for start, end, color in ((0, solved, GREEN), (solved, solved + dead, RED), (solved + dead, 40, GRAY)):
            for level in range(-4, 5):
                if end > start:
                    sketch.path([(start + 0.15, y + level * 0.036), (end - 0.15, y + level * 0.036)], color)
        counts = f"{solved} solved" + (f", {dead} dead" if dead else "")
        sketch.word(0.3, y + 0.3, f"{size} {hidden}, output {output}, rate {rate:g}: {counts}")
    sketch.marks([(0, "0"), (10, "10"), (20, "20"), (30, "30"), (40, "40")])
    return sketch.svg("Bars: green for solved, red for a dead output, gray for stuck in another way")


@cache
@np.errstate(over="ignore", invalid="ignore")  # some networks diverge
def outcome_counts(size: int, hidden: str, output: str, rate: float) -> tuple[int, int]:
    """Train 40 networks MLP(2, [size, 1]) on XOR for 1,000 steps.

    Return how many have a loss below 0.1, and how many answer 0 to everything.
    """
    W, b, V, c = _start(size)
    targets = np.array(_XOR, float)[:, None]
    if output == "tanh":
        targets = 2 * targets - 1
    loss, answer = np.zeros(40), np.zeros((40, 4, 1))
    for _ in range(1000):
        h, h_slope = _activation(hidden, _X @ W + b)
        answer, slope = _activation(output, h @ V + c)
        error = answer - targets
        loss = (error**2).sum((1, 2))
        g = 2 * error * slope
        g_hidden = (g @ V.transpose(0, 2, 1)) * h_slope
        V = V - rate * h.transpose(0, 2, 1) @ g
        c = c - rate * g.sum(1, keepdims=True)
        W = W - rate * _X.T @ g_hidden
        b = b - rate * g_hidden.sum(1, keepdims=True)
    return int((loss < 0.1).sum()), int((answer == 0).all((1, 2)).sum())


def _activation(name: str, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and the local derivatives of an activation."""
    if name == "relu":
        return np.maximum(z, 0), (z > 0).astype(float)
    if name == "tanh":
        return np.tanh(z), 1 - np.tanh(z) ** 2
    return z, np.ones_like(z)


def _start(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights and biases of the learner's MLP(2, [size, 1]) for the seeds from 0 to 39."""
    W, b, V, c = np.zeros((40, 2, size)), np.zeros((40, 1, size)), np.zeros((40, size, 1)), np.zeros((40, 1, 1))
    for seed in range(40):
        draw = random.Random(seed).uniform
        for j in range(size):
            W[seed, :, j] = [draw(-1, 1), draw(-1, 1)]
            b[seed, 0, j] = draw(-1, 1)
        V[seed, :, 0] = [draw(-1, 1) for _ in range(size)]
        c[seed] = draw(-1, 1)
    return W, b, V, c
