"""The sentences of `adjoint.why`: for each cause one, with the node, its line and its numbers."""

import os
import re
from collections.abc import Mapping
from math import inf
from typing import Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.rule import Op, format_application
from adjoint.engine.value import Value
from adjoint.see.explanation.narration import number
from adjoint.see.explanation.summaries import ArraySummary, summary
from adjoint.see.reasons.causes import Finding, cause_of_result
from adjoint.see.reasons.flows import Edge, elements, measure

_FORMULAS = {"tanh": "1 − tanh²", "sigmoid": "s · (1 − s)", "erf": "exp(−x²)", "softmax": "p · (1 − p)"}


def place_of(made_at: str | None) -> str:
    """Return a line of the program as messages show it: relative to the current folder; "" if it is not known.

    >>> place_of("/tmp/ipykernel_12/34.py:5"), place_of(None)
    ('line 5 of a cell', '')
    """
    if not made_at:
        return ""
    file, _, line = made_at.rpartition(":")
    if re.search(r"ipykernel_\d|^<ipython-input", file):
        return f"line {line} of a cell"
    folder = os.getcwd() + os.sep
    return f"{file.removeprefix(folder)}:{line}"


def at(node: Value) -> str:
    """Return " at train.py:12", or "" if the line is not known."""
    place = place_of(node._made_at)
    return f" at {place}" if place else ""


def size_in_words(gradient: Any) -> str:
    """Return a gradient in a few words: a number, or what its elements have in common.

    >>> size_in_words(-2.0), size_in_words(None)
    ('−2', '0')
    """
    size = measure(gradient)
    if size.count == 1:
        return number(float(elements(gradient).reshape(())) if not isinstance(gradient, float) else gradient)
    if size.is_zero:
        return "0"
    if size.is_bad:
        return "not finite" if size.bad == size.count else f"not finite in {size.bad:,} of {size.count:,} elements"
    return f"at most {number(size.largest)}"


