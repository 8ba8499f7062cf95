"""Your text has the numbers of this one computation. It should have the names, so that it is right for other
numbers too: use the label where there is one.
"""

from engine import Value


def formula(node):
    if not node._prev:
        return str(node.data)
    left, right = node._prev
    return f"({formula(left)} {node._op} {formula(right)})"


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
