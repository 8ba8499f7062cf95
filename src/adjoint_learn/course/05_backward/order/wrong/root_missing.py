"""Everything is there but `root` itself: you visit its parents only. Visit `root`."""

from solution import *


def topological_order(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in node._prev:
                visit(parent)
            order.append(node)

    for parent in root._prev:
        visit(parent)
    return order
