"""The figures of lesson 12: scores to probabilities, the curve of surprise, and the regions of a trained network."""

import math
from functools import lru_cache

import numpy as np

from adjoint import data, nn, no_grad, optim
from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE, Sketch

COLORS = (BLUE, ORANGE, GREEN)


def bars() -> str:
    """Draw three scores, their powers and their probabilities."""
    scores = (2.0, 1.0, 0.1)
    powers = [math.exp(score) for score in scores]
    probabilities = [power / sum(powers) for power in powers]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 230" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" color="currentColor">',
        "<title>Three scores become powers, and the powers become probabilities that sum to 1</title>",
    ]
    groups = (("score", scores, 2.0), ("power, e to the score", powers, powers[0]), ("probability", probabilities, 1.0))
    for column, (name, numbers, full) in enumerate(groups):
        left = 30 + 195 * column
        parts.append(f'<line x1="{left}" y1="180" x2="{left + 150}" y2="180" stroke="{GRAY}"/>')
        parts.append(f'<text x="{left + 75}" y="212" fill="currentColor" text-anchor="middle">{name}</text>')
        for i, number in enumerate(numbers):
            height = 140 * number / full
            x = left + 6 + 48 * i
            parts.append(f'<rect x="{x}" y="{180 - height:.1f}" width="40" height="{height:.1f}" fill="{COLORS[i]}"/>')
            parts.append(
                f'<text x="{x + 20}" y="{174 - height:.1f}" fill="currentColor" text-anchor="middle" '
                f'font-size="13">{number:.3g}</text>'
            )
        if column < 2:
            parts.append(f'<text x="{left + 168}" y="120" fill="{GRAY}" text-anchor="middle" font-size="22">→</text>')
    return "".join([*parts, "</svg>"])


def surprise() -> str:
    """Draw -log p."""
    sketch = Sketch((0, 1), (0, 5), "probability p of the correct class", "loss: −log p")
    sketch.path([(p, -math.log(p)) for p in np.linspace(math.exp(-5), 1, 200).tolist()])
    for p, words in ((0.659, "p = 0.659: 0.417"), (1 / 3, "p = 1/3, a guess: 1.099"), (0.0986, "p = 0.0986: 2.317")):
        sketch.dot(p, -math.log(p), words)
    sketch.marks([(0, "0"), (0.5, "0.5"), (1, "1")], [(0, "0"), (1, "1"), (3, "3"), (5, "5")])
    return sketch.svg("The loss rises slowly while p falls from 1, and steeply near 0")


@lru_cache
def regions() -> str:
    """Draw the regions of a network that was trained on the spiral, and its points."""
    X, y = data.spirals(300, arms=3, noise=0.1, seed=1)
    model = nn.Sequential(nn.Linear(2, 32, seed=1), nn.ReLU(), nn.Linear(32, 3, seed=2))
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    for _ in range(200):
        loss = nn.cross_entropy(model(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    cells = 60
    centers = (np.arange(cells) + 0.5) / cells * 2.4 - 1.2
    grid = np.stack(np.meshgrid(centers, centers), axis=-1).reshape(-1, 2)
    with no_grad():
        classes = model(grid).data.argmax(1).reshape(cells, cells)
    side = 360 / cells
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 360" role="img">',
        "<title>Three interleaved arms of points, each inside a region of its own color</title>",
        '<g transform="translate(120 0)" shape-rendering="crispEdges" fill-opacity="0.3">',
    ]
    for row in range(cells):
        start = 0
        for column in range(1, cells + 1):
            if column == cells or classes[row, column] != classes[row, start]:
                parts.append(
                    f'<rect x="{start * side:g}" y="{(cells - 1 - row) * side:g}" width="{(column - start) * side:g}" '
                    f'height="{side:g}" fill="{COLORS[classes[row, start]]}"/>'
                )
                start = column
    parts.append('</g><g transform="translate(120 0)" stroke="currentColor" stroke-width="0.6">')
    for (x1, x2), label in zip(X, y):
        across, down = (x1 + 1.2) / 2.4 * 360, (1.2 - x2) / 2.4 * 360
        parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3.5" fill="{COLORS[label]}"/>')
    return "".join([*parts, "</g></svg>"])
