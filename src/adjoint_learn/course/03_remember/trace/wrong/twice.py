"""A node that is used twice is in your list twice, and everything behind it too. After twelve doublings that is
8,191 entries for 13 nodes. Skip a node that is in the list already.
"""

from solution import *


def trace(root):
    nodes = [root]
    for parent in root._prev:
        nodes += trace(parent)
    return nodes
