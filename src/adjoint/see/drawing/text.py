"""A graph as a text tree: one line for each node, with its operands below it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from adjoint.engine.graph import evaluation_order
from adjoint.engine.value import Value
from adjoint.see.drawing.gradients import NO_GRADIENT, gradients_of
from adjoint.see.drawing.scene import Choices
from adjoint.see.explanation.steps import Node, describe_nodes
from adjoint.see.explanation.summaries import in_words

if TYPE_CHECKING:
    from rich.console import Group

_MOST_LINES = 500
_STYLES = {"branch": "dim", "name": "bold", "made": "", "data": "", "negative": "blue", "positive": "yellow", "": ""}

Line = list[tuple[str, str]]  # pieces of text, each with the name of its style


def tree(root: Value, choices: Choices, width: int | None = None) -> str:
    """Return the graph below `root`; a node that appears again is only named."""
    return cut(["".join(text for text, _ in line) for line in _lines(root, choices)], width)


def cut(lines: Iterable[str], width: int | None) -> str:
    """Return lines as a text; those that are longer than `width` are cut."""
    return "\n".join(line if width is None or len(line) <= width else f"{line[: width - 1]}…" for line in lines)


def colored_tree(root: Value, choices: Choices) -> "Group":
    """Return the same tree for a rich console: names in bold, gradients colored by their sign."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for line in _lines(root, choices):
        pieces = [(text, _STYLES[style]) for text, style in line]
        lines.append(Text.assemble(*pieces, no_wrap=True, overflow="ellipsis"))
    return Group(*lines)


def _lines(root: Value, choices: Choices) -> list[Line]:
    order = evaluation_order(root)
    rows, is_complete = _rows(root)
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
        lines.append([(f"… {_MOST_LINES} lines are shown; the graph has {len(order):,} nodes", "branch")])
    return lines


def _rows(root: Value) -> tuple[list[tuple[Value, str, bool]], bool]:
    """Return the node, the branch and whether the node is new, for each line; and whether these are all lines."""
    rows, shown = [], set()
    waiting = [(root, "", "")]
    while waiting and len(rows) < _MOST_LINES:
        value, branch, margin = waiting.pop()
        rows.append((value, branch, value not in shown))
        if value not in shown:
            shown.add(value)
            parents = list(dict.fromkeys(value.parents))
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
        if grad is None:
            return [*line, (f"  {NO_GRADIENT}", "branch")]
        sign = ("negative" if grad < 0 else "positive" if grad > 0 else "") if isinstance(grad, float) else ""
        line += [("  grad ", "data"), (in_words(grad, choices.number, brief=True), sign)]
    return line
