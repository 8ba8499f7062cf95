"""Gradient clipping, by norm and by value."""

import math
from math import inf
from typing import Any

from adjoint.arrays.kinds import is_numpy_array
from adjoint.arrays.scalars import NumberVector, mathematics_of, quietly, sum_in_order
from adjoint.engine.mathematics.protocol import Array
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number
from adjoint.optim.parameter_groups import Parameters, parameters_of
from adjoint.optim.update_units import ScalarParameters, UpdateUnit, units_of


def clip_grad_norm(parameters: Parameters, max_norm: float, norm_type: float = 2.0) -> float:
    """Scale all gradients so that their joint norm is at most `max_norm`; return the norm before clipping.

    The norm is that of all gradients as one vector; `norm_type` may be any number above 0, or inf for the maximum.

    >>> from adjoint import Value, optim
    >>> a, b = Value(3.0), Value([4.0])
    >>> ((a * a + b * b) / 2).backward()
    >>> optim.clip_grad_norm([a, b], 1.0)
    5.0
    >>> round(a.grad, 6), b.grad.round(6)
    (0.6, array([0.8]))
    """
    _require_positive("max_norm", max_norm)
    _require_positive("norm_type", norm_type)
    return quietly(_clip_norm, _gradients(parameters, "clip_grad_norm"), max_norm, norm_type)


def clip_grad_value(parameters: Parameters, clip_value: float) -> None:
    """Limit every element of every gradient to between `-clip_value` and `clip_value`.

    >>> from adjoint import Value, optim
    >>> a = Value([0.5, 30.0])
    >>> (a * a).sum().backward()
    >>> optim.clip_grad_value([a], 10.0)
    >>> a.grad
    array([ 1., 10.])
    """
    _require_positive("clip_value", clip_value)
    for unit, g in _gradients(parameters, "clip_grad_value"):
        m = mathematics_of(g, "clip_grad_value")
        unit.write_gradient(m.minimum(m.maximum(g, -clip_value), clip_value))


def _clip_norm(gradients: list[tuple[UpdateUnit, Any]], max_norm: float, norm_type: float) -> Any:
    if not gradients:
        return 0.0
    m = mathematics_of(gradients[0][1], "clip_grad_norm")
    norms = [_norm_of_unit(unit, g, norm_type) for unit, g in gradients]
    if any(m.is_traced(norm) for norm in norms):  # the norm is unknown while jit traces
        norm = _norm(m.stack(norms), norm_type)
        scale = m.minimum(max_norm / (norm + _FLOOR), 1.0)
    else:
        norm = float(_norm(NumberVector([float(norm) for norm in norms]), norm_type))
        scale = min(max_norm / (norm + _FLOOR), 1.0)
        if scale == 1.0:
            return norm
    for unit, g in gradients:
        unit.write_gradient(g * scale)
    return norm


def _norm_of_unit(unit: UpdateUnit, g: Any, norm_type: float) -> Any:
    """Return the norm of a gradient. That of scalars is rounded as without NumPy, whose sums and powers differ."""
    if isinstance(unit, ScalarParameters) and is_numpy_array(g):
        if norm_type == 2:
            return sum_in_order(g * g) ** 0.5
        g = NumberVector(g.tolist())
    return _norm(g, norm_type)


_FLOOR = 1e-6  # as in PyTorch; avoids a division by a norm of 0


def _norm(g: Any, norm_type: float) -> Any:
    m = mathematics_of(g, "clip_grad_norm")
    if norm_type == inf:
        return m.max(abs(g))
    total = m.sum(g * g if norm_type == 2 else abs(g) ** norm_type)
    return total ** (1 / norm_type)


def _gradients(parameters: Parameters, who: str) -> list[tuple[UpdateUnit, Array]]:
    """Return all gradients that exist, each with its parameters."""
    found = [(unit, unit.gradient()) for unit in units_of(parameters_of(parameters, who))]
    return [(unit, g) for unit, g in found if g is not None and math.prod(g.shape)]


def _require_positive(name: str, given: float) -> None:
    if not is_number(given) or not given > 0:
        raise ArgumentError(f"{name} must be a number above 0, not {describe(given)}")
