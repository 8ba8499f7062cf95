"""Your list is a default argument. Python makes it once, so it still has the nodes of the call before. Make the list
inside of the function."""

from engine import Value


def trace(root, nodes=[]):  # noqa: B006
    if root not in nodes:
        nodes.append(root)
        for parent in root._prev:
            trace(parent, nodes)
    return nodes
