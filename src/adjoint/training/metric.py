"""A metric of training, and the metrics that need the predictions of all samples.

A metric is a function of predictions and targets as plain arrays that returns a number. Some, such as the accuracy, are
means over the samples, so the mean of the batches is their value on all data. Others, such as F1 and those that users
define, are not: `AllSamples` collects the predictions of an epoch for them. `measurements.py` finds metrics by name.
This file needs no NumPy: the page of the lab trains networks of numbers without it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from adjoint.arrays.kinds import data_of
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    import numpy as np


class Metric(NamedTuple):
    """A function of predictions and targets, and its name."""

    name: str
    function: Callable[[Any, Any], Any]
    is_traceable: bool = False  # whether it can be compiled with the rest of a step
    is_mean: bool = False  # whether the mean over batches is the number of all samples
    is_ours: bool = False  # whether it refuses predictions that are not finite


class AllSamples:
    """Collects the predictions and targets of an epoch for the metrics that are not means."""

    def __init__(self, metrics: list[Metric]):
        self.metrics = [metric for metric in metrics if not metric.is_mean]
        self.reset()

    def reset(self) -> None:
        """Start an epoch."""
        self._predictions: list[np.ndarray] = []
        self._targets: list[np.ndarray] = []

    def add(self, prediction: Any, y: Any) -> None:
        """Add a batch."""
        if self.metrics:
            import numpy as np

            self._predictions.append(np.array(prediction))
            self._targets.append(np.array(data_of(y)))

    def results(self) -> dict[str, float]:
        """Return the numbers of all samples so far; those of adjoint are nan if a prediction is not finite."""
        if not self._targets:
            return {}
        import numpy as np

        p, y = np.concatenate(self._predictions), np.concatenate(self._targets)
        is_finite = p.dtype.kind != "f" or bool(np.isfinite(p).all())
        return {
            metric.name: _number(metric, p, y) if is_finite or not metric.is_ours else float("nan")
            for metric in self.metrics
        }


def _number(metric: Metric, prediction: "np.ndarray", y: "np.ndarray") -> float:
    found = metric.function(prediction, y)
    try:
        return float(found)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the metric {metric.name!r} must return one number, not {describe(found)}; compute tables such as the "
            f"confusion matrix in a callback, or after training"
        ) from None
