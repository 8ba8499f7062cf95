"""Your list begins with the result. Turn it around, or append a node only when its parents are done."""

from solution import *


def topological_order(root):
    order, seen, todo = [], set(), [(root, False)]
    while todo:
        node, parents_done = todo.pop()
        if parents_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            todo.append((node, True))
            for parent in node._prev:
                todo.append((parent, False))
    return order[::-1]
