"""Weights of samples and classes: the loss becomes a weighted mean, sum(w * loss) / sum(w).

This is what PyTorch's `cross_entropy(weight=…)` computes for class weights, and scikit-learn's metrics for
`sample_weight`. The loss of an epoch is the weighted mean over all samples. Metrics count every sample once.
"""

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError, DataError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.nn.losses import IGNORED
from adjoint.nn.module import Module
from adjoint.transforms.trees import tree_leaves

Loss = Callable[..., Any]


class ClassWeights:
    """The weight of each class, from which samples get their weights."""

    def __init__(self, given: Any, targets: np.ndarray | None):
        if given == "balanced" if isinstance(given, str) else False:
            given = _balanced(targets)
        elif isinstance(given, str) or (not isinstance(given, Mapping) and not hasattr(given, "__len__")):
            raise ArgumentError(
                "class_weight must be 'balanced', a dict such as {0: 1.0, 1: 5.0}, or one number per class, not "
                f"{describe(given)}"
            )
        pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
        self.weights = {label: _positive(w, f"the weight of class {label!r}") for label, w in pairs}
        self.is_complete = not isinstance(given, Mapping)

    def __call__(self, y: np.ndarray) -> np.ndarray:
        """Return the weight of each label. A label that a dict does not list has the weight 1."""
        labels, places = np.unique(y, return_inverse=True)
        if y.dtype.kind == "f" and (wrong := labels[labels % 1 != 0]).size:
            raise DataError(f"class_weight needs targets that are labels of classes, but they contain {wrong[0]:g}")
        for label in labels.tolist() if self.is_complete else ():
            if label not in self.weights and label != IGNORED:
                raise DataError(f"class_weight has {len(self.weights)} weights, but there is the label {label}")
        return np.array([self.weights.get(label, 1.0) for label in labels.tolist()])[places].reshape(y.shape)


def _balanced(targets: np.ndarray | None) -> dict[Any, float]:
    """Return the weights that scikit-learn calls balanced: samples / (classes * samples of the class)."""
    if targets is None:
        raise ArgumentError(
            "class_weight='balanced' needs all targets before training, as in fit(model, X, y); for batches of an "
            "iterable pass a dict of weights"
        )
    labels, counts = np.unique(targets[targets != IGNORED], return_counts=True)
    return {label: targets.size / (len(labels) * n) for label, n in zip(labels.tolist(), counts.tolist())}


def _positive(w: Any, what: str) -> float:
    if not is_number(w) or not 0 <= w < np.inf:
        raise ArgumentError(f"{what} must be a number of at least 0, not {describe(w)}")
    return float(w)


def require_weights(weight: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of samples as floats; raise unless each is finite and at least 0."""
    if weight.shape not in ((len(y),), y.shape):
        raise ShapeError(f"sample_weight must have shape ({len(y)},), one number per sample, not {weight.shape}")
    if not ((weight >= 0) & (weight < np.inf)).all():
        wrong = weight[~((weight >= 0) & (weight < np.inf))].flat[0]
        raise DataError(f"sample_weight must be finite and at least 0, but it contains {wrong:g}")
    return weight.astype(float)


def weights_of(y: np.ndarray, weight: np.ndarray | None, classes: ClassWeights | None) -> np.ndarray | None:
    """Return the product of the weights of samples and classes; samples with an ignored label have the weight 0."""
    if classes is not None:
        found = classes(y)
        weight = found if weight is None else found * weight.reshape(weight.shape + (1,) * (y.ndim - weight.ndim))
    if weight is not None and y.dtype.kind == "i" and (is_ignored := y == IGNORED).any():
        weight = np.broadcast_to(weight.reshape(weight.shape + (1,) * (y.ndim - weight.ndim)), y.shape) * ~is_ignored
    return weight


def normalize(weight: Any) -> tuple[Any, Any]:
    """Return weights divided by their sum, and the sum. Weights that are all 0 stay 0."""
    m: Any = backend_of(weight)
    total = weight.sum()
    return weight / m.xp.where(total > 0, total, 1.0), total


def weighted(loss: Loss) -> Loss:
    """Return a function of predictions, targets and normalized weights, given a loss that has `reduction="none"`."""
    each = _unreduced(loss)

    def mean(prediction: Any, target: Any, share: Any) -> Any:
        losses = each(prediction, target)
        if isinstance(losses, Tensor):
            if share.ndim > losses.ndim:
                raise ShapeError(
                    "class_weight needs labels, one integer per sample, not targets with probabilities of classes; "
                    "pass y.argmax(axis=1), or a sample_weight"
                )
            rest = losses.reshape((*share.shape, -1)) if losses.shape != share.shape else losses[..., None]
            return (rest.mean(axis=-1) * share).sum()
        shares, leaves = tree_leaves(share), tree_leaves(losses)
        per_sample = len(leaves) // len(shares)
        return sum(w / per_sample * leaf for w, group in zip(shares, _groups(leaves, per_sample)) for leaf in group)

    return mean


def _groups(leaves: list, size: int) -> list[list]:
    return [leaves[k : k + size] for k in range(0, len(leaves), size)]


def _unreduced(loss: Any) -> Loss:
    if isinstance(loss, Module) and hasattr(loss, "reduction"):
        if getattr(loss, "weight", None) is not None:
            raise ArgumentError(
                "the loss has weights of classes of its own; use class_weight and sample_weight instead"
            )
        loss = copy(loss)
        loss.reduction = "none"
        return loss
    try:
        is_reducible = "reduction" in inspect.signature(loss).parameters
    except (TypeError, ValueError):
        is_reducible = False
    if not is_reducible:
        raise ArgumentError(
            "sample_weight and class_weight need a loss that can return one number per sample: a name, a loss of "
            "adjoint.nn, or a function with an argument reduction, which is 'none' then"
        )
    return lambda prediction, target: loss(prediction, target, reduction="none")
