"""Figures of the lesson on mistakes. Many networks are trained at once, as one array with a row for each seed."""

import math
import random
from functools import cache

import numpy as np

from adjoint_learn.sketches import BLUE, GREEN, ORANGE, PURPLE, RED, Sketch

_X = np.array([[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]])
_Y = np.array([[1.0], [-1.0], [-1.0], [1.0]])
_SIZES = [3, 4, 4, 1]


def one_weight() -> str:
    """Draw a weight that is trained with and without a reset of its gradient."""
    sketch = Sketch((0, 30), (2, 8), "step", "w")
    for reset, color in ((True, BLUE), (False, ORANGE)):
        w, grad, points = 3.0, 0.0, [(0.0, 3.0)]
        for step in range(1, 31):
            slope = 2 * (w * 2 - 10) * 2
            grad = slope if reset else grad + slope
            w -= 0.1 * grad
            points.append((step, w))
        sketch.path(points, color)
    sketch.word(13, 5, "reset in each step", dy=-8, color=BLUE)
    sketch.word(3.2, 7.4, "never reset", color=ORANGE)
    sketch.marks([(0, "0"), (10, "10"), (20, "20"), (30, "30")], [(3, "3"), (5, "5"), (7, "7")])
    return sketch.svg("With a reset the weight goes from 3 to 5 and stays. Without, it swings between 2.8 and 7.2.")


def hidden_by_tanh() -> str:
    """Draw how many of 40 networks are below 0.01, with and without a reset, with tanh and without it at the output."""
    sketch = Sketch((0, 100), (0, 40), "step", "networks below 0.01")
    for tanh_output, reset, color in (
        (True, True, BLUE),
        (True, False, ORANGE),
        (False, True, GREEN),
        (False, False, RED),
    ):
        losses = _train(0.05, 101, reset, tanh_output)
        sketch.path([(step, float((losses[step] < 0.01).sum())) for step in range(101)], color)
    sketch.word(68, 37, "tanh, never reset", color=ORANGE)
    sketch.word(69, 17, "tanh, reset", color=BLUE)
    sketch.word(20, 21, "no tanh, reset", color=GREEN)
    sketch.word(60, 0, "no tanh, never reset", dy=-12, color=RED)
    sketch.marks([(0, "0"), (20, "20"), (50, "50"), (100, "100")], [(0, "0"), (20, "20"), (40, "40")])
    return sketch.svg(
        "Networks of 40 with a loss below 0.01. With a tanh at the output those without a reset are first, until some "
        "are thrown out again. Without a tanh, none of them stays below it."
    )


def rates() -> str:
    """Draw the losses of the four points for five rates from seed 2."""
    sketch = Sketch((0, 60), (-3.2, 1.3), "step", "loss")
    for rate, color, dy in (
        (0.0005, PURPLE, -8),
        (0.005, BLUE, -8),
        (0.05, GREEN, -8),
        (0.2, ORANGE, -8),
        (0.5, RED, -8),
    ):
        losses = _train(rate, 61, True, True)[:, 2]
        points = [(step, math.log10(loss)) for step, loss in enumerate(losses.tolist())]
        sketch.path(points, color)
        sketch.word(60, points[-1][1], f"{rate:g}", dy=dy, color=color, anchor="end")
    sketch.marks(
        [(0, "0"), (20, "20"), (40, "40"), (60, "60")],
        [(1, "10"), (0, "1"), (-1, "0.1"), (-2, "0.01"), (-3, "0.001")],
    )
    return sketch.svg(
        "Losses on a logarithmic axis. 0.0005 hardly falls, 0.005 and 0.05 fall, 0.2 jumps up and then falls furthest, "
        "0.5 jumps to 8 and stays there."
    )


@cache
def _train(rate: float, steps: int, reset: bool, tanh_output: bool) -> np.ndarray:
    """Return the losses of 40 networks MLP(3, [4, 4, 1]) on the four points: one row for each step."""
    weights, biases = _start()
    sums = [np.zeros_like(array) for array in (*weights, *biases)]
    losses = []
    for _ in range(steps):
        outputs = [np.broadcast_to(_X, (40, 4, 3))]
        for i, (W, b) in enumerate(zip(weights, biases)):
            z = outputs[-1] @ W + b
            outputs.append(np.tanh(z) if tanh_output or i < 2 else z)
        error = outputs[-1] - _Y
        losses.append((error**2).sum((1, 2)))
        g = 2 * error
        for i in reversed(range(3)):
            if tanh_output or i < 2:
                g = g * (1 - outputs[i + 1] ** 2)
            for place, new in ((i, outputs[i].transpose(0, 2, 1) @ g), (3 + i, g.sum(1, keepdims=True))):
                sums[place] = new + (0 if reset else sums[place])
            g = g @ weights[i].transpose(0, 2, 1)
        weights = [W - rate * grad for W, grad in zip(weights, sums[:3])]
        biases = [b - rate * grad for b, grad in zip(biases, sums[3:])]
    return np.array(losses)


def _start() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the weights and biases of the learner's MLP after random.seed(0), random.seed(1), and so on."""
    weights = [np.zeros((40, m, n)) for m, n in zip(_SIZES, _SIZES[1:])]
    biases = [np.zeros((40, 1, n)) for n in _SIZES[1:]]
    for seed in range(40):
        draw = random.Random(seed).uniform
        for W, b in zip(weights, biases):
            for j in range(W.shape[2]):
                W[seed, :, j] = [draw(-1, 1) for _ in range(W.shape[1])]
                b[seed, 0, j] = draw(-1, 1)
    return weights, biases
