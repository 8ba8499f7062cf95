"""Losses as functions. `criteria.py` has the same losses as modules.

    loss = cross_entropy(model(x), labels)

The result is one Value (`reduction="mean"` or `"sum"`), or one loss per element (`"none"`), with the conventions of
`torch.nn`; for plain arrays it is a plain number or array. Lists of scalar Values, which scalar networks return, go
through the same formulas. Labels are checked, except inside `jit`, where they are unknown while the program is traced.
"""

import functools
import math
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_floats, data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.activations import hardtanh
from adjoint.arrays.functions.indexing import getitem, where
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe, is_number, is_traced
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.loss_arguments import (
    REDUCTIONS,
    as_array,
    as_lists,
    has_scalars,
    pointwise,
    reduce,
    require_probabilities,
    require_reduction,
    unwrap,
)

IGNORED = -100  # the label of samples that do not count, as in PyTorch

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
    >>> float(nn.hinge(Value([2.0, 0.5, 1.0]), [1, 1, -1]))
    0.8333333333333334
    """
    return pointwise("hinge", lambda p, t: (margin - p * t).relu(), input, target, reduction)


def binary_cross_entropy(
    input: "ArrayLike", target: "ArrayLike", weight: "ArrayLike | None" = None, *, reduction: str = "mean"
) -> Value:
    """Return the binary cross-entropy of predicted probabilities and targets from 0 to 1.

    `weight` is the weight of each element, of a shape that broadcasts. Logarithms are limited to at least -100, as in
    PyTorch. `binary_cross_entropy_with_logits` takes the scores before the sigmoid, and is more accurate.

    >>> import math
    >>> from adjoint import Value, nn
    >>> loss = nn.binary_cross_entropy(Value([0.5, 0.25]), [1.0, 0.0])
    >>> round(loss.item(), 6), round(-(math.log(0.5) + math.log(0.75)) / 2, 6)
    (0.490415, 0.490415)
    """
    require_probabilities(input, "binary_cross_entropy: a prediction", "apply a sigmoid, or use …_with_logits")

    def formula(p, t):
        return _weighted(-(t * _bounded_log(p) + (1 - t) * _bounded_log(1 - p)), weight)

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
    if not isinstance(loss, Tensor) and not is_number(weight):
        raise ArgumentError(f"the losses of scalar Values take one number as weight, not {describe(weight)}")
    return loss * as_input(weight, loss)


def _bounded_log(x) -> Value:
    """Return log(x), but at least -100; the derivative at 0 is 0, because an infinite one would produce NaN."""
    is_zero = x <= 0
    return where(is_zero, -100.0, ops.maximum(ops.log(where(is_zero, 1.0, x)), -100.0))


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
    if has_scalars(input) and not isinstance(target, Tensor):
        rows, targets, is_batch = _scalar_rows("cross_entropy", input, target)
        rows = [_scalar_log_softmax(row) for row in rows]
        weights = _scalar_weights("cross_entropy", weight, len(rows[0]))
        return _likelihood_of_scalars(rows, targets, weights, ignore_index, label_smoothing, reduction, is_batch)
    scores = as_array(input)
    is_plain = not isinstance(scores, Value) and not isinstance(target, Value)
    scores = scores if isinstance(scores, Value) else Tensor(scores)
    _require_classes("cross_entropy", shape_of(scores))
    logs = reductions.log_softmax(scores, _class_axis(scores))
    loss = _likelihood("cross_entropy", logs, target, weight, ignore_index, label_smoothing, reduction)
    return unwrap(loss, is_plain)


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
    if has_scalars(input) and not isinstance(target, Tensor):
        rows, targets, is_batch = _scalar_rows("nll", input, target)
        weights = _scalar_weights("nll", weight, len(rows[0]))
        return _likelihood_of_scalars(rows, targets, weights, ignore_index, 0.0, reduction, is_batch)
    logs = as_array(input)
    is_plain = not isinstance(logs, Value)
    logs = Tensor(logs) if is_plain else logs
    _require_classes("nll", shape_of(logs))
    return unwrap(_likelihood("nll", logs, target, weight, ignore_index, 0.0, reduction), is_plain)


def _likelihood(
    who: str,
    logs: Value,
    target: "ArrayLike",
    class_weight: "ArrayLike | None",
    ignore_index: int,
    smoothing: float,
    reduction: str,
) -> Value:
    """Return the negative log-likelihood of targets, given log-probabilities."""
    require_reduction(reduction, REDUCTIONS)
    shape, axis = shape_of(logs), _class_axis(logs)
    count = shape[axis]
    target = as_array(target, whole=True)
    weight = None
    if class_weight is not None:
        weight = as_input(class_weight, logs)
        if shape_of(weight) != (count,):
            raise ShapeError(f"{who}: weight must have shape ({count},), one number per class, not {shape_of(weight)}")
    given, expected = shape_of(target), shape[:axis] + shape[axis + 1 :]
    along = tuple(count if i == axis else 1 for i in range(len(shape)))
    if given == shape and who == "cross_entropy":
        _require_shares(target, axis)
        shares = as_input(target, logs) * (1 - smoothing) + smoothing / count
        if weight is not None:
            shares = shares * weight.reshape(along)
        losses = -(logs * shares).sum(axis=axis)
        return losses.sum() / math.prod(expected) if reduction == "mean" else reduce(losses, reduction)
    if given != expected:
        hint = ""
        if len(shape) == 3 and given == shape[:2]:
            hint = f"; if the classes are on the last axis, reshape both to (-1, {shape[2]}) and (-1,)"
        probabilities = f" or probabilities of shape {shape}" if who == "cross_entropy" else ""
        raise ShapeError(
            f"{who}: predictions of shape {shape} have {count} classes along axis {axis} and need labels of shape "
            f"{expected}{probabilities}, not {given}{hint}"
        )
    try:
        labels = as_indices(target, count, "label", "classes", ignore_index)
    except ArrayIndexError as error:
        if count > 1:
            raise
        raise ArrayIndexError(
            f"{error}. {who} needs one score per class; with one score per sample, use binary_cross_entropy_with_logits"
        ) from None
    counted = weights = None
    m = common_backend([data_of(logs), labels], who)
    if m.is_traced(labels) or bool(m.xp.any(labels == ignore_index)):
        counted = m.astype(m.xp.asarray(labels != ignore_index), data_of(logs).dtype)
        labels = m.xp.where(labels == ignore_index, 0, labels)
        weights = counted
    if weight is not None:
        if not isinstance(weight, Value) and not m.owns(weight):
            weight = m.from_numpy(weight)  # traced labels index arrays of JAX only
        weights = getitem(weight, labels) if counted is None else getitem(weight, labels) * counted
    places = _places(expected)
    losses = -getitem(logs, (*places[:axis], labels, *places[axis:]))
    if weights is not None:
        losses = losses * weights
    if smoothing:
        spread = -(logs if weight is None else logs * weight.reshape(along)).sum(axis=axis)
        spread = spread if counted is None else spread * counted
        losses = (1 - smoothing) * losses + (smoothing / count) * spread
    if reduction == "mean" and weights is not None:
        return losses.sum() / weights.sum()
    return reduce(losses, reduction)


@functools.lru_cache(maxsize=256)
def _places(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return for each axis the indices along it, with a shape that broadcasts to this one."""
    return tuple(np.ogrid[tuple(slice(size) for size in shape)]) if shape else ()


