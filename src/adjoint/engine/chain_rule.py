"""The general backward pass: higher derivatives, hooks, a `_backward` assigned by hand, anomalies, mixed graphs.

`Value.backward` calls it whenever multiplying gradients by stored local derivatives is not enough. A mixed graph has
numbers and arrays.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from adjoint import errors
from adjoint.engine import anomaly, backward_guards, freezing, late, ops
from adjoint.engine.graph import backward_order, freed_error
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.locks import accumulating, reserved
from adjoint.engine.modes import Switch, modes
from adjoint.engine.rule import Op, evaluate, rule_error
from adjoint.errors.given import Operand, is_array, number
from adjoint.errors.interruptions import raise_interruption

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def backward(root: "Value", gradient: object, retain_graph: bool, create_graph: bool) -> None:
    """Do what `Value.backward` does, for any graph and in any mode."""
    require_recording()
    freezing.require_history(root)
    if takeover := modes.takeover:
        return takeover.backward(root, gradient, retain_graph, create_graph)
    seed = _seed(root, gradient, create_graph)
    if type(gradient) is float and gradient == 1.0:  # a program that continues a pass by hand gives a gradient
        backward_guards.check_history(root)
    if any(map(is_array, root.parents)):  # a number made by hand from arrays
        return late.tensor().store(root, seed, retain_graph, create_graph)
    if modes.anomaly:
        anomaly.note_backward(root, seed)
    order = backward_order(root)
    backward_guards.check_general(root, order, create_graph)
    received = pull(root, seed, order, create_graph)
    finish(root, received, retain_graph, _store)


def finish(root: "Value", received: "dict[Value, Any]", retain_graph: bool, store: Callable) -> None:
    """Call the hooks of leaves, then store all gradients that a pass from `root` has computed."""
    for node in received:
        if node._closure and not node.parents:
            raise closure_on_leaf(node)
    # All hooks come first: one that raises leaves every gradient as it was, and one may call backward() itself.
    for node, gradient in received.items():
        if not node.parents and not node._frozen:
            received[node] = apply_hooks(node, gradient)
    if freezing.used.ever:
        freezing.require_trainable(root, received)
        received = {node: gradient for node, gradient in received.items() if not node._frozen}
    store(received)
    if not retain_graph:
        for node in received:
            node._free()


def pull(
    root: "Value", seed: "float | Value", order: "list[Value]", create_graph: bool, add: Callable = operator.add
) -> "dict[Value, Any]":
    """Return the gradients that a pass from `root` gives, after the hooks of inner nodes."""
    received: dict[Value, Any] = defaultdict(float, {root: seed})
    for node in order:
        gradient = received[node] = apply_hooks(node, received[node])
        for parent, contribution in zip(node.parents, contributions(node, gradient, create_graph)):
            received[parent] = add(received[parent], contribution)
            if modes.anomaly:
                anomaly.check_total(parent, received[parent])
    return received


def continue_pull(
    received: "dict[Value, Any]", roots: "list[Value]", create_graph: bool, until: "Collection[Value]"
) -> "Iterator[tuple[Value, Any]]":
    """Continue a pass through numbers, with what `roots` have received; yield each inner node and its gradient.

    The nodes in `until` count as leaves. In the end, `received` has the gradients of leaves alone.
    """
    for node in backward_order(*roots, until=until):
        total = apply_hooks(node, received.pop(node, 0.0))
        yield node, total
        for parent, contribution in zip(node.parents, contributions(node, total, create_graph)):
            received[parent] = received[parent] + contribution if parent in received else contribution


def require_recording() -> None:
    """Raise an error if no graph is recorded."""
    if not modes.recording:
        raise errors.GraphError("backward() inside no_grad(): nothing is recorded there; call it outside")


def _seed(root: "Value", gradient, create_graph: bool) -> "float | Value":
    """Return the gradient of the root as a float, or as a Value that can be differentiated again."""
    value = value_class(root)
    if isinstance(gradient, value) and not getattr(gradient, "shape", ()):
        return gradient if create_graph else gradient.item()
    found = number(gradient, "gradient")
    return value(found) if create_graph else found


def value_class(value: "Value") -> "type[Value]":
    """Return the class Value itself. An import would find another one if the package is loaded twice, as in tests."""
    return next(kind for kind in type(value).__mro__ if kind.__module__ == "adjoint.engine.value")


def _store(received: "dict[Value, Any]") -> None:
    """Store the gradients that a pass has computed: inner nodes are assigned, leaves accumulate."""
    with accumulating, reserved:
        for node, gradient in received.items():
            node._grad = gradient if node.parents else node._grad + gradient


def closure_on_leaf(node: "Value") -> "errors.GraphError":
    """Return the error for a leaf with a `_backward`."""
    return errors.GraphError(
        f"{node!r} has a _backward but no parents, so backward() cannot tell when to run it: "
        "make it with Value(data, (parents), 'op')"
    )


def contributions(node: "Value", gradient: Any, create_graph: bool = False) -> list:
    """Return what each parent receives from a node with this gradient: one step of the chain rule."""
    if node._derivatives is None:
        raise freed_error(node)
    if takeover := modes.takeover:
        found = takeover.contributions(node, gradient, create_graph)
    elif node._is_array and not node._closure:
        return late.array_contributions(node, gradient, create_graph)
    elif node._closure:
        found = _by_hand(node, node._closure, gradient, create_graph)
    else:
        found = multiply(node, gradient, create_graph)
    if modes.anomaly:
        anomaly.check_contributions(node, found, gradient)
    return found


def multiply(node: "Value", gradient: Any, create_graph: bool) -> list:
    """Return the gradient of a node times each of its local derivatives."""
    if node.parents and not node._derivatives:
        raise made_by_hand(node)
    if create_graph and type(node._rule) is not Op:
        raise no_second_derivative(node)
    # an intermediate result is not an anomaly: the side of a `where` that is not taken may be infinite
    with Switch("anomaly", False):
        derivatives = read_with_values(node) if create_graph and node.parents else node._derivatives
        return [derivative * gradient for derivative in derivatives]


def made_by_hand(node: "Value") -> "errors.GraphError":
    """Return the error for a node without derivatives."""
    return errors.GraphError(
        f"{node!r} was made by hand and has no derivatives: assign its _backward, or make its operation with adjoint.op"
    )


def read_with_values(node: "Value") -> list:
    """Return the partial derivatives for the parents as Values, by evaluating the rule with Values."""
    op, operands = node._rule, node._operands
    inputs = [getattr(x, "data", x) for x in operands]
    _require_unchanged(node, inputs)
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Operand)]
    derivatives = []
    for i in wanted:
        try:
            with Switch("reading", True):
                derivatives.append(op.partials[i](ops, node, *operands))
        except (MemoryError, errors.TraceError):
            raise
        except Exception as error:
            raise_interruption(error)
            reading = f"its partial derivative for {op.operands[i]}, evaluated with Values,"
            raise rule_error(op, reading, inputs, error) from error
    return derivatives


def _require_unchanged(node: "Value", inputs: list[float]) -> None:
    if takeover := modes.takeover:
        return takeover.require_unchanged(node)
    again = evaluate(node._rule, inputs, ())[0]
    if again != node.data and not (again != again and node.data != node.data):  # NaN differs from itself
        raise errors.GraphError(
            f"{node!r} or one of its operands was modified after the forward pass, so its derivatives cannot be "
            "differentiated again; compute the result again"
        )


def _by_hand(node: "Value", closure: Callable[[], None], gradient: "float | Value", create_graph: bool) -> list:
    """Return what a `_backward` assigned by hand adds to the gradient of each parent."""
    if create_graph:
        raise no_second_derivative(node)
    with accumulating, reserved:
        before = [(touched, touched._grad) for touched in (node, *node.parents)]
        node._grad = gradient
        for parent in node.parents:
            parent._grad = 0.0
        backward_guards.watch_parents(node)
        try:
            closure()
            added = {parent: parent._grad for parent in node.parents}
        finally:
            for touched, grad in before:
                touched._grad = grad
    backward_guards.check_parents(node, closure)
    return [added.pop(parent, 0.0) for parent in node.parents]


def no_second_derivative(node: "Value") -> "errors.GraphError":
    """Return the error for a node made by hand in a pass with `create_graph`."""
    given = "a _backward written by hand" if node._closure else "local gradients given as numbers"
    verb = "which cannot be differentiated again; make its operation with adjoint.op"
    return errors.GraphError(f"{node!r} has {given}, {verb}")
