"""The nodes of a learner's graph: all of them, in topological order, and what is wrong with the learner's own order."""

from typing import Any

from adjoint_learn.checking import Mismatch, show


def parents_first(root: Any) -> list[Any]:
    """Return all nodes of a learner's graph in topological order. Parents are what `_prev` of a node has.

    >>> from types import SimpleNamespace as Node
    >>> a = Node(_prev=())
    >>> b = Node(_prev=(a, a))
    >>> parents_first(b) == [a, b]
    True
    """
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(parent, False) for parent in parents(node)]
    return order


def parents(node: Any) -> tuple[Any, ...]:
    """Return the parents of a learner's node; none if `_prev` is missing or is not a collection."""
    found = getattr(node, "_prev", ())
    return tuple(found) if isinstance(found, tuple | list | set | frozenset) else ()


def order_problem(what: str, got: Any, root: Any) -> Mismatch | None:
    """Return what is wrong with a learner's topological order of a graph, or None."""
    if not isinstance(got, list | tuple):
        return Mismatch(f"`{what}` is {show(got)}, and should be a list of nodes.", got)
    expected = parents_first(root)
    place = {id(node): i for i, node in enumerate(got)}
    missing = [node for node in expected if id(node) not in place]
    if missing:
        text = f"`{what}` has {len(got)} of {len(expected)} nodes: {_describe(missing[0])} is missing."
        return Mismatch(text, ("missing", len(got)))
    if len(got) > len(place):
        text = f"`{what}` has {len(got)} entries, but the graph has only {len(expected)} nodes: some appear again."
        return Mismatch(text, ("again", len(got)))
    if len(got) > len(expected):
        text = f"`{what}` has {len(got)} nodes, and should have {len(expected)}: only those that the result depends on."
        return Mismatch(text, ("extra", len(got)))
    for i, node in enumerate(got):
        for parent in parents(node):
            j = place[id(parent)]
            if j > i:
                text = (
                    f"`{what}`: {_describe(node)} is at index {i}, before its parent {_describe(parent)} at index {j}."
                )
                return Mismatch(text, ("order", i, j, _number(node), _number(parent)))
    return None


def _describe(node: Any) -> str:
    """Return how a message names a node: by its label, its operation, or its number."""
    label, op = getattr(node, "label", ""), getattr(node, "_op", "")
    if label:
        return f"`{label}`"
    return f"the result of `{op}`, {show(_number(node))}," if op else f"the number {show(_number(node))}"


def _number(node: Any) -> Any:
    return getattr(node, "data", None)