def _require_shares(target: Any, axis: int) -> None:
    """Raise if targets of the shape of the scores are integers that are not one-hot: they are meant as labels."""
    data = data_of(target)
    if not str(data.dtype).startswith(("int", "uint")) and "torch.int" not in str(data.dtype):
        return
    m: Any = common_backend([data], "cross_entropy")
    if m.is_traced(data):
        is_one_hot = data.ndim > 1
    else:
        array = m.to_numpy(data)
        is_one_hot = bool((array >= 0).all() and (array.sum(axis) == 1).all())
    if not is_one_hot:
        raise ShapeError(_NOT_SHARES.format(shape=tuple(data.shape)))


_NOT_SHARES = (
    "cross_entropy: the scores and the integer targets both have shape {shape}. For labels, give scores of shape "
    "(samples, classes); with one score per sample, use binary_cross_entropy_with_logits. For probabilities, the "
    "targets of a sample must add up to 1"
)


def _class_axis(x: object) -> int:
    return 0 if len(shape_of(x)) == 1 else 1


def _require_classes(who: str, shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape:
        raise ShapeError(f"{who}: expected predictions of shape (samples, classes, …) or (classes,), not {shape}")


# --- classification losses of scalar Values --------------------------------------------------------------


def _scalar_rows(who: str, prediction: object, target: object) -> tuple[list[list], list, bool]:
    """Return the predictions of each sample, a target for each, and whether they are a batch."""
    is_list = isinstance(prediction, (list, tuple))
    is_batch = is_list and isinstance(prediction[0], (list, tuple))
    rows: list = list(prediction) if is_list and is_batch else [prediction]
    targets = as_lists(target) if is_batch else [as_lists(target)]
    for row in rows:
        if not isinstance(row, (list, tuple)) or not row:
            raise ShapeError(f"{who}: a sample needs a list of predictions, one per class, not {describe(row)}")
        if len(row) != len(rows[0]):
            raise ShapeError(f"{who}: samples must have equally many predictions, not {len(rows[0])} and {len(row)}")
    if not isinstance(targets, (list, tuple)) or len(targets) != len(rows):
        given = len(targets) if isinstance(targets, (list, tuple)) else describe(targets)
        raise ShapeError(f"{who}: {len(rows)} predictions need {len(rows)} targets, not {given}")
    for shares in targets:
        if isinstance(shares, (list, tuple)) and (who != "cross_entropy" or len(shares) != len(rows[0])):
            probabilities = f" or {len(rows[0])} probabilities" if who == "cross_entropy" else ""
            raise ShapeError(f"{who}: the target of a sample is a label{probabilities}, not {describe(shares)}")
        if isinstance(shares, (list, tuple)) and all(type(x) is int for x in shares) and sum(shares) != 1:
            raise ShapeError(_NOT_SHARES.format(shape=(len(shares),)))
    return [list(row) for row in rows], list(targets), is_batch


def _scalar_weights(who: str, weight: object, count: int) -> list[float]:
    """Return one weight per class."""
    weights = [1.0] * count if weight is None else as_lists(weight)
    if not isinstance(weights, (list, tuple)) or len(weights) != count:
        raise ShapeError(f"{who}: weight must have shape ({count},), one number per class, not {describe(weight)}")
    return [float(x) for x in weights]


def _scalar_log_softmax(row: list) -> list:
    if modes.tracing:
        top = functools.reduce(ops.maximum, [data_of(x) for x in row])
    else:
        top = max(float(x) for x in row)
    total = sum(ops.exp(x - top) for x in row)
    return [x - (ops.log(total) + top) for x in row]


def _likelihood_of_scalars(
    rows: list[list],
    targets: list,
    weights: list[float],
    ignore_index: int,
    smoothing: float,
    reduction: str,
    is_batch: bool,
) -> Any:
    require_reduction(reduction, REDUCTIONS)
    losses, counts = [], []
    for logs, target in zip(rows, targets):
        classes = range(len(logs))
        if is_traced(target):
            loss, counted = _likelihood_of_traced_label(logs, target, weights, ignore_index, smoothing)
            losses.append(loss)
            counts.append(counted)
            continue
        if isinstance(target, (list, tuple)):
            shares, counted = target, 1.0
        else:
            as_indices([target], len(logs), "label", "classes", ignore_index)
            counted = 0.0 if target == ignore_index else weights[target]
            shares = [float(i == target) for i in classes]
        if counted:
            shares = [(1 - smoothing) * shares[i] + smoothing / len(logs) for i in classes]
            losses.append(-sum(weights[i] * shares[i] * logs[i] for i in classes if shares[i]))
        else:
            losses.append(Value(0.0))
        counts.append(counted)
    if reduction == "none":
        return losses if is_batch else losses[0]
    return sum(losses) / sum(counts) if reduction == "mean" else sum(losses)


def _likelihood_of_traced_label(
    logs: list, target: Any, weights: list[float], ignore_index: int, smoothing: float
) -> tuple[Any, Any]:
    """Return the loss of a sample whose label is not known while jit records, and the weight of the sample."""
    is_ignored = target == ignore_index
    counted, chosen, spread = 0.0, 0.0, 0.0
    for i, (log, weight) in enumerate(zip(logs, weights)):
        counted = ops.where(target == i, weight, counted)
        chosen = ops.where(target == i, weight * log, chosen)
        spread = spread + weight * log if smoothing else spread
    loss: Any = -((1 - smoothing) * chosen + (smoothing / len(logs)) * spread)
    return ops.where(is_ignored, 0.0, loss), ops.where(is_ignored, 0.0, counted)
