"""A graph as source for Graphviz (DOT): a record for each value, an ellipse for each operation."""

from adjoint.see.drawing.palette import MARK, line_width, weight_color
from adjoint.see.drawing.scene import Scene

_IN_A_RECORD = {c: f"\\{c}" for c in '\\"{}|<> '} | {" ": " "}  # records give these characters a meaning of their own


def as_dot(scene: Scene, direction: str) -> str:
    """Return the source, which `dot -Tpng` turns into a picture."""
    lines = ["digraph {", f"  rankdir={direction};", '  node [fontname="monospace", fontsize=11];']
    if scene.note:
        lines.append(f'  labelloc=b; label="{_escape(scene.note)}";')
    for i, box in enumerate(scene.boxes):
        cells = " | ".join(_cell(text) for text in (box.name, *box.rows, box.note) if text)
        style = f', color="{MARK}", fontcolor="{MARK}", penwidth=2' if box.note else ""
        shape, text = "record", f"{{ {cells} }}"
        if "neuron" in box.kind:
            shape, text = "circle", "\\n".join(_escape(text) for text in (box.name, *box.rows))
        lines.append(f'  v{i} [shape={shape}, label="{text}", tooltip="{_escape(box.title)}"{style}];')
        if box.op:
            lines.append(f'  op{i} [label="{_escape(box.op)}"];')
            lines.append(f"  op{i} -> v{i};")
    for edge in scene.edges:
        target = f"op{edge.target}" if scene.boxes[edge.target].op else f"v{edge.target}"
        style = ""
        if edge.weight is not None:
            style = f', color="{weight_color(edge.weight)}", penwidth={line_width(edge.weight):.2f}'
        lines.append(f'  v{edge.source} -> {target} [edgetooltip="{_escape(edge.title)}"{style}];')
    return "\n".join([*lines, "}"])


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _cell(text: str) -> str:
    return "".join(_IN_A_RECORD.get(c, c) for c in text)
