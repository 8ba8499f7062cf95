"""Everything is there but `root` itself. It is a node of its graph too."""

from engine import Value


def trace(root):
    nodes, todo = [], list(root._prev)
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.append(node)
            todo += node._prev
    return nodes
