"""The metrics of training: by name or as functions."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from adjoint import metrics
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.errors.public_names import PublicTable
from adjoint.errors.suggest import unknown_name_error
from adjoint.metrics.classification import accuracy_at
from adjoint.training.batch_sources import BatchSource
from adjoint.training.metric import Metric
from adjoint.training.objectives import LOSSES, OF_CLASSES, OF_SCORES, align_targets

_OF_LABELS = ("precision", "recall", "f1")
_NAMES = (*_OF_LABELS, "auc", "r2", "rmse", "top_k", "accuracy", "mae", "mse")
_PUBLIC = PublicTable("adjoint.metrics", {name: name for name in _NAMES})
METRICS = tuple(dict.fromkeys(["accuracy", *_PUBLIC, *LOSSES]))
_OF_NUMBERS = ("mse", "l1", "huber")  # losses of regressions
LARGEST_IS_BEST = ("accuracy", "precision", "recall", "f1", "auc", "r2", "top_k")


def metrics_of(given: object, loss: str, source: BatchSource) -> list[Metric]:
    """Return the metrics of some names and functions; a single one needs no list, and a dict gives them other names."""
    entries: Any = [given] if isinstance(given, str) or callable(given) else given
    if not isinstance(entries, Iterable):
        raise ArgumentError(f"metrics must be names such as 'accuracy', or functions, not {describe(given)}")
    pairs = entries.items() if isinstance(entries, Mapping) else ((None, entry) for entry in entries)
    found: list[Metric] = []
    for name, entry in pairs:
        metric = _metric_of(entry, loss, source)
        found.append(metric if name is None else metric._replace(name=name))
        if found[-1].name in ("epoch", "loss", "lr", "seconds", *(metric.name for metric in found[:-1])):
            raise ArgumentError(
                f"two columns have the name {found[-1].name!r}; give each metric another name, as a dict: "
                f"metrics={{name: metric}}"
            )
    return found


def _metric_of(entry: Any, loss: str, source: BatchSource) -> Metric:
    is_name = isinstance(entry, str)
    name = entry if is_name else next((name for name, function in _PUBLIC.items() if entry is function), entry)
    if name == "accuracy":
        _require_labels(loss, source)
        return Metric(name, accuracy_at(_threshold(loss, source)), is_traceable=True, is_mean=True)
    if isinstance(name, str) and (name in LOSSES or name == "mae"):
        function = LOSSES["l1" if name == "mae" else name]
        aligned = function if name in OF_CLASSES else align_targets(function)
        return Metric(name, aligned, is_traceable=True, is_mean=True)
    if isinstance(name, str) and name in _PUBLIC:
        options = {"threshold": _threshold(loss, source)} if name in _OF_LABELS else {}
        return Metric(name, partial(_PUBLIC[name], **options), is_mean=name == "top_k", is_ours=True)
    if isinstance(entry, partial) and entry.func in _PUBLIC.values():  # with options, such as k=3 or average="macro"
        public = _metric_of(entry.func, loss, source)
        options = getattr(public.function, "keywords", {}) | entry.keywords
        return Metric(public.name, partial(entry.func, **options), is_mean=public.is_mean, is_ours=True)
    if not callable(entry):
        raise unknown_name_error("metric", entry, METRICS, "; or pass a function of predictions and targets")
    function = entry.func if isinstance(entry, partial) else entry
    is_mean = isinstance(entry, metrics.MeanOfBatches)
    return Metric(getattr(function, "__name__", type(function).__name__), entry, is_mean=is_mean)


def _require_labels(loss: str, source: BatchSource) -> None:
    """Raise if the accuracy is asked for where numbers are predicted, not classes."""
    y = source.sample().y
    fractions = y[y != y.round()] if loss in _OF_NUMBERS and y.dtype.kind == "f" else y[:0]
    if fractions.size:
        raise DataError(
            f"accuracy compares labels, but the targets are numbers such as {fractions.flat[0]:g}; for a regression "
            "use metrics='r2', 'mae' or 'rmse'"
        )


def _threshold(loss: str, source: BatchSource) -> float:
    """Return the threshold of a positive prediction: 0 for scores and for targets of -1 and 1, else 0.5."""
    y = source.sample().y
    is_score = loss in OF_SCORES or (loss != "binary_cross_entropy" and y.min() < 0)
    return 0.0 if is_score else 0.5
