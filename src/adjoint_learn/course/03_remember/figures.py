"""The figures of lesson 3: what a float and what a Value know about a sum."""

from adjoint_learn.sketches import BLUE, GRAY, ORANGE


def text(x: float, y: float, words: str, color: str = "currentColor", size: int = 14, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" fill="{color}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def box(x: float, y: float, width: float, height: float, color: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{color}" fill-opacity="0.15" '
        f'stroke="{color}" stroke-width="1.5"/>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float, color: str = GRAY) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="1.5" marker-end="url(#tip3)"/>'
    )


def boxes() -> str:
    """Draw 4.0 as a float, and as a Value with its parents -6 and 10."""
    d, c = 2.0 * -3.0, 10.0
    e = d + c
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 190" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" color="currentColor">',
        "<title>A float holds a number. A Value holds a number, an operation and its two parents</title>",
        f'<defs><marker id="tip3" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{GRAY}"/></marker></defs>',
        text(85, 24, "a float"),
        box(30, 70, 110, 50, GRAY),
        text(85, 101, f"{e:.1f}", size=16),
        text(400, 24, "a Value"),
        box(370, 44, 210, 102, BLUE),
        text(384, 70, "data", GRAY, 13, "start"),
        text(450, 70, f"{e:.1f}", size=16, anchor="start"),
        text(384, 100, "_op", GRAY, 13, "start"),
        text(450, 100, "+", size=16, anchor="start"),
        text(384, 130, "_prev", GRAY, 13, "start"),
        text(450, 130, "(d, c)", size=16, anchor="start"),
    ]
    for y, name, number in ((50, "d", d), (114, "c", c)):
        parts += [box(200, y, 100, 40, ORANGE), text(250, y + 25, f"{name}: {number:.1f}".replace("-", "−"))]
        parts.append(arrow(368, 124, 304, y + 22))
    parts.append(text(290, 178, "the arrows are references to other Values: the parents"))
    return "".join([*parts, "</svg>"])
