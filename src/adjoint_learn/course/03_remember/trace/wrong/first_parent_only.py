"""You follow the first parent alone, which gives a chain and not the graph. Follow all parents."""

from engine import Value


def trace(root):
    nodes = [root]
    while nodes[-1]._prev:
        nodes.append(nodes[-1]._prev[0])
    return nodes
