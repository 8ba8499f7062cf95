"""You append a node as soon as you take it, and turn the list around at the end. That is not enough: `d` can be
taken before another node that needs it. Put the node back, below its parents, and append it when it comes up again.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order, seen, todo = [], set(), [root]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            todo += node._prev
    return order[::-1]
