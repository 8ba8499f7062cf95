"""The search that `detect_anomaly()` switches on: the first NaN or infinity becomes an error."""

import os
import sys
from math import isfinite

from adjoint.errors import AnomalyError
from adjoint.rules import written

_PACKAGE = os.path.dirname(__file__)


def check_result(op, operands, result: float) -> None:
    """Raise if applying `op` to `operands` gave something that is not finite."""
    if not isfinite(result):
        call = written(op.name, [_shown(x) for x in operands])
        raise AnomalyError(f"{call} gave {result}, at {users_line()}")


def check_contributions(node, contributions, gradient) -> None:
    """Raise if a gradient that `node` passes on to a parent is not finite."""
    for parent, contribution in zip(node.parents, contributions):
        if not isfinite(float(contribution)):
            name = parent.label or f"the operand {parent.data!r}"
            made_at = getattr(node, "_made_at", "a line outside detect_anomaly()")
            call = written(node.op, [_shown(x) for x in node._operands])
            raise AnomalyError(
                f"backward through {call}: the gradient of {name} became "
                f"{float(contribution)} (incoming gradient {float(gradient)}); computed at {made_at}"
            )


def check_total(node, total) -> None:
    """Raise if the gradients that reach a node, each of them finite, add up to something that is not."""
    if not isfinite(float(total)):
        name = node.label or f"the node with data {node.data!r}"
        raise AnomalyError(f"backward: the gradients that reach {name} add up to {float(total)}")


def users_line() -> str:
    """Return file and line of the innermost frame that is not adjoint's own."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE + os.sep):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _shown(x) -> str:
    if isinstance(x, float):
        return repr(x)
    return f"{x.label}={x.data!r}" if x.label else repr(x.data)
