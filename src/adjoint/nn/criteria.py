"""Loss modules, with options as attributes: `HuberLoss(delta=0.5)(model(x), y)`. Names are those of `torch.nn`."""

from typing import Any

from adjoint.nn.alignments import ctc
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.likelihood_losses import focal, gaussian_nll, poisson_nll
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
    smooth_l1,
)
from adjoint.nn.margin_losses import (
    cosine_embedding,
    hinge_embedding,
    margin_ranking,
    multi_margin,
    multilabel_margin,
    multilabel_soft_margin,
    soft_margin,
    triplet_margin,
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


class SmoothL1Loss(Module):
    """The absolute error, with a parabola in place of the kink where the error is below `beta`."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        self.reduction, self.beta = reduction, beta

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return smooth_l1(prediction, target, beta=self.beta, reduction=self.reduction)


class PoissonNLLLoss(Module):
    """The negative log-likelihood of counts, given the rates of Poisson distributions, or their logarithms."""

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"):
        self.log_input, self.full, self.eps, self.reduction = log_input, full, eps, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return poisson_nll(
            prediction, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(Module):
    """The negative log-likelihood of targets, given the means and variances of normal distributions."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        self.full, self.eps, self.reduction = full, eps, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike, var: ArrayLike) -> Any:
        return gaussian_nll(prediction, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class FocalLoss(Module):
    """The binary cross-entropy of logits, with less weight on samples that are classified well."""

    def __init__(self, reduction: str = "mean", alpha: float = 0.25, gamma: float = 2.0):
        self.reduction, self.alpha, self.gamma = reduction, alpha, gamma

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return focal(prediction, target, alpha=self.alpha, gamma=self.gamma, reduction=self.reduction)


class CTCLoss(Module):
    """The negative log-likelihood of sequences of labels, summed over all alignments to the times of an input."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(
        self, log_probs: ArrayLike, targets: ArrayLike, input_lengths: ArrayLike, target_lengths: ArrayLike
    ) -> Any:
        return ctc(
            log_probs, targets, input_lengths, target_lengths,
            blank=self.blank, zero_infinity=self.zero_infinity, reduction=self.reduction,
        )  # fmt: skip


# --- margins ---------------------------------------------------------------------------------------------------


class HingeEmbeddingLoss(Module):
    """A distance where the target is 1, and the amount by which it misses a margin where the target is -1."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return hinge_embedding(prediction, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(Module):
    """log(1 + exp(-target·score)), for targets 1 and -1."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return soft_margin(prediction, target, reduction=self.reduction)


class MarginRankingLoss(Module):
    """The amount by which pairs of scores are in the wrong order."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction

    def forward(self, first: ArrayLike, second: ArrayLike, target: ArrayLike) -> Any:
        return margin_ranking(first, second, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(Module):
    """1 - cosine of pairs of vectors where the target is 1, and max(0, cosine - margin) where it is -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction

    def forward(self, first: ArrayLike, second: ArrayLike, target: ArrayLike) -> Any:
        return cosine_embedding(first, second, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(Module):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with the distance d of order `p`."""

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ):
        self.margin, self.p, self.eps, self.swap, self.reduction = margin, p, eps, swap, reduction

    def forward(self, anchor: ArrayLike, positive: ArrayLike, negative: ArrayLike) -> Any:
        return triplet_margin(
            anchor, positive, negative,
            margin=self.margin, p=self.p, eps=self.eps, swap=self.swap, reduction=self.reduction,
        )  # fmt: skip


class MultiMarginLoss(Module):
    """By how much scores of other classes come closer than a margin to the score of the label."""

    def __init__(self, p: int = 1, margin: float = 1.0, weight: ArrayLike | None = None, reduction: str = "mean"):
        self.p, self.margin, self.weight, self.reduction = p, margin, weight, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return multi_margin(
            prediction, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(Module):
    """By how much scores of other classes come closer than 1 to the scores of several labels."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return multilabel_margin(prediction, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(Module):
    """The binary cross-entropy of scores for several labels."""

    def __init__(self, weight: ArrayLike | None = None, reduction: str = "mean"):
        self.weight, self.reduction = weight, reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Any:
        return multilabel_soft_margin(prediction, target, weight=self.weight, reduction=self.reduction)
