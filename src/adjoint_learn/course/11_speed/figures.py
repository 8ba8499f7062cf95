"""The figures of lesson 13: a broadcast and its gradient, the shapes of a matrix product, and the two modes."""

from adjoint_learn.sketches import BLUE, GRAY, GREEN, ORANGE

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 {height}" role="img" '
    'font-family="system-ui, sans-serif" font-size="14" color="currentColor"><title>{title}</title>'
)


def text(x: float, y: float, words: str, color: str = "currentColor", size: int = 14) -> str:
    return f'<text x="{x}" y="{y}" fill="{color}" text-anchor="middle" font-size="{size}">{words}</text>'


def table(x: float, y: float, rows: list[list[str]], color: str, faint: bool = False) -> str:
    """Draw numbers in boxes."""
    parts = []
    for i, row in enumerate(rows):
        for k, word in enumerate(row):
            left, top = x + 38 * k, y + 28 * i
            opacity = 0.12 if faint else 0.35
            parts.append(
                f'<rect x="{left}" y="{top}" width="38" height="28" fill="{color}" fill-opacity="{opacity}" '
                f'stroke="{color}"/>'
            )
            parts.append(text(left + 19, top + 19, word, size=13))
    return "".join(parts)


def broadcast() -> str:
    """Draw how a bias is copied to each row, and how its gradient is the sum over the rows."""
    bias, gradient = [10, 20, 30], [[1, 2, 3], [4, 5, 6]]
    sums = [sum(column) for column in zip(*gradient)]
    words = [list(map(str, row)) for row in gradient]
    return "".join(
        [
            HEAD.format(height=165, title="Forward, the bias is copied to two rows. Back, the two rows are added"),
            text(150, 20, "forward: b is copied"),
            table(20, 62, [list(map(str, bias))], BLUE),
            text(77, 52, "b, shape (3,)", size=13),
            text(158, 81, "→", size=20),
            table(182, 34, [list(map(str, bias))], BLUE),
            table(182, 62, [list(map(str, bias))], BLUE, faint=True),
            text(239, 112, "two copies, (2, 3)", size=13),
            text(455, 20, "back: the gradients are added"),
            table(474, 34, words, ORANGE),
            text(531, 112, "gradient of the sum", size=13),
            text(458, 82, "←", size=20),
            table(328, 62, [list(map(str, sums))], ORANGE),
            text(385, 52, "gradient of b", size=13),
            text(385, 112, ", ".join(f"{a}+{b}" for a, b in zip(*gradient)), size=13),
            text(300, 150, "one number, used twice: its gradient is a sum of two"),
            "</svg>",
        ]
    )


def box(x: float, y: float, width: float, height: float, name: str, shape: str, color: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}" fill-opacity="0.3" stroke="{color}"/>'
        + text(x + width / 2, y + height / 2 + 5, name)
        + text(x + width / 2, y + height + 18, shape, size=13)
    )


def shapes() -> str:
    """Draw the three matrix products with sides in proportion: 5 samples, 2 inputs, 3 outputs."""
    n, i, o, gap = 5 * 16, 2 * 16, 3 * 16, 20
    parts = [HEAD.format(height=160, title="The shapes of Y = X W and of the products that give both gradients")]
    products = (
        ("forward", ("X", n, i, "n × i", BLUE), ("W", i, o, "i × o", GREEN), ("Y", n, o, "n × o", GRAY)),
        ("gradient of X", ("g", n, o, "n × o", ORANGE), ("Wᵀ", o, i, "o × i", GREEN), ("X̄", n, i, "n × i", BLUE)),
        ("gradient of W", ("Xᵀ", i, n, "i × n", BLUE), ("g", n, o, "n × o", ORANGE), ("W̄", i, o, "i × o", GREEN)),
    )
    x = 10
    for words, *factors in products:
        start = x
        for sign, (name, height, width, shape, color) in zip(("", "·", "="), factors):
            x += gap * bool(sign)
            parts.append(text(x - gap / 2, 60, sign, size=15))
            parts.append(box(x, 55 - height / 2, width, height, name, shape, color))
            x += width
        parts.append(text((start + x) / 2, 146, words))
        x += 24
    return "".join([*parts, "</svg>"])


def passes() -> str:
    """Draw one pass of each mode through a function of five inputs."""
    parts = [HEAD.format(height=230, title="A forward pass follows one input; a reverse pass reaches all")]
    for left, name, reverse in (
        (20, "forward mode: one input in each pass", False),
        (320, "reverse mode: all inputs", True),
    ):
        xs, ys = (left + 30, left + 130, left + 230), ([30, 66, 102, 138, 174], [66, 102, 138], [102])
        for column in (0, 1):
            for a, y1 in enumerate(ys[column]):
                for b, y2 in enumerate(ys[column + 1]):
                    if column == 0 and not 0 <= a - b <= 2:
                        continue
                    active = reverse or (a == 2 if column == 0 else True)
                    parts.append(
                        f'<line x1="{xs[column]}" y1="{y1}" x2="{xs[column + 1]}" y2="{y2}" '
                        f'stroke="{(ORANGE if reverse else BLUE) if active else GRAY}" '
                        f'stroke-width="{2.5 if active else 1}" stroke-opacity="{1 if active else 0.5}"/>'
                    )
        for column, x in enumerate(xs):
            for k, y in enumerate(ys[column]):
                active = reverse or column > 0 or k == 2
                color = (ORANGE if reverse else BLUE) if active else GRAY
                parts.append(f'<circle cx="{x}" cy="{y}" r="8" fill="{color}"/>')
        parts.append(text(left + 130, 218, name))
        parts.append(text(left + 180, 40, "← back" if reverse else "forward →", ORANGE if reverse else BLUE))
    return "".join([*parts, "</svg>"])
