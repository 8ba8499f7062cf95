"""The parents are in the other order: `a + b` was written, and you show `b + a`. The first parent comes first."""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    right, left = node._prev
    return f"({formula(left)} {node._op} {formula(right)})"
