"""Nodes that are used twice come out twice, and three doublings give 15 entries for 4 nodes. Keep the set
`seen`, and skip a node that is in it.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order = []
    todo = [(root, False)]
    while todo:
        node, parents_done = todo.pop()
        if parents_done:
            order.append(node)
        else:
            todo.append((node, True))
            for parent in node._prev:
                todo.append((parent, False))
    return order
