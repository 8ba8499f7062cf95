"""Scenes of graphs whose nodes are not Values: the walk over the nodes, and the boxes and edges.

A kind of graph, such as that of a learner's own class or PyTorch's, is described by two functions: one returns the
operands of a node, the other its content, a `Content`. Nodes are distinguished by identity.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import SupportsFloat

from adjoint.errors import GraphError
from adjoint.errors.given import shortened
from adjoint.see.drawing.gradients import NO_GRADIENT
from adjoint.see.drawing.scene import NAME_LENGTH, Box, Choices, Edge, Scene, hidden_note, in_a_box, nearest
from adjoint.see.explanation.naming import one_line, unique_names
from adjoint.see.explanation.narration import SIGNS
from adjoint.see.explanation.summaries import Summary, summary

_NOTE_LENGTH = 60
_MISSING = object()


@dataclass(slots=True)
class Content:
    """What is shown of a node: its label, its operation, its data and gradient if it has them, and other rows.

    `formula` returns the operation as text, given the names of the operands; None for a node that is itself a function.
    """

    label: str = ""
    op: str = ""
    data: object = _MISSING
    grad: object = _MISSING
    rows: list[str] = field(default_factory=list)
    formula: Callable[[Sequence[str]], str] | None = None


def compose(
    root: object,
    operands_of: Callable[[object], Sequence[object]],
    content_of: Callable[[object], Content],
    choices: Choices,
    most: int,
    notes: Mapping[int, str] | None = None,
) -> Scene:
    """Return the scene of the graph below `root`: the nodes nearest to it, and those that `notes` marks by their id."""
    order, links = walk(root, operands_of)
    contents = [content_of(node) for node in order]
    names = unique_names([one_line(content.label) for content in contents])
    marks = (
        {i: one_line(notes[id(node)], _NOTE_LENGTH) for i, node in enumerate(order) if id(node) in notes}
        if notes
        else {}
    )
    last = len(order) - 1
    shown = sorted(nearest(last, links.__getitem__, max(1, most - len(marks))) | set(marks))
    place = {node: box for box, node in enumerate(shown)}
    scene = Scene(note=hidden_note(len(order) - len(shown), len(order)))
    for i in shown:
        inside = [names[x] for x in links[i]]
        kind = "root" if i == last else "result" if inside else "leaf"
        scene.boxes.append(_box(contents[i], kind, names[i], inside, marks.get(i, ""), choices))
        for x in links[i]:
            if x in place:
                scene.edges.append(Edge(place[x], place[i], f"{names[x]} → {names[i]}"))
    return scene


def walk(root: object, operands_of: Callable[[object], Sequence[object]]) -> tuple[list[object], list[list[int]]]:
    """Return the nodes below `root`, each after its operands, and the indices of the operands of each.

    The walk does not recurse, and raises an error for a graph with a cycle.
    """
    order: list[object] = []
    links: list[list[int]] = []
    place: dict[int, int] = {}
    path = {id(root): root}  # from the root to the node of the walk
    stack = [(root, operands_of(root), 0)]
    while stack:
        node, operands, i = stack.pop()
        if i == len(operands):
            del path[id(node)]
            place[id(node)] = len(order)
            order.append(node)
            links.append([place[id(x)] for x in operands])
            continue
        stack.append((node, operands, i + 1))
        operand = operands[i]
        if id(operand) in path:
            raise _cycle_error(operand, list(path.values()))
        if id(operand) not in place:
            path[id(operand)] = operand
            stack.append((operand, operands_of(operand), 0))
    return order, links


def _cycle_error(node: object, path: list[object]) -> GraphError:
    start = next(i for i, other in enumerate(path) if other is node)
    cycle = [name_in_errors(other) for other in [*path[start:], node]]
    shown = cycle if len(cycle) <= 6 else [*cycle[:3], "…", *cycle[-2:]]
    return GraphError(
        f"the graph has a cycle: {' → '.join(shown)}; the operands of a node must exist before the node, "
        "so a node cannot be among its own operands, directly or through others"
    )


def name_in_errors(node: object) -> str:
    """Return the label of a node, or a short form of the node."""
    label = getattr(node, "label", "")
    return one_line(label) if isinstance(label, str) and label else one_line(shortened(node))


def as_summary(x: object) -> Summary:
    """Return the summary of a number or an array, and a short text for anything else.

    >>> as_summary(2), as_summary("x")
    (2.0, "'x'")
    """
    try:
        if x is None or isinstance(x, float | int) or hasattr(x, "shape"):
            return summary(x)
        if isinstance(x, SupportsFloat):
            return float(x)
    except (TypeError, ValueError, OverflowError):  # an array of objects, or an integer beyond the range of floats
        pass
    return one_line(shortened(x), NAME_LENGTH)


def _box(content: Content, kind: str, name: str, operands: Sequence[str], note: str, choices: Choices) -> Box:
    rows = []
    if "data" in choices.fields and content.data is not _MISSING:
        rows.append(f"data {in_a_box(as_summary(content.data), choices)}")
    if "grad" in choices.fields and content.grad is not _MISSING:
        grad = as_summary(content.grad)
        rows.append(NO_GRADIENT if grad is None else f"grad {in_a_box(grad, choices)}")
    rows += content.rows
    op = content.op if operands else ""
    title = f"{name} = {content.formula(operands)}" if operands and content.formula else name
    shown = one_line(name, NAME_LENGTH) if "label" in choices.fields else ""
    return Box(kind, shown, rows, one_line(SIGNS.get(op, op), NAME_LENGTH), title, note)
