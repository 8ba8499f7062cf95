"""A graph as a text tree: one line for each node, what it was computed from below it."""

from typing import Any

from adjoint.engine.graph import evaluation_order
from adjoint.engine.value import Value
from adjoint.see.drawing.scene import Choices, gradients_of
from adjoint.see.explanation.steps import Node, describe
from adjoint.see.explanation.summaries import in_words, summary

_MOST_LINES = 500
_STYLES = {"branch": "dim", "name": "bold", "made": "", "data": "", "negative": "blue", "positive": "yellow", "": ""}

Line = list[tuple[str, str]]  # pieces of text, each with the name of its style


def tree(root: Value, choices: Choices, width: int | None = None) -> str:
    """Return the graph below `root`; a node reached again is named and not shown a second time."""
    lines = ["".join(text for text, _ in line) for line in _lines(root, choices)]
    return "\n".join(line if width is None or len(line) <= width else f"{line[: width - 1]}…" for line in lines)


def coloured(root: Value, choices: Choices) -> Any:
    """Return the same for a console of rich: names stand out, gradients are coloured by their sign."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for line in _lines(root, choices):
        pieces = [(text, _STYLES[style]) for text, style in line]
        lines.append(Text.assemble(*pieces, no_wrap=True, overflow="ellipsis"))
    return Group(*lines)


def _lines(root: Value, choices: Choices) -> list[Line]:
    order = evaluation_order(root)
    rows, is_whole = _rows(root)
    nodes = describe(order, choices.groups, only={value for value, _, is_first in rows if is_first})
    lines: list[Line] = []
    gradients = gradients_of({value for value, _, _ in rows})
    for value, branch, is_first in rows:
        named: Line = [(branch, "branch"), (nodes[value].name, "name")]
        lines.append(
            named + (_described(nodes[value], gradients.get(value), choices) if is_first else [("  (above)", "branch")])
        )
    if not is_whole:
        lines.append([(f"… the graph goes on; {_MOST_LINES} lines of {len(order):,} nodes are shown", "branch")])
    return lines


def _rows(root: Value) -> tuple[list[tuple[Value, str, bool]], bool]:
    """Return the node of each line, its branch, and whether it is met for the first time; and whether that is all."""
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


def _described(node: Node, gradient: Any, choices: Choices) -> Line:
    line: Line = [(f" = {node.formula}", "made")] if node.formula else []
    if "data" in choices.fields:
        line.append((f"  data {in_words(node.data, choices.number, brief=True)}", "data"))
    if "grad" in choices.fields:
        grad = summary(gradient)
        sign = ("negative" if grad < 0 else "positive" if grad > 0 else "") if isinstance(grad, float) else ""
        line += [("  grad ", "data"), (in_words(grad, choices.number, brief=True), sign)]
    return line
