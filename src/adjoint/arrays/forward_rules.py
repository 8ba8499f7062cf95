"""Forward mode through one node that holds an array: its tangent, given those of its operands."""

from typing import TYPE_CHECKING, Any

from adjoint.arrays import kernels
from adjoint.arrays.backends import common_backend, total
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.changes import require_unchanged
from adjoint.arrays.kinds import data_of
from adjoint.arrays.value_mathematics import maths
from adjoint.engine.rule import Op
from adjoint.errors import MissingRuleError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def along(node: "Tensor", ts: list, differentiable: bool) -> Any:
    """Return the tangent of a node; with `differentiable`, it is a Value."""
    require_unchanged(node, numbers=True)
    return (_along_row if isinstance(node._rule, Op) else _along_array_op)(node, ts, differentiable)


def _along_row(node: "Tensor", ts: list, differentiable: bool) -> Any:
    op = node._rule
    operands = node._operands if differentiable else [data_of(x) for x in node._operands]
    y = node if differentiable else node._array
    m = maths if differentiable else common_backend(operands, op.name)
    terms = [
        m.quietly(kernels.slope_times(op, i, [data_of(x) for x in operands], m), t, y, *operands)
        for i, t in enumerate(ts)
        if t is not None
    ]
    return unbroadcast(total(*terms), y, m)


def _along_array_op(node: "Tensor", ts: list, differentiable: bool) -> Any:
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
    y = maths.result(node) if differentiable else node._array
    return m.quietly(op.jvp, m, ts, y, *operands, **static)


def _zeros(x) -> Any:
    data = data_of(x)
    if not hasattr(data, "dtype"):
        return 0.0
    return common_backend([data], "jvp").zeros_like(data)
