"""Nothing in your loop asks whether a node was visited before, and what is there twice is sorted out at the end.
With thirty doublings that is a billion visits. Ask when you take a node from the list."""

from solution import *


def topological_order(root):
    order, todo = [], [(root, False)]
    while todo:
        node, parents_done = todo.pop()
        if parents_done:
            if node not in order:
                order.append(node)
        else:
            todo.append((node, True))
            todo += [(parent, False) for parent in node._prev]
    return order
