"""All gradients are right, and 200 random graphs agree. But a function that calls itself for each parent stops at a
depth of about 1,000, and the last graph is a chain of 3,000 nodes. Use the loop with a list from the exercise
before.
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
        order.append(node)

    visit(root)
    return order
