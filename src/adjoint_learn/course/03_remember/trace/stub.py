from engine import Value


def trace(root):
    """Return a list of all nodes that root was computed from, and root itself: each node once, in any order."""
    return [root]  # TODO: the parents, their parents, ...


if __name__ == "__main__":
    a, b = Value(2.0), Value(-3.0)
    d = a * b
    print(trace(d + a))
