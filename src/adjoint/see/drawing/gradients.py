"""The gradient that a drawing shows for each node: that of the last backward pass, and none before the first."""

from collections.abc import Collection, Sequence

from adjoint.arrays.kinds import array_code
from adjoint.engine.value import Value
from adjoint.see.explanation.nodes import Node
from adjoint.see.explanation.summaries import ArraySummary, Summary, summary

NO_GRADIENT = "no gradient yet"
_NOT_KEPT = "not kept"


def without_gradient(node: Node) -> str:
    """Return what is shown in place of a gradient: "frozen", "no gradient yet", or nothing if there is one."""
    return "frozen" if node.is_frozen else NO_GRADIENT if node.grad is None else ""


def gradients_of(order: Sequence[Value], shown: Collection[Value]) -> dict[Value, Summary]:
    """Return the gradient of each of the `shown` nodes, None if no backward pass has reached it.

    `order` is the whole graph in the order of evaluation. A number holds 0 before the first pass, and may also receive
    0 from a pass. The root tells these cases apart: a pass gives it a gradient other than 0, and only then are zeros
    shown. The gradients of intermediate arrays that `backward()` did not keep are computed again.

    >>> a = Value(-2.0)
    >>> b = a.relu()
    >>> list(gradients_of([a, b], [a, b]).values())
    [None, None]
    >>> b.backward()
    >>> list(gradients_of([a, b], [a, b]).values())
    [0.0, 1.0]
    """
    known = {value: summary(gradient) for value, gradient in _find_gradients(order).items()}
    has_run = not _is_zero(known.get(order[-1]))
    found: dict[Value, Summary] = {}
    for value in shown:
        gradient = known.get(value)
        if has_run and gradient is None:  # the pass did not reach this array, or its gradient cannot be computed again
            gradient = _NOT_KEPT if value._grad is not None else summary(value.grad)
        found[value] = gradient if has_run or not _is_zero(gradient) else None
    return found


def _find_gradients(order: Sequence[Value]) -> dict[Value, object]:
    if all(type(value.data) is float for value in order):
        return {value: value.grad for value in order}

    return array_code("backward_pass").known_gradients(order)


def _is_zero(gradient: Summary) -> bool:
    if isinstance(gradient, ArraySummary):
        return gradient.min == 0 == gradient.max
    return gradient is None or gradient == 0
