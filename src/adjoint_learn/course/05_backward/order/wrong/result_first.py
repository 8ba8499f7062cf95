"""Your list starts with the result: a node goes into it before its parents. Append the node after the loop over its
parents, not before.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        order.append(node)
        for parent in node._prev:
            visit(parent)

    visit(root)
    return order
