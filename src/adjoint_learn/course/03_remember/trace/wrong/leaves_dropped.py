"""Your list has the computed nodes only. The inputs and constants are nodes as well: they are what the gradients
are for.
"""

from solution import *


def trace(root):
    nodes, todo = [], [root]
    while todo:
        node = todo.pop()
        if node._prev and node not in nodes:
            nodes.append(node)
            todo += node._prev
    return nodes
