"""Losses that are likelihoods: of counts, of normal distributions, and of classes that are hard to tell apart."""

import math

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.choosing import where
from adjoint.arrays.kinds import array_code, as_floats, data_of
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import is_number, number
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.loss_arguments import (
    REDUCTIONS,
    as_values,
    pointwise,
    reduce,
    require_reduction,
    require_same_shapes,
    unwrap,
)


def poisson_nll(
    input: "ArrayLike",
    target: "ArrayLike",
    *,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Value:
    """Return the negative log-likelihood of counts, given the rates of Poisson distributions, or their logarithms.

    With `log_input` the loss is exp(input) - target·input, else input - target·log(input + eps).
    `full` adds Stirling's approximation of log(target!) for targets above 1.

    >>> from adjoint import Value, nn
    >>> round(float(nn.poisson_nll(Value([0.0, 1.0]), [1.0, 2.0])), 6)
    0.859141
    """
    eps = number(eps, "poisson_nll: eps")

    def formula(p, t):
        t = as_floats(t, p)
        loss = ops.exp(p) - t * p if log_input else p - t * ops.log(p + eps)
        if full:
            large = where(t > 1, t, 2.0)
            stirling = large * ops.log(large) - large + 0.5 * ops.log(2 * math.pi * large)
            loss = loss + where(t > 1, stirling, 0.0)
        return loss

    return pointwise("poisson_nll", formula, input, target, reduction)


def gaussian_nll(
    input: "ArrayLike",
    target: "ArrayLike",
    var: "ArrayLike",
    *,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Value:
    """Return the negative log-likelihood of targets, given the means and variances of normal distributions.

    `var` has the shape of the predictions, also with axes of size 1 or without the last axis, or is one number.
    Variances below `eps` count as `eps`; as in PyTorch, their gradients are those of `eps`. `full` adds the constant
    log(2π)/2.

    >>> from adjoint import Value, nn
    >>> float(nn.gaussian_nll(Value([1.0, 2.0]), [1.0, 4.0], 1.0))
    1.0
    """
    require_reduction(reduction, REDUCTIONS)
    eps = number(eps, "gaussian_nll: eps")
    (mean, goal, variance), is_plain = as_values(input, target, var)
    if shape_of(goal) != ():
        require_same_shapes("gaussian_nll", predictions=mean, targets=goal)
    shape = shape_of(mean)
    if shape_of(variance) != shape and shape and shape_of(variance) == shape[:-1] != ():
        variance = variance[..., None]
    found = shape_of(variance)
    if found and (len(found) != len(shape) or any(size not in (1, n) for size, n in zip(found, shape))):
        raise ShapeError(f"gaussian_nll: variances of shape {found} do not fit predictions of {shape}")
    variance = _at_least(variance, eps)
    losses = 0.5 * (ops.log(variance) + ops.square(mean - goal) / variance)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return unwrap(reduce(losses, reduction), is_plain)


def _at_least(var, eps: float) -> Value:
    """Return variances of at least `eps`; the derivative is 1 everywhere."""
    data = data_of(var)
    if is_number(data):
        if float(data) < 0:
            raise ArgumentError(f"gaussian_nll: a variance must be at least 0, not {float(data):.6g}")
        return var + max(0.0, eps - float(data))

    m = array_code("backends").common_backend([data], "gaussian_nll")
    if not m.is_traced(data) and bool((data < 0).any()):
        raise ArgumentError(f"gaussian_nll: a variance must be at least 0, not {float(data.min()):.6g}")
    return ops.add(var, where(data < eps, eps - data, data * 0.0))


def focal(
    input: "ArrayLike", target: "ArrayLike", *, alpha: float = 0.25, gamma: float = 2.0, reduction: str = "mean"
) -> Value:
    """Return the binary cross-entropy of logits, with less weight on samples that are classified well.

    A sample whose target has the probability q counts (1 - q) to the power `gamma`; `alpha` is the weight of the
    positive targets and 1 - alpha that of the others, and a negative `alpha` means no weights. This is
    `sigmoid_focal_loss` of torchvision.

    >>> from adjoint import Value, nn
    >>> round(float(nn.focal(Value([0.0, 4.0]), [1.0, 1.0])), 6)
    0.021662
    """
    alpha, gamma = number(alpha, "focal: alpha"), number(gamma, "focal: gamma")

    def formula(p, t):
        chance = ops.sigmoid(p)
        missed = chance + t - 2 * (chance * t)  # 1 - q
        loss = (ops.softplus(p) - p * t) * missed**gamma
        return loss if alpha < 0 else loss * (alpha * t + (1 - alpha) * (1 - t))

    return pointwise("focal", formula, input, target, reduction)
