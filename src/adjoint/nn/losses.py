"""Losses as functions. `criteria.py` has the same losses as modules.

    loss = cross_entropy(model(x), labels)

The result is one Value (`reduction="mean"` or `"sum"`), or one loss per element (`"none"`), with the conventions of
`torch.nn`; for plain arrays it is a plain number or array. Lists of scalar Values, which scalar networks return, go
through the same formulas. Labels are checked, except inside `jit`, where they are unknown while the program is traced.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import backend_of, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import getitem, where
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_array, is_number
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.transforms.trees import tree_leaves, tree_unflatten

IGNORED = -100  # the label of samples that do not count, as in PyTorch
_REDUCTIONS = ("mean", "sum", "none")
Formula = Callable[[Any, Any], Any]  # of a prediction and its target: both numbers, or both arrays

# --- elementwise losses --------------------------------------------------------------------------------


def mse(prediction: ArrayLike, target: ArrayLike, *, reduction: str = "mean") -> Any:
    """Return the mean squared error.

    >>> from adjoint import Value, nn
    >>> float(nn.mse(Value([1.0, 2.0]), [1.0, 4.0]))
    2.0
    >>> nn.mse([Value(1.0), Value(2.0)], [1.0, 4.0])
    Value(data=2.0000, grad=0.0000)
    """
    return _pointwise("mse", lambda p, t: (p - t).square(), prediction, target, reduction)


def l1(prediction: ArrayLike, target: ArrayLike, *, reduction: str = "mean") -> Any:
    """Return the mean absolute error."""
    return _pointwise("l1", lambda p, t: (p - t).abs(), prediction, target, reduction)


def huber(prediction: ArrayLike, target: ArrayLike, *, delta: float = 1.0, reduction: str = "mean") -> Any:
    """Return half the squared error where the error is below `delta`; beyond, the loss grows linearly."""
    if not is_number(delta) or not delta > 0:
        raise ArgumentError(f"huber: delta must be a number above 0, not {describe(delta)}")

    def formula(p, t):
        error = (p - t).abs()
        near = error.minimum(delta)
        return near * (error - 0.5 * near)

    return _pointwise("huber", formula, prediction, target, reduction)


def hinge(prediction: ArrayLike, target: ArrayLike, *, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Return the amount by which scores miss a margin, for targets 1 and -1: relu(margin - target * score).

    >>> from adjoint import Value, nn
    >>> float(nn.hinge(Value([2.0, 0.5, 1.0]), [1, 1, -1]))
    0.8333333333333334
    """
    return _pointwise("hinge", lambda p, t: (margin - p * t).relu(), prediction, target, reduction)


def binary_cross_entropy(prediction: ArrayLike, target: ArrayLike, *, reduction: str = "mean") -> Any:
    """Return the binary cross-entropy of predicted probabilities and targets from 0 to 1.

    Logarithms are limited to at least -100, as in PyTorch. `binary_cross_entropy_with_logits` takes the scores before
    the sigmoid, and is more accurate.
    """
    _require_probabilities(prediction, "binary_cross_entropy: a prediction", "apply a sigmoid, or use …_with_logits")

    def formula(p, t):
        return -(t * _bounded_log(p) + (1 - t) * _bounded_log(1 - p))

    return _pointwise("binary_cross_entropy", formula, prediction, target, reduction)


def binary_cross_entropy_with_logits(
    prediction: ArrayLike, target: ArrayLike, *, pos_weight: ArrayLike | None = None, reduction: str = "mean"
) -> Any:
    """Return minus the log-likelihood of targets from 0 to 1, given logits.

    `pos_weight` is the weight of the positive targets.

    >>> from adjoint import Value, nn
    >>> round(float(nn.binary_cross_entropy_with_logits(Value([0.0, 100.0]), [1.0, 1.0])), 6)
    0.346574
    """

    def formula(p, t):
        if pos_weight is None:
            return p.softplus() - p * t
        return (1 - t) * p + (1 + (as_input(pos_weight, p) - 1) * t) * (-p).softplus()

    return _pointwise("binary_cross_entropy_with_logits", formula, prediction, target, reduction)


def kl_div(prediction: ArrayLike, target: ArrayLike, *, log_target: bool = False, reduction: str = "mean") -> Any:
    """Return the divergence of predicted log-probabilities from target probabilities: target·(log target - prediction).

    As in PyTorch, "mean" divides by the number of elements; `reduction="batchmean"` divides by the number of samples,
    which gives the Kullback-Leibler divergence. With `log_target`, the targets are log-probabilities too.
    """

    def formula(p, t):
        if log_target:
            return ops.exp(t) * (t - p)
        return t * (ops.log(where(t > 0, t, 1.0)) - p)  # 0·log 0 is 0

    if reduction != "batchmean":
        return _pointwise("kl_div", formula, prediction, target, reduction, (*_REDUCTIONS, "batchmean"))
    total = _pointwise("kl_div", formula, prediction, target, "sum")
    is_list = isinstance(prediction, (list, tuple))
    return total / (len(prediction) if is_list else max(1, (shape_of(prediction) or (1,))[0]))


