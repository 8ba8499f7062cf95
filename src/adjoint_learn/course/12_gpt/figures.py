"""The figures of lesson 14: the table of pairs, the weights of a trained head, and the parts of a GPT."""

from functools import lru_cache

import numpy as np

from adjoint import Value, data, nn, no_grad, optim, softmax, where
from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE, PURPLE

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 {height}" role="img" '
    'font-family="system-ui, sans-serif" font-size="{size}" color="currentColor"><title>{title}</title>'
)
LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def text(x: float, y: float, words: str, anchor: str = "middle", size: int | None = None) -> str:
    font = f' font-size="{size}"' if size else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="currentColor" text-anchor="{anchor}"{font}>{words}</text>'


def cells(numbers: np.ndarray, left: float, top: float, side: float, color: str, full: float = 1.0) -> str:
    """Draw a table of numbers from 0 to `full` as squares; a large number is a strong color."""
    parts = []
    for (i, j), number in np.ndenumerate(numbers):
        if number > 0.004 * full:
            parts.append(
                f'<rect x="{left + j * side:g}" y="{top + i * side:g}" width="{side:g}" height="{side:g}" '
                f'fill="{color}" fill-opacity="{min(1.0, (number / full) ** 0.7):.2f}"/>'
            )
    height, width = (n * side for n in numbers.shape)
    frame = f'<rect x="{left}" y="{top}" width="{width:g}" height="{height:g}" fill="none" stroke="{GRAY}"/>'
    return "".join([*parts, frame])


def pair_table() -> str:
    """Draw the probability of each pair of letters in adjoint's names."""
    names = data.names()
    inputs, after = data.Characters(names).windows(names, context=1)
    counts = np.zeros((27, 27))
    np.add.at(counts, (inputs[:, 0], after), 1)
    side, left, top = 14, 130, 34
    parts = [HEAD.format(height=434, size=11, title="A table of 27 by 27 squares: which letter follows which")]
    parts.append(cells(counts / counts.sum(axis=1, keepdims=True), left, top, side, BLUE))
    for i, letter in enumerate(LETTERS):
        parts.append(text(left + (i + 0.5) * side, top - 6, letter))
        parts.append(text(left - 8, top + (i + 0.75) * side, letter))
    parts.append(text(left + 13.5 * side, 12, "the next letter", size=14))
    parts.append(f'<g transform="rotate(-90 104 223)">{text(104, 223, "the letter before", size=14)}</g>')
    return "".join([*parts, "</svg>"])


@lru_cache
def trained_head(steps: int = 150) -> tuple[float, np.ndarray]:
    """Train a model of embeddings and one head; return its loss, and the weights of the head for the name daniel."""
    rng, names = np.random.default_rng(3), data.names()
    characters = data.Characters(names)
    X, Y = characters.sequences(names)
    width, length = 16, X.shape[1]
    shapes = ((27, width), (length, width), *((width, width),) * 3, (width, 27))
    letter, place, Wq, Wk, Wv, Wo = parameters = [Value(rng.normal(size=shape) * 0.3) for shape in shapes]
    hidden = np.triu(np.ones((length, length)), 1) > 0

    def run(tokens: np.ndarray) -> tuple[Value, Value]:
        count = tokens.shape[1]
        x = letter[tokens] + place[np.arange(count)]
        scores = (x @ Wq) @ (x @ Wk).swapaxes(1, 2) / np.sqrt(width)
        weights = softmax(where(hidden[:count, :count], -np.inf, scores), axis=2)
        return (x + weights @ (x @ Wv)) @ Wo, weights

    optimizer = optim.Adam(parameters, lr=0.03)
    loss = Value(0.0)
    for _ in range(steps):
        rows = rng.integers(len(X), size=64)
        loss = nn.cross_entropy(run(X[rows])[0].reshape(-1, 27), Y[rows].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with no_grad():
        _, weights = run(np.array([[0, *characters.encode("daniel").tolist()]]))
    return float(loss.data), weights.data[0]


def head_weights() -> str:
    """Draw where the letters of a name look, in a trained head."""
    _, weights = trained_head()
    side, left, top = 38, 190, 44
    parts = [HEAD.format(height=340, size=14, title="A triangle: each letter of daniel looks at itself and before")]
    parts.append(cells(weights, left, top, side, PURPLE))
    for (i, j), number in np.ndenumerate(weights):
        if j <= i:
            parts.append(text(left + (j + 0.5) * side, top + (i + 0.62) * side, f"{100 * number:.0f}", size=12))
    for i, letter in enumerate(".daniel"):
        parts.append(text(left + (i + 0.5) * side, top - 8, letter))
        parts.append(text(left - 12, top + (i + 0.62) * side, letter))
    parts.append(text(left + 3.5 * side, 16, "the letter that is asked"))
    parts.append(f'<g transform="rotate(-90 150 177)">{text(150, 177, "the letter that asks")}</g>')
    parts.append(text(left + 4.1 * side, top + 1.7 * side, "no future", "start"))
    return "".join([*parts, "</svg>"])


def parts_of_a_gpt() -> str:
    """Draw the way of one letter through the model."""
    parts = [HEAD.format(height=200, size=13, title="The way of a letter: embedding, attention, a network, scores")]
    boxes = (
        (10, BLUE, ("letter", "+ place")),
        (160, PURPLE, ("attention:", "ask the letters", "before")),
        (310, GREEN, ("network:", "think about", "the answers")),
        (460, ORANGE, ("27 scores", "for the", "next letter")),
    )
    for x, color, lines in boxes:
        parts.append(
            f'<rect x="{x}" y="60" width="120" height="76" rx="8" fill="{color}" fill-opacity="0.25" stroke="{color}"/>'
        )
        first = 103 - 9 * (len(lines) - 1)
        parts += [text(x + 60, first + 18 * i, line) for i, line in enumerate(lines)]
        if x > 10:
            parts.append(f'<path d="M{x - 30} 98 h24" stroke="currentColor" stroke-width="1.5"/>')
            parts.append(f'<path d="M{x - 8} 93 l8 5 l-8 5 z" fill="currentColor"/>')
    for x in (145, 295):
        parts.append(
            f'<path d="M{x} 98 C{x} 20 {x + 148} 20 {x + 148} 90" fill="none" stroke="{GRAY}" stroke-width="1.5" '
            'stroke-dasharray="5 4"/>'
        )
    parts.append(text(300, 180, "dashed: the input of a part is added to its output"))
    return "".join([*parts, "</svg>"])
