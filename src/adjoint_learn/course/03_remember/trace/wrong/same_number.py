"""You recognize a node by its number. Two different nodes can hold the same number, as `a` and `c` do here: compare
the objects themselves.
"""

from solution import *


def trace(root):
    nodes, seen, todo = [], set(), [root]
    while todo:
        node = todo.pop()
        if node.data not in seen:
            seen.add(node.data)
            nodes.append(node)
            todo += node._prev
    return nodes
