"""Your list has the numbers of the nodes. The task asks for the nodes themselves: a number does not know where it
came from."""

from engine import Value


def trace(root):
    nodes, todo = [], [root]
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.append(node)
            todo += node._prev
    return [node.data for node in nodes]
