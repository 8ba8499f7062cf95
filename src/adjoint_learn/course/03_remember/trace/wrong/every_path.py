"""You go to the parents of a node even if it was visited before, and only then sort out what is there twice. The
number of visits doubles with each doubling. Go on to the parents only if the node is new."""

from engine import Value


def trace(root):
    nodes, todo = [], [root]
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.append(node)
        todo += node._prev
    return nodes
