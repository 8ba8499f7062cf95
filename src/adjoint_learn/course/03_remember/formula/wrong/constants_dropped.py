"""A constant such as the 2 in `a * 2` has no label, so it is missing in your text. Where the label is empty, show
the number.
"""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label
    left, right = node._prev
    return f"({formula(left)} {node._op} {formula(right)})"


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
