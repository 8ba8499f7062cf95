"""Losses as functions. `criteria.py` has the same losses as modules.

    loss = cross_entropy(model(x), labels)

The result is one Value (`reduction="mean"` or `"sum"`), or one loss per element (`"none"`), with the conventions of
`torch.nn`; for plain arrays it is a plain number or array. Lists of scalar Values, which scalar networks return, go
through the same formulas. Labels are checked, except inside `jit`, where they are unknown while the program is traced.
"""

from functools import cache
from types import ModuleType

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.activations import hardtanh
from adjoint.arrays.functions.choosing import where
from adjoint.arrays.kinds import as_floats, data_of, is_tensor
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.loss_arguments import IGNORED, REDUCTIONS, has_scalars, pointwise, require_probabilities

# --- elementwise losses --------------------------------------------------------------------------------


def mse(input: "ArrayLike", target: "ArrayLike", *, reduction: str = "mean") -> Value:
    """Return the mean squared error.

    `reduction="sum"` returns the sum of the squared errors, and `reduction="none"` the squared error of each element.

    >>> from adjoint import Value, nn
    >>> float(nn.mse(Value([1.0, 2.0]), [1.0, 4.0]))
    2.0
    >>> nn.mse([Value(1.0), Value(2.0)], [1.0, 4.0])
    Value(data=2.0000, grad=0.0000)
    """
    return pointwise("mse", lambda p, t: (p - t).square(), input, target, reduction)


def l1(input: "ArrayLike", target: "ArrayLike", *, reduction: str = "mean") -> Value:
    """Return the mean absolute error.

    >>> from adjoint import Value, nn
    >>> x = Value([1.0, 2.0])
    >>> loss = nn.l1(x, [2.0, 5.0])
    >>> loss.backward()
    >>> loss.item(), x.grad
    (2.0, array([-0.5, -0.5]))
    """
    return pointwise("l1", lambda p, t: (p - t).abs(), input, target, reduction)


def huber(input: "ArrayLike", target: "ArrayLike", *, delta: float = 1.0, reduction: str = "mean") -> Value:
    """Return half the squared error where the error is below `delta`; beyond, the loss grows linearly.

    >>> from adjoint import Value, nn
    >>> nn.huber(Value([0.5, 3.0]), 0.0, reduction="none").data
    array([0.125, 2.5  ])
    """
    if not is_number(delta) or not delta > 0:
        raise ArgumentError(f"huber: delta must be a number above 0, not {describe(delta)}")

    return pointwise("huber", lambda p, t: _bounded_square(p - t, delta), input, target, reduction)


def smooth_l1(input: "ArrayLike", target: "ArrayLike", *, beta: float = 1.0, reduction: str = "mean") -> Value:
    """Return the absolute error, with a parabola in place of the kink where the error is below `beta`.

    It is `huber` with `delta=beta`, divided by `beta`.

    >>> from adjoint import Value, nn
    >>> nn.smooth_l1(Value([0.0, 0.5, 3.0]), 0.0, reduction="none").data
    array([0.   , 0.125, 2.5  ])
    """
    if not is_number(beta) or not beta >= 0:
        raise ArgumentError(f"smooth_l1: beta must be a number of at least 0, not {describe(beta)}")
    if beta == 0:
        return l1(input, target, reduction=reduction)
    return pointwise("smooth_l1", lambda p, t: _bounded_square(p - t, beta) / beta, input, target, reduction)


def _bounded_square(error, bound: float) -> Value:
    """Return half the square of an error, continued linearly beyond a bound.

    The error keeps its sign: the square of an absolute value has no second derivative at 0.
    """
    near = hardtanh(error, -bound, bound)
    return near * (error - 0.5 * near)


def hinge(input: "ArrayLike", target: "ArrayLike", *, margin: float = 1.0, reduction: str = "mean") -> Value:
    """Return the amount by which scores miss a margin, for targets 1 and -1: relu(margin - target * score).

    >>> from adjoint import Value, nn
    >>> round(float(nn.hinge(Value([2.0, 0.5, 1.0]), [1, 1, -1])), 6)
    0.833333
    """
    return pointwise("hinge", lambda p, t: (margin - p * t).relu(), input, target, reduction)


def binary_cross_entropy(
    input: "ArrayLike", target: "ArrayLike", weight: "ArrayLike | None" = None, *, reduction: str = "mean"
) -> Value:
    """Return the binary cross-entropy of predicted probabilities and targets from 0 to 1.

    `weight` is the weight of each element, of a shape that broadcasts. As in PyTorch, logarithms are limited to at
    least -100, and the slope at 0 and 1 to ±1e12. `binary_cross_entropy_with_logits` takes the scores before the
    sigmoid, and is more accurate.

    >>> import math
    >>> from adjoint import Value, nn
    >>> loss = nn.binary_cross_entropy(Value([0.5, 0.25]), [1.0, 0.0])
    >>> round(loss.item(), 6), round(-(math.log(0.5) + math.log(0.75)) / 2, 6)
    (0.490415, 0.490415)
    """
    require_probabilities(input, "binary_cross_entropy: a prediction", "apply a sigmoid, or use …_with_logits")

    def formula(p, t):
        return _weighted(_bernoulli_loss(p, t), weight)

    return pointwise("binary_cross_entropy", formula, input, target, reduction)


