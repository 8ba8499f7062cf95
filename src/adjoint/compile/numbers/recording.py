"""What Values do while a tape records: their operations, their data and gradients, and the chain rule.

`TapeRecording` is the mode that does it in place of the engine, with the tape of either engine (`engine/takeover.py`).
No Value made before the recording is changed.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from adjoint.compile.numbers.replay import CONST, INPUT, partial_op, row_op
from adjoint.compile.numbers.tape import FLOAT, Tape, TracedNumber
from adjoint.compile.numbers.traced import current_tape, float_entry, number_or_traced, read_rule, trace_error
from adjoint.engine import chain_rule, ops
from adjoint.engine.graph import backward_order
from adjoint.engine.mathematics.symbols import Symbol, read
from adjoint.engine.modes import modes
from adjoint.engine.native import twin
from adjoint.engine.rule import Op
from adjoint.engine.takeover import Takeover
from adjoint.errors import GraphError
from adjoint.errors.given import Operand, is_array, is_number, is_traced

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def require_tape() -> Tape:
    """Return the tape that records in this context; raise if a number of a finished recording is used."""
    tape = current_tape()
    if tape is None:
        raise trace_error("leak")
    return tape


_Base: Any = twin("Recording", object)  # the native core looks for the tape there
_record: Any = twin("record", None)  # a row, in the native core


class TapeRecording(Takeover, _Base):
    """The mode in which operations on numbers go to a tape: `with TapeRecording(tape):`."""

    def __init__(self, tape: Tape):
        super().__init__()
        self.tape = tape

    def _recreate_cm(self) -> "TapeRecording":
        return TapeRecording(self.tape)

    def number(self, x: Any, who: str) -> Any:
        return number_or_traced(x, who)

    def data(self, x: Any) -> Any:
        tape = require_tape()
        return TracedNumber(tape, float_entry(tape, number_or_traced(x)))

    def refuse_arrays(self) -> Exception:
        return trace_error("arrays")

    # --- operations ---

    def apply(self, make_node: Callable, kind: "type[Value]", rule: Op, operands: tuple) -> "Value":
        for x in operands:
            if getattr(x, "_is_array", False):
                raise trace_error("arrays")
        if rule.is_row and _record:
            return _record(rule, operands)
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
        tape.note(node, entries, y.entry)
        return node

    def compare(self, holds: Callable[..., Any], value: "Value", other: Any) -> Any:
        """Record a comparison of a Value with a Value or a number; return a bool if both are constants."""
        if not isinstance(other, Operand) and not is_number(other):
            return NotImplemented
        found = holds(value.data, getattr(other, "data", other))
        return found if is_traced(found) else bool(found)

    # --- data and gradients ---

    def read_data(self, value: "Value") -> Any:
        """Return the number of a Value in the program, which is a float if it is a constant."""
        tape = require_tape()
        return tape.number(tape.entry(value))

    def assign_data(self, value: "Value", data: Any) -> None:
        tape = require_tape()
        tape.set_data(value, float_entry(tape, number_or_traced(data, "data")))

    def read_grad(self, value: "Value") -> Any:
        tape = require_tape()
        grad = tape.grad_entry(value)
        return grad if isinstance(grad, Operand) else tape.number(grad)

    def assign_grad(self, value: "Value", grad: Any) -> None:
        tape = require_tape()
        if getattr(grad, "_is_array", False):
            raise trace_error("arrays")
        if not isinstance(grad, Operand):
            grad = float_entry(tape, 0.0 if grad is None else number_or_traced(grad, "grad"))
        tape.set_grad(value, grad)

    # --- the chain rule ---

    def backward(self, root: "Value", gradient: Any, retain_graph: bool, create_graph: bool) -> None:
        if any(map(is_array, root.parents)):  # a number made by hand from arrays
            raise trace_error("arrays")
        seed, order = _seed(root, gradient, create_graph), backward_order(root)
        received = None if create_graph else _pull(root, seed, order)
        if received is None:
            received = chain_rule.pull(root, seed, order, create_graph, _add)
        chain_rule.finish(root, received, retain_graph, self._store)

    def _store(self, received: "dict[Value, Any]") -> None:
        for node, gradient in received.items():
            self.assign_grad(node, gradient if node.parents else _add(node.grad, gradient))

    def contributions(self, node: "Value", gradient: Any, create_graph: bool) -> list:
        if node.parents and not require_tape().is_made_here(node):  # its derivatives are no part of the program
            raise trace_error("outside")
        if node._closure:
            return _by_hand(node, node._closure, gradient, create_graph)
        if node._rule is ops.choice:
            return _contributions_of_choice(node, gradient)
        return chain_rule.multiply(node, gradient, create_graph)

    def require_unchanged(self, node: "Value") -> None:
        tape = require_tape()
        operands = zip(tape.operand_entries(node), node._operands)
        if tape.is_changed(node) or any(isinstance(x, Operand) and tape.entry(x) != entry for entry, x in operands):
            raise GraphError(
                f"{node!r} or one of its operands was modified after the forward pass, so its derivatives cannot be "
                "differentiated again; compute the result again"
            )


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


def _seed(root: "Value", gradient: Any, create_graph: bool) -> Any:
    """Return the gradient of the root as a number of the program, or as a Value that can be differentiated again."""
    value = chain_rule.value_class(root)
    if isinstance(gradient, value) and not getattr(gradient, "shape", ()):
        return gradient if create_graph else gradient.data
    found = number_or_traced(gradient, "gradient")
    return value(found) if create_graph else found


def _add(total: Any, contribution: Any) -> Any:
    """Return the sum of two gradients; adding the constant zero records nothing."""
    return contribution if isinstance(total, float) and total == 0.0 else total + contribution


def _pull(root: "Value", seed: Any, order: "list[Value]") -> "dict[Value, Any] | None":
    """Return the gradients that a backward pass from `root` gives, recorded entry by entry.

    Return None if an inner node needs the general pass: a choice, a user's `_backward` or hook, a node made by hand,
    or one from before the recording.
    """
    tape = require_tape()
    if _record or modes.anomaly or not order:  # the native core has pulled by itself what can be pulled here
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


def _contributions_of_choice(node: "Value", gradient: Any) -> list:
    """Return what the Values of a choice receive: the gradient where they were chosen, else zero."""
    condition, x, z = cast("tuple[Any, Any, Any]", node._operands)
    sides = ((x, (gradient, 0.0)), (z, (0.0, gradient)))
    return [ops.where(condition, *chosen) for value, chosen in sides if isinstance(value, Operand)]


def _by_hand(node: "Value", closure: Callable[[], None], gradient: Any, create_graph: bool) -> list:
    """Return what a `_backward` assigned by hand adds to the gradient of each parent, where the tape has them."""
    if create_graph:
        raise chain_rule.no_second_derivative(node)
    before = [(touched, touched.grad) for touched in (node, *node.parents)]
    node.grad = gradient
    for parent in node.parents:
        parent.grad = 0.0
    closure()  # if it raises, the recording is discarded
    added = {parent: parent.grad for parent in node.parents}
    for touched, grad in before:
        touched.grad = grad
    return [added.pop(parent, 0.0) for parent in node.parents]
