"""Your list has the computed nodes only. Leaves have nothing to hand back, but they belong to the graph: append
them as well.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for parent in node._prev:
            visit(parent)
        if node._prev:
            order.append(node)

    visit(root)
    return order
