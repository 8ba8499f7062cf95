def count_nodes(root):
    """Return the number of different Values that `root` was computed from, and `root` itself."""
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(node._prev)
    return len(seen)
