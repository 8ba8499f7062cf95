"""Loss modules, with options as attributes: `HuberLoss(delta=0.5)(model(x), y)`. Names are those of `torch.nn`."""

from typing import Any

from adjoint.engine.value import Value
from adjoint.errors.given import number
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
from adjoint.nn.module import Functional, Module


def _ctc(*inputs: "ArrayLike", **options: Any) -> Value:
    from adjoint.nn.alignments import ctc

    return ctc(*inputs, **options)


def _set_weights(loss: Module, **weights: "ArrayLike | None") -> None:
    """Keep the weights of a loss as buffers, as PyTorch does: they are in its state and are not trained."""
    for name, given in weights.items():
        loss.register_buffer(name, given)


class MSELoss(Functional, function=mse):
    """The mean of the squared errors.

    >>> from adjoint import Value, nn
    >>> float(nn.MSELoss()(Value([1.0, 2.0]), [1.0, 4.0]))
    2.0
    """

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction


class L1Loss(Functional, function=l1):
    """The mean of the absolute errors.

    >>> from adjoint import Value, nn
    >>> nn.L1Loss()(Value([1.0, 2.0]), [2.0, 5.0]).item()
    2.0
    """

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction


class HuberLoss(Functional, function=huber):
    """Half the squared error where it is below `delta`, linear beyond.

    >>> from adjoint import Value, nn
    >>> nn.HuberLoss(reduction="none", delta=1.0)(Value([0.5, 3.0]), 0.0).data
    array([0.125, 2.5  ])
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        self.reduction, self.delta = reduction, number(delta, "HuberLoss: delta")


class HingeLoss(Functional, function=hinge):
    """The amount by which scores miss a margin, for targets 1 and -1: relu(margin - target * score).

    >>> from adjoint import Value, nn
    >>> nn.HingeLoss(reduction="none")(Value([2.0, 0.5, 1.0]), [1, 1, -1]).data
    array([0. , 0.5, 2. ])
    """

    def __init__(self, reduction: str = "mean", margin: float = 1.0):
        self.reduction, self.margin = reduction, margin


class BCELoss(Functional, function=binary_cross_entropy):
    """The binary cross-entropy of predicted probabilities and targets from 0 to 1.

    >>> from adjoint import Value, nn
    >>> round(nn.BCELoss()(Value([0.5]), [1.0]).item(), 6)
    0.693147
    """

    def __init__(self, weight: "ArrayLike | None" = None, reduction: str = "mean"):
        _set_weights(self, weight=weight)
        self.reduction = reduction


class BCEWithLogitsLoss(Functional, function=binary_cross_entropy_with_logits):
    """The binary cross-entropy of scores before a sigmoid and targets from 0 to 1.

    >>> from adjoint import Value, nn
    >>> round(nn.BCEWithLogitsLoss()(Value([0.0]), [1.0]).item(), 6)
    0.693147
    >>> round(nn.BCEWithLogitsLoss(pos_weight=2.0)(Value([0.0]), [1.0]).item(), 6)
    1.386294
    """

    def __init__(
        self, weight: "ArrayLike | None" = None, reduction: str = "mean", pos_weight: "ArrayLike | None" = None
    ):
        _set_weights(self, weight=weight, pos_weight=pos_weight)
        self.reduction = reduction


class CrossEntropyLoss(Functional, function=cross_entropy):
    """The cross-entropy of scores before a softmax and class labels or probabilities.

    >>> from adjoint import Value, nn
    >>> round(float(nn.CrossEntropyLoss()(Value([[0.0, 0.0]]), [1])), 6)
    0.693147
    """

    def __init__(
        self,
        weight: "ArrayLike | None" = None,
        ignore_index: int = IGNORED,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        _set_weights(self, weight=weight)
        self.ignore_index, self.reduction, self.label_smoothing = ignore_index, reduction, label_smoothing


class NLLLoss(Functional, function=nll):
    """The negative log-likelihood of labels, given log-probabilities.

    >>> import math
    >>> from adjoint import Value, nn
    >>> logs = Value([[math.log(0.25), math.log(0.75)]])
    >>> round(nn.NLLLoss()(logs, [0]).item(), 6), round(math.log(4), 6)
    (1.386294, 1.386294)
    """

    def __init__(self, weight: "ArrayLike | None" = None, ignore_index: int = IGNORED, reduction: str = "mean"):
        _set_weights(self, weight=weight)
        self.ignore_index, self.reduction = ignore_index, reduction


class KLDivLoss(Functional, function=kl_div):
    """The Kullback-Leibler divergence of predicted log-probabilities from target probabilities.

    >>> import math
    >>> from adjoint import Value, nn
    >>> logs = Value([[math.log(0.5), math.log(0.5)]])
    >>> round(nn.KLDivLoss(reduction="sum")(logs, [[1.0, 0.0]]).item(), 6), round(math.log(2), 6)
    (0.693147, 0.693147)
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False):
        self.reduction, self.log_target = reduction, log_target


class SmoothL1Loss(Functional, function=smooth_l1):
    """The absolute error, with a parabola in place of the kink where the error is below `beta`.

    >>> from adjoint import Value, nn
    >>> nn.SmoothL1Loss(reduction="none", beta=2.0)(Value([1.0, 3.0]), 0.0).data
    array([0.25, 2.  ])
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        self.reduction, self.beta = reduction, beta


class PoissonNLLLoss(Functional, function=poisson_nll):
    """The negative log-likelihood of counts, given the rates of Poisson distributions, or their logarithms.

    >>> from adjoint import Value, nn
    >>> round(nn.PoissonNLLLoss()(Value([0.0]), [3.0]).item(), 6)
    1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"):
        self.log_input, self.full, self.eps, self.reduction = log_input, full, eps, reduction