class Words:
    """Sentences about the nodes of one graph, whose `names` are known."""

    def __init__(self, names: Mapping[Value, str]):
        self._names = names

    def name(self, node: Value) -> str:
        """Return the name of a node."""
        return self._names.get(node) or node.label or "a Value"

    def call(self, node: Value) -> str:
        """Return the operation of a node with its numbers: `log(0)`; arrays by their names and shapes."""
        return format_application(node.op, [self._operand(x) for x in node._operands]) if node._operands else node.op

    def formula(self, node: Value) -> str:
        """Return the operation of a node in the names of the graph: `relu(h)`."""
        return format_application(node.op, [self._name_of_operand(x) for x in node._operands])

    def _name_of_operand(self, x: Any) -> str:
        if isinstance(x, Value):
            return self.name(x)
        return number(x) if isinstance(x, float) else f"array {'×'.join(map(str, getattr(x, 'shape', ())))}"

    def _operand(self, x: Any) -> str:
        found = summary(x)
        if isinstance(found, float):
            return number(found)
        return self._name_of_operand(x)

    def cause(self, found: Finding) -> str:
        """Return what a node did, and why: "relu at train.py:12 is closed: its input is −3, so its derivative is 0"."""
        if found.node is None:
            return "nothing on the way stops it"
        sentence = getattr(self, "_" + found.cause.replace(" ", "_"))(found, found.node, found.edge)
        if found.edge is None or found.count == 1:
            return sentence
        more = "more nodes of this line" if found.node._made_at else "more such nodes"
        return f"{sentence} (and at {found.count - 1} {more})"

    # --- zero ---

    def _closed(self, found: Finding, node: Value, edge: Edge) -> str:
        what = f"{node.op}{at(node)} is"
        if node.op != "relu":
            return f"{what} outside of its bounds: {self._inputs(edge)}, and the derivative there is 0"
        if not is_tensor(node):
            return f"{what} closed: {self._inputs(edge)}, so its derivative is 0"
        x = elements(edge.parent)
        count = int((x <= 0).sum())
        if count == x.size:
            return f"{what} closed for all {x.size:,} elements: its largest input is {number(float(x.max()))}"
        return f"{what} closed for {count:,} of {x.size:,} elements, all that the gradient reaches"

    def _saturated(self, found: Finding, node: Value, edge: Edge) -> str:
        factor = _largest_factor(found)
        formula = _FORMULAS.get(node.op, "the derivative")
        rounded = f"rounds to {number(factor)}" if not factor else f"is {number(factor)}"
        return f"{node.op}{at(node)} is saturated: {self._inputs(edge)}, where {formula} {rounded}"

    def _step(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"{node.op}{at(node)} is a step: its derivative is 0 everywhere"

    def _not_chosen(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"{node.op}{at(node)} takes nothing from {self.name(edge.parent)}: the gradient goes to what it chose"

    def _zero_factor(self, found: Finding, node: Value, edge: Edge) -> str:
        others = [x for i, x in enumerate(node._operands) if i != edge.operand]
        zeros = [x for x in others if measure(x.data if isinstance(x, Value) else x).is_zero]
        if node.op in ("*", "@", "linear", "einsum") and zeros:
            return (
                f"the other factor of {node.op}{at(node)} is 0: {self._name_of_operand(zeros[0])}{self._from(zeros[0])}"
            )
        return f"the derivative of {self.call(node)}{at(node)} is 0 for {self.name(edge.parent)}"

    def _flat(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"{self.call(node)}{at(node)} is flat: its derivative is 0 there{self._origin(node)}"

    def _underflow(self, found: Finding, node: Value, edge: Edge) -> str:
        if measure(node.data).is_zero:
            return f"{node.op}{at(node)} underflows to 0, and so does its derivative: {self._inputs(edge)}"
        incoming = number(_arriving(edge))
        product = f"the gradient {incoming} times the factor {self._factor(found)}"
        return f"at {self.call(node)}{at(node)} {product} underflows to 0"

    def _by_hand(self, found: Finding, node: Value, edge: Edge) -> str:
        given = "nothing" if found.kind == "zero" else "NaN or infinity"
        made = f"the _backward of {node.op or self.name(node)}{at(node)}, written by hand,"
        return f"{made} adds {given} to {self.name(edge.parent)}.grad"

    def _cancelled(self, found: Finding, node: Value, edge: Edge | None) -> str:
        return f"the {found.count} contributions to {self.name(node)}{at(node)} cancel"

    def _hook(self, found: Finding, node: Value, edge: Edge | None) -> str:
        return f"a hook of {self.name(node)}{at(node)} has replaced the gradient"

    def _seed(self, found: Finding, node: Value, edge: Edge | None) -> str:
        return "backward() was given such a gradient to start from"

    # --- NaN and infinity ---

    def _pole(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"{self._bad_call(node)}{at(node)} is at a pole{self._product(found, node, edge)}{self._origin(node)}"

    def _undefined(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"{self._bad_call(node)}{at(node)} is undefined{self._origin(node)}"

    def _overflow(self, found: Finding, node: Value, edge: Edge | None) -> str:
        if edge is None:
            return f"the contributions to {self.name(node)}{at(node)} add up to more than a float holds"
        if measure(node.data).is_bad:
            return f"{self._bad_call(node)}{at(node)} overflows{self._product(found, node, edge)}{self._origin(node)}"
        factor = self._factor(found)
        return (
            f"at {self.call(node)}{at(node)} the gradient {number(_arriving(edge))} times the factor {factor} overflows"
        )

    def _data(self, found: Finding, node: Value, edge: Edge) -> str:
        bad = [x for x in node._operands if measure(getattr(x, "data", x) if isinstance(x, Value) else x).is_bad]
        shown = self._name_of_operand(bad[0])
        given = f", {size_in_words(bad[0].data)}," if isinstance(bad[0], Value) else ""
        return f"an operand of {self.formula(node)}{at(node)} is not finite from the start: {shown}{given.rstrip(',')}"

    def first_bad(self, node: Value) -> str:
        """Return a sentence about the operation that made a result NaN or infinite."""
        verb = {"undefined": "is undefined", "overflow": "overflows", "pole": "is at a pole"}[
            cause_of_result(node, None)
        ]
        return f"{self._bad_call(node)}{at(node)} {verb}{self._origin(node)}"

    def _product(self, found: Finding, node: Value, edge: Edge) -> str:
        """Return what the chain rule multiplies at a node whose derivative is not finite."""
        if node is not edge.node or not isinstance(found.factor, float):
            return ""
        factor, incoming = self._factor(found), _arriving(edge)
        if incoming == 0 and measure(found.factor).is_bad:
            return f": its derivative is {factor}, and the gradient 0 times {factor} is NaN"
        return f": its derivative is {factor}"

    def _bad_call(self, node: Value) -> str:
        """Return an operation with the numbers for which it fails: `log(0) (for 2 of 64 elements)`."""
        if not is_tensor(node):
            return self.call(node)
        import numpy as np

        if not isinstance(node._rule, Op):
            return self.formula(node)
        result = elements(node.data)
        data = [elements(x) if not isinstance(x, float) else np.asarray(x) for x in node._operands]
        bad = ~np.isfinite(result)
        if not bad.any() and len(data) == 1:  # as sqrt(0): the derivative is infinite, not the result
            bad = result == 0
        if not bad.any():
            return self.formula(node)
        first = np.unravel_index(np.flatnonzero(bad)[0], bad.shape)
        numbers = [number(float(np.broadcast_to(x, result.shape)[first])) for x in data]
        count = int(bad.sum())
        call = format_application(node.op, numbers)
        return call if result.size == 1 else f"{call}, for {count:,} of {result.size:,} elements,"

    def _origin(self, node: Value) -> str:
        """Return where the operands of an operation came from, one step further."""
        made = [x for x in node._operands if isinstance(x, Value) and x.parents]
        if not made:
            return ""
        x, given = made[0], summary(made[0]._operands[0])
        of = f"{x.op} of {_between(given)}" if isinstance(given, ArraySummary) and x.op.isidentifier() else self.call(x)
        return f"; its operand is the result of {of}{at(x)}"

    # --- huge and tiny ---

    def _large_factor(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"the largest factor on the way is {self._factor(found, edge)}, of {self.call(node)}{at(node)}"

    def _small_factor(self, found: Finding, node: Value, edge: Edge) -> str:
        return f"the smallest factor on the way is {self._factor(found, edge)}, of {self.call(node)}{at(node)}"

    def _many_factors(self, found: Finding, node: Value, edge: Edge) -> str:
        which = "largest" if found.kind == "huge" else "smallest"
        return (
            f"no factor alone does it, but the product of {len(found.way)}; the {which} is "
            f"{self._factor(found, edge)}, of {self.call(node)}{at(node)}"
        )

    # --- neither ---

    def closed_units(self, way: list[Edge]) -> list[str]:
        """Return a sentence for each relu of arrays that is closed for all samples in some of its units."""
        found = []
        for edge in way:
            if edge.node.op == "relu" and is_tensor(edge.node) and len(edge.node.shape) > 1:
                x = elements(edge.parent)
                closed = int((x <= 0).all(axis=tuple(range(x.ndim - 1))).sum())
                if closed:
                    found.append(
                        f"relu{at(edge.node)} is closed for all samples in {closed:,} of {x.shape[-1]:,} units."
                    )
        return found

    # --- parts of sentences ---

    def _factor(self, found: Finding, edge: Edge | None = None) -> str:
        if found.factor is not None:
            is_number = isinstance(found.factor, float)
            return number(found.factor) if is_number else f"up to {number(measure(found.factor).largest)}"
        incoming = _arriving(edge) if edge else 0.0
        return number(edge.size.largest / incoming) if edge and incoming else "unknown"

    def _inputs(self, edge: Edge) -> str:
        x = summary(edge.parent)
        return f"its inputs are {_between(x)}" if isinstance(x, ArraySummary) else f"its input is {self._operand(x)}"

    def _from(self, x: Any) -> str:
        if not isinstance(x, Value) or not x.parents:
            return ""
        return f" = {self.call(x)}{at(x)}"


def _arriving(edge: Edge) -> float:
    """Return the largest magnitude of the gradient that arrives at the node of an edge."""
    return edge.incoming.largest if not edge.incoming.is_bad else inf


def _between(x: ArraySummary) -> str:
    return "unknown" if x.min is None or x.max is None else f"{number(x.min)} … {number(x.max)}"


def _largest_factor(found: Finding) -> float:
    return 0.0 if found.factor is None else measure(found.factor).largest
