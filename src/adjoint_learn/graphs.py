"""Draws the graph of a learner's own Values: any objects with `data`, `grad`, `_prev` and `_op`."""

from collections.abc import Mapping
from typing import Any

from adjoint.errors import AdjointError
from adjoint.see import is_lookalike, lookalike_scene, scene_as_svg, scene_as_text
from adjoint_learn.results import Graph

_MOST_NODES = 40


def draw_graph(root: Any, labels: Mapping[int, str], notes: Mapping[int, str]) -> Graph | None:
    """Return a drawing of a graph with names and notes at some nodes, both by `id`; None if it cannot be drawn.

    >>> from adjoint import Value
    >>> a = Value(2.0)
    >>> print(draw_graph(a.exp(), {id(a): "a"}, {id(a): "should be 3"}).text)
    v1 = exp(a)  data 7.3891  grad 0.0000
    └── a  data 2.0000  grad 0.0000  <-- should be 3
    """
    if not is_lookalike(root):
        return None
    try:
        scene = lookalike_scene(root, notes, labels, most=_MOST_NODES)
        return Graph(scene_as_text(scene), scene_as_svg(scene))
    except (AdjointError, AttributeError, TypeError, ValueError):  # an odd class of the learner has no picture
        return None
