"""You count only nodes that an operation made. Inputs and constants are nodes too: they take memory, and the backward
pass visits them."""


def count_nodes(root):
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node not in seen and node._prev:
            seen.add(node)
            todo.extend(node._prev)
    return len(seen)
