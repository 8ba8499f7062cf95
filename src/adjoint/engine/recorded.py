"""What a Value does while a tape records: its operations, its data and gradient, and the chain rule.

The functions work with the tape of either engine. `value.py`, `operands.py` and `chain_rule.py` call them in the mode
`modes.tracing`; no Value made before the recording is changed by any of them.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from adjoint.engine import native, ops
from adjoint.engine.mathematics.symbols import Symbol, read
from adjoint.engine.modes import modes
from adjoint.engine.replay import CONST, INPUT, partial_op, row_op
from adjoint.engine.rule import Op
from adjoint.engine.tape import FLOAT, Tape, TracedNumber, current_tape
from adjoint.engine.traced import float_entry, is_traced, number_or_traced, read_rule, trace_error
from adjoint.errors import GraphError, TraceError
from adjoint.errors.given import Operand, is_number

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def require_tape() -> Tape:
    """Return the tape that records in this context; raise if a number of a finished recording is used."""
    tape = current_tape()
    if tape is None:
        raise trace_error("leak")
    return tape


# --- operations ---


def apply(make_node: Callable, kind: "type[Value]", rule: Op, operands: tuple) -> "Value":
    """Record an operation and return the Value of its result."""
    for x in operands:
        if getattr(x, "_is_array", False):
            raise trace_error("arrays")
    if rule.is_row and native.core:
        return native.core.record(rule, operands)
    tape = require_tape()
    entries = tuple([float_entry(tape, x) for x in operands])
    recording = modes.recording
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Operand)] if recording else []
    # derivatives that are constants are traced numbers too, so that a backward pass after the recording fails
    if rule.is_row:
        op, partials = _row(rule)
        y = TracedNumber(tape, tape.record(op, *entries), FLOAT)
        derivatives = tuple([_partial(tape, partials[i], y, entries, operands) for i in wanted])
    else:
        numbers = [tape.number(entry) for entry in entries]
        result = read_rule(rule, rule.forward, "its forward expression", numbers)
        y, derivatives = TracedNumber(tape, float_entry(tape, result)), ()
        for i in wanted:
            reading = f"its partial derivative for {rule.operands[i]}"
            found = read_rule(rule, rule.partials[i], reading, [tape.number(y.entry), *numbers])
            derivatives += (TracedNumber(tape, float_entry(tape, found)),)
    if not recording:
        node = make_node(kind, y)
        node._unrecorded = True
        return node
    node = make_node(kind, y, rule, operands, derivatives)
    node._operand_entries, node._result_entry = entries, y.entry
    return node


@functools.cache
def _row(rule: Op) -> tuple[int, list[tuple[int, float]]]:
    """Return the operation of a row, and what each partial derivative is.

    That is the operation that computes it; or CONST with the number; or INPUT with the position of the number that it
    is among the result and the operands.
    """
    partials: list[tuple[int, float]] = []
    for i, expression in enumerate(read(rule)[1]):
        if not isinstance(expression, Symbol):
            partials.append((CONST, float(expression)))
        elif not expression.operands:
            partials.append((INPUT, ("y", *rule.operands).index(expression.head)))
        else:
            partials.append((partial_op(rule, i), 0.0))
    return row_op(rule), partials


def _partial(
    tape: Tape, partial: tuple[int, float], y: TracedNumber, entries: tuple[int, ...], operands: tuple
) -> TracedNumber:
    """Return a partial derivative of a row; one that is a number or an operand needs no operation."""
    op, x = partial
    if op == CONST:
        return tape.shared(tape.entry(x))
    if op != INPUT:
        return TracedNumber(tape, tape.record(op, y.entry, *entries), FLOAT)
    i = int(x) - 1  # of the operand; -1 is the result
    data = y if i < 0 else getattr(operands[i], "_data", None)
    return data if type(data) is TracedNumber else tape.shared(entries[i])


def where_contributions(node: "Value", gradient: Any) -> list:
    """Return what the Values of a choice receive: the gradient where they were chosen, else zero."""
    condition, x, z = cast("tuple[Any, Any, Any]", node._operands)
    sides = ((x, (gradient, 0.0)), (z, (0.0, gradient)))
    return [ops.where(condition, *chosen) for value, chosen in sides if isinstance(value, Operand)]


def compare(holds: Callable[..., Any], value: "Value", other: Any) -> Any:
    """Record a comparison of a Value with a Value or a number; return a bool if both are constants."""
    if not isinstance(other, Operand) and not is_number(other):
        return NotImplemented
    found = holds(value.data, getattr(other, "data", other))
    return found if is_traced(found) else bool(found)


# --- data and gradients ---


def as_data(x: Any, who: str = "Value") -> Any:
    """Return a number as the data of a Value that is made while recording."""
    tape = require_tape()
    return TracedNumber(tape, float_entry(tape, number_or_traced(x, who)))


def leaf(value: "Value") -> "Value":
    """Return a new leaf with the number of a Value, which is one of the program while recording."""
    from adjoint.engine.value import make_node

    data = value.data
    return make_node(type(value), as_data(data) if modes.tracing else data)


def read_data(value: "Value") -> Any:
    """Return the number of a Value; while recording, that in the program, which is a float if it is a constant."""
    if not modes.tracing and type(value._data) is float:
        return value._data
    tape = require_tape()
    return tape.number(tape.entry(value))


def read_grad(value: "Value") -> Any:
    """Return the gradient of a Value; while recording, that in the program."""
    if not modes.tracing and type(value._data) is float:
        value._grad_read = True
        return value._grad
    tape = require_tape()
    grad = tape.grad_entry(value)
    return grad if isinstance(grad, Operand) else tape.number(grad)


def set_data(value: "Value", data: Any) -> None:
    """Assign the number of a Value, in the program."""
    tape = require_tape()
    tape.set_data(value, float_entry(tape, number_or_traced(data, "data")))


def set_grad(value: "Value", grad: Any) -> None:
    """Assign the gradient of a Value, in the program."""
    tape = require_tape()
    if getattr(grad, "_is_array", False):
        raise trace_error("arrays")
    if not isinstance(grad, Operand):
        grad = float_entry(tape, 0.0 if grad is None else number_or_traced(grad, "grad"))
    tape.set_grad(value, grad)


def add_gradient(node: "Value", gradient: Any) -> None:
    """Store what a backward pass gives a node: an inner node is assigned, a leaf accumulates."""
    if node.parents and not native.core and not isinstance(gradient, Operand):
        node._grad = gradient
    else:
        set_grad(node, gradient if node.parents else add(node.grad, gradient))


# --- the chain rule ---


def add(total: Any, contribution: Any) -> Any:
    """Return the sum of two gradients; adding the constant zero records nothing."""
    return contribution if isinstance(total, float) and total == 0.0 else total + contribution


def pull(root: "Value", seed: Any, order: "list[Value]") -> "dict[Value, Any] | None":
    """Return the gradients that a backward pass from `root` gives, recorded entry by entry.

    Return None if an inner node needs the general pass: a choice, a user's `_backward` or hook, a node made by hand,
    or one from before the recording.
    """
    tape = require_tape()
    if native.core or modes.anomaly or not order:
        return None
    for node in order:
        if node._by_hand or type(node._rule) is not Op or node._rule is ops.choice or not tape.is_made_here(node):
            return None
    record, one, zero = tape.record, tape.entry(1.0), tape.entry(0.0)
    received: dict[Value, int] = {root: float_entry(tape, seed)}
    for node in order:
        gradient = received[node]
        for parent, derivative in zip(node.parents, node._derivatives):
            d = derivative.entry
            contribution = gradient if d == one else d if gradient == one else record(_MUL, d, gradient)
            total = received.get(parent, zero)
            received[parent] = contribution if total == zero else record(_ADD, total, contribution)
    return {node: tape.number(entry) for node, entry in received.items()}


_MUL, _ADD = row_op(ops.mul), row_op(ops.add)


def require_made_here(node: "Value") -> None:
    """Raise if a node was computed before the recording: its derivatives are no part of the program."""
    if not require_tape().is_made_here(node):
        raise trace_error("outside")


def require_unchanged(node: "Value") -> None:
    """Raise if a node or one of its operands was assigned after the node was computed."""
    tape = require_tape()
    entries = node._operand_entries or tape.operand_entries(node)
    operands = zip(entries, node._operands)
    if tape.is_changed(node) or any(isinstance(x, Operand) and tape.entry(x) != entry for entry, x in operands):
        raise GraphError(
            f"{node!r} or one of its operands was modified after the forward pass, so its derivatives cannot be "
            "differentiated again; compute the result again"
        )


def shown(value: "Value", name: str) -> float | str:
    """Return the data or gradient of a Value for its display: `?` for a number that is not known."""
    try:
        x = getattr(value, name)
        x = cast("Value", x).data if isinstance(x, Operand) else x
    except TraceError:
        return "?"
    return "?" if is_traced(x) else x
