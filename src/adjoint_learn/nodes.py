"""The nodes of a learner's graph: all of them, in topological order, and what is wrong with the learner's own order."""

from collections.abc import Sequence
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


def missing_parent(what: str, node: Any, expected: Sequence[Any]) -> Mismatch | None:
    """Return what is wrong with the parents of a learner's node that was computed from some others, or None."""
    found = getattr(node, "_prev", None)
    if any(found is x for x in expected):
        text = f"`{what}._prev` is the parent itself, and should be a tuple of one: `(self,)`, with a comma."
        return Mismatch(text, "no comma")
    if not isinstance(found, tuple | list | set | frozenset):
        return Mismatch(f"`{what}._prev` is {show(found)}, and should be a tuple of the parents.", found)
    known = {id(x) for x in parents_first(node)}
    if not all(id(x) in known for x in expected):
        text = f"`{what}._prev` is {show(found)}. Its graph does not contain the Value that `{what}` was computed from."
        return Mismatch(text, [getattr(x, "data", x) for x in found])
    return None


class CountingNode:
    """A node that counts how often its parents are asked for, and ends a walk that visits it too often."""

    def __init__(self, parents: tuple["CountingNode", ...], data: float, counter: list[int], most: int):
        self.data, self.grad, self.label, self._op = data, 0.0, "", "+" if parents else ""
        self._backward = lambda: None
        self._parents, self._counter, self._most = parents, counter, most

    @property
    def _prev(self) -> tuple["CountingNode", ...]:
        self._counter[0] += 1
        if self._counter[0] > self._most:
            raise Mismatch(
                f"in a graph of thirty doublings `x = x + x`, which has 31 nodes, your walk has asked for parents more "
                f"than {self._most:,} times. It follows every path, and there are a billion of them: ask whether a "
                "node was visited *before* you go on to its parents.",
                "every path",
            )
        return self._parents


def thirty_doublings(asked: int = 100) -> list[CountingNode]:
    """Return the nodes of `x = x + x`, thirty times. A walk may ask each of them `asked` times for its parents."""
    counter, nodes = [0], []
    for i in range(31):
        nodes.append(CountingNode((nodes[-1],) * 2 if nodes else (), 2.0**i, counter, 31 * asked))
    return nodes


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
