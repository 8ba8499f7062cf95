"""The checks of `detect_anomaly()`: the first NaN or infinity raises an error.

The same checks are the door for `adjoint.why`, which runs a function while a `Watch` is entered: nothing is an error
then, operations note the lines of the user's program, and the watch hears of each backward pass.
"""

from collections.abc import Callable
from functools import wraps
from math import inf, isfinite, prod
from typing import TYPE_CHECKING, Any

from adjoint import errors
from adjoint.engine.modes import Switch, modes
from adjoint.engine.rule import format_application
from adjoint.errors.users_code import users_line

if TYPE_CHECKING:
    from adjoint.engine.value import Value


class Watch(Switch):
    """The mode in which operations note their lines, as under `detect_anomaly()`, and no number is an error."""

    def __init__(self) -> None:
        super().__init__("anomaly", True)

    def note_cut(self, node: "Value", origins: "tuple[Value, ...]") -> None:
        """Note a leaf that was computed from others inside `no_grad()`, or that `detach()` returned."""
        raise NotImplementedError

    def note_backward(self, root: "Value", gradient: Any) -> None:
        """Note a backward pass that is about to run."""
        raise NotImplementedError


def watch() -> Watch | None:
    """Return the watch of this context, if there is one."""
    return next((switch for switch in modes.variable.get() if isinstance(switch, Watch)), None)


def note_cut(node: "Value", operands: tuple) -> None:
    """Tell the watch of a leaf that was computed from operands."""
    if found := watch():
        node._made_at = users_line()
        found.note_cut(node, tuple([x for x in operands if hasattr(x, "parents")]))


def note_backward(root: "Value", gradient: Any) -> None:
    """Tell the watch of a backward pass that is about to run."""
    if found := watch():
        found.note_backward(root, gradient)


def _unless_watched(check: Callable[..., None]) -> Callable[..., None]:
    @wraps(check)
    def quiet(*arguments: Any) -> None:
        if watch() is None:
            check(*arguments)

    return quiet


@_unless_watched
def check_result(op, operands, result: float) -> None:
    """Raise if the result of applying `op` to `operands` is not finite."""
    if not isfinite(result):
        call = format_application(op.name, [_format_operand(x) for x in operands])
        raise errors.AnomalyError(f"{call} gave {result}, at {users_line()}")


@_unless_watched
def check_contributions(node, contributions, gradient) -> None:
    """Raise if a gradient that `node` passes to a parent is not finite."""
    for parent, contribution in zip(node.parents, contributions):
        if not isfinite(float(contribution)):
            name = parent.label or f"the operand {parent.data!r}"
            made_at = node._made_at or "a line outside detect_anomaly()"
            call = format_application(node.op, [_format_operand(x) for x in node._operands])
            raise errors.AnomalyError(
                f"backward through {call}: the gradient of {name} became "
                f"{float(contribution)} (incoming gradient {float(gradient)}); computed at {made_at}"
            )


@_unless_watched
def check_total(node, total) -> None:
    """Raise if the sum of the gradients that reach a node is not finite, though each of them is."""
    if not isfinite(float(total)):
        name = node.label or f"the node with data {node.data!r}"
        raise errors.AnomalyError(f"backward: the gradients that reach {name} add up to {float(total)}")


@_unless_watched
def check_array(op, operands, result) -> None:
    """Raise if the result of an operation on arrays is not finite."""
    for array in result if isinstance(result, tuple) else (result,):
        count = count_not_finite(array)
        if count:
            call = format_application(op.name, [_format_array_operand(x) for x in operands])
            raise errors.AnomalyError(
                f"{call} gave {count} of {prod(array.shape)} numbers that are not finite, in an array of shape "
                f"{tuple(array.shape)}, at {users_line()}"
            )


@_unless_watched
def check_array_contributions(node, contributions) -> None:
    """Raise if a gradient that an array node passes to a parent is not finite."""
    for parent, contribution in zip(node.parents, contributions):
        data = getattr(contribution, "_data", contribution)
        count = 0 if data is None or isinstance(data, tuple) else count_not_finite(data)
        if count:
            made_at = node._made_at or "a line outside detect_anomaly()"
            call = format_application(node.op, [_format_array_operand(x) for x in node._operands])
            raise errors.AnomalyError(
                f"backward through {call}: the gradient of {parent.label or 'the operand'} of shape "
                f"{tuple(getattr(parent, 'shape', ()))} has {count} numbers that are not finite; computed at {made_at}"
            )


@_unless_watched
def check_array_total(node, total) -> None:
    """Raise if the sum of the gradients that reach an array node is not finite."""
    data = getattr(total, "_data", total)
    if not isinstance(data, tuple) and count_not_finite(data):
        name = node.label or f"a node of shape {tuple(getattr(node, 'shape', ()))}"
        raise errors.AnomalyError(f"backward: the gradients that reach {name} add up to numbers that are not finite")


def count_not_finite(array) -> int:
    """Return the number of elements that are infinite or NaN, for an array of any library."""
    return int((~(abs(array) < inf)).sum()) if hasattr(array, "dtype") else int(not isfinite(array))


def format_call(node) -> str:
    """Return the operation of a node with its operands, as messages show it: arrays by their shapes."""
    return format_application(node.op, [_format_array_operand(x) for x in node._operands])


def _format_array_operand(x) -> str:
    if hasattr(x, "shape") and getattr(x, "_is_array", True):
        label = getattr(x, "label", "")
        return f"{label}{tuple(x.shape)}" if label else str(tuple(x.shape))
    return _format_operand(x)


def _format_operand(x) -> str:
    if isinstance(x, float):
        return repr(x)
    return f"{x.label}={x.data!r}" if x.label else repr(x.data)
