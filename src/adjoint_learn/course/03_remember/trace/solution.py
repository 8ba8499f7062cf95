from engine import Value


def trace(root):
    """Return a list of all nodes that root was computed from, and root itself: each node once, in any order."""
    nodes = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.append(node)
            todo += node._prev
    return nodes


if __name__ == "__main__":
    a, b = Value(2.0), Value(-3.0)
    d = a * b
    print(trace(d + a))
