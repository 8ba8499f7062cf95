"""The cross-entropy and the negative log-likelihood of lists of scalar Values, which scalar networks return."""

import functools
import operator
from typing import Any

from adjoint.arrays.kinds import data_of
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe, is_traced
from adjoint.nn.loss_arguments import NOT_SHARES, REDUCTIONS, as_lists, require_reduction
from adjoint.nn.probability_guard import check_row


def likelihood_of_scores(
    prediction: object, target: object, weight: object, ignore_index: int, smoothing: float, reduction: str
) -> Any:
    """Return the cross-entropy: the negative log-likelihood of labels or probabilities, given scores."""
    rows, targets, is_batch = _rows("cross_entropy", prediction, target)
    check_row(rows[0])
    weights = _weights("cross_entropy", weight, len(rows[0]))
    return _likelihood(list(map(_log_softmax, rows)), targets, weights, ignore_index, smoothing, reduction, is_batch)


def likelihood_of_logarithms(
    prediction: object, target: object, weight: object, ignore_index: int, reduction: str
) -> Any:
    """Return the negative log-likelihood of labels, given log-probabilities."""
    rows, targets, is_batch = _rows("nll", prediction, target)
    return _likelihood(rows, targets, _weights("nll", weight, len(rows[0])), ignore_index, 0.0, reduction, is_batch)


def _rows(who: str, prediction: object, target: object) -> tuple[list[list], list, bool]:
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
            raise ShapeError(NOT_SHARES.format(shape=(len(shares),)))
    return [list(row) for row in rows], list(targets), is_batch


def _weights(who: str, weight: object, count: int) -> list[float]:
    """Return one weight per class."""
    weights = [1.0] * count if weight is None else as_lists(weight)
    if not isinstance(weights, (list, tuple)) or len(weights) != count:
        raise ShapeError(f"{who}: weight must have shape ({count},), one number per class, not {describe(weight)}")
    return [float(x) for x in weights]


def _log_softmax(row: list) -> list:
    """Return the log-probabilities of the scores of a sample."""
    if any(is_traced(data_of(x)) for x in row):
        top = functools.reduce(ops.maximum, [data_of(x) for x in row])
    else:
        top = max(float(x) for x in row)
    total = sum(ops.exp(x - top) for x in row)
    return [x - (ops.log(total) + top) for x in row]


def _likelihood(
    rows: list[list],
    targets: list,
    weights: list[float],
    ignore_index: int,
    smoothing: float,
    reduction: str,
    is_batch: bool,
) -> Any:
    """Return the negative log-likelihood of labels or probabilities, given the log-probabilities of each sample."""
    require_reduction(reduction, REDUCTIONS)
    losses, counts = [], []
    for place, (logs, target) in enumerate(zip(rows, targets)):
        classes = range(len(logs))
        if is_traced(target):
            loss, counted = _likelihood_of_traced_label(logs, target, weights, ignore_index, smoothing)
            losses.append(loss)
            counts.append(counted)
            continue
        if isinstance(target, (list, tuple)):
            shares, counted = target, 1.0
        else:
            _require_label(target, place, len(logs), ignore_index)
            if target == ignore_index:
                losses.append(Value(0.0))
                counts.append(0.0)
                continue
            shares, counted = [float(i == target) for i in classes], weights[target]
        shares = [(1 - smoothing) * shares[i] + smoothing / len(logs) for i in classes]
        losses.append(-sum(weights[i] * shares[i] * logs[i] for i in classes if shares[i]))
        counts.append(counted)
    if reduction == "none":
        return losses if is_batch else losses[0]
    return sum(losses) / sum(counts) if reduction == "mean" else sum(losses)


def _require_label(target: Any, place: int, count: int, ignored: int) -> None:
    """Raise unless a label is an integer from 0 to count - 1, or `ignored`; `indices.py` does it for arrays."""
    try:
        label = None if isinstance(target, bool) else operator.index(target)
    except TypeError:
        label = None
    if label is None:
        hint = (
            "; number them first: names, numbers = numpy.unique(…, return_inverse=True)"
            if isinstance(target, str)
            else ""
        )
        raise ArgumentError(f"each label must be an integer from 0 to {count - 1}, not {describe(target)}{hint}")
    if label != ignored and not 0 <= label < count:
        raise ArrayIndexError(
            f"label {label} at position {place} is out of range: there are {count} classes, 0 to {count - 1}"
        )


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
