"""Losses with margins: of scores, of pairs and triplets, and of several labels. Definitions are those of `torch.nn`."""

from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.choosing import where
from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, number
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.loss_arguments import (
    REDUCTIONS,
    as_array,
    as_values,
    pointwise,
    reduce,
    require_reduction,
    require_same_shapes,
    unwrap,
)


def _positive(x: Value) -> Value:
    """Return x where it is at least 0, else 0; unlike relu's, the slope at 0 is 1, as in PyTorch's losses."""
    if is_tensor(x):
        return x.clip(0.0)
    is_negative = x < 0
    if is_negative is True:
        return ops.minimum(ops.abs(x), 0.0)  # 0, with the history of x
    return where(is_negative, 0.0, x)


# --- of each element ---------------------------------------------------------------------------------------


def soft_margin(input: "ArrayLike", target: "ArrayLike", *, reduction: str = "mean") -> Value:
    """Return log(1 + exp(-target·score)), for targets 1 and -1.

    >>> from adjoint import Value, nn
    >>> nn.soft_margin(Value([0.0, 2.0]), [1, 1], reduction="none").data.round(6)
    array([0.693147, 0.126928])
    """
    return pointwise("soft_margin", lambda p, t: ops.softplus(-(p * t)), input, target, reduction)


def hinge_embedding(input: "ArrayLike", target: "ArrayLike", *, margin: float = 1.0, reduction: str = "mean") -> Value:
    """Return a distance where the target is 1, and the amount by which it misses a margin where the target is -1.

    >>> from adjoint import Value, nn
    >>> nn.hinge_embedding(Value([0.5, 0.5, 2.0]), [1, -1, -1], reduction="none").data
    array([0.5, 0.5, 0. ])
    """
    margin = number(margin, "hinge_embedding: margin")

    def formula(p, t):
        t = t if is_tensor(t) else data_of(t)
        return where(t != 1, _positive(margin - p), 0.0) + where(t != -1, p, 0.0)

    return pointwise("hinge_embedding", formula, input, target, reduction)


# --- of pairs and triplets -----------------------------------------------------------------------------------


def margin_ranking(
    input1: "ArrayLike", input2: "ArrayLike", target: "ArrayLike", *, margin: float = 0.0, reduction: str = "mean"
) -> Value:
    """Return the amount by which pairs of scores are in the wrong order.

    Where the target is 1, the first score should be larger than the second by `margin`; where it is -1, smaller.

    >>> from adjoint import Value, nn
    >>> nn.margin_ranking(Value([3.0, 1.0]), [1.0, 2.0], [1, 1], reduction="none").data
    array([0., 1.])
    """
    require_reduction(reduction, REDUCTIONS)
    (a, b, t), is_plain = as_values(input1, input2, target)
    losses = _positive(ops.neg(t * (a - b)) + number(margin, "margin_ranking: margin"))
    return unwrap(reduce(losses, reduction), is_plain)


_TINY = 1e-12  # added to squared lengths, as in PyTorch


def cosine_embedding(
    input1: "ArrayLike", input2: "ArrayLike", target: "ArrayLike", *, margin: float = 0.0, reduction: str = "mean"
) -> Value:
    """Return 1 - cosine of pairs of vectors where the target is 1, and max(0, cosine - margin) where it is -1.

    The vectors are the rows of two arrays of shape (samples, features), or two arrays of shape (features,).

    >>> from adjoint import Value, nn
    >>> round(float(nn.cosine_embedding(Value([[1.0, 1.0]]), [[1.0, 0.0]], [1])), 6)
    0.292893
    """
    require_reduction(reduction, REDUCTIONS)
    (a, b), is_plain = as_values(input1, input2)
    t = as_array(target)
    t = t if is_tensor(t) else data_of(t)  # == of a Value that is a number means identity
    shape = require_same_shapes("cosine_embedding", input1=a, input2=b)
    if len(shape) not in (1, 2) or shape_of(t) != shape[:-1]:
        raise ShapeError(
            f"cosine_embedding needs vectors of shape (samples, features) and targets of shape (samples,), or one pair "
            f"of vectors and one target, not {shape} and {shape_of(t)}"
        )
    reductions = array_code("functions.reductions")
    lengths = [reductions.sum(ops.square(x), -1) + _TINY for x in (a, b)]
    cosine = reductions.sum(a * b, -1) / ops.sqrt(lengths[0] * lengths[1])
    apart = _positive(cosine - number(margin, "cosine_embedding: margin"))
    losses = where(_equals(t, 1), 1 - cosine, 0.0) + where(_equals(t, -1), apart, 0.0)
    return unwrap(reduce(losses, reduction), is_plain)


def _equals(target: object, number: int) -> object:
    """Return where targets are a number, as an array: a single target as an array without axes."""
    import numpy as np

    is_equal = target == number
    return np.asarray(is_equal) if isinstance(is_equal, bool) else is_equal