def _bounded_log(x: Any) -> Any:
    """Return log(x), but at least -100; the derivative at 0 is 0, because an infinite one would produce NaN."""
    is_zero = x <= 0
    return where(is_zero, -100.0, ops.maximum(ops.log(where(is_zero, 1.0, x)), -100.0))


def _pointwise(
    who: str,
    formula: Formula,
    prediction: ArrayLike,
    target: ArrayLike,
    reduction: str,
    known: tuple[str, ...] = _REDUCTIONS,
) -> Any:
    """Return a loss that is a formula of each prediction and its target."""
    _require_reduction(reduction, known)
    is_array_loss = isinstance(prediction, Tensor) or isinstance(target, Tensor)
    if not is_array_loss and (_has_scalars(prediction) or _has_scalars(target)):
        return _of_scalars(who, formula, prediction, target, reduction)
    p, t = _as_array(prediction), _as_array(target)
    is_plain = not isinstance(p, Value) and not isinstance(t, Value)
    if not isinstance(p, Value):
        p = Value(p)
    t = as_input(t, p)
    a, b = shape_of(p), shape_of(t)
    if a != b and b != ():
        hint = f"; use .reshape({a})" if math.prod(a) == math.prod(b) else ""
        raise ShapeError(f"{who}: predictions have shape {a} but targets have shape {b}; they must be equal{hint}")
    if 0 in a:
        raise ShapeError(f"{who}: the predictions are empty, of shape {a}")
    return _unwrap(_reduce(formula(p, t), reduction), is_plain)


def _of_scalars(who: str, formula: Formula, prediction: ArrayLike, target: ArrayLike, reduction: str) -> Any:
    ps = tree_leaves(_as_lists(prediction))
    ts = tree_leaves(_as_lists(target))
    if len(ts) == 1 < len(ps) and not isinstance(target, (list, tuple)):
        ts *= len(ps)
    if len(ps) != len(ts) or not ps:
        raise ShapeError(f"{who}: got {len(ps)} predictions and {len(ts)} targets; give one target per prediction")
    losses = [formula(p if isinstance(p, Value) else Value(p), t) for p, t in zip(ps, ts)]
    if reduction == "none":
        return tree_unflatten(prediction, losses) if isinstance(prediction, (list, tuple)) else losses[0]
    return sum(losses) / len(losses) if reduction == "mean" else sum(losses)


# --- classification losses ----------------------------------------------------------------------------


