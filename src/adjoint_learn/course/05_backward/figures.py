"""The figures of lesson 6: a graph in a row, in topological order and in the order of its levels."""

from adjoint_learn.sketches import BLUE, GRAY, RED

PARENTS = {"a": "", "b": "", "d": "ab", "s": "da", "L": "ds"}
TITLE = "Two rows of the same five nodes. In a topological order all arrows point to the right"


def topological(root: str) -> list[str]:
    """Return the nodes, each after its parents."""
    row: list[str] = []

    def visit(node: str) -> None:
        if node not in row:
            for parent in PARENTS[node]:
                visit(parent)
            row.append(node)

    visit(root)
    return row


def by_level(root: str) -> list[str]:
    """Return the nodes level by level from the result, read backward."""
    row = [root]
    for node in row:
        row += [parent for parent in PARENTS[node] if parent not in row]
    return row[::-1]


def rows() -> str:
    """Draw both rows with an arrow from each parent to what is computed from it."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 330" role="img" '
        'font-family="system-ui, sans-serif" font-size="15" color="currentColor">',
        f"<title>{TITLE}</title><defs>",
        *(
            f'<marker id="tip5{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{color}"/></marker>'
            for name, color in (("g", GRAY), ("r", RED))
        ),
        "</defs>",
    ]
    for top, words, row in (
        (110, "topological order", topological("L")),
        (270, "level by level, read backward", by_level("L")),
    ):
        place = {node: 70 + 115 * i for i, node in enumerate(row)}
        parts.append(f'<text x="20" y="{top - 88}" fill="currentColor">{words}</text>')
        for node, parents in PARENTS.items():
            for parent in parents:
                parts.append(_arc(place[parent], place[node], top))
        for node, x in place.items():
            parts.append(
                f'<circle cx="{x}" cy="{top}" r="20" fill="{BLUE}" fill-opacity="0.2" stroke="{BLUE}" '
                'stroke-width="1.5"/>'
                f'<text x="{x}" y="{top + 5}" text-anchor="middle" fill="currentColor">{node}</text>'
            )
    return "".join([*parts, "</svg>"])


def _arc(start: float, end: float, y: float) -> str:
    """Draw an arrow between two nodes of a row: above it to the right in gray, below it to the left in red."""
    right = end > start
    color, tip, side = (GRAY, "g", -1) if right else (RED, "r", 1)
    if abs(end - start) < 120:
        shift = 22 if right else -22
        if right:
            path = f"M{start + shift} {y} L{end - shift} {y}"
        else:
            path = f"M{start - 14} {y + 16} Q{(start + end) / 2} {y + 50} {end + 14} {y + 17}"
    else:
        height = y + side * (22 + abs(end - start) * 0.22)
        path = f"M{start + 10} {y + side * 19} Q{(start + end) / 2} {height} {end - 10} {y + side * 20}"
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2" marker-end="url(#tip5{tip})"/>'
