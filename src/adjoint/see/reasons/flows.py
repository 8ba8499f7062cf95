"""The gradients on the way from a result to one of the Values that it depends on, edge by edge.

Only the nodes through which the result depends on that Value take part. Nothing in the graph changes.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from adjoint.arrays.kinds import array_code, is_tensor
from adjoint.engine.graph import backward_order
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.value import Value
from adjoint.see.explanation.steps import as_number, parts_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measure:
    """What matters about a number, or about all elements of an array."""

    largest: float  # the largest finite magnitude
    nonzero: int  # how many elements are not zero
    bad: int  # how many are NaN or infinite
    count: int

    @property
    def is_zero(self) -> bool:
        return not self.nonzero

    @property
    def is_bad(self) -> bool:
        return self.bad > 0


def elements(x: Any) -> Any:
    """Return an array of any library, or a number, as an array of NumPy."""
    import numpy as np

    x = x.data if isinstance(x, Value) else x
    m = array_code("backends").backend_of(x)
    return np.asarray(m.to_numpy(x) if m else x, np.float64)


def measure(x: Any) -> Measure:
    """Measure a gradient: a number, an array, those of several results, or None for nothing.

    >>> measure(-2.0)
    Measure(largest=2.0, nonzero=1, bad=0, count=1)
    """
    if x is None:
        return Measure(0.0, 0, 0, 0)
    if type(x) is float:
        is_bad = not math.isfinite(x)
        return Measure(0.0 if is_bad else abs(x), int(x != 0), int(is_bad), 1)
    if isinstance(x, tuple):  # the gradients of several results
        found = [measure(part) for part in x]
        sums = (sum(m.nonzero for m in found), sum(m.bad for m in found), sum(m.count for m in found))
        return Measure(max(m.largest for m in found), *sums)
    import numpy as np

    array = elements(x)
    is_finite = np.isfinite(array)
    largest = float(np.max(np.abs(array), where=is_finite, initial=0.0))
    return Measure(largest, int(np.count_nonzero(array)), int(array.size - is_finite.sum()), array.size)


@dataclass(slots=True, eq=False)
class Edge:
    """What the gradient of a node gives to one of its operands."""

    node: Value
    operand: int
    parent: Value
    part: Any
    size: Measure  # of the part
    incoming: Measure  # of the gradient of the node


@dataclass(slots=True, eq=False)
class Flow:
    """One backward pass, from `root` to `target`."""

    root: Value
    target: Value
    totals: dict[Value, Any] = field(default_factory=dict)  # the gradients, each node before its operands
    sizes: dict[Value, Measure] = field(default_factory=dict)  # of the totals
    unhooked: dict[Value, Any] = field(default_factory=dict)  # the gradients that hooks have replaced
    edges: list[Edge] = field(default_factory=list)
    into: dict[Value, list[Edge]] = field(default_factory=lambda: defaultdict(list))

    @property
    def gradient(self) -> Any:
        """What reaches the target."""
        return self.totals[self.target]

    def above(self, node: Value) -> list[Edge]:
        """Return the edges from the root to a node along which the largest gradient arrives."""
        found: list[Edge] = []
        while self.into[node]:
            edge = max(self.into[node], key=lambda edge: (edge.size.bad, edge.size.largest))
            found.append(edge)
            node = edge.node
        return found[::-1]


def flow(root: Value, target: Value, seed: Any) -> Flow | None:
    """Return the gradients between a result and a Value; None if the result does not depend on it."""
    order = backward_order(root)
    reaching = {target}
    for node in reversed(order):
        if any(parent in reaching for parent in node.parents):
            reaching.add(node)
    if root not in reaching:
        return None
    found = Flow(root, target)
    nodes = [node for node in order if node in reaching and node is not target]
    quietly((*nodes, target), _pass, found, seed, nodes, reaching)
    return found


def quietly(nodes: Iterable[Value], function: Callable[..., T], *arguments: Any) -> T:
    """Call a function without NumPy's warnings about infinities; NumPy is loaded only if there are arrays."""
    if any(map(is_tensor, nodes)):
        return array_code("backends").NUMPY.quietly(function, *arguments)
    return function(*arguments)


def _pass(found: Flow, seed: Any, nodes: list[Value], reaching: set[Value]) -> None:
    received: dict[Value, Any] = {found.root: seed}
    for node in nodes:
        total = _arrive(found, node, received.get(node))
        operands = [(i, x, None) for i, x in enumerate(node._operands) if isinstance(x, Value)]
        for i, parent, part in operands if total is None else parts_of(node, total):
            if parent not in reaching:
                continue
            if part is not None:
                part = part if is_tensor(parent) else as_number(part)
                received[parent] = received[parent] + part if parent in received else part
            edge = Edge(node, i, parent, part, measure(part), found.sizes[node])
            found.edges.append(edge)
            found.into[parent].append(edge)
    _arrive(found, found.target, received.get(found.target))


def _arrive(found: Flow, node: Value, total: Any) -> Any:
    """Keep the gradient of a node, after its hooks."""
    if total is not None and node._hooks:
        found.unhooked[node], total = total, apply_hooks(node, total)
    found.totals[node], found.sizes[node] = total, measure(total)
    return total


@dataclass(slots=True)
class Frontier:
    """Where gradients became what they are at the target, against the direction of the pass."""

    edges: list[Edge]  # from a node with another gradient, in the order of the pass
    sums: list[Value]  # nodes whose contributions are not so, but their sum is
    hooked: list[Value]  # nodes whose hook made the gradient so
    via: dict[Value, Edge]  # the next edge toward the target

    def below(self, node: Value) -> list[Edge]:
        """Return the edges from a node to the target."""
        found = []
        while node in self.via:
            found.append(self.via[node])
            node = found[-1].parent
        return found


def frontier(found: Flow, holds: Callable[[Measure], bool], needs_all: bool) -> Frontier:
    """Return where gradients became such that `holds`, which it does for the target.

    With `needs_all` a sum is so because all of its parts are, as for 0; otherwise because one is, as for NaN.
    """
    place = {node: i for i, node in enumerate(found.totals)}
    edges: list[Edge] = []
    sums: list[Value] = []
    hooked: list[Value] = []
    via: dict[Value, Edge] = {}
    waiting, seen = [found.target], {found.target}
    for node in waiting:  # it grows
        arriving = found.into[node]
        here = [edge for edge in arriving if holds(edge.size)]
        if node in found.unhooked and not holds(measure(found.unhooked[node])):
            hooked.append(node)
        elif not here or (needs_all and len(here) < len(arriving)):
            sums.append(node)
        else:
            for edge in here:
                if not holds(found.sizes[edge.node]):
                    edges.append(edge)
                elif edge.node not in seen:
                    seen.add(edge.node)
                    via[edge.node] = edge
                    waiting.append(edge.node)
    edges.sort(key=lambda edge: place[edge.node])
    return Frontier(edges, sums, hooked, via)