def binary_cross_entropy_with_logits(
    input: "ArrayLike",
    target: "ArrayLike",
    weight: "ArrayLike | None" = None,
    *,
    pos_weight: "ArrayLike | None" = None,
    reduction: str = "mean",
) -> Value:
    """Return minus the log-likelihood of targets from 0 to 1, given logits.

    `weight` is the weight of each element, of a shape that broadcasts, and `pos_weight` that of the positive targets.

    >>> from adjoint import Value, nn
    >>> round(float(nn.binary_cross_entropy_with_logits(Value([0.0, 100.0]), [1.0, 1.0])), 6)
    0.346574
    """

    def formula(p, t):
        if pos_weight is None:
            return _weighted(p.softplus() - p * t, weight)
        return _weighted((1 - t) * p + (1 + (as_input(pos_weight, p) - 1) * t) * (-p).softplus(), weight)

    return pointwise("binary_cross_entropy_with_logits", formula, input, target, reduction)


def kl_div(input: "ArrayLike", target: "ArrayLike", *, log_target: bool = False, reduction: str = "mean") -> Value:
    """Return the divergence of predicted log-probabilities from target probabilities: target·(log target - input).

    As in PyTorch, "mean" divides by the number of elements; `reduction="batchmean"` divides by the number of samples,
    which gives the Kullback-Leibler divergence. With `log_target`, the targets are log-probabilities too.

    >>> import adjoint
    >>> from adjoint import Value, nn
    >>> logs = adjoint.log_softmax(Value([[0.0, 0.0]]))
    >>> round(nn.kl_div(logs, [[0.25, 0.75]], reduction="batchmean").item(), 6)
    0.130812
    """

    def formula(p, t):
        if log_target:
            return ops.exp(t) * (t - p)
        t = as_floats(t, p)
        # 0·log 0 is 0; a target below 0 is no probability, and its logarithm is NaN
        return t * (ops.log(where((t >= 0) & (t <= 0), 1.0, t)) - p)

    if reduction != "batchmean":
        return pointwise("kl_div", formula, input, target, reduction, (*REDUCTIONS, "batchmean"))
    total = pointwise("kl_div", formula, input, target, "sum")
    is_list = isinstance(input, (list, tuple))
    return total / (len(input) if is_list else max(1, (shape_of(input) or (1,))[0]))


def _weighted(loss: Value, weight: "ArrayLike | None") -> Value:
    if weight is None:
        return loss
    if not is_tensor(loss) and not is_number(weight):
        raise ArgumentError(f"the losses of scalar Values take one number as weight, not {describe(weight)}")
    return loss * as_input(weight, loss)


def _bernoulli_loss(p, t) -> Value:
    """Return minus the log-likelihood of targets from 0 to 1, given probabilities, with logarithms of at least -100.

    Where that bound holds, at 0 and 1, the slope is PyTorch's, (p - t) / 1e-12, in place of an infinite one: the loss
    is written there as a constant and the slope times a difference that is 0.
    """
    known = data_of(p)
    log, log_of_rest = ops.log(known), ops.log1p(-known)
    is_edge = (log < -100) | (log_of_rest < -100)
    inner = where(is_edge, 0.5, p)
    logs = where(is_edge, ops.maximum(log, -100.0), ops.log(inner))
    others = where(is_edge, ops.maximum(log_of_rest, -100.0), ops.log1p(-inner))
    slope = where(is_edge, (known - data_of(t)) / 1e-12, 0.0)
    return slope * (p - known) - (t * logs + (1 - t) * others)


# --- classification losses ----------------------------------------------------------------------------


def cross_entropy(
    input: "ArrayLike",
    target: "ArrayLike",
    weight: "ArrayLike | None" = None,
    *,
    ignore_index: int = IGNORED,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Value:
    """Return the cross-entropy of scores before a softmax and class labels or probabilities.

    Scores have shape (samples, classes), (classes,) or (samples, classes, …). Targets are labels from 0 to
    classes - 1, with that shape except for the class axis, or probabilities with the same shape. `weight` has one
    number per class. Samples whose label is `ignore_index` do not count.

    >>> from adjoint import Value, nn
    >>> round(float(nn.cross_entropy(Value([[2.0, 0.0], [0.0, 0.0]]), [0, 1])), 6)
    0.410038
    """
    if not is_number(label_smoothing) or not 0 <= label_smoothing <= 1:
        raise ArgumentError(
            f"cross_entropy: label_smoothing must be a number from 0 to 1, not {describe(label_smoothing)}"
        )
    label_smoothing = float(label_smoothing)
    if has_scalars(input) and not is_tensor(target):
        likelihoods = _scalar_likelihoods()
        return likelihoods.likelihood_of_scores(input, target, weight, ignore_index, label_smoothing, reduction)
    return _array_likelihoods().likelihood_of_scores(input, target, weight, ignore_index, label_smoothing, reduction)


def nll(
    input: "ArrayLike",
    target: "ArrayLike",
    weight: "ArrayLike | None" = None,
    *,
    ignore_index: int = IGNORED,
    reduction: str = "mean",
) -> Value:
    """Return the negative log-likelihood of labels, given log-probabilities: the output of a log_softmax.

    >>> import adjoint
    >>> from adjoint import Value, nn
    >>> scores = Value([[2.0, 0.0], [0.0, 0.0]])
    >>> round(nn.nll(adjoint.log_softmax(scores), [0, 1]).item(), 6)
    0.410038
    >>> round(nn.cross_entropy(scores, [0, 1]).item(), 6)
    0.410038
    """
    if has_scalars(input) and not is_tensor(target):
        return _scalar_likelihoods().likelihood_of_logarithms(input, target, weight, ignore_index, reduction)
    return _array_likelihoods().likelihood_of_logarithms(input, target, weight, ignore_index, reduction)


@cache
def _scalar_likelihoods() -> ModuleType:
    """Return the code for lists of scalar Values, loaded once; it works without NumPy."""
    from adjoint.nn import scalar_likelihoods

    return scalar_likelihoods


@cache
def _array_likelihoods() -> ModuleType:
    """Return the code for arrays, loaded once."""
    from adjoint.nn import array_likelihoods

    return array_likelihoods
