"""A graph as source for Mermaid, which GitHub, GitLab, Notion and many documentation tools render in Markdown."""

import re

from adjoint.see.drawing.palette import MARK, line_width, weight_color
from adjoint.see.drawing.scene import Scene

# Mermaid reads labels as Markdown and HTML. Punctuation is written as a character code, except for commas, parentheses
# and equals signs, the points within numbers, and minus signs that do not begin a list.
_SPECIAL = re.compile(r"(?<!\d)\.|\.(?!\d)|^-|[!-'*+/:-<>-@\[-`{-~]")


def as_mermaid(scene: Scene, direction: str) -> str:
    """Return the source: a rectangle for each value, a circle for each operation."""
    lines = [f"flowchart {direction}"]
    if scene.note:
        lines = ["---", f'title: "{scene.note}"', "---", *lines]
    marked, roots = [], []
    for i, box in enumerate(scene.boxes):
        rows = [text for text in (box.name, *box.rows, box.note) if text]
        start, end = ("((", "))") if "neuron" in box.kind else ("[", "]")
        lines.append(f'  v{i}{start}"{"<br>".join(map(escape, rows)) or " "}"{end}')
        if box.op:
            lines.append(f'  op{i}(["{escape(box.op)}"]) --> v{i}')
        marked += [f"v{i}"] if box.note else []
        roots += [f"v{i}"] if "root" in box.kind and not box.note else []
    for edge in scene.edges:
        target = f"op{edge.target}" if scene.boxes[edge.target].op else f"v{edge.target}"
        lines.append(f"  v{edge.source} --> {target}")
    links = sum(bool(box.op) for box in scene.boxes)  # they come first in the source, which numbers the links
    for i, weight in ((i, edge.weight) for i, edge in enumerate(scene.edges, start=links) if edge.weight is not None):
        lines.append(f"  linkStyle {i} stroke:{weight_color(weight)},stroke-width:{line_width(weight):.2f}px")
    lines += [f"  style {name} stroke-width:3px" for name in roots]
    lines += [f"  style {name} fill:#fff0ee,stroke:{MARK},color:{MARK},stroke-width:3px" for name in marked]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return a text for a quoted label.

    >>> escape('a["x"] + 2.5')
    'a#91;#34;x#34;#93; #43; 2.5'
    """
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)
