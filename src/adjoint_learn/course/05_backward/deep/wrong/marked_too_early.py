"""You mark a node as seen when you put it on the list. If it is a parent of another node on the list, it stays too
far down, and comes out after that node. Mark a node when you take it from the list.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order, seen = [], {root}
    todo = [(root, False)]
    while todo:
        node, parents_done = todo.pop()
        if parents_done:
            order.append(node)
        else:
            todo.append((node, True))
            for parent in node._prev:
                if parent not in seen:
                    seen.add(parent)
                    todo.append((parent, False))
    return order
