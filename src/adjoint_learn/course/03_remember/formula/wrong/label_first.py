"""A computed node may have a label too, such as `d` for `a * b`. Your text stops there. Ask first whether a node
has parents, and use the label only if it has none.
"""

from engine import Value


def formula(node):
    if node.label:
        return node.label
    if not node._prev:
        return str(node.data)
    left, right = node._prev
    return f"({formula(left)} {node._op} {formula(right)})"


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
