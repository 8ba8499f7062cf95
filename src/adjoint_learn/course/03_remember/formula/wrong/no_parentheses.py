"""Without parentheses, the text of `(a + b) * c` is `a + b * c`, which is something else: in Python, and in
mathematics, `*` comes first. Put each operation in parentheses.
"""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    left, right = node._prev
    return f"{formula(left)} {node._op} {formula(right)}"


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
