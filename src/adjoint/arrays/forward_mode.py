"""Forward mode: tangents carried along a recorded graph, from its inputs to its results, in one sweep.

A tangent says how fast a node changes as the inputs move. The sweep visits each node once, parents first, and
costs about as much as the computation itself. Tangents belong to one sweep and to the nodes of its inputs, so that
nested sweeps cannot confuse one perturbation with another.
"""

from collections.abc import Sequence
from functools import cache, reduce
from operator import add
from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import array_code, data_of, is_array_op, is_tensor
from adjoint.engine import chain_rule
from adjoint.engine.graph import backward_order
from adjoint.engine.modes import Switch
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import GraphError, MissingRuleError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


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
    require_unchanged = _of_arrays()[-1]
    require_unchanged(node, numbers=True)
    along = _along_row if isinstance(node._rule, Op) else _along_array_op
    with Switch("anomaly", False):
        return along(node, ts, differentiable)


@cache
def _of_arrays() -> tuple[Any, ...]:
    """Return what the nodes of arrays need; numbers work without NumPy."""
    from adjoint.arrays import kernels
    from adjoint.arrays.backends import common_backend, total
    from adjoint.arrays.broadcasting import unbroadcast
    from adjoint.arrays.changes import require_unchanged
    from adjoint.arrays.value_mathematics import maths

    return kernels, common_backend, total, unbroadcast, maths, require_unchanged


def _along_row(node: "Tensor", ts: list, differentiable: bool) -> Any:
    kernels, common_backend, total, unbroadcast, maths, _ = _of_arrays()
    op = node._rule
    operands = node._operands if differentiable else [data_of(x) for x in node._operands]
    y = node if differentiable else node.data
    m = maths if differentiable else common_backend(operands, op.name)
    terms = [
        m.quietly(kernels.slope_times(op, i, [data_of(x) for x in operands], m), t, y, *operands)
        for i, t in enumerate(ts)
        if t is not None
    ]
    return unbroadcast(total(*terms), y, m)


def _along_array_op(node: "Tensor", ts: list, differentiable: bool) -> Any:
    _, common_backend, total, _, maths, _ = _of_arrays()
    op, static = node._rule, node._static or {}
    operands = node._operands if differentiable else [data_of(x) for x in node._operands]
    m = maths if differentiable else common_backend([data_of(x) for x in operands], op.name)
    arrays = maths.with_an_array(operands)
    if arrays is not operands:
        operands, ts = arrays, [None if t is None else maths.reshape(t, ()) for t in ts]
    if op.linear == "each":
        moved = [
            op(*[t if k == i else x for k, x in enumerate(operands)], **static)
            for i, t in enumerate(ts)
            if t is not None
        ]
        return total(*moved)
    if op.linear == "jointly":
        return op(*[_zeros(x) if t is None else t for t, x in zip(ts, operands)], **static)
    if op.jvp is None:
        raise MissingRuleError(f"{op.name} has no rule for forward mode; use reverse mode, or give it a jvp")
    y = maths.result(node) if differentiable else node.data
    return m.quietly(op.jvp, m, ts, y, *operands, **static)


def _zeros(x) -> Any:
    data = data_of(x)
    if not hasattr(data, "dtype"):
        return 0.0
    return array_code("backends").common_backend([data], "jvp").zeros_like(data)
