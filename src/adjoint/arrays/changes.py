"""Detect operands that were modified after the forward pass."""

from typing import Any

from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.assignments import assigned
from adjoint.arrays.axes import name_of
from adjoint.arrays.backends import Resident, backend_of
from adjoint.arrays.kinds import is_number_value
from adjoint.engine.backward_guards import warn_of_stale_graph
from adjoint.engine.graph import backward_order
from adjoint.engine.mathematics.symbols import names_in, read
from adjoint.engine.value import Value
from adjoint.errors import GraphError


def require_unchanged(node, numbers: bool = False) -> None:
    """Raise if data that the derivatives of a node are computed from was assigned since the node was created.

    The `numbers` among its operands matter only if rules are read with Values; otherwise the node has kept them.
    """
    if numbers and any(is_number_value(x) and _differ(x._data, node._numbers[i]) for i, x in enumerate(node._operands)):
        raise GraphError(
            f"a number that {node!r} was computed from was modified after the forward pass, so its derivatives cannot "
            "be differentiated again; compute the result again"
        )
    if assigned.last < node._serial:
        return
    for value in _values_read(node):
        if last_change(value) > node._serial:
            shapes = ", ".join(str(tuple(getattr(x, "shape", ()))) for x in node._operands if isinstance(x, Value))
            raise GraphError(
                f"the data of {name_of_source(value)} was assigned after {node.op} of {shapes} had used it, and "
                "backward() needs the old array; compute the result again, or assign after backward()"
            )


def _differ(x: float, other: float) -> bool:
    return x != other and not (x != x and other != other)  # NaN differs from itself


def warn_of_kept_graph(root) -> None:
    """Warn if data was assigned since the graph of `root` used it, though no derivative reads that data."""
    order: list[Any] = backward_order(root)
    for node in order:
        for value in node._operands if node._is_array else ():
            if isinstance(value, Value) and value._is_array and last_change(value) > node._serial:
                warn_of_stale_graph(value)
                return


def last_change(value) -> int:
    """Return when the data of an array was last assigned, or its memory changed through a view."""
    latest = assigned.changed(value)
    for data in value._data if isinstance(value._data, tuple) else (value._data,):
        m = None if type(data) is Resident else backend_of(data)
        latest = latest if m is None else max(latest, assigned.when(m.memory_of(data)))
    return latest


def name_of_source(value) -> str:
    """Return the name of an array, or of the labeled array that it is a view of."""
    if isinstance(value._data, tuple):
        return f"a result of {value.op}"
    shown = value
    while not shown.label and isinstance(shown._rule, ArrayOp) and shown._rule.view and shown._operands:
        shown = shown._operands[0]
    return name_of(shown if shown.label else value)


def _values_read(node) -> list:
    """Return the arrays among the operands and the result that the derivatives of a node read."""
    op, operands = node._rule, node._operands
    if isinstance(op, ArrayOp):
        variables = [x for x in operands if isinstance(x, Value)]
        alone = op.linear == "each" and len(variables) == 1  # its own derivative reads the others only
        found = list(operands) if "x" in op.reads and not alone else []
        found += [node] if "y" in op.reads else []
    else:
        names: set[str] = {"y", *op.operands}
        if op.is_row:
            partials = read(op)[1]
            wanted = [partials[i] for i, x in enumerate(operands) if isinstance(x, Value)]
            names = set().union(*map(names_in, wanted))
        found = [x for name, x in zip(op.operands, operands) if name in names] + [node] * ("y" in names)
    return [x for x in found if isinstance(x, Value) and x._is_array]
