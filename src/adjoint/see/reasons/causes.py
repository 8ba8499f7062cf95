"""What made a gradient zero, NaN, infinite, huge or tiny: the first node on the way, and the kind of mistake.

The causes are words that programs may compare: "closed", "saturated", "zero factor", "pole", "overflow", and so on.
`phrases.py` has a sentence for each.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.graph import backward_order
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.see.explanation.steps import parts_of
from adjoint.see.reasons.flows import Edge, Flow, Measure, elements, frontier, measure

HUGE, TINY = 1e6, 1e-6  # gradients of at least, and of at most, this size are explained by the factors on the way
_STRIKING = 1e3  # a single factor of this size explains a huge gradient, and its reciprocal a tiny one

_CLOSED = {"relu", "relu6", "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "clip", "threshold"}
_SATURATED = {
    "tanh", "sigmoid", "erf", "softsign", "atan", "softmax", "log_softmax", "logsumexp", "elu", "celu", "selu", "silu",
    "gelu", "gelu_tanh", "quick_gelu", "mish", "softplus", "logsigmoid", "logaddexp",
}  # fmt: skip
_STEPS = {"sign", "floor", "ceil", "trunc", "round", "//"}
_CHOICES = {
    "maximum", "minimum", "max", "min", "where", "getitem", "at_set", "triangle", "max_pool", "median", "sort", "part",
}  # fmt: skip
_PRODUCTS = {"*", "/", "@", "linear", "einsum", "prod", "cumprod", "attention"}
_EXPONENTIALS = {"exp", "exp2", "expm1"}
_OVERFLOWING = {*_EXPONENTIALS, *_PRODUCTS, "sinh", "cosh", "square", "+", "-", "**", "sum", "mean", "cumsum", "norm"}


@dataclass(slots=True, eq=False)
class Finding:
    """A node that made a gradient what it is, and why; `edge` is where in the pass, if it is on an edge."""

    kind: str  # "zero", "tiny", "not finite", "huge", "ordinary" or "none"
    cause: str
    node: Value | None = None
    edge: Edge | None = None
    factor: Any = None  # the local derivative: a number, an array, or None if it is neither
    count: int = 1  # of nodes with the same operation and line
    way: list[Edge] = field(default_factory=list)  # from the root to the target
    others: list["Finding"] = field(default_factory=list)  # what else made it so


def find(flow: Flow) -> Finding:
    """Return what made the gradient at the end of a flow what it is."""
    size = flow.sizes[flow.target]
    if size.is_bad:
        return _along_frontier(flow, "not finite", lambda size: size.is_bad, False, _cause_of_bad)
    if size.is_zero:
        return _along_frontier(flow, "zero", lambda size: size.is_zero, True, _cause_of_zero)
    return _extreme(flow, size)


def _along_frontier(
    flow: Flow, kind: str, holds: Callable[[Measure], bool], needs_all: bool, cause_of: Callable[[Edge], tuple]
) -> Finding:
    """Return what made the gradient so, first what the backward pass meets first."""
    found = frontier(flow, holds, needs_all)
    place = {node: i for i, node in enumerate(flow.totals)}  # the pass meets a node before its operands
    findings: dict[tuple, Finding] = {}
    places: dict[tuple, int] = {}
    alike: dict[tuple, set[Value]] = {}
    for edge in found.edges:
        cause, node = cause_of(edge)
        key = (cause, node.op, node._made_at)
        alike.setdefault(key, set()).add(node)
        if key in findings:
            findings[key].count = len(alike[key])
            continue
        way = [*flow.above(edge.node), edge, *found.below(edge.parent)]
        findings[key], places[key] = Finding(kind, cause, node, edge, factor_of(edge), way=way), place[edge.node]
    for node, cause in [*((node, "hook") for node in found.hooked), *((node, "") for node in found.sums)]:
        arriving = flow.into[node]
        cause = cause or ("seed" if not arriving else "cancelled" if kind == "zero" else "overflow")
        way = [*flow.above(node), *found.below(node)]
        key = (cause, place[node])
        findings[key], places[key] = Finding(kind, cause, node, None, None, len(arriving), way), place[node]
    first, *others = sorted(findings, key=lambda key: places[key])
    findings[first].others = [findings[key] for key in others]
    return findings[first]


def factor_of(edge: Edge) -> Any:
    """Return the local derivative on an edge: a number, an array for an elementwise operation on arrays, or None."""
    node = edge.node
    if node._closure:
        return None
    if not is_tensor(node):
        place = sum(isinstance(x, Value) for x in node._operands[: edge.operand])
        return node._derivatives[place]
    if not isinstance(node._rule, Op):
        return None
    ones = {i: part for i, _, part in parts_of(node, node._like(1.0, "gradient"))}[edge.operand]
    return ones if ones is not None and tuple(getattr(ones, "shape", ())) == node.shape else None


# --- zero ---------------------------------------------------------------------------------------------


def _cause_of_zero(edge: Edge) -> tuple[str, Value]:
    return _zero_cause(edge), edge.node


def _zero_cause(edge: Edge) -> str:
    node, op = edge.node, edge.node.op
    if node._closure:
        return "by hand"
    if op in _EXPONENTIALS and measure(node.data).is_zero:
        return "underflow"
    for names, cause in ((_CLOSED, "closed"), (_SATURATED, "saturated"), (_STEPS, "step"), (_CHOICES, "not chosen")):
        if op in names:
            return cause
    factor = factor_of(edge)
    if factor is not None and not measure(factor).is_zero and not is_tensor(node):
        return "underflow"
    return "zero factor" if op in _PRODUCTS else "flat"


# --- NaN and infinity ---------------------------------------------------------------------------------


def _cause_of_bad(edge: Edge) -> tuple[str, Value]:
    node = edge.node
    if node._closure:
        return "by hand", node
    for x in node._operands:
        if measure(_data(x)).is_bad:
            origin = first_not_finite(x) if isinstance(x, Value) else None
            return ("data", node) if origin is None else (cause_of_result(origin, None), origin)
    return cause_of_result(node, factor_of(edge)), node


def first_not_finite(x: Value) -> Value | None:
    """Return the first operation that `x` depends on whose operands are finite and whose result is not."""
    for node in reversed(backward_order(x)):
        if measure(_data(node)).is_bad and not any(measure(_data(operand)).is_bad for operand in node._operands):
            return node
    return None


def cause_of_result(node: Value, factor: Any) -> str:
    """Return why an operation on finite numbers has a result or a derivative that is not finite."""
    result = measure(_data(node))
    if result.is_bad and _has_nan(node):
        return "undefined"
    if not result.is_bad and factor is not None and not measure(factor).is_bad:
        return "overflow"  # of the gradient times the factor
    divisor = {"/": -1, "**": 0}.get(node.op)
    if divisor is not None and _has_zero(node._operands[divisor]):
        return "pole"
    return "overflow" if node.op in _OVERFLOWING else "pole"


def _has_nan(node: Value) -> bool:
    data = _data(node)
    if isinstance(data, float):
        return data != data
    import numpy as np

    return not isinstance(data, tuple) and bool(np.isnan(elements(data)).any())


def _has_zero(x: Any) -> bool:
    found = measure(_data(x))
    return found.nonzero < found.count


def _data(x: Any) -> Any:
    """Return the data of an operand as `measure` takes it; indices and other static operands count as nothing."""
    data = x.data if isinstance(x, Value) else x
    if isinstance(data, (float, tuple)):
        return data
    return data if hasattr(data, "dtype") else None


# --- huge, tiny, and neither ---------------------------------------------------------------------------


def _extreme(flow: Flow, size: Measure) -> Finding:
    way = flow.above(flow.target)
    kind = "huge" if size.largest >= HUGE else "tiny" if size.largest <= TINY else "ordinary"
    if kind == "ordinary" or not way:
        return Finding(kind, "", way=way)
    ratios = [_ratio(flow, edge) for edge in way]
    pick = max if kind == "huge" else min
    edge = way[ratios.index(pick(ratios))]
    is_striking = pick(ratios) >= _STRIKING if kind == "huge" else pick(ratios) <= 1 / _STRIKING
    cause = "many factors" if not is_striking else "large factor" if kind == "huge" else "small factor"
    if cause == "small factor" and edge.node.op in _SATURATED:
        cause = "saturated"
    return Finding(kind, cause, edge.node, edge, factor_of(edge), way=way)


def _ratio(flow: Flow, edge: Edge) -> float:
    incoming = flow.sizes[edge.node].largest
    return edge.size.largest / incoming if incoming else 1.0
