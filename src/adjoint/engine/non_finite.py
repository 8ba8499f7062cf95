"""Name the operation that made a loss NaN or infinite, when its gradients make a parameter NaN or infinite, too.

`backward()` of such a loss notes the operation. `Optimizer.step()` warns, or an update by hand such as
`p.data -= lr * p.grad`: outside training, infinities are results like others.
"""

from typing import TYPE_CHECKING, Any

from adjoint import errors
from adjoint.engine.anomaly import count_not_finite, format_call
from adjoint.engine.graph import backward_order, leaves_of
from adjoint.errors.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adjoint.engine.value import Value


noted = Setting("")  # what the last backward pass from a root that is not finite has found
has_warned = Setting(False)  # in the current training


def note(root: "Value") -> None:
    """Note the operation that made the root of a backward pass NaN or infinite."""
    from adjoint.errors.guard_warnings import is_on

    if has_warned.get() or not is_on("not_finite_loss"):
        return
    operation, leaves = _origin(root), leaves_of(root)
    if operation or not any(leaf._is_reported for leaf in leaves):
        operation = operation or "a parameter or a number of the data is not finite"
        noted.set(f"the loss became {float(root.data)}: {operation}")
        for leaf in leaves:
            leaf._doubtful = True


def warn_of_noted(who: str, gradients: "Iterable[object]") -> None:
    """Warn of the operation that was noted, if the gradients of the parameters are not finite either."""
    from adjoint.errors.guard_warnings import warn

    text = noted.get()
    noted.set("")
    if any(g is not None and count_not_finite(g) for g in gradients):
        has_warned.set(True)
        warn("not_finite_loss", errors.NotFiniteLossWarning, _TEXT.format(text, f"{who}.step()"))


def warn_of_update(value: "Value") -> None:
    """Warn of the operation that was noted, if an update by hand has made a parameter NaN or infinite."""
    from adjoint.errors.guard_warnings import warn

    text = noted.get()
    if text and count_not_finite(value.data):
        noted.set("")
        value._is_reported = True  # what follows from this parameter is not new
        warn("not_finite_loss", errors.NotFiniteLossWarning, _TEXT.format(text, "This update"))


def _origin(root: "Value") -> str:
    """Return the first operation whose operands are finite and whose result is not; nothing if there is none."""
    for node in reversed(list(backward_order(root))):
        if _is_not_finite(node) and not any(map(_is_not_finite, node._operands)):
            return f"{format_call(node)} gave {_amount(node)}"
    return ""


def _is_not_finite(x: Any) -> bool:
    data: Any = x.data if hasattr(x, "parents") else x  # the data of an array of NumPy is a buffer
    return not isinstance(data, tuple) and bool(count_not_finite(data))


def _amount(node: "Value") -> str:
    data = node.data
    if isinstance(data, float):
        return str(float(data))
    return f"{count_not_finite(data)} of {data.size} numbers that are not finite"


_TEXT = (
    "{}. {} now makes the parameters NaN too. Keep the operands of log, sqrt and divisions away from 0, for "
    "instance by adding 1e-8, or lower the learning rate; adjoint.detect_anomaly() names the line, and "
    "adjoint.why(parameter, step) the way of a gradient."
)
