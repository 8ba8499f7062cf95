"""The search that `detect_anomaly()` switches on: the first NaN or infinity becomes an error."""

import os
import sys
from math import isfinite

from adjoint.errors import AnomalyError

_PACKAGE = os.path.dirname(__file__)


def check_result(op, operands, result: float) -> None:
    """Raise if applying `op` to `operands` gave something that is not finite."""
    if not isfinite(result):
        raise AnomalyError(f"{_call(op, operands)} gave {result}, at {users_line()}")


def check_contributions(node, contributions, gradient) -> None:
    """Raise if a gradient that `node` passes on to a parent is not finite."""
    for parent, contribution in zip(node.parents, contributions):
        if not isfinite(float(contribution)):
            name = parent.label or f"the operand {parent.data!r}"
            made_at = getattr(node, "_made_at", "a line outside detect_anomaly()")
            raise AnomalyError(
                f"backward through {_call(node._rule, node._operands)}: the gradient of {name} became "
                f"{float(contribution)} (incoming gradient {float(gradient)}); computed at {made_at}"
            )


def users_line() -> str:
    """Return file and line of the innermost frame that is not adjoint's own."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _call(op, operands) -> str:
    """Return an application as `exp(a=1000.0)` or `a=1.0 / b=0.0`."""
    shown = [_shown(x) for x in operands]
    name = getattr(op, "name", op)
    if len(shown) == 2 and not name.isidentifier():
        return f"{shown[0]} {name} {shown[1]}"
    return f"{name}({', '.join(shown)})"


def _shown(x) -> str:
    if isinstance(x, float):
        return repr(x)
    return f"{x.label}={x.data!r}" if x.label else repr(x.data)