def triplet_margin(
    anchor: "ArrayLike",
    positive: "ArrayLike",
    negative: "ArrayLike",
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Value:
    """Return max(0, d(anchor, positive) - d(anchor, negative) + margin), with the distance d of order `p`.

    As in PyTorch, `eps` is added to each difference. With `swap`, the negative may be nearer to the positive than to
    the anchor, and the smaller of the two distances counts.

    >>> from adjoint import Value, nn
    >>> anchor, positive, negative = Value([[0.0, 0.0]]), [[3.0, 4.0]], [[0.0, 2.0]]
    >>> round(nn.triplet_margin(anchor, positive, negative).item(), 4)
    4.0
    """
    require_reduction(reduction, REDUCTIONS)
    margin, eps = number(margin, "triplet_margin: margin"), number(eps, "triplet_margin: eps")
    (a, b, c), is_plain = as_values(anchor, positive, negative)

    def distance(x, z):
        return array_code("functions.norms").norm(ops.sub(x, z) + eps, p, axis=-1)

    near, far = distance(a, b), distance(a, c)
    if swap:
        far = ops.minimum(far, distance(b, c))
    return unwrap(reduce(_positive(near - far + margin), reduction), is_plain)


# --- of classes ------------------------------------------------------------------------------------------------


def multi_margin(
    input: "ArrayLike",
    target: "ArrayLike",
    *,
    p: int = 1,
    margin: float = 1.0,
    weight: "ArrayLike | None" = None,
    reduction: str = "mean",
) -> Value:
    """Return by how much scores of other classes come closer than `margin` to the score of the label.

    It is the mean over all classes i but the label y of max(0, margin - score_y + score_i) to the power `p`, 1 or 2.
    The mean divides by the number of all classes. `weight` has one number per class.

    >>> from adjoint import Value, nn
    >>> round(float(nn.multi_margin(Value([[0.1, 0.2, 0.4, 0.8]]), [3])), 6)
    0.325
    """
    require_reduction(reduction, REDUCTIONS)
    if p not in (1, 2):
        raise ArgumentError(f"multi_margin: p must be 1 or 2, not {describe(p)}")
    (scores,), is_plain = as_values(input)
    shape = _require_scores("multi_margin", scores)
    labels = _as_labels(target, shape[-1])
    if shape_of(labels) != shape[:-1]:
        raise ShapeError(f"multi_margin: scores of shape {shape} need labels of shape {shape[:-1]}")
    m = array_code("backends").common_backend([data_of(scores), labels], "multi_margin")
    is_label = labels[..., None] == m.arange(shape[-1], data_of(scores))
    reductions = array_code("functions.reductions")
    own = reductions.sum(where(is_label, scores, 0.0), -1, keepdims=True)
    misses = ops.relu(scores - own + number(margin, "multi_margin: margin"))
    if p == 2:
        misses = ops.square(misses)
    if weight is not None:
        misses = misses * reductions.sum(where(is_label, as_input(weight, scores), 0.0), -1, keepdims=True)
    return unwrap(reduce(where(is_label, 0.0, misses).sum(axis=-1) / shape[-1], reduction), is_plain)


def multilabel_margin(input: "ArrayLike", target: "ArrayLike", *, reduction: str = "mean") -> Value:
    """Return by how much scores of other classes come closer than 1 to the scores of several labels.

    A row of targets lists the labels of a sample, and ends with -1 if there are fewer labels than classes.

    >>> from adjoint import Value, nn
    >>> round(float(nn.multilabel_margin(Value([[0.1, 0.2, 0.4, 0.8]]), [[3, 0, -1, 1]])), 6)
    0.85
    """
    require_reduction(reduction, REDUCTIONS)
    (scores,), is_plain = as_values(input)
    shape = _require_scores("multilabel_margin", scores)
    labels = _as_labels(target, shape[-1], -1)
    if shape_of(labels) != shape:
        raise ShapeError(
            f"multilabel_margin: scores of shape {shape} need labels of that shape, not {shape_of(labels)}"
        )
    m = array_code("backends").common_backend([data_of(scores), labels], "multilabel_margin")
    xp = m.xp
    has_ended = xp.cumsum(m.astype(labels < 0, labels.dtype), axis=-1) > 0
    is_label = (labels[..., None] == m.arange(shape[-1], data_of(scores))) & ~has_ended[..., None]
    counts = m.astype(is_label, data_of(scores).dtype).sum(axis=-2)  # how often each class occurs among the labels
    misses = ops.relu(1 - scores[..., :, None] + scores[..., None, :])
    losses = (misses * (counts[..., :, None] * (counts == 0)[..., None, :])).sum(axis=(-2, -1)) / shape[-1]
    return unwrap(reduce(losses, reduction), is_plain)


def multilabel_soft_margin(
    input: "ArrayLike", target: "ArrayLike", *, weight: "ArrayLike | None" = None, reduction: str = "mean"
) -> Value:
    """Return the binary cross-entropy of scores for several labels: the mean over the classes of each sample.

    Targets are 0 and 1, with the shape of the scores. `weight` has one number per class.

    >>> from adjoint import Value, nn
    >>> round(nn.multilabel_soft_margin(Value([[0.0, 0.0]]), [[1, 0]]).item(), 6)
    0.693147
    """
    require_reduction(reduction, REDUCTIONS)
    (scores, t), is_plain = as_values(input, target)
    require_same_shapes("multilabel_soft_margin", predictions=scores, targets=t)
    losses = ops.softplus(scores) - t * scores
    if weight is not None:
        losses = losses * as_input(weight, scores)
    losses = losses.mean(axis=-1) if shape_of(losses) else losses
    return unwrap(reduce(losses, reduction), is_plain)


def _as_labels(target: "ArrayLike", classes: int, ignored: int | None = None) -> Any:
    from adjoint.nn.indices import as_indices  # loads NumPy

    return as_indices(as_array(target, whole=True), classes, "label", "classes", ignored)


def _require_scores(who: str, scores: Value) -> tuple[int, ...]:
    shape = shape_of(scores)
    if len(shape) not in (1, 2) or 0 in shape:
        raise ShapeError(f"{who} needs scores of shape (samples, classes) or (classes,), not {shape}")
    return shape
