"""A graph as DOT, the language of Graphviz: a record for each value, an ellipse for each operation."""

from adjoint.engine.value import Value
from adjoint.see.drawing.scene import Choices, Scene, scene

_IN_A_RECORD = {c: f"\\{c}" for c in '\\"{}|<> '} | {" ": " "}  # which has a language of its own within the string


def as_dot(root: Value, choices: Choices) -> str:
    """Return the source; `dot -Tpng` makes a picture of it."""
    drawn: Scene = scene(root, choices)
    lines = ["digraph {", f"  rankdir={choices.direction};", '  node [fontname="monospace", fontsize=11];']
    if drawn.note:
        lines.append(f'  labelloc=b; label="{_quoted(drawn.note)}";')
    for i, box in enumerate(drawn.boxes):
        cells = " | ".join(_cell(text) for text in (box.name, *box.rows) if text)
        lines.append(f'  v{i} [shape=record, label="{{ {cells} }}", tooltip="{_quoted(box.title)}"];')
        if box.op:
            lines.append(f'  op{i} [label="{_quoted(box.op)}"];')
            lines.append(f"  op{i} -> v{i};")
    for edge in drawn.edges:
        target = f"op{edge.target}" if drawn.boxes[edge.target].op else f"v{edge.target}"
        lines.append(f'  v{edge.source} -> {target} [edgetooltip="{_quoted(edge.title)}"];')
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _cell(text: str) -> str:
    return "".join(_IN_A_RECORD.get(c, c) for c in text)
