"""Forward mode: tangents carried along a recorded graph, from its inputs to its results, in one sweep.

A tangent says how fast a node changes as the inputs move. The sweep visits each node once, parents first, and
costs about as much as the computation itself. Tangents belong to one sweep and to the nodes of its inputs, so that
nested sweeps cannot confuse one perturbation with another.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from adjoint.arrays.kinds import array_code, is_array_op, is_tensor
from adjoint.engine import chain_rule
from adjoint.engine.graph import backward_order
from adjoint.engine.modes import Switch
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import GraphError


def push(results: Sequence, tangents: dict[Value, Any], differentiable: bool) -> list:
    """Return the tangent of each result, given those of the inputs; None for one that does not depend on them."""
    tangents = dict(tangents)
    roots = dict.fromkeys(x for x in results if isinstance(x, Value) and x not in tangents)
    for node in reversed(backward_order(*roots, until=tangents)):
        ts = [tangents.get(x) if isinstance(x, Value) else None for x in node._operands]
        if any(t is not None for t in ts):
            tangents[node] = _tangent(node, ts, differentiable)
    return [tangents.get(result) if isinstance(result, Value) else None for result in results]


def _tangent(node: Value, ts: list, differentiable: bool) -> Any:
    if node._closure or not (isinstance(node._rule, Op) or is_array_op(node._rule)):
        raise GraphError(f"{node!r} was made by hand: forward mode needs a rule, such as adjoint.op makes")
    if not is_tensor(node):
        slopes = chain_rule.read_with_values(node) if differentiable else node._derivatives
        moving = [t for t, x in zip(ts, node._operands) if isinstance(x, Value)]
        return reduce(add, [slope * t for slope, t in zip(slopes, moving) if t is not None])
    with Switch("anomaly", False):
        return array_code("forward_rules").along(node, ts, differentiable)
