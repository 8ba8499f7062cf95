"""A node that is used twice is in your list twice, and everything behind it too. After three doublings that is
15 entries for 4 nodes. Skip a node that is in the list already.
"""

from solution import *


def trace(root):
    nodes = [root]
    for parent in root._prev:
        nodes += trace(parent)
    return nodes
