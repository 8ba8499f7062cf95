"""You count everything that `root` was computed from, and forget `root` itself. It is a node of the graph too."""


def count_nodes(root):
    seen, todo = set(), list(root._prev)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(node._prev)
    return len(seen)
