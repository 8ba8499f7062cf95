"""The order of a layered graph by Graphviz, which finds fewer crossings than our sweeps where there are many boxes."""

from collections.abc import Sequence
from typing import Any

from adjoint.errors.optional import library


def untangled(rows: Sequence[Sequence[int]], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the vertices of each layer in the order that Graphviz gives them; links join adjacent layers."""
    pygraphviz: Any = library("pygraphviz", 'layout="graphviz"', "graphviz")
    # Only the order is asked for: the places, which take Graphviz most of the time, are found afterwards.
    graph = pygraphviz.AGraph(directed=True, splines="false", nslimit="0.02")
    graph.node_attr["shape"] = "point"
    graph.add_nodes_from([vertex for row in rows for vertex in row])
    graph.add_edges_from(links)
    graph.layout("dot")
    across = {int(node): float(node.attr["pos"].partition(",")[0]) for node in graph.nodes()}
    return [sorted(row, key=across.__getitem__) for row in rows]
