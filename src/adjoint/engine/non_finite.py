"""Name the operation that made a loss NaN or infinite, when an optimizer is about to use its gradients.

`backward()` of such a loss notes the operation, and `Optimizer.step()` warns: outside training, infinities are results
like others.
"""

import threading
from typing import TYPE_CHECKING, Any

from adjoint.engine.anomaly import count_not_finite, format_call
from adjoint.engine.graph import backward_order
from adjoint.errors import NotFiniteLossWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adjoint.engine.value import Value


class _Noted(threading.local):
    """What the last backward pass from a root that is not finite has found, in this thread."""

    text = ""
    is_told = False  # whether the current training has warned


noted = _Noted()


def note(root: "Value") -> None:
    """Note the operation that made the root of a backward pass NaN or infinite."""
    from adjoint.errors.guard_warnings import is_on

    if not noted.is_told and is_on("not_finite_loss"):
        noted.text = f"the loss became {float(root.data)}: {_origin(root)}"


def warn_of_noted(who: str, gradients: "Iterable[object]") -> None:
    """Warn of the operation that was noted, if the gradients of the parameters are not finite either."""
    from adjoint.errors.guard_warnings import warn

    text, noted.text = noted.text, ""
    if any(g is not None and count_not_finite(g) for g in gradients):
        noted.is_told = True
        warn("not_finite_loss", NotFiniteLossWarning, _TEXT.format(text, who))


def _origin(root: "Value") -> str:
    """Return the first operation whose operands are finite and whose result is not."""
    for node in reversed(list(backward_order(root))):
        if _is_not_finite(node) and not any(map(_is_not_finite, node._operands)):
            return f"{format_call(node)} gave {_amount(node)}"
    return "a parameter or a number of the data is not finite"


def _is_not_finite(x: Any) -> bool:
    data: Any = x.data if hasattr(x, "parents") else x  # the data of an array of NumPy is a buffer
    return not isinstance(data, tuple) and bool(count_not_finite(data))


def _amount(node: "Value") -> str:
    data = node.data
    if isinstance(data, float):
        return str(float(data))
    return f"{count_not_finite(data)} of {data.size} numbers that are not finite"


_TEXT = (
    "{}. {}.step() now makes the parameters NaN too. Keep the operands of log, sqrt and divisions away from 0, for "
    "instance by adding 1e-8, or lower the learning rate; adjoint.detect_anomaly() names the line."
)
