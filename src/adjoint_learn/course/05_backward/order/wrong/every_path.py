"""You visit the parents of a node again each time you meet it, and sort out afterwards what is there twice. With
thirty doublings that is a billion visits: return at once if a node was visited."""

from solution import *


def topological_order(root):
    order = []

    def visit(node):
        for parent in node._prev:
            visit(parent)
        if node not in order:
            order.append(node)

    visit(root)
    return order
