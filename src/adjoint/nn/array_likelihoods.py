"""The negative log-likelihood of labels and probabilities, on arrays: `cross_entropy` and `nll` of `losses.py`."""

import functools
import math
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import Backend, backend_of, common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import getitem, where
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.nn.fused_likelihoods import label_losses
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.loss_arguments import NOT_SHARES, REDUCTIONS, as_array, reduce, require_reduction, unwrap
from adjoint.nn.probability_guard import check_scores


def likelihood_of_scores(
    input: "ArrayLike",
    target: "ArrayLike",
    weight: "ArrayLike | None",
    ignore_index: int,
    smoothing: float,
    reduction: str,
) -> Value:
    """Return the cross-entropy of scores."""
    scores = as_array(input)
    is_plain = not isinstance(scores, Value) and not isinstance(target, Value)
    scores = scores if isinstance(scores, Value) else Tensor(scores)
    _require_classes("cross_entropy", shape_of(scores))
    axis, target = _class_axis(scores), as_array(target, whole=True)
    check_scores(scores, axis)
    m = backend_of(data_of(scores))
    if m is not None and m.compiles and weight is None and shape_of(target) != shape_of(scores):
        loss = _likelihood_in_one_operation(m, scores, target, ignore_index, smoothing, reduction)
    else:
        logs = reductions.log_softmax(shaping.widen(scores), axis)
        loss = _likelihood("cross_entropy", logs, target, weight, ignore_index, smoothing, reduction)
    return unwrap(loss, is_plain)


def _likelihood_in_one_operation(
    m: Backend, scores: Value, target: Any, ignore_index: int, smoothing: float, reduction: str
) -> Value:
    """Return the cross-entropy of scores and labels, which are arrays of JAX."""
    require_reduction(reduction, REDUCTIONS)
    shape, axis = shape_of(scores), _class_axis(scores)
    labels = as_labels("cross_entropy", shape, axis, target, ignore_index)
    labels, counted = without_ignored(m, labels, ignore_index)
    index = _index_of(labels, shape, axis)

    def composition(x):
        return _losses_of_labels(reductions.log_softmax(shaping.widen(x), axis), index, axis, smoothing)

    losses = label_losses(m, scores, m.xp.asarray(labels), axis, smoothing, composition)
    return _mean_of_counted(m, losses, counted, None, reduction)


def likelihood_of_logarithms(
    input: "ArrayLike", target: "ArrayLike", weight: "ArrayLike | None", ignore_index: int, reduction: str
) -> Value:
    """Return the negative log-likelihood of log-probabilities."""
    logs = as_array(input)
    is_plain = not isinstance(logs, Value)
    logs = Tensor(logs) if is_plain else logs
    _require_classes("nll", shape_of(logs))
    return unwrap(_likelihood("nll", shaping.widen(logs), target, weight, ignore_index, 0.0, reduction), is_plain)


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
    along = tuple(count if i == axis else 1 for i in range(len(shape)))
    if shape_of(target) == shape and who == "cross_entropy":
        if ignore_index >= 0:
            raise ArgumentError(f"{who}: ignore_index={ignore_index} needs labels as targets, not probabilities")
        _require_shares(target, axis)
        shares = as_input(target, logs) * (1 - smoothing) + smoothing / count
        if weight is not None:
            shares = shares * weight.reshape(along)
        losses = -(logs * shares).sum(axis=axis)
        return losses.sum() / (math.prod(shape) // count) if reduction == "mean" else reduce(losses, reduction)
    labels = as_labels(who, shape, axis, target, ignore_index)
    m = common_backend([data_of(logs), labels], who)
    labels, counted = without_ignored(m, labels, ignore_index)
    index = _index_of(labels, shape, axis)
    if weight is None:
        return _mean_of_counted(m, _losses_of_labels(logs, index, axis, smoothing), counted, None, reduction)
    if not isinstance(weight, Value) and not m.owns(weight):
        weight = m.from_numpy(weight)  # traced labels index arrays of JAX only
    weights = getitem(weight, labels)
    losses = -getitem(logs, index) * weights
    if smoothing:
        spread = -(logs * weight.reshape(along)).sum(axis=axis)
        losses = (1 - smoothing) * losses + (smoothing / count) * spread
    return _mean_of_counted(m, losses, counted, weights, reduction)


def _losses_of_labels(logs: Value, index: tuple, axis: int, smoothing: float) -> Value:
    """Return the loss of each label, given log-probabilities and where in them those of the labels are."""
    losses = -getitem(logs, index)
    if smoothing:
        losses = (1 - smoothing) * losses - (smoothing / shape_of(logs)[axis]) * logs.sum(axis=axis)
    return losses


def as_labels(who: str, shape: tuple[int, ...], axis: int, target: Any, ignore_index: int) -> Any:
    """Return the labels of predictions of this shape as integers; raise if they do not fit."""
    count, given, expected = shape[axis], shape_of(target), shape[:axis] + shape[axis + 1 :]
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
        return as_indices(target, count, "label", "classes", ignore_index)
    except ArrayIndexError as error:
        if count > 1:
            raise
        raise ArrayIndexError(
            f"{error}. {who} needs one score per class; with one score per sample, use binary_cross_entropy_with_logits"
        ) from None


def without_ignored(m: Backend, labels, ignore_index: int) -> tuple[Any, Any]:
    """Return labels with 0 for those to ignore, and which count; None if all count."""
    if not m.is_traced(labels) and not bool((m.to_numpy(labels) == ignore_index).any()):
        return labels, None
    return m.xp.where(labels == ignore_index, 0, labels), m.xp.asarray(labels != ignore_index)


def _mean_of_counted(m: Backend, losses: Value, counted, weights, reduction: str) -> Value:
    """Return the losses that count, already times their weights, as their mean, their sum, or as they are.

    If none counts, their mean is NaN and the gradients are 0, as in PyTorch.
    """
    if counted is not None:
        losses = where(counted, losses, 0.0)  # not times 0: the scores of an ignored row may be NaN
        weights = m.astype(counted, data_of(losses).dtype) if weights is None else where(counted, weights, 0.0)
    if reduction == "mean" and weights is not None:
        return losses.sum() / weights.sum()
    return reduce(losses, reduction)


def _index_of(labels, shape: tuple[int, ...], axis: int) -> tuple:
    """Return the index of the labels in an array of predictions."""
    places = _places(shape[:axis] + shape[axis + 1 :])
    return (*places[:axis], labels, *places[axis:])


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
        raise ShapeError(NOT_SHARES.format(shape=tuple(data.shape)))


def _class_axis(x: object) -> int:
    return 0 if len(shape_of(x)) == 1 else 1


def _require_classes(who: str, shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape:
        raise ShapeError(f"{who}: expected predictions of shape (samples, classes, …) or (classes,), not {shape}")
