"""Loss modules, with options as attributes: `HuberLoss(delta=0.5)(model(x), y)`. Names are those of `torch.nn`."""

from typing import Any

from adjoint.nn.inputs import ArrayLike
from adjoint.nn.losses import (
    IGNORED,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    hinge,
    huber,
    kl_div,
    l1,
    mse,
    nll,
)
from adjoint.nn.module import Module


class MSELoss(Module):
    """The mean of the squared errors.

    >>> from adjoint import Value
    >>> float(MSELoss()(Value([1.0, 2.0]), [1.0, 4.0]))
    2.0
    """

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return mse(prediction, target, reduction=self.reduction)


class L1Loss(Module):
    """The mean of the absolute errors."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return l1(prediction, target, reduction=self.reduction)


class HuberLoss(Module):
    """Half the squared error where it is below `delta`, linear beyond."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        self.reduction, self.delta = reduction, delta

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return huber(prediction, target, delta=self.delta, reduction=self.reduction)


class HingeLoss(Module):
    """The amount by which scores miss a margin, for targets 1 and -1: relu(margin - target * score)."""

    def __init__(self, reduction: str = "mean", margin: float = 1.0):
        self.reduction, self.margin = reduction, margin

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return hinge(prediction, target, margin=self.margin, reduction=self.reduction)


class BCELoss(Module):
    """The binary cross-entropy of predicted probabilities and targets from 0 to 1."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return binary_cross_entropy(prediction, target, reduction=self.reduction)


class BCEWithLogitsLoss(Module):
    """The binary cross-entropy of scores before a sigmoid and targets from 0 to 1."""

    def __init__(self, reduction: str = "mean", pos_weight: ArrayLike | None = None):
        self.reduction, self.pos_weight = reduction, pos_weight

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return binary_cross_entropy_with_logits(
            prediction, target, pos_weight=self.pos_weight, reduction=self.reduction
        )


class CrossEntropyLoss(Module):
    """The cross-entropy of scores before a softmax and class labels or probabilities.

    >>> from adjoint import Value
    >>> round(float(CrossEntropyLoss()(Value([[0.0, 0.0]]), [1])), 6)
    0.693147
    """

    def __init__(
        self,
        weight: ArrayLike | None = None,
        ignore_index: int = IGNORED,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        self.weight, self.ignore_index = weight, ignore_index
        self.reduction, self.label_smoothing = reduction, label_smoothing

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return cross_entropy(
            prediction,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
        )


class NLLLoss(Module):
    """The negative log-likelihood of labels, given log-probabilities."""

    def __init__(self, weight: ArrayLike | None = None, ignore_index: int = IGNORED, reduction: str = "mean"):
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return nll(prediction, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class KLDivLoss(Module):
    """The Kullback-Leibler divergence of predicted log-probabilities from target probabilities."""

    def __init__(self, reduction: str = "mean", log_target: bool = False):
        self.reduction, self.log_target = reduction, log_target

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return kl_div(prediction, target, log_target=self.log_target, reduction=self.reduction)
