"""The functions of `torch.nn.functional` under PyTorch's names: `from adjoint.nn import functional as F`.

Most are adjoint's own functions. Those defined below differ from adjoint's in the names, the order or the defaults of
their arguments, and have PyTorch's. `inplace` has no effect: results are new Values.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays import apply, axes, convert
from adjoint.arrays.functions import (
    activations,
    adaptive_pooling,
    attention,
    columns,
    convolution,
    indexing,
    norms,
    padding,
    pooling,
    products,
    reductions,
    regularization,
    resampling,
)
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError, given, public_names
from adjoint.nn import alignments, indices, likelihood_losses, linear_likelihoods, losses, margin_losses, normalizations
from adjoint.nn.inputs import ArrayLike

# --- the same functions --------------------------------------------------------------------------------

mse_loss = losses.mse
l1_loss = losses.l1
huber_loss = losses.huber
smooth_l1_loss = losses.smooth_l1
cross_entropy = losses.cross_entropy
linear_cross_entropy = linear_likelihoods.linear_cross_entropy
nll_loss = losses.nll
binary_cross_entropy = losses.binary_cross_entropy
binary_cross_entropy_with_logits = losses.binary_cross_entropy_with_logits
kl_div = losses.kl_div

gaussian_nll_loss = likelihood_losses.gaussian_nll
poisson_nll_loss = likelihood_losses.poisson_nll

ctc_loss = alignments.ctc

cosine_embedding_loss = margin_losses.cosine_embedding
hinge_embedding_loss = margin_losses.hinge_embedding
margin_ranking_loss = margin_losses.margin_ranking
multi_margin_loss = margin_losses.multi_margin
multilabel_margin_loss = margin_losses.multilabel_margin
multilabel_soft_margin_loss = margin_losses.multilabel_soft_margin
soft_margin_loss = margin_losses.soft_margin
triplet_margin_loss = margin_losses.triplet_margin

layer_norm = normalizations.layer_norm
rms_norm = normalizations.rms_norm
group_norm = normalizations.group_norm
batch_norm = normalizations.batch_norm
instance_norm = normalizations.instance_norm
local_response_norm = normalizations.local_response_norm

sigmoid = ops.sigmoid
tanh = ops.tanh
logsigmoid = ops.logsigmoid
softsign = ops.softsign
tanhshrink = ops.tanhshrink
mish = ops.mish
relu6 = ops.relu6
selu = ops.selu
hardsigmoid = ops.hardsigmoid
hardswish = ops.hardswish

prelu = activations.prelu
threshold = activations.threshold

linear = products.linear

conv1d = convolution.conv1d
conv2d = convolution.conv2d
conv3d = convolution.conv3d
conv_transpose1d = convolution.conv_transpose1d
conv_transpose2d = convolution.conv_transpose2d
conv_transpose3d = convolution.conv_transpose3d

max_pool1d = pooling.max_pool1d
max_pool2d = pooling.max_pool2d
max_pool3d = pooling.max_pool3d
avg_pool1d = pooling.avg_pool1d
avg_pool2d = pooling.avg_pool2d
avg_pool3d = pooling.avg_pool3d
lp_pool1d = pooling.lp_pool1d
lp_pool2d = pooling.lp_pool2d
lp_pool3d = pooling.lp_pool3d
max_unpool1d = pooling.max_unpool1d
max_unpool2d = pooling.max_unpool2d
max_unpool3d = pooling.max_unpool3d

adaptive_avg_pool1d = adaptive_pooling.adaptive_avg_pool1d
adaptive_avg_pool2d = adaptive_pooling.adaptive_avg_pool2d
adaptive_avg_pool3d = adaptive_pooling.adaptive_avg_pool3d
adaptive_max_pool1d = adaptive_pooling.adaptive_max_pool1d
adaptive_max_pool2d = adaptive_pooling.adaptive_max_pool2d
adaptive_max_pool3d = adaptive_pooling.adaptive_max_pool3d

interpolate = resampling.interpolate
pixel_shuffle = resampling.pixel_shuffle
pixel_unshuffle = resampling.pixel_unshuffle

unfold = columns.im2col
fold = columns.col2im

# --- activations ---------------------------------------------------------------------------------------


def relu(input: "ArrayLike", inplace: bool = False) -> Any:
    """Return the positive part of each element.

    >>> from adjoint.nn import functional as F
    >>> F.relu([-1.0, 2.0])
    array([0., 2.])
    """
    return ops.relu(convert.as_operand(input))


def silu(input: "ArrayLike", inplace: bool = False) -> Any:
    """Return x·sigmoid(x) for each element.

    >>> from adjoint.nn import functional as F
    >>> F.silu([0.0])
    array([0.])
    """
    return ops.silu(convert.as_operand(input))


def leaky_relu(input: "ArrayLike", negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Return each element where it is positive, and `negative_slope` times it elsewhere.

    >>> from adjoint.nn import functional as F
    >>> F.leaky_relu([-1.0, 2.0], negative_slope=0.1)
    array([-0.1,  2. ])
    """
    return ops.leaky_relu(convert.as_operand(input), negative_slope)