class GaussianNLLLoss(Functional, function=gaussian_nll):
    """The negative log-likelihood of targets, given the means and variances of normal distributions.

    >>> from adjoint import Value, nn
    >>> means, variances = Value([0.0, 0.0]), Value([1.0, 1.0])
    >>> nn.GaussianNLLLoss(reduction="none")(means, [0.0, 2.0], variances).data
    array([0., 2.])
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        self.full, self.eps, self.reduction = full, eps, reduction


class FocalLoss(Functional, function=focal):
    """The binary cross-entropy of logits, with less weight on samples that are classified well.

    >>> from adjoint import Value, nn
    >>> nn.FocalLoss(reduction="none")(Value([0.0, 2.0]), [1.0, 1.0]).data.round(6)
    array([0.043322, 0.000451])
    """

    def __init__(self, reduction: str = "mean", alpha: float = 0.25, gamma: float = 2.0):
        self.reduction, self.alpha, self.gamma = reduction, alpha, gamma


class CTCLoss(Functional, function=_ctc):
    """The negative log-likelihood of sequences of labels, summed over all alignments to the times of an input.

    >>> import math
    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> logs = Value(np.full((2, 1, 2), math.log(0.5)))  # 2 times, 1 sequence, the blank and one label
    >>> loss = nn.CTCLoss()(logs, [[1]], [2], [1])  # 3 of the 4 outputs stand for the sequence [1]
    >>> round(loss.item(), 6), round(-math.log(3 / 4), 6)
    (0.287682, 0.287682)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity


# --- margins ---------------------------------------------------------------------------------------------------


class HingeEmbeddingLoss(Functional, function=hinge_embedding):
    """A distance where the target is 1, and the amount by which it misses a margin where the target is -1.

    >>> from adjoint import Value, nn
    >>> nn.HingeEmbeddingLoss(reduction="none")(Value([0.25, 0.25]), [1, -1]).data
    array([0.25, 0.75])
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction


class SoftMarginLoss(Functional, function=soft_margin):
    """log(1 + exp(-target·score)), for targets 1 and -1.

    >>> from adjoint import Value, nn
    >>> nn.SoftMarginLoss(reduction="none")(Value([0.0, 2.0]), [1, 1]).data.round(6)
    array([0.693147, 0.126928])
    """

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction


class MarginRankingLoss(Functional, function=margin_ranking):
    """The amount by which pairs of scores are in the wrong order.

    >>> from adjoint import Value, nn
    >>> first, second = Value([3.0, 1.0]), Value([1.0, 3.0])
    >>> nn.MarginRankingLoss(reduction="none")(first, second, [1, 1]).data
    array([0., 2.])
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction


class CosineEmbeddingLoss(Functional, function=cosine_embedding):
    """1 - cosine of pairs of vectors where the target is 1, and max(0, cosine - margin) where it is -1.

    >>> from adjoint import Value, nn
    >>> first, second = Value([[1.0, 0.0], [0.0, 2.0]]), Value([[0.0, 1.0], [0.0, 1.0]])
    >>> nn.CosineEmbeddingLoss(reduction="none")(first, second, [1, -1]).data.round(6)
    array([1., 1.])
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        self.margin, self.reduction = margin, reduction


class TripletMarginLoss(Functional, function=triplet_margin):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with the distance d of order `p`.

    >>> from adjoint import Value, nn
    >>> anchor, positive, negative = Value([[0.0, 0.0]]), [[3.0, 4.0]], [[0.0, 2.0]]
    >>> round(nn.TripletMarginLoss()(anchor, positive, negative).item(), 4)
    4.0
    """

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ):
        self.margin, self.p, self.eps, self.swap, self.reduction = margin, p, eps, swap, reduction


class MultiMarginLoss(Functional, function=multi_margin):
    """By how much scores of other classes come closer than a margin to the score of the label.

    >>> from adjoint import Value, nn
    >>> nn.MultiMarginLoss()(Value([[1.0, 0.5, 3.5, -2.0]]), [0]).item()
    1.0
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: "ArrayLike | None" = None, reduction: str = "mean"):
        _set_weights(self, weight=weight)
        self.p, self.margin, self.reduction = p, margin, reduction


class MultiLabelMarginLoss(Functional, function=multilabel_margin):
    """By how much scores of other classes come closer than 1 to the scores of several labels.

    >>> from adjoint import Value, nn
    >>> nn.MultiLabelMarginLoss()(Value([[1.0, 0.5, 0.0, 2.0]]), [[3, 0, -1, 1]]).item()
    0.125
    """

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction


class MultiLabelSoftMarginLoss(Functional, function=multilabel_soft_margin):
    """The binary cross-entropy of scores for several labels.

    >>> from adjoint import Value, nn
    >>> round(nn.MultiLabelSoftMarginLoss()(Value([[0.0, 0.0]]), [[1, 0]]).item(), 6)
    0.693147
    """

    def __init__(self, weight: "ArrayLike | None" = None, reduction: str = "mean"):
        _set_weights(self, weight=weight)
        self.reduction = reduction
