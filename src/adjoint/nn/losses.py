"""Losses: how far predictions are from what they should be. `criteria.py` has the same as modules.

    loss = cross_entropy(model(x), labels)

Arrays give one number (`reduction="mean"` or `"sum"`), or one for each element (`"none"`), with the conventions of
`torch.nn`. Lists of single Values, as the scalar networks give them, go through the same formulas and make a Value.
Labels are checked, except inside `jit`, where they are not known when the program is made.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from adjoint.arrays.axes import as_operand, shape_of
from adjoint.arrays.backends import backend_of, common_backend
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import getitem, where
from adjoint.arrays.tensor import Tensor, data_of
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import described, is_array, is_number
from adjoint.errors.suggest import unknown
from adjoint.nn.indices import as_indices
from adjoint.nn.layers import as_input
from adjoint.transforms.trees import tree_leaves, tree_unflatten

_REDUCTIONS = ("mean", "sum", "none")

# --- element by element --------------------------------------------------------------------------------


def mse(prediction: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Return the mean of the squared errors.

    >>> from adjoint import Value, nn
    >>> float(nn.mse(Value([1.0, 2.0]), [1.0, 4.0]))
    2.0
    >>> nn.mse([Value(1.0), Value(2.0)], [1.0, 4.0])
    Value(data=2.0000, grad=0.0000)
    """
    return _pointwise("mse", lambda p, t: (p - t).square(), prediction, target, reduction)


