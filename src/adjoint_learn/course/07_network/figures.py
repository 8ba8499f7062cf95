"""The figures of lesson 8: the network of the four points, its loss and its outputs during a real training."""

import math
from functools import lru_cache

from adjoint import nn
from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE, PURPLE, Sketch

XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]
STEPS = 200
WORDS = ("3 inputs", "4 neurons, 16 parameters", "4 neurons, 20 parameters", "1 neuron, 5 parameters")


@lru_cache
def training() -> tuple[list[float], list[list[float]]]:
    """Return the losses of the training in the text, and the four outputs before each step."""
    model = nn.MLP(3, [4, 4, 1], seed=1)
    losses, outputs = [], []
    for _ in range(STEPS):
        answers = [model(x) for x in XS]
        loss = sum((answer - y) ** 2 for answer, y in zip(answers, YS))
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad
        losses.append(loss.data)
        outputs.append([answer.data for answer in answers])
    return losses, outputs


def curve() -> str:
    """Draw the loss on a logarithmic axis."""
    losses, _ = training()
    sketch = Sketch((0, STEPS), (-3, 1), "steps", "loss")
    sketch.path([(0, -2), (STEPS, -2)], GRAY, dashed=True)
    sketch.path([(step, math.log10(loss)) for step, loss in enumerate(losses)], BLUE)
    below = next(step for step, loss in enumerate(losses) if loss < 0.01)
    sketch.dot(0, math.log10(losses[0]), f"{losses[0]:.4f}", ORANGE, dx=12, dy=6)
    sketch.dot(below, math.log10(losses[below]), f"below 0.01 after {below} steps", ORANGE, dx=8, dy=-12)
    sketch.dot(STEPS - 1, math.log10(losses[-1]), f"{losses[-1]:.4f}", ORANGE, dx=-46, dy=22)
    sketch.marks(
        [(step, str(step)) for step in range(0, STEPS + 1, 50)], [(n, f"{10.0**n:g}") for n in (1, 0, -1, -2, -3)]
    )
    return sketch.svg("The loss of 200 steps on a logarithmic axis: it falls quickly at first, and then slowly")


def outputs() -> str:
    """Draw the four outputs in the first 60 steps."""
    _, found = training()
    sketch = Sketch((0, 60), (-1.15, 1.15), "steps", "output")
    for target in (1, -1):
        sketch.path([(0, target), (60, target)], GRAY, dashed=True)
    for i, color in enumerate((BLUE, ORANGE, PURPLE, GREEN)):
        sketch.path([(step, found[step][i]) for step in range(61)], color)
    sketch.word(9, 0.55, "first and fourth example", dx=12)
    sketch.word(9, -0.5, "second and third example", dx=12)
    sketch.marks([(step, str(step)) for step in range(0, 61, 20)], [(1, "1"), (0, "0"), (-1, "−1")])
    return sketch.svg("The four outputs during 60 steps: two approach 1, two approach −1")


def network() -> str:
    """Draw the neurons of MLP(3, [4, 4, 1]) and the weights between them."""
    model = nn.MLP(3, [4, 4, 1], seed=1)
    sizes = [3, 4, 4, 1]
    places = [[(80 + 147 * i, 130 + 54 * (j - (size - 1) / 2)) for j in range(size)] for i, size in enumerate(sizes)]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 280" role="img" '
        'font-family="system-ui, sans-serif" font-size="13" color="currentColor">'
        "<title>A network with 3 inputs, two layers of 4 neurons and 1 output; each neuron is connected with all "
        "numbers of the layer before it</title>"
    ]
    for layer, before, after in zip(model.layers, places, places[1:]):
        for neuron, (x2, y2) in zip(layer.neurons, after):
            for weight, (x1, y1) in zip(neuron.w, before):
                color = ORANGE if weight.data > 0 else BLUE  # as in the lab
                parts.append(
                    f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" '
                    f'stroke-width="{0.6 + 3.4 * abs(weight.data):.1f}" stroke-opacity="0.8"/>'
                )
    for column, words in zip(places, WORDS):
        first, _, second = words.partition(", ")
        for row, text in enumerate((first, second)):
            parts.append(
                f'<text x="{column[0][0]}" y="{248 + 18 * row}" text-anchor="middle" fill="currentColor">{text}</text>'
            )
    for i, column in enumerate(places):
        for x, y in column:
            color = GRAY if i == 0 else GREEN
            parts.append(f'<circle cx="{x}" cy="{y}" r="15" fill="{color}"/>')
    return "".join([*parts, "</svg>"])
