"""How Values and their graphs are copied and pickled: a graph as a flat list, without recursion.

Leaves go into a pickle as objects of their own, so that a parameter that is pickled beside the loss
stays the same object in both. The inner nodes of a graph follow as rows, parents before children.
A gradient that is a Value itself is kept as its number.
"""

from adjoint import ops
from adjoint.errors import CopyError, GraphError
from adjoint.graph import backward_order, leaves_of
from adjoint.rules import Op
from adjoint.value import Value, make_node

_ROW_OF = {op: row for row, op in ops.TABLE.items()}
_OWN = {"label", "_grad", "_closure", "_made_at", "_hooks", "_changed", "_constant"}  # what an engine may keep among the attributes


def copy_value(value: Value) -> Value:
    """Return a new node with the same number, gradient, label and parents."""
    _require_rule(value)
    copied = make_node(type(value), value.data, value._rule, value._operands, value._derivatives)
    _restore(copied, *_state(value))
    return copied


def reduce_value(value: Value):
    """Return what pickle and deepcopy need to make `value`, and the graph below it, again."""
    if not value.parents:
        _require_rule(value)
        attributes, slots = _state(value)
        return _leaf, (type(value), value.data), (attributes, slots)
    try:
        leaves, inner = leaves_of(value), backward_order(value)[::-1]
    except GraphError as error:
        raise CopyError(f"{error}; or copy value.detach()") from None
    index = {node: i for i, node in enumerate(leaves + inner)}
    rows = []
    for node in inner:
        _require_rule(node)
        operands = tuple(x if isinstance(x, float) else index[x] for x in node._operands)
        made = (type(node), node.data, node._rule, operands, node._derivatives)
        rows.append((*made, *_state(node)))
    return _graph, (leaves, rows)


def reduce_op(op: Op):
    """Return a row of the table by its name, and any other op by its functions."""
    if op in _ROW_OF:
        return _row, (_ROW_OF[op],)
    if any("<" in f.__qualname__ for f in (op.forward, *op.partials)):  # <lambda>, or <locals> of a function
        raise CopyError(
            f"op {op.name!r} cannot be pickled: its rules are lambdas or inside another function. Write them "
            "as functions at the top of a module, or pickle value.detach()"
        )
    return Op, (op.name, op.forward, op.partials)


def _require_rule(value: Value) -> None:
    if value._closure or (value.parents and not isinstance(value._rule, Op)):
        raise CopyError(
            f"{value!r} has a _backward written by hand, which cannot be copied; copy "
            "value.detach(), or make its operation with adjoint.op"
        )
    if value._derivatives is None:
        raise CopyError(f"the graph below {value!r} was freed; copy value.detach()")


def _state(value: Value) -> tuple[dict, dict]:
    attributes = {name: x for name, x in value.__dict__.items() if name not in _OWN}
    slots = [name for kind in type(value).__mro__ if kind is not Value for name in _slots(kind)]
    added = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    if value.label:
        added["label"] = value.label
    return attributes, {**added, "grad": float(value.grad)}


def _slots(kind: type) -> list[str]:
    """Return the slots that a subclass adds."""
    slots = kind.__dict__.get("__slots__", ())
    return [slots] if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def _restore(value: Value, attributes: dict, slots: dict) -> None:
    for name, x in (attributes | slots).items():
        setattr(value, name, x)


def _leaf(kind: type[Value], data: float) -> Value:
    return make_node(kind, data)


def _graph(leaves: list[Value], rows: list[tuple]) -> Value:
    nodes = list(leaves)
    for kind, data, rule, operands, derivatives, attributes, slots in rows:
        inputs = tuple(x if isinstance(x, float) else nodes[x] for x in operands)
        node = make_node(kind, data, rule, inputs, derivatives)
        _restore(node, attributes, slots)
        nodes.append(node)
    return nodes[-1]


def _row(name: str) -> Op:
    return ops.TABLE[name]