def l1(prediction: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Return the mean of the absolute errors."""
    return _pointwise("l1", lambda p, t: (p - t).abs(), prediction, target, reduction)


def huber(prediction: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> Any:
    """Return half the squared errors, which beyond `delta` grow no faster than the absolute ones."""
    if not is_number(delta) or not delta > 0:
        raise ArgumentError(f"huber: delta is a number above 0, not {described(delta)}")

    def formula(p, t):
        error = (p - t).abs()
        near = error.minimum(delta)
        return near * (error - 0.5 * near)

    return _pointwise("huber", formula, prediction, target, reduction)


def hinge(prediction: Any, target: Any, *, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Return by how much scores miss a margin on the side of their class, which is 1 or -1: relu(margin - y·score).

    >>> from adjoint import Value, nn
    >>> float(nn.hinge(Value([2.0, 0.5, 1.0]), [1, 1, -1]))
    0.8333333333333334
    """
    return _pointwise("hinge", lambda p, t: (margin - p * t).relu(), prediction, target, reduction)


def binary_cross_entropy(prediction: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Return minus the log-likelihood of targets from 0 to 1 under predicted probabilities.

    A logarithm counts as no less than -100, as in PyTorch. Given the scores before a sigmoid,
    `binary_cross_entropy_with_logits` loses nothing.
    """
    _require_probabilities(prediction, "binary_cross_entropy: a prediction", "apply a sigmoid, or use …_with_logits")

    def formula(p, t):
        return -(t * _bounded_log(p) + (1 - t) * _bounded_log(1 - p))

    return _pointwise("binary_cross_entropy", formula, prediction, target, reduction)


def binary_cross_entropy_with_logits(
    prediction: Any, target: Any, *, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """Return minus the log-likelihood of targets from 0 to 1, given scores that a sigmoid makes probabilities.

    `pos_weight` counts the positive targets so many times.

    >>> from adjoint import Value, nn
    >>> round(float(nn.binary_cross_entropy_with_logits(Value([0.0, 100.0]), [1.0, 1.0])), 6)
    0.346574
    """

    def formula(p, t):
        if pos_weight is None:
            return p.softplus() - p * t
        return (1 - t) * p + (1 + (pos_weight - 1) * t) * (-p).softplus()

    pos_weight = pos_weight if pos_weight is None else as_operand(pos_weight)
    return _pointwise("binary_cross_entropy_with_logits", formula, prediction, target, reduction)


def kl_div(prediction: Any, target: Any, *, log_target: bool = False, reduction: str = "mean") -> Any:
    """Return the divergence of predicted log-probabilities from target probabilities: target·(log target - prediction).

    As in PyTorch "mean" is that of all elements; `reduction="batchmean"` divides by the number of samples, and is the
    divergence itself. With `log_target` the targets are logarithms as well.
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
    """Return log(x), no less than -100; at 0 its slope is 0, for an infinite one would make NaN of what it meets."""
    is_zero = x <= 0
    return ops.maximum(ops.log(where(is_zero, 1.0, x)), -100.0) + where(is_zero, -100.0, 0.0)


def _pointwise(
    who: str, formula: Callable, prediction: Any, target: Any, reduction: str, known: tuple[str, ...] = _REDUCTIONS
) -> Any:
    """Return a loss that is a formula of each prediction and its target."""
    _require_reduction(reduction, known)
    if _has_scalars(prediction) or _has_scalars(target):
        return _of_scalars(who, formula, prediction, target, reduction)
    prediction, target = _as_array(prediction), _as_array(target)
    is_plain = not isinstance(prediction, Value) and not isinstance(target, Value)
    if not isinstance(prediction, Value):
        prediction = Value(prediction)
    target = as_input(target, prediction)
    a, b = shape_of(prediction), shape_of(target)
    if a != b and b != ():
        hint = f"; .reshape({a}) makes them agree" if math.prod(a) == math.prod(b) else ""
        raise ShapeError(f"{who}: predictions of shape {a} and targets of shape {b} must have one shape{hint}")
    if 0 in a:
        raise ShapeError(f"{who} of nothing: the predictions have the shape {a}")
    return _unwrapped(_reduced(formula(prediction, target), reduction), is_plain)


def _of_scalars(who: str, formula: Callable, prediction: Any, target: Any, reduction: str) -> Any:
    ps = tree_leaves(_as_lists(prediction))
    ts = tree_leaves(_as_lists(target))
    if len(ts) == 1 < len(ps) and not isinstance(target, (list, tuple)):
        ts *= len(ps)
    if len(ps) != len(ts) or not ps:
        raise ShapeError(f"{who}: {len(ps)} predictions and {len(ts)} targets; there must be a target for each")
    losses = [formula(p if isinstance(p, Value) else Value(p), t) for p, t in zip(ps, ts)]
    if reduction == "none":
        return tree_unflatten(prediction, losses) if isinstance(prediction, (list, tuple)) else losses[0]
    return sum(losses) / len(losses) if reduction == "mean" else sum(losses)


# --- classes ------------------------------------------------------------------------------------------


def cross_entropy(
    prediction: Any,
    target: Any,
    *,
    weight: Any = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
    """Return minus the log-likelihood of classes, given scores that a softmax makes probabilities.

    Scores have the shape (samples, classes), (classes,) or (samples, classes, …). Targets are labels, from 0 to
    classes - 1, of that shape without its classes; or probabilities of all classes, of the same shape. `weight` has
    a number for each class; samples whose label is `ignore_index` do not count.

    >>> from adjoint import Value, nn
    >>> round(float(nn.cross_entropy(Value([[2.0, 0.0], [0.0, 0.0]]), [0, 1])), 6)
    0.410038
    """
    if not is_number(label_smoothing) or not 0 <= label_smoothing <= 1:
        raise ArgumentError(f"cross_entropy: label_smoothing is a number from 0 to 1, not {described(label_smoothing)}")
    if _has_scalars(prediction):
        rows, targets = _scalar_rows("cross_entropy", prediction, target)
        rows = [_scalar_log_softmax(row) for row in rows]
        return _likelihood_of_scalars(rows, targets, weight, ignore_index, label_smoothing, reduction, prediction)
    prediction = _as_array(prediction)
    is_plain = not isinstance(prediction, Value)
    scores = Tensor(prediction) if is_plain else prediction
    _require_classes("cross_entropy", shape_of(scores))
    logs = reductions.log_softmax(scores, _class_axis(scores))
    loss = _likelihood("cross_entropy", logs, target, weight, ignore_index, label_smoothing, reduction)
    return _unwrapped(loss, is_plain)


def nll(prediction: Any, target: Any, *, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Any:
    """Return minus the log-probabilities of labels: of predictions that went through a log_softmax already."""
    if _has_scalars(prediction):
        rows, targets = _scalar_rows("nll", prediction, target)
        return _likelihood_of_scalars(rows, targets, weight, ignore_index, 0.0, reduction, prediction)
    prediction = _as_array(prediction)
    is_plain = not isinstance(prediction, Value)
    logs = Tensor(prediction) if is_plain else prediction
    _require_classes("nll", shape_of(logs))
    return _unwrapped(_likelihood("nll", logs, target, weight, ignore_index, 0.0, reduction), is_plain)


def _likelihood(who: str, logs: Any, target: Any, weight, ignore_index: int, smoothing: float, reduction: str) -> Any:
    """Return minus the likelihood of targets, given log-probabilities."""
    _require_reduction(reduction, _REDUCTIONS)
    shape, axis = shape_of(logs), _class_axis(logs)
    count = shape[axis]
    target = _as_array(target, whole=True)
    if weight is not None:
        weight = as_input(weight, logs)
        if shape_of(weight) != (count,):
            raise ShapeError(f"{who}: weight has a number for each of the {count} classes, not {shape_of(weight)}")
    given, expected = shape_of(target), shape[:axis] + shape[axis + 1 :]
    along = tuple(count if i == axis else 1 for i in range(len(shape)))
    if given == shape and who == "cross_entropy":
        shares = as_input(target, logs) * (1 - smoothing) + smoothing / count
        if weight is not None:
            shares = shares * weight.reshape(along)
        losses = -(logs * shares).sum(axis=axis)
        return losses.sum() / math.prod(expected) if reduction == "mean" else _reduced(losses, reduction)
    if given != expected:
        hint = ""
        if len(shape) == 3 and given == shape[:2]:
            hint = f"; if the last axis has the classes, give both reshaped: (-1, {shape[2]}) and (-1,)"
        raise ShapeError(
            f"{who}: predictions of shape {shape} have {count} classes along axis {axis}, and need labels of shape "
            f"{expected}{f' or probabilities of shape {shape}' if who == 'cross_entropy' else ''}, not {given}{hint}"
        )
    labels = as_indices(target, count, "label", "classes", ignore_index)
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
    return _reduced(losses, reduction)


@lru_cache(maxsize=256)
def _places(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return, for each axis, the indices along it, in a shape that broadcasts to this one."""
    return tuple(np.ogrid[tuple(slice(size) for size in shape)]) if shape else ()


def _class_axis(x: Any) -> int:
    return 0 if len(shape_of(x)) == 1 else 1


def _require_classes(who: str, shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape:
        raise ShapeError(f"{who}: predictions have the shape (samples, classes, …) or (classes,), not {shape}")


# --- classes, of single Values ---------------------------------------------------------------------------


def _scalar_rows(who: str, prediction: Any, target: Any) -> tuple[list, list]:
    """Return predictions as a list for each sample, and a target for each."""
    if not isinstance(prediction[0], (list, tuple)):
        prediction, target = [prediction], [target]
    target = _as_lists(target)
    if not isinstance(target, (list, tuple)) or len(target) != len(prediction):
        given = len(target) if isinstance(target, (list, tuple)) else described(target)
        raise ShapeError(f"{who}: {len(prediction)} predictions need as many targets, not {given}")
    return list(prediction), list(target)


def _scalar_log_softmax(row: list) -> list:
    top = max(float(x) for x in row)
    total = sum(ops.exp(x - top) for x in row)
    return [x - (ops.log(total) + top) for x in row]


def _likelihood_of_scalars(rows, targets, weight, ignore_index, smoothing, reduction: str, prediction) -> Any:
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
        return losses if isinstance(prediction[0], (list, tuple)) else losses[0]
    return sum(losses) / sum(counts) if reduction == "mean" else sum(losses)


# --- what is given, made regular --------------------------------------------------------------------------


def _require_reduction(reduction: str, known: tuple[str, ...]) -> None:
    if reduction not in known:
        raise unknown("reduction", reduction, known)


def _has_scalars(x: Any) -> bool:
    """Return whether these are Values of one number: one, or nested lists of them."""
    if isinstance(x, (list, tuple)):
        return any(map(_has_scalars, x))
    return isinstance(x, Value) and not isinstance(x, Tensor)


def _as_lists(x: Any) -> Any:
    return x.tolist() if hasattr(x, "tolist") else x


def _as_array(x: Any, whole: bool = False) -> Any:
    """Return lists as arrays, of arrays too; lists of whole numbers as floats, unless they are labels."""
    if isinstance(x, (Value, np.ndarray)):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(leaf, Tensor) for leaf in tree_leaves(x)):
        return shaping.stack([_as_array(part) for part in x])
    if not isinstance(x, (list, tuple)) and not is_number(x) and not is_array(x):
        raise ArgumentError(f"a loss compares arrays, numbers or lists of them, not {described(x)}")
    if whole and not hasattr(x, "dtype"):
        return np.asarray(x)
    return as_operand(x)


def _reduced(losses: Any, reduction: str) -> Any:
    if reduction == "none" or not shape_of(losses):
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def _unwrapped(loss: Any, is_plain: bool) -> Any:
    """Return a plain number or array where no Value went in."""
    return loss.data if is_plain and isinstance(loss, Value) else loss


def _require_probabilities(x: Any, what: str, advice: str) -> None:
    if isinstance(x, (list, tuple)):
        for item in x:
            _require_probabilities(item, what, advice)
        return
    data: Any = data_of(x)
    m = backend_of(data)
    if m is not None and (m.is_traced(data) or not math.prod(data.shape)):
        return
    low, high = (data, data) if m is None else (float(data.min()), float(data.max()))
    if low < 0 or high > 1:
        wrong = low if low < 0 else high
        raise ArgumentError(f"{what} is a probability from 0 to 1, not {wrong:.6g}; {advice}")
