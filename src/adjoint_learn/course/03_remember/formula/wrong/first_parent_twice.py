"""Both sides show the first parent. The second one is `node._prev[1]`."""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    left, _ = node._prev
    return f"({formula(left)} {node._op} {formula(left)})"
