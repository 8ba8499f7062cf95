"""How Values and their graphs are copied and pickled: a graph as a flat list, without recursion.

Leaves are pickled as separate objects, so that a parameter that is pickled together with the loss stays the same
object in both. The inner nodes of a graph follow as rows, parents before children.
A gradient that is a Value itself is kept as its number.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.engine import ops, special
from adjoint.engine.graph import backward_order, leaves_of
from adjoint.engine.modes import number_in_charge
from adjoint.engine.rule import Op
from adjoint.engine.value import Value, make_node
from adjoint.errors import CopyError, GraphError

if TYPE_CHECKING:
    from adjoint.arrays.array_rule import ArrayOp
    from adjoint.arrays.tensor import Tensor

_ROW_OF = {op: row for row, op in ops.TABLE.items()}
_ENGINE = ("adjoint.engine.value", "adjoint.arrays.tensor")


def copy_value(value: Value) -> Value:
    """Return a new node with the same number, gradient, label and parents."""
    _require_rule(value)
    kind, data, *rest = _node(value, value._operands)
    copied = _make(kind, data.copy() if hasattr(data, "copy") else data, *rest)
    attributes, slots = _state(value)
    grad = slots["grad"]
    _restore(copied, attributes, slots | {"grad": grad.copy() if hasattr(grad, "copy") else grad})
    return copied


def reduce_value(value: Value):
    """Return what pickle and deepcopy need to make `value`, and the graph below it, again."""
    if not value.parents:
        _require_rule(value)
        return _make, _node(value, ()), _state(value)
    try:
        leaves, inner = leaves_of(value), backward_order(value)[::-1]
    except GraphError as error:
        raise CopyError(f"{error}; or copy value.detach()") from None
    index = {node: i for i, node in enumerate(leaves + inner)}
    rows = []
    for node in inner:
        _require_rule(node)
        operands = tuple(index[x] if isinstance(x, Value) else x for x in node._operands)
        rows.append((_node(node, operands), *_state(node)))
    return _graph, (leaves, rows)


def reduce_op(op: Op):
    """Return a row of the table by its name, an op of adjoint by its module, and any other by its functions."""
    if op in _ROW_OF:
        return _row, (_ROW_OF[op],)
    module = op.partials[0].__module__
    if module.startswith("adjoint."):
        name = next((name for name, x in vars(sys.modules[module]).items() if x is op), None)
        if name is None:  # of the result of a compiled function
            raise CopyError(f"{op.name} exists only as code and cannot be pickled; pickle value.detach()")
        return _attribute, (module, name)
    if any("<" in f.__qualname__ for f in (op.forward, *op.partials)):  # <lambda>, or <locals> of a function
        raise CopyError(
            f"op {op.name!r} cannot be pickled: its rules are lambdas or inside another function. Write them "
            "as functions at the top of a module, or pickle value.detach()"
        )
    return Op, (op.name, op.forward, op.partials)


def reduce_array_op(op: "ArrayOp"):
    """Return an operation on arrays by its name."""
    if array_code("array_rule").ARRAY_OPS.get(op.name) is not op:
        raise CopyError(f"{op.name} exists only as code and cannot be pickled; pickle value.detach()")
    return _array_op, (op.name, op.forward.__module__)


def _node(value: Value, operands: tuple) -> tuple:
    """Return the arguments of `_make`: class, data, rule, operands, and the derivatives or static arguments."""
    kept = value._static if is_tensor(value) else value._derivatives
    return type(value), value.data, value._rule, operands, kept


def _make(kind: type[Value], data, rule: Any, operands: tuple, kept: Any) -> Value:
    if kind._is_array:
        return array_code("apply").restore_node(data, rule, operands, kept)
    return make_node(kind, special.data(data), rule, operands, kept)


def _require_rule(value: Value) -> None:
    if value._closure or (value.parents and isinstance(value._rule, str) and not value._derivatives):
        raise CopyError(
            f"{value!r} has a _backward written by hand, which cannot be copied; copy "
            "value.detach(), or make its operation with adjoint.op"
        )
    if value._derivatives is None:
        raise CopyError(f"the graph below {value!r} was freed; copy value.detach()")


def _state(value: Value) -> tuple[dict | None, dict]:
    attributes = dict(getattr(value, "__dict__", {})) or None  # of a subclass
    slots = [name for kind in type(value).__mro__ if kind.__module__ not in _ENGINE for name in _slots(kind)]
    added = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    if value.label:
        added["label"] = value.label
    if value._frozen:
        added["_frozen"] = True
    if not is_tensor(value):
        return attributes, {**added, "grad": number_in_charge(data_of(value.grad), "grad")}

    added |= _assignments(value)
    is_kept = value._grad is not None and type(value._grad) is not array_code("backward_pass").NotKept
    grad: Any = value.grad if is_kept else value._grad
    return attributes, {**added, "grad": grad.data if isinstance(grad, Value) else grad}


def _assignments(value: "Tensor") -> dict[str, object]:
    """Return what the copy needs to refuse a backward pass for the reasons for which the original refuses it.

    A copied node is younger than all assignments of the original. A node whose operands were assigned after it had used
    them is therefore copied as the oldest one, and its operands as changed after that.
    """
    found: dict[str, object] = {}
    if array_code("changes").last_change(value):
        found["_changed"] = 1
    if not value._operands:
        return found
    if hasattr(value, "_numbers"):
        found["_numbers"] = value._numbers
    try:
        array_code("changes").require_unchanged(value)
    except GraphError:
        found["_serial"] = 0
    return found


def _slots(kind: type) -> list[str]:
    """Return the slots that a subclass adds."""
    slots = kind.__dict__.get("__slots__", ())
    return [slots] if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def _restore(value: Value, attributes: dict | None, slots: dict) -> None:
    for name, x in ((attributes or {}) | slots).items():
        setattr(value, name, x)


def _graph(leaves: list[Value], rows: list[tuple]) -> Value:
    nodes = list(leaves)
    for (kind, data, rule, operands, kept), attributes, slots in rows:
        inputs = tuple(nodes[x] if type(x) is int else x for x in operands)
        node = _make(kind, data, rule, inputs, kept)
        _restore(node, attributes, slots)
        nodes.append(node)
    return nodes[-1]


def _row(name: str) -> Op:
    return ops.TABLE[name]


def _attribute(module: str, name: str) -> Op:
    return getattr(import_module(module), name)


def _array_op(name: str, module: str) -> "ArrayOp":
    import_module(module)  # making an operation enters it into the table
    return array_code("array_rule").ARRAY_OPS[name]
