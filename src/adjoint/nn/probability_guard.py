"""The guard of `cross_entropy`: probabilities in place of scores, most often from a softmax as the last layer.

A softmax of probabilities hardly depends on them, so training is slow and stops far from the minimum, without an error.
Only results of a computation are looked at: scores that are data may be anything.
"""

from collections.abc import Sequence
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ProbabilitiesAsScoresWarning
from adjoint.errors.given import is_traced
from adjoint.errors.guard_warnings import is_on, warn_once

_CLOSE = 1e-5  # how far the sum of float32 probabilities is from 1
_ROWS = 8  # that are examined if the first one sums to 1


def check_scores(scores: Value, axis: int) -> None:
    """Warn if an array of scores is the result of a softmax, or has positive rows that sum to 1.

    >>> import warnings
    >>> from adjoint import nn
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     loss = nn.cross_entropy(Value([[2.0, 0.0]]).softmax(1), [0])
    >>> [warning.category.__name__ for warning in found]
    ['ProbabilitiesAsScoresWarning']
    """
    if not scores.parents:
        return
    if scores.op == "softmax" or _sums_to_one(scores._data, axis):
        _warn("the result of a softmax" if scores.op == "softmax" else "rows of probabilities, which sum to 1,")


def check_row(row: Sequence[object]) -> None:
    """Warn if the scores of a sample are positive numbers that sum to 1."""
    if len(row) < 2 or not all(isinstance(x, Value) and x.parents for x in row):
        return
    numbers = [x.data for x in row if isinstance(x, Value)]
    if any(map(is_traced, numbers)):  # not known while jit records
        return
    if abs(sum(numbers) - 1) < _CLOSE and min(numbers) > 0:
        _warn("rows of probabilities, which sum to 1,")


def _sums_to_one(data: Any, axis: int) -> bool:
    """Return whether rows of an array of NumPy are positive and sum to 1; usually one row is enough to see that not."""
    import numpy as np

    if type(data) is not np.ndarray or not data.size or data.shape[axis] < 2:
        return False
    first = tuple(slice(None) if k == axis else 0 for k in range(data.ndim))
    if not abs(float(data[first].sum(dtype=float)) - 1) < _CLOSE:
        return False
    some = data[tuple(slice(None) if k == axis else slice(_ROWS) for k in range(data.ndim))]
    return bool(some.min() > 0 and (abs(some.sum(axis, dtype=float) - 1) < _CLOSE).all())


def _warn(what: str) -> None:
    if is_on("probabilities_as_scores"):
        warn_once("probabilities_as_scores", ProbabilitiesAsScoresWarning, _TEXT.format(what))


_TEXT = (
    "cross_entropy got {} in place of scores. It applies a softmax itself, and a second one slows training down: "
    "leave out the softmax, also as the last layer of a model, and apply it to predictions only. For probabilities "
    "that are no softmax, use nn.nll(probabilities.log(), targets)."
)
