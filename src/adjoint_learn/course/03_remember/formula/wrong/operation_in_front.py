"""You put the operation in front, as in `+ a b`. Python, and the task, write it between the two parents."""

from engine import Value


def formula(node):
    if not node._prev:
        return node.label or str(node.data)
    left, right = node._prev
    return f"({node._op} {formula(left)} {formula(right)})"
