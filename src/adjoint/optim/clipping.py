"""Clipping: gradients that are too large, made smaller before a step."""

import math
from math import inf
from typing import Any

import numpy as np

from adjoint.arrays.backends import NUMPY, backend_of
from adjoint.errors import ArgumentError
from adjoint.errors.given import described, is_number
from adjoint.optim.groups import parameters_of
from adjoint.optim.parameter_arrays import Lot, lots_of


def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0) -> float:
    """Scale all gradients so that together they are no longer than `max_norm`; return how long they were.

    The norm is that of all gradients as one vector; `norm_type` may be any number above 0, or inf for the largest.

    >>> from adjoint import Value
    >>> a, b = Value(3.0), Value([4.0])
    >>> ((a * a + b * b) / 2).backward()
    >>> clip_grad_norm([a, b], 1.0)
    5.0
    >>> round(a.grad, 6), b.grad.round(6)
    (0.6, array([0.8]))
    """
    _require_positive("max_norm", max_norm)
    _require_positive("norm_type", norm_type)
    return NUMPY.quietly(_clip_norm, _gradients(parameters, "clip_grad_norm"), max_norm, norm_type)


def clip_grad_value(parameters: Any, clip_value: float) -> None:
    """Limit every number of every gradient to between `-clip_value` and `clip_value`.

    >>> from adjoint import Value
    >>> a = Value([0.5, 30.0])
    >>> (a * a).sum().backward()
    >>> clip_grad_value([a], 10.0)
    >>> a.grad
    array([ 1., 10.])
    """
    _require_positive("clip_value", clip_value)
    for lot, g in _gradients(parameters, "clip_grad_value"):
        m: Any = backend_of(g)
        lot.write_gradient(m.minimum(m.maximum(g, -clip_value), clip_value))


def _clip_norm(gradients: list[tuple[Lot, Any]], max_norm: float, norm_type: float) -> Any:
    if not gradients:
        return 0.0
    m: Any = backend_of(gradients[0][1])
    norms = [_norm(g, norm_type) for _, g in gradients]
    if any(m.is_traced(norm) for norm in norms):  # not known yet, so there is nothing to compare
        norm = _norm(m.stack(norms), norm_type)
        scale = m.minimum(max_norm / (norm + _FLOOR), 1.0)
    else:
        norm = float(_norm(np.array([float(norm) for norm in norms]), norm_type))
        scale = min(max_norm / (norm + _FLOOR), 1.0)
        if scale == 1.0:
            return norm
    for lot, g in gradients:
        lot.write_gradient(g * scale)
    return norm


_FLOOR = 1e-6  # PyTorch's, so that a norm of 0 does not divide


def _norm(g, norm_type: float) -> Any:
    m: Any = backend_of(g)
    if norm_type == inf:
        return m.max(abs(g))
    total = m.sum(g * g if norm_type == 2 else abs(g) ** norm_type)
    return total ** (1 / norm_type)


def _gradients(parameters: Any, who: str) -> list[tuple[Lot, Any]]:
    """Return the gradients there are, with where they belong."""
    found = [(lot, lot.gradient()) for lot in lots_of(parameters_of(parameters, who))]
    return [(lot, g) for lot, g in found if g is not None and math.prod(g.shape)]


def _require_positive(name: str, given: Any) -> None:
    if not is_number(given) or not given > 0:
        raise ArgumentError(f"{name} must be a number above 0, not {described(given)}")
