"""You recognize a node by its number. Two different nodes can hold the same number, as `a` and `c` do here: compare
the objects themselves.
"""

from engine import Value


def trace(root):
    nodes, seen, todo = [], set(), [root]
    while todo:
        node = todo.pop()
        if node.data not in seen:
            seen.add(node.data)
            nodes.append(node)
            todo += node._prev
    return nodes


if __name__ == "__main__":
    a, b = Value(2.0), Value(-3.0)
    d = a * b
    print(trace(d + a))
