"""You count a node again for every path that leads to it. After three times x = x + x there are 8 paths and 4 nodes.
A node exists once in memory: remember which ones you have seen."""


def count_nodes(root):
    return 1 + sum(count_nodes(parent) for parent in root._prev)
