"""You recognize nodes by their numbers, so two nodes that happen to hold the same number count once. Remember the nodes
themselves, not their `data`."""


def count_nodes(root):
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node.data not in seen:
            seen.add(node.data)
            todo.extend(node._prev)
    return len(seen)
