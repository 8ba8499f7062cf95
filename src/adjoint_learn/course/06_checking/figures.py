"""The figures of lesson 7: differences between rules and nudges, where a wrong rule hides, and two kinds of graphs."""

import math
from collections.abc import Callable

from adjoint import Value
from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE, RED, Sketch

PLACE, H = 0.7, 1e-5
RIGHT: dict[str, Callable[[Value], Value]] = {
    "x + x": lambda x: x + x,
    "x * x": lambda x: x * x,
    "x ** 3": lambda x: x**3,
    "1 / x": lambda x: 1 / x,
    "exp": lambda x: x.exp(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu(),
}


def differences() -> str:
    """Draw the difference between rule and central difference for each operation."""
    found = {}
    for name, operation in RIGHT.items():
        x = Value(PLACE)
        operation(x).backward()
        slope = (operation(Value(PLACE + H)).data - operation(Value(PLACE - H)).data) / (2 * H)
        found[name] = abs(x.grad - slope)
    found["wrong cube"] = abs(3 * PLACE - ((PLACE + H) ** 3 - (PLACE - H) ** 3) / (2 * H))
    left, right, low, high = 120, 560, -14, 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 {60 + 30 * len(found)}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" color="currentColor">'
        "<title>The difference between rule and nudges: below 1e-9 for correct rules, above 0.1 for a wrong one</title>"
    ]
    bottom = 20 + 30 * len(found)
    for power, text in ((-14, "1e-14"), (-10, "1e-10"), (-4, "1e-4"), (0, "1")):
        x = left + (power - low) / (high - low) * (right - left)
        dashes = ' stroke-dasharray="6 4"' if power == -4 else ""
        parts.append(
            f'<line x1="{x:.1f}" y1="12" x2="{x:.1f}" y2="{bottom}" stroke="{GRAY}" stroke-opacity="0.6"{dashes}/>'
            f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle" fill="currentColor" font-size="13">{text}</text>'
        )
    for i, (name, difference) in enumerate(found.items()):
        y = 30 + 30 * i
        x = left + (math.log10(max(difference, 1e-14)) - low) / (high - low) * (right - left)
        color = RED if name == "wrong cube" else BLUE
        parts.append(
            f'<text x="{left - 14}" y="{y + 5}" text-anchor="end" fill="currentColor">{name}</text>'
            f'<line x1="{left}" y1="{y}" x2="{x:.1f}" y2="{y}" stroke="{color}" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{color}"/>'
        )
    return "".join([*parts, "</svg>"])


def crossing() -> str:
    """Draw the slope of x³ and the wrong rule."""
    sketch = Sketch((-1.2, 1.8), (-4, 10), "x", "gradient")
    sketch.curve(lambda x: 3 * x**2, BLUE)
    sketch.curve(lambda x: 3 * x, RED, dashed=True)
    sketch.dot(0, 0, color=ORANGE)
    sketch.dot(1, 3, color=ORANGE)
    sketch.word(1.55, 7.2, "3x²", dx=-38, dy=-8, color=BLUE)
    sketch.word(1.6, 4.8, "3x", dx=2, dy=20, color=RED)
    sketch.marks([(-1, "−1"), (0, "0"), (1, "1")], [(0, "0"), (3, "3")])
    return sketch.svg("The parabola 3x² and the line 3x, which cross at 0 and at 1")


VALUES = {
    "x": (60, 60, ()),
    "w": (60, 130, ()),
    "*": (190, 95, ("x", "w")),
    "6.5": (190, 30, ()),
    "+": (330, 95, ("*", "6.5")),
    "tanh": (480, 95, ("+",)),
}
FUNCTIONS = {
    "AccumulateGrad": (80, 240, "x", ("MulBackward0",)),
    "AccumulateGrad ": (80, 310, "w", ("MulBackward0",)),
    "MulBackward0": (225, 275, "", ("AddBackward0",)),
    "AddBackward0": (365, 275, "", ("TanhBackward0",)),
    "TanhBackward0": (510, 275, "", ()),
}


def two_graphs() -> str:
    """Draw the graph of Values, and below it PyTorch's graph of functions."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 350" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" color="currentColor">'
        "<title>Above, Values with arrows from parents to results; below, PyTorch's functions with arrows from the "
        "result to the leaves</title><defs>"
        '<marker id="tip6" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{GRAY}"/></marker></defs>'
    ]
    for x, y, parents in VALUES.values():
        parts += [_arrow(VALUES[parent][0] + 30, VALUES[parent][1], x - 32, y) for parent in parents]
    for name, (x, y, _) in VALUES.items():
        parts.append(_box(x, y, 30, name, BLUE))
    for x, y, _, users in FUNCTIONS.values():
        parts += [_arrow(FUNCTIONS[user][0] - 58, FUNCTIONS[user][1], x + 60, y) for user in users]
    for name, (x, y, leaf, _) in FUNCTIONS.items():
        parts.append(_box(x, y, 58, name.strip(), GREEN, size=13))
        if leaf:
            parts.append(f'<text x="{x}" y="{y + 34}" text-anchor="middle" fill="currentColor">of {leaf}</text>')
    parts.append(
        '<text x="20" y="20" fill="currentColor">your Values</text>'
        '<text x="20" y="205" fill="currentColor">functions of PyTorch</text>'
    )
    return "".join([*parts, "</svg>"])


def _box(x: float, y: float, half: float, text: str, color: str, size: int = 14) -> str:
    return (
        f'<rect x="{x - half}" y="{y - 17}" width="{2 * half}" height="34" rx="6" fill="{color}" fill-opacity="0.2" '
        f'stroke="{color}" stroke-width="1.5"/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" fill="currentColor" font-size="{size}">{text}</text>'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{GRAY}" stroke-width="2" marker-end="url(#tip6)"/>'
