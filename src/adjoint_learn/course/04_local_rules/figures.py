"""The figures of lesson 5: what a product hands back, and the slopes of a cube, of tanh and of relu."""

import math

from adjoint_learn.sketches import BLUE, GRAY, ORANGE, Sketch


def product() -> str:
    """Draw d = a * b of lesson 2 with the numbers that go forward and the gradients that come back."""
    a, b, gradient = 2.0, -3.0, -2.0
    numbers = {"a": (a, b * gradient, 50), "b": (b, a * gradient, 130)}
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 190" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" color="currentColor">',
        "<title>A product receives a gradient and hands it to its two factors, each times the other factor</title>",
        "<defs>",
        _tip("tip4b", BLUE),
        _tip("tip4o", ORANGE),
        "</defs>",
        f'<circle cx="300" cy="90" r="26" fill="{BLUE}" fill-opacity="0.15" stroke="{BLUE}" stroke-width="1.5"/>',
        _text(300, 97, "×", size=22),
        _text(60, 20, "forward in blue", BLUE, anchor="start"),
        _text(200, 20, "back in orange", ORANGE, anchor="start"),
        _arrow(330, 82, 470, 82, BLUE, "tip4b"),
        _arrow(470, 98, 330, 98, ORANGE, "tip4o"),
        _text(484, 86, f"d = {a * b:g}", BLUE, anchor="start"),
        _text(484, 106, f"gradient {gradient:g}".replace("-", "−"), ORANGE, anchor="start"),
    ]
    for name, (number, back, y) in numbers.items():
        other = b if name == "a" else a
        slope = (90 - y) * 0.75
        parts += [
            _arrow(130, y - 6, 270, y - 6 + slope, BLUE, "tip4b"),
            _arrow(268, y + 10 + slope, 128, y + 10, ORANGE, "tip4o"),
            _text(118, y - 2, f"{name} = {number:g}".replace("-", "−"), BLUE, anchor="end"),
            _text(118, y + 18, f"{other:g} · ({gradient:g}) = {back:g}".replace("-", "−"), ORANGE, anchor="end"),
        ]
    return "".join(parts).replace("d = -", "d = −") + "</svg>"


def cube() -> str:
    """Draw x cubed with its tangent at 2."""
    sketch = Sketch((0, 3), (-4, 27), "x, the input", "x³, the output")
    sketch.curve(lambda x: x**3)
    slope = 3 * 2**2
    sketch.path([(x, 8 + slope * (x - 2)) for x in (1.15, 3)], ORANGE, dashed=True)
    sketch.dot(2, 8)
    sketch.word(2, 8, "input 2, output 8, slope 12", -14, -10, anchor="end")
    sketch.marks(x=[(0, "0"), (1, "1"), (2, "2"), (3, "3")], y=[(0, "0"), (8, "8"), (27, "27")])
    return sketch.svg("The curve of x cubed, with a tangent of slope 12 at x = 2")


def squash() -> str:
    """Draw tanh and its slope."""
    sketch = Sketch((-4, 4), (-1.1, 1.2), "x", "", (600, 280))
    sketch.path([(-4, 0), (4, 0)], GRAY)
    sketch.curve(math.tanh)
    sketch.curve(lambda x: 1 - math.tanh(x) ** 2, ORANGE, dashed=True)
    n = math.atanh(math.sqrt(0.5))
    sketch.dot(n, math.sqrt(0.5), "our neuron: 0.7071", BLUE, dx=22, dy=4)
    sketch.dot(n, 0.5, "its slope: 0.5", ORANGE, dx=16, dy=4)
    marks = [-4, -2, 0, 2, 4]
    sketch.marks(x=[(x, f"{x:g}".replace("-", "−")) for x in marks], y=[(-1, "−1"), (0, "0"), (1, "1")])
    return sketch.svg("tanh rises from −1 to 1; its slope is 1 at 0 and falls to 0 on both sides")


def gate() -> str:
    """Draw relu and its slope."""
    sketch = Sketch((-3, 3), (-0.3, 3), "x", "", (600, 240))
    sketch.path([(-3, 0), (0, 0), (3, 3)])
    sketch.path([(-3, 0.04), (0, 0.04)], ORANGE, dashed=True)
    sketch.path([(0, 1), (3, 1)], ORANGE, dashed=True)
    sketch.word(-2.9, 0.25, "closed: output 0, slope 0")
    sketch.word(1.6, 0.65, "open: slope 1")
    marks = [-3, -2, -1, 0, 1, 2, 3]
    sketch.marks(x=[(x, f"{x:g}".replace("-", "−")) for x in marks], y=[(0, "0"), (1, "1"), (3, "3")])
    return sketch.svg("relu is 0 for negative inputs and x for positive ones; its slope is 0 or 1")


def _text(x: float, y: float, words: str, color: str = "currentColor", size: int = 14, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" fill="{color}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def _arrow(x1: float, y1: float, x2: float, y2: float, color: str, tip: str) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="2" marker-end="url(#{tip})"/>'


def _tip(name: str, color: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{color}"/></marker>'
    )
