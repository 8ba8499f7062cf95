"""Nodes that are used twice are in your list twice. Remember what you have visited, and return at once if a node
comes again.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order = []

    def visit(node):
        for parent in node._prev:
            visit(parent)
        order.append(node)

    visit(root)
    return order
