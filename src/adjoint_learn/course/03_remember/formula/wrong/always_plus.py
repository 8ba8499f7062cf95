"""Your text shows + for every operation. The operation of a node is in its `_op`."""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    left, right = node._prev
    return f"({formula(left)} + {formula(right)})"
