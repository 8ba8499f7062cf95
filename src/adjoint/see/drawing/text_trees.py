"""A graph as a text tree: one line for each node, with its operands below it."""

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

from adjoint.engine.graph import evaluation_order
from adjoint.engine.value import Value
from adjoint.see.drawing.gradients import gradients_of, without_gradient
from adjoint.see.drawing.scene import Choices, Scene
from adjoint.see.explanation.nodes import Node
from adjoint.see.explanation.steps import describe_nodes
from adjoint.see.explanation.summaries import in_words

if TYPE_CHECKING:
    from rich.console import Group

MOST_LINES = 500
_STYLES = {
    "branch": "dim",
    "name": "bold",
    "made": "",
    "data": "",
    "negative": "blue",
    "positive": "yellow",
    "note": "bold red",
    "": "",
}

_Item = TypeVar("_Item", bound=Hashable)
Line = list[tuple[str, str]]  # pieces of text, each with the name of its style


def as_text(lines: Iterable[Line], width: int | None = None) -> str:
    """Return lines as a text; those that are longer than `width` are cut."""
    texts = ("".join(text for text, _ in line) for line in lines)
    return "\n".join(text if width is None or len(text) <= width else f"{text[: width - 1]}…" for text in texts)


def in_color(lines: Iterable[Line]) -> "Group":
    """Return lines for a rich console: names in bold, gradients colored by their sign."""
    from rich.console import Group
    from rich.text import Text

    styled = ([(text, _STYLES[style]) for text, style in line] for line in lines)
    return Group(*(Text.assemble(*pieces, no_wrap=True, overflow="ellipsis") for pieces in styled))


def colored_tree(root: Value, choices: Choices) -> "Group":
    """Return the graph below `root` as a tree for a rich console."""
    return in_color(graph_lines(root, choices))


def scene_as_text(scene: Scene) -> str:
    """Return the tree below the last box of a scene as text.

    >>> from adjoint import Value
    >>> from adjoint.see import lookalike_scene, scene_as_text
    >>> print(scene_as_text(lookalike_scene(Value(2.0, label="a").exp())))
    v1 = exp(a)  data 7.3891  grad 0.0000
    └── a  data 2.0000  grad 0.0000
    """
    return as_text(scene_lines(scene))


def scene_lines(scene: Scene) -> list[Line]:
    """Return the tree below the last box of a scene. The note of a box follows an arrow, `<-- should be 4`."""
    operands: list[list[int]] = [[] for _ in scene.boxes]
    for edge in scene.edges:
        operands[edge.target].append(edge.source)
    rows, is_complete = _rows(len(scene.boxes) - 1, operands.__getitem__)
    lines: list[Line] = []
    for i, branch, is_first in rows:
        box = scene.boxes[i]
        name, equals, formula = box.title.partition(" = ")
        line: Line = [(branch, "branch"), (name, "name")]
        if is_first:
            line.append(("  ".join([equals + formula, *box.rows]), "data"))
            line += [(f"  <-- {box.note}", "note")] if box.note else []
        else:
            line.append(("  (above)", "branch"))
        lines.append(line)
    shown = {i for i, _, _ in rows}
    lines += [
        [(f"{box.name}  <-- {box.note}", "note")] for i, box in enumerate(scene.boxes) if box.note and i not in shown
    ]
    if scene.note or not is_complete:
        lines.append([(f"… {scene.note or f'{MOST_LINES} lines are shown'}", "branch")])
    return lines


def graph_lines(root: Value, choices: Choices) -> list[Line]:
    """Return the tree below `root`; a node that appears again is only named."""
    order = evaluation_order(root)
    rows, is_complete = _rows(root, lambda value: value.parents)
    shown = {value for value, _, is_first in rows if is_first}
    nodes = describe_nodes(order, choices.groups, only=shown)
    gradients = gradients_of(order, shown) if "grad" in choices.fields else {}
    lines: list[Line] = []
    for value, branch, is_first in rows:
        node = nodes[value]
        line: Line = [(branch, "branch"), (node.name, "name")]
        if is_first:
            node.grad = gradients.get(value)
            line += _description(node, choices)
        else:
            line.append(("  (above)", "branch"))
        lines.append(line)
    if not is_complete:
        lines.append([(f"… {MOST_LINES} lines are shown; the graph has {len(order):,} nodes", "branch")])
    return lines


def _rows(root: _Item, operands: Callable[[_Item], Iterable[_Item]]) -> tuple[list[tuple[_Item, str, bool]], bool]:
    """Return the node, the branch and whether the node is new, for each line; and whether these are all lines."""
    rows: list[tuple[_Item, str, bool]] = []
    shown: set[_Item] = set()
    waiting = [(root, "", "")]
    while waiting and len(rows) < MOST_LINES:
        value, branch, margin = waiting.pop()
        rows.append((value, branch, value not in shown))
        if value not in shown:
            shown.add(value)
            parents = list(dict.fromkeys(operands(value)))
            for i, parent in reversed(list(enumerate(parents))):
                stem, below = ("└── ", "    ") if i == len(parents) - 1 else ("├── ", "│   ")
                waiting.append((parent, margin + stem, margin + below))
    return rows, not waiting


def _description(node: Node, choices: Choices) -> Line:
    line: Line = [(f" = {node.formula}", "made")] if node.formula else []
    if "data" in choices.fields:
        line.append((f"  data {in_words(node.data, choices.number, brief=True)}", "data"))
    if "grad" in choices.fields:
        grad = node.grad
        if grad is None or node.is_frozen:
            return [*line, (f"  {without_gradient(node)}", "branch")]
        sign = ("negative" if grad < 0 else "positive" if grad > 0 else "") if isinstance(grad, float) else ""
        line += [("  grad ", "data"), (in_words(grad, choices.number, brief=True), sign)]
    return line