def elu(input: "ArrayLike", alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return each element where it is positive, and alpha·(exp(x) - 1) elsewhere.

    >>> from adjoint.nn import functional as F
    >>> F.elu([0.0, 2.0])
    array([0., 2.])
    """
    return ops.elu(convert.as_operand(input), alpha)


def celu(input: "ArrayLike", alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return each element where it is positive, and alpha·(exp(x / alpha) - 1) elsewhere.

    >>> from adjoint.nn import functional as F
    >>> F.celu([0.0, 2.0], alpha=2.0)
    array([0., 2.])
    """
    return ops.celu(convert.as_operand(input), alpha)


def gelu(input: "ArrayLike", approximate: str = "none") -> Any:
    """Return x·Φ(x), with the normal distribution function Φ; `approximate="tanh"` is the form used by GPT-2.

    >>> from adjoint.nn import functional as F
    >>> F.gelu([0.0], approximate="tanh")
    array([0.])
    """
    return activations.gelu(convert.as_operand(input), approximate)


def hardtanh(input: "ArrayLike", min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Return each element limited to two numbers.

    >>> from adjoint.nn import functional as F
    >>> F.hardtanh([-3.0, 0.5])
    array([-1. ,  0.5])
    """
    return activations.hardtanh(convert.as_operand(input), min_val, max_val)


def hardshrink(input: "ArrayLike", lambd: float = 0.5) -> Any:
    """Return each element where its size is above `lambd`, and 0 elsewhere.

    >>> from adjoint.nn import functional as F
    >>> F.hardshrink([-3.0, 0.2])
    array([-3.,  0.])
    """
    return ops.hardshrink(convert.as_operand(input), lambd)


def softshrink(input: "ArrayLike", lambd: float = 0.5) -> Any:
    """Return each element moved toward 0 by `lambd`, and 0 where its size is at most that.

    >>> from adjoint.nn import functional as F
    >>> F.softshrink([-3.0, 0.2])
    array([-2.5,  0. ])
    """
    return ops.softshrink(convert.as_operand(input), lambd)


def softplus(input: "ArrayLike", beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return log(1 + exp(beta·x)) / beta, and x itself where beta·x is above `threshold`.

    >>> from adjoint.nn import functional as F
    >>> F.softplus([0.0, 50.0])
    array([ 0.69314718, 50.        ])
    """
    return activations.softplus(convert.as_operand(input), beta, threshold)


def softmax(input: "ArrayLike", dim: int = -1) -> Any:
    """Return exp(x), normalized to sum to 1 along an axis.

    >>> from adjoint.nn import functional as F
    >>> F.softmax([[0.0, 0.0]], dim=1)
    array([[0.5, 0.5]])
    """
    return reductions.softmax(convert.as_operand(input), dim)


def log_softmax(input: "ArrayLike", dim: int = -1) -> Any:
    """Return the logarithm of the softmax along an axis.

    >>> from adjoint.nn import functional as F
    >>> F.log_softmax([[0.0, 0.0]], dim=1)
    array([[-0.69314718, -0.69314718]])
    """
    return reductions.log_softmax(convert.as_operand(input), dim)


def softmin(input: "ArrayLike", dim: int = -1, dtype: object = None) -> Any:
    """Return the softmax of -x along an axis; computed in `dtype`, if one is given.

    >>> from adjoint.nn import functional as F
    >>> F.softmin([[0.0, 0.0]], dim=1)
    array([[0.5, 0.5]])
    """
    return activations.softmin(convert.as_operand(input), dim, dtype=dtype)


def glu(input: "ArrayLike", dim: int = -1) -> Any:
    """Return the first half along an axis times the sigmoid of the second half.

    >>> from adjoint.nn import functional as F
    >>> F.glu([3.0, 0.0])
    array([1.5])
    """
    return activations.glu(convert.as_operand(input), dim)


# --- dropout -------------------------------------------------------------------------------------------


def dropout(input: "ArrayLike", p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return the input with each element set to zero with probability `p`, and the others divided by 1 - p.

    The zeros are drawn from the generator of `adjoint.manual_seed`. Inside `jit`, use `nn.Dropout`.

    >>> import adjoint
    >>> from adjoint.nn import functional as F
    >>> F.dropout([1.0, 1.0, 1.0, 1.0], 0.5, training=False)
    array([1., 1., 1., 1.])
    """
    return regularization.dropout(convert.as_operand(input), p, training=training)


def dropout1d(input: "ArrayLike", p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return (…, channels, length) with whole channels set to zero with probability `p`.

    >>> import numpy as np
    >>> from adjoint.nn import functional as F
    >>> {float(x) for x in F.dropout1d(np.ones((9, 9, 2))).sum(axis=2).ravel()} <= {0.0, 4.0}
    True
    """
    return regularization.dropout(convert.as_operand(input), p, training=training, broadcast_axes=(-1,))


def dropout2d(input: "ArrayLike", p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return (…, channels, height, width) with whole channels set to zero with probability `p`.

    >>> import numpy as np
    >>> from adjoint.nn import functional as F
    >>> {float(x) for x in F.dropout2d(np.ones((9, 9, 2, 2))).sum(axis=(2, 3)).ravel()} <= {0.0, 8.0}
    True
    """
    return regularization.dropout(convert.as_operand(input), p, training=training, broadcast_axes=(-2, -1))


def dropout3d(input: "ArrayLike", p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return (…, channels, depth, height, width) with whole channels set to zero with probability `p`.

    >>> import numpy as np
    >>> from adjoint.nn import functional as F
    >>> {float(x) for x in F.dropout3d(np.ones((9, 9, 1, 2, 2))).sum(axis=(2, 3, 4)).ravel()} <= {0.0, 8.0}
    True
    """
    return regularization.dropout(convert.as_operand(input), p, training=training, broadcast_axes=(-3, -2, -1))


def alpha_dropout(input: "ArrayLike", p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Return the input with dropout for networks with SELU, which keeps the mean and the variance.

    >>> from adjoint.nn import functional as F
    >>> F.alpha_dropout([1.0, 2.0])
    array([1., 2.])
    """
    return regularization.alpha_dropout(convert.as_operand(input), p, training=training)


# --- vectors, indices and margins ----------------------------------------------------------------------


def bilinear(input1: "ArrayLike", input2: "ArrayLike", weight: "ArrayLike", bias: "ArrayLike | None" = None) -> Any:
    """Return `input1 @ weight[k] @ input2` for each output k; `weight` has shape (outputs, in1, in2).

    >>> from adjoint.nn import functional as F
    >>> F.bilinear([[1.0, 2.0]], [[3.0]], [[[1.0], [1.0]]])
    array([[9.]])
    """
    y = products.einsum("...i,kij,...j->...k", *(convert.as_operand(x) for x in (input1, weight, input2)))
    return y if bias is None else y + convert.as_operand(bias)


def normalize(input: "ArrayLike", p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Any:
    """Return vectors along an axis divided by their norm.

    >>> from adjoint.nn import functional as F
    >>> F.normalize([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """
    return norms.normalize(convert.as_operand(input), p, dim, eps)


def cosine_similarity(x1: "ArrayLike", x2: "ArrayLike", dim: int = 1, eps: float = 1e-8) -> Any:
    """Return the cosines of the angles between vectors along an axis.

    >>> from adjoint.nn import functional as F
    >>> F.cosine_similarity([[3.0, 4.0]], [[4.0, 3.0]])
    array([0.96])
    """
    return norms.cosine_similarity(convert.as_operand(x1), convert.as_operand(x2), dim, eps)


def pairwise_distance(
    x1: "ArrayLike", x2: "ArrayLike", p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """Return the distances between the vectors of two arrays, one by one.

    >>> from adjoint.nn import functional as F
    >>> F.pairwise_distance([[3.0, 4.0]], [[0.0, 0.0]], eps=0.0)
    array([5.])
    """
    return norms.pairwise_distance(convert.as_operand(x1), convert.as_operand(x2), p, eps, keepdim)


def embedding(input: "ArrayLike", weight: "ArrayLike", padding_idx: int | None = None) -> Any:
    """Return the row of `weight` for each index. The row `padding_idx` receives no gradient.

    >>> from adjoint.nn import functional as F
    >>> F.embedding([1, 0], [[1.0, 2.0], [3.0, 4.0]])
    array([[3., 4.],
           [1., 2.]])
    """
    table = convert.as_operand(weight)
    rows = axes.shape_of(table)[0] if axes.shape_of(table) else 0
    places = indices.as_indices(input, rows, "index", "embeddings")
    if padding_idx is None:
        return indexing.embedding(table, places)
    at = padding_idx + rows if padding_idx < 0 else padding_idx
    if not 0 <= at < rows:
        raise ArgumentError(
            f"embedding: padding_idx must be within {rows} embeddings, not {given.describe(padding_idx)}"
        )
    return indexing.embedding(indexing.constant_row(table, row=at), places)


def one_hot(tensor: "ArrayLike", num_classes: int = -1) -> Tensor:
    """Return, for each index, a row of zeros with a one at it. The default is one more class than the largest index.

    >>> from adjoint.nn import functional as F
    >>> F.one_hot([0, 2], num_classes=3).data
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    labels = convert.data_of(tensor) if hasattr(tensor, "dtype") else np.asarray(tensor)
    if num_classes == -1:
        num_classes = int(labels.max()) + 1
    return apply.make_leaf(indexing.one_hot(labels, num_classes))


def pad(input: "ArrayLike", pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """Return an array with margins, given as (before, after) for the last axis, then for the one before it, and so on.

    The modes are "constant", "reflect", "replicate" and "circular".

    >>> from adjoint.nn import functional as F
    >>> F.pad([[1.0, 2.0]], (1, 0, 0, 1))
    array([[0., 1., 2.],
           [0., 0., 0.]])
    """
    x = convert.as_operand(input)
    ndim = len(axes.shape_of(x))
    widths = list(pad)
    if len(widths) % 2 or len(widths) > 2 * ndim:
        raise ShapeError(
            f"pad: expected (before, after) for at most {ndim} axes, from the last to the first, not "
            f"{given.describe(pad)}"
        )
    pairs = [(0, 0)] * (ndim - len(widths) // 2) + list(zip(widths[::2], widths[1::2]))[::-1]
    return padding.pad(x, pairs, 0.0 if value is None else value, mode)


def scaled_dot_product_attention(
    query: "ArrayLike",
    key: "ArrayLike",
    value: "ArrayLike",
    attn_mask: "ArrayLike | None" = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Return, for each query, the mean of the values weighted by how well their keys match.

    A boolean `attn_mask` is True where a query may attend to a key; any other is added to the scores. With
    `is_causal`, each query attends to its own position and those before it. As in PyTorch, `dropout_p` applies
    always: give 0.0 for evaluation.

    >>> import numpy as np
    >>> from adjoint.nn import functional as F
    >>> q = k = np.zeros((2, 4))
    >>> F.scaled_dot_product_attention(q, k, [[1.0], [3.0]], is_causal=True)
    array([[1.],
           [2.]])
    """
    drop = (lambda weights: regularization.dropout(weights, dropout_p)) if dropout_p else None
    return attention.scaled_dot_product_attention(
        query, key, value, attn_mask, causal=is_causal, scale=scale, dropout=drop, enable_gqa=enable_gqa
    )


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = public_names.explain_unknown(__name__)


def __dir__() -> list[str]:
    return [name for name, x in globals().items() if callable(x) and not isinstance(x, type) and name[0].islower()]
