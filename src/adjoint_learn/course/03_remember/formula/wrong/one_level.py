"""Your text goes back one step only. A parent may be computed itself: call `formula` for the parents instead of
taking their labels.
"""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    left, right = node._prev
    return f"({left.label or left.data} {node._op} {right.label or right.data})"


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
