"""Draws the graph of a learner's own Values: any objects with `data`, `grad`, `_prev` and `_op`."""

from collections.abc import Mapping
from typing import Any

from adjoint.errors import AdjointError
from adjoint.learn.results import Graph
from adjoint.see.drawing.lookalikes import is_lookalike, lookalike_scene
from adjoint.see.drawing.svg import render
from adjoint.see.drawing.text import as_text, scene_lines

_MOST_NODES = 40


class _Named:
    """A node of a learner's graph with the name that the check gave it. The learner's object stays as it is."""

    def __init__(self, node: Any, label: str):
        self.data = getattr(node, "data", None)
        self.grad = getattr(node, "grad", None)
        self.label = label or getattr(node, "label", "")
        self._op = getattr(node, "_op", "")
        self._prev: tuple[object, ...] = ()


def draw_graph(root: Any, labels: Mapping[int, str], notes: Mapping[int, str]) -> Graph | None:
    """Return a drawing of a graph with names and notes at some nodes, both by `id`; None if it cannot be drawn.

    >>> from adjoint import Value
    >>> a = Value(2.0)
    >>> print(draw_graph(a.exp(), {id(a): "a"}, {id(a): "should be 3"}).text)
    v1 = exp(a)  data 7.3891  grad 0.0000
    └── a  data 2.0000  grad 0.0000  <-- should be 3
    """
    try:
        named = _copy(root, labels)
        if named is None:
            return None
        marks = {id(named[node]): note for node, note in notes.items() if node in named}
        scene = lookalike_scene(named[id(root)], marks, most=_MOST_NODES)
        return Graph(as_text(scene_lines(scene)), render(scene, "LR"))
    except (AdjointError, AttributeError, TypeError, ValueError):  # an odd class of the learner has no picture
        return None


def _copy(root: Any, labels: Mapping[int, str]) -> dict[int, _Named] | None:
    """Return a copy of each node by the `id` of the original; None for what is not a graph."""
    copies: dict[int, _Named] = {}
    waiting, nodes = [root], []
    while waiting:
        node = waiting.pop()
        if id(node) in copies:
            continue
        if not is_lookalike(node):
            return None
        copies[id(node)] = _Named(node, labels.get(id(node), ""))
        nodes.append(node)
        waiting += list(node._prev or ())
    for node in nodes:
        copies[id(node)]._prev = tuple(copies[id(parent)] for parent in node._prev or ())
    return copies
