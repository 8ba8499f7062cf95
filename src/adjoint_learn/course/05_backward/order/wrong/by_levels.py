"""You go level by level from the result, and turn the list around. A node that is used on two levels is then at the
wrong place: `d` has to come before `d + a`, although the result uses both.
"""

from solution import *


def topological_order(root):
    """Return all nodes that root was computed from, and root: each once, and each after its parents."""
    order = [root]
    for node in order:
        for parent in node._prev:
            if parent not in order:
                order.append(parent)
    return order[::-1]