def cross_entropy(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    ignore_index: int = IGNORED,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
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
    if _has_scalars(prediction) and not isinstance(target, Tensor):
        rows, targets, is_batch = _scalar_rows("cross_entropy", prediction, target)
        rows = [_scalar_log_softmax(row) for row in rows]
        return _likelihood_of_scalars(rows, targets, weight, ignore_index, label_smoothing, reduction, is_batch)
    scores = _as_array(prediction)
    is_plain = not isinstance(scores, Value)
    scores = Tensor(scores) if is_plain else scores
    _require_classes("cross_entropy", shape_of(scores))
    logs = reductions.log_softmax(scores, _class_axis(scores))
    loss = _likelihood("cross_entropy", logs, target, weight, ignore_index, label_smoothing, reduction)
    return _unwrap(loss, is_plain)


def nll(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    ignore_index: int = IGNORED,
    reduction: str = "mean",
) -> Any:
    """Return the negative log-likelihood of labels, given log-probabilities: the output of a log_softmax."""
    if _has_scalars(prediction) and not isinstance(target, Tensor):
        rows, targets, is_batch = _scalar_rows("nll", prediction, target)
        return _likelihood_of_scalars(rows, targets, weight, ignore_index, 0.0, reduction, is_batch)
    logs = _as_array(prediction)
    is_plain = not isinstance(logs, Value)
    logs = Tensor(logs) if is_plain else logs
    _require_classes("nll", shape_of(logs))
    return _unwrap(_likelihood("nll", logs, target, weight, ignore_index, 0.0, reduction), is_plain)


def _likelihood(
    who: str,
    logs: Any,
    target: ArrayLike,
    class_weight: ArrayLike | None,
    ignore_index: int,
    smoothing: float,
    reduction: str,
) -> Any:
    """Return the negative log-likelihood of targets, given log-probabilities."""
    _require_reduction(reduction, _REDUCTIONS)
    shape, axis = shape_of(logs), _class_axis(logs)
    count = shape[axis]
    target = _as_array(target, whole=True)
    weight = None
    if class_weight is not None:
        weight = as_input(class_weight, logs)
        if shape_of(weight) != (count,):
            raise ShapeError(f"{who}: weight must have shape ({count},), one number per class, not {shape_of(weight)}")
    given, expected = shape_of(target), shape[:axis] + shape[axis + 1 :]
    along = tuple(count if i == axis else 1 for i in range(len(shape)))
    if given == shape and who == "cross_entropy":
        shares = as_input(target, logs) * (1 - smoothing) + smoothing / count
        if weight is not None:
            shares = shares * weight.reshape(along)
        losses = -(logs * shares).sum(axis=axis)
        return losses.sum() / math.prod(expected) if reduction == "mean" else _reduce(losses, reduction)
    if given != expected:
        hint = ""
        if len(shape) == 3 and given == shape[:2]:
            hint = f"; if the classes are on the last axis, reshape both to (-1, {shape[2]}) and (-1,)"
        probabilities = f" or probabilities of shape {shape}" if who == "cross_entropy" else ""
        raise ShapeError(
            f"{who}: predictions of shape {shape} have {count} classes along axis {axis} and need labels of shape "
            f"{expected}{probabilities}, not {given}{hint}"
        )
    labels: Any = as_indices(target, count, "label", "classes", ignore_index)
    counted = weights = None
    m = common_backend([data_of(logs), labels], who)
    if m.is_traced(labels) or bool((labels == ignore_index).any()):
        counted = m.astype(m.xp.asarray(labels != ignore_index), data_of(logs).dtype)
        labels = m.xp.where(labels == ignore_index, 0, labels)
        weights = counted
    if weight is not None:
        weights = weight[labels] if counted is None else weight[labels] * counted
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
    return _reduce(losses, reduction)


@lru_cache(maxsize=256)
def _places(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return for each axis the indices along it, with a shape that broadcasts to this one."""
    return tuple(np.ogrid[tuple(slice(size) for size in shape)]) if shape else ()


def _class_axis(x: object) -> int:
    return 0 if len(shape_of(x)) == 1 else 1


def _require_classes(who: str, shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape:
        raise ShapeError(f"{who}: expected predictions of shape (samples, classes, …) or (classes,), not {shape}")


# --- classification losses of scalar Values --------------------------------------------------------------


def _scalar_rows(who: str, prediction: Any, target: object) -> tuple[list, list, bool]:
    """Return the predictions of each sample, a target for each, and whether they are a batch."""
    is_batch = isinstance(prediction[0], (list, tuple))
    if not is_batch:
        prediction, target = [prediction], [target]
    targets = _as_lists(target)
    if not isinstance(targets, (list, tuple)) or len(targets) != len(prediction):
        given = len(targets) if isinstance(targets, (list, tuple)) else describe(targets)
        raise ShapeError(f"{who}: {len(prediction)} predictions need {len(prediction)} targets, not {given}")
    return list(prediction), list(targets), is_batch


def _scalar_log_softmax(row: list) -> list:
    top = max(float(x) for x in row)
    total = sum(ops.exp(x - top) for x in row)
    return [x - (ops.log(total) + top) for x in row]


def _likelihood_of_scalars(
    rows: list, targets: list, weight: Any, ignore_index: int, smoothing: float, reduction: str, is_batch: bool
) -> Any:
    _require_reduction(reduction, _REDUCTIONS)
    losses, counts = [], []
    for logs, target in zip(rows, targets):
        classes = range(len(logs))
        weights = [1.0] * len(logs) if weight is None else [float(w) for w in weight]
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


# --- conversion of arguments and results ------------------------------------------------------------------


def _require_reduction(reduction: str, known: tuple[str, ...]) -> None:
    if reduction not in known:
        raise unknown_name_error("reduction", reduction, known)


def _has_scalars(x: object) -> bool:
    """Return whether `x` is a scalar Value, or nested lists of them."""
    if isinstance(x, (list, tuple)):
        return any(map(_has_scalars, x))
    return isinstance(x, Value) and not isinstance(x, Tensor)


def _as_lists(x: Any) -> Any:
    return x.tolist() if hasattr(x, "tolist") else x


def _as_array(x: ArrayLike, whole: bool = False) -> Any:
    """Return lists of numbers or of arrays as one array; lists of integers as floats, unless `whole` is set."""
    if isinstance(x, (Value, np.ndarray)):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(leaf, Value) for leaf in tree_leaves(x)):
        return shaping.stack([_as_array(part) for part in x])
    if not isinstance(x, (list, tuple)) and not is_number(x) and not is_array(x):
        raise ArgumentError(f"a loss needs arrays, numbers or lists of them, not {describe(x)}")
    if whole and not hasattr(x, "dtype"):
        return np.asarray(x)
    return as_operand(x)


def _reduce(losses: Any, reduction: str) -> Any:
    if reduction == "none" or not shape_of(losses):
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def _unwrap(loss: object, is_plain: bool) -> Any:
    """Return a plain number or array if no argument was a Value."""
    return loss.data if is_plain and isinstance(loss, Value) else loss


def _require_probabilities(x: object, what: str, advice: str) -> None:
    if isinstance(x, (list, tuple)):
        for item in x:
            _require_probabilities(item, what, advice)
        return
    data = data_of(x)
    m = backend_of(data)
    if m is not None and (m.is_traced(data) or not math.prod(data.shape)):
        return
    low, high = (data, data) if m is None else (float(data.min()), float(data.max()))
    if low < 0 or high > 1:
        wrong = low if low < 0 else high
        raise ArgumentError(f"{what} must be a probability from 0 to 1, not {wrong:.6g}; {advice}")
