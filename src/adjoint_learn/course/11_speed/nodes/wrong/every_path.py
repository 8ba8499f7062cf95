"""You count a node again for every path that leads to it. After ten times x = x + x there are 1024 paths and 11 nodes.
A node exists once in memory: remember which ones you have seen."""


def count_nodes(root):
    return 1 + sum(count_nodes(parent) for parent in root._prev)
