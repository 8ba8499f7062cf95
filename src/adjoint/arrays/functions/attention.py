"""Scaled dot-product attention, with the conventions of PyTorch."""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays import random_generators
from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import either, shape_of
from adjoint.arrays.backends import NUMPY, common_backend, is_half
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.functions.products import matmul
from adjoint.arrays.functions.regularization import dropout as drop_elements
from adjoint.arrays.fused import FusedOp
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, AttentionFallbackWarning, ShapeError
from adjoint.errors.given import describe
from adjoint.errors.guard_warnings import is_on, warn_once

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

# --- the rule ----------------------------------------------------------------------------------------


def _row_sums(m, x):
    if m is NUMPY:  # NumPy sums short rows four times slower than it multiplies matrices
        return np.matmul(x, np.ones((x.shape[-1], 1), x.dtype))
    return m.sum(x, axis=-1, keepdims=True)


def _attention_forward(m, scores, *masks, scale, causal):
    e = scores * scale
    for mask in masks:
        e = e + mask
    if causal:
        queries, keys = m.arange(e.shape[-2], e), m.arange(e.shape[-1], e)
        e = m.where(keys[None, :] <= queries[:, None], e, -math.inf)
    top = m.max(e, axis=-1, keepdims=True)
    e -= m.where(top == -math.inf, 0.0, top)
    e = np.exp(e, out=e) if m is NUMPY else m.exp(e)
    total = _row_sums(m, e)
    e /= m.where(total == 0, 1.0, total)  # a row that may attend to nothing has zeros, as in PyTorch
    return e


def _softmax_product(m, t, y, scale):
    """Return the product of `t` with the Jacobian of softmax, which is symmetric: for both directions."""
    product = t - _row_sums(m, t * y)
    product *= y
    product *= scale
    return product


def _weights_along(m, ts, y, scale):
    """Return the tangent of the weights `y`, given those of the scores and of the masks."""
    moved = m.total(None if ts[0] is None else ts[0] * scale, *ts[1:])
    return _softmax_product(m, m.broadcast_to(moved, y.shape), y, 1.0)


# The weights of attention: softmax of the scores times a scale, with a mask added. All of attention as one
# operation would be slower: its derivatives would have to compute the weights again.
_attention = array_op(
    "attention",
    _attention_forward,
    each_vjp=lambda m, i, g, y, *operands, scale, causal: _softmax_product(m, g, y, 1.0 if i else scale),
    jvp=lambda m, ts, y, *operands, scale, causal: _weights_along(m, ts, y, scale),
    reads="y",
    wide=True,
)

# The same for float16 and bfloat16 where their products can be float32: rounded to bfloat16, a score of 30
# changes its weight by 6 %. The weights are rounded, and so are the gradients of scores, before they are multiplied.
_wide_scores = array_op(
    "scores",
    lambda m, q, keys: m.wide_matmul(q, keys),
    lambda m, g, y, q, keys: m.matmul(m.astype(g, q.dtype), m.matrix_transpose(keys)),
    lambda m, g, y, q, keys: m.matmul(m.matrix_transpose(q), m.astype(g, q.dtype)),
    linear="each",
    reads="x",
)
_narrow_attention = array_op(
    "narrow_attention",
    lambda m, *operands, dtype, **static: m.astype(_attention_forward(m, *operands, **static), dtype),
    each_vjp=lambda m, i, g, y, *operands, scale, **static: _softmax_product(
        m, m.astype_float32(g), m.astype_float32(y), 1.0 if i else scale
    ),
    jvp=lambda m, ts, y, *operands, scale, dtype, **static: m.astype(
        _weights_along(m, ts, m.astype_float32(y), scale), dtype
    ),
    reads="y",
)


# --- the function ------------------------------------------------------------------------------------


def scaled_dot_product_attention(
    q,
    k,
    v,
    mask=None,
    *,
    causal: bool = False,
    scale: float | None = None,
    dropout: Callable | None = None,
    enable_gqa: bool = False,
    attn_mask=None,
    is_causal: bool | None = None,
    dropout_p: float = 0.0,
) -> "Tensor":
    """Return, for each query, the mean of the values weighted by how well their keys match: softmax(q kᵀ · scale) v.

    `q` has the shape (…, queries, width), `k` (…, keys, width), `v` (…, keys, any width); the axes before,
    such as those of samples and heads, broadcast. A boolean `mask`, of a shape that broadcasts to
    (…, queries, keys), is True where a query may attend to a key; any other is added to the scores. `causal`
    lets each query attend to its own position and those before it. `scale` is 1 / √width unless given. A query that
    may attend to nothing receives zeros. `dropout`, a function, is applied to the weights before the mean is taken.
    PyTorch's names `attn_mask`, `is_causal` and `dropout_p`, a probability, are accepted too.

    With `enable_gqa` (grouped-query attention) the axis before the last two is that of heads, and several heads of
    queries share a head of keys and values: there are fewer of those, and their number divides that of the queries.

    >>> import numpy as np
    >>> from adjoint import Value, scaled_dot_product_attention
    >>> q = k = Value(np.zeros((2, 4)))
    >>> scaled_dot_product_attention(q, k, Value([[1.0], [3.0]]), causal=True).data
    array([[1.],
           [2.]])
    """
    who = "scaled_dot_product_attention"
    mask, causal = (
        either(who, "mask", mask, "attn_mask", attn_mask),
        either(who, "causal", causal, "is_causal", is_causal, False),
    )
    if dropout_p:
        dropout = partial(drop_elements, p=dropout_p, generator=random_generators.generator())
    q, k, v = as_operand(q), as_operand(k), as_operand(v)
    groups = _require_groups(shape_of(q), shape_of(k), shape_of(v)) if enable_gqa else 1
    scores = _require_fitting(shape_of(q), shape_of(k), shape_of(v), groups)
    if isinstance(mask, (list, tuple)):
        mask = np.asarray(mask)
    if mask is not None:
        _require_mask(mask, scores)
    if scale is None:
        scale = 1 / math.sqrt(max(1, shape_of(q)[-1]))
    q, k, v = cast_operands(who, q, k, v)
    options = {"mask": mask, "causal": bool(causal), "scale": float(scale), "dropout": dropout, "groups": groups}
    general = partial(_attend, **options)
    m = common_backend([data_of(x) for x in (q, k, v)], who)
    kernel = m.attention_kernel(
        [data_of(x) for x in (q, k, v)], mask, options["causal"], options["scale"], dropout is not None, groups
    )
    if kernel is None:
        return general(q, k, v)
    if not isinstance(kernel, str):
        try:
            return FusedOp("attention", kernel.compute, kernel.compute_with_pullback, general)(q, k, v)
        except AdjointError as error:
            if not (reason := kernel.reason_of(error.__cause__)):
                raise
            kernel = reason
    if is_on("attention_fallback"):
        warn_once(
            "attention_fallback",
            AttentionFallbackWarning,
            "scaled_dot_product_attention computes and stores the weights of all pairs of positions, because cuDNN, "
            f"which would be faster and need less memory, does not fit here: {kernel}",
        )
    return general(q, k, v)


def _attend(q, k, v, mask, causal: bool, scale: float, dropout: Callable | None, groups: int) -> "Tensor":
    """Return attention in three operations: the scores, their weights, and the mean of the values."""
    m = common_backend([data_of(q), data_of(k)], "attention")
    is_wide = is_half(q) and m.has_wide_products
    if not is_wide and any(map(is_half, (q, k, v))):
        return _attend_in_float32(q, k, v, mask=mask, causal=causal, scale=scale, dropout=dropout, groups=groups)
    if groups > 1:
        mask = None if mask is None else _group_mask(mask, shape_of(q)[-3], groups)
        q, k, v = _group_heads(q, groups), shaping.expand_dims(k, -3), shaping.expand_dims(v, -3)
    keys, static = shaping.matrix_transpose(k), {"scale": scale, "causal": causal}
    operands: list = [_wide_scores(q, keys) if is_wide else matmul(q, keys)]
    if mask is not None:
        operands.append(_additive_mask(mask, data_of(operands[0])))
    weights = _narrow_attention(*operands, dtype=q.dtype, **static) if is_wide else _attention(*operands, **static)
    found = matmul(weights if dropout is None else dropout(weights), v)
    if groups > 1:
        *rest, heads, _, queries, width = shape_of(found)
        found = shaping.reshape(found, (*rest, heads * groups, queries, width))
    return found


def _attend_in_float32(q, k, v, mask, **options) -> "Tensor":
    """Return attention of float16 or bfloat16, computed in float32 and rounded at the end: scores may overflow."""
    mask = mask if mask is None or "bool" in str(getattr(mask, "dtype", "")) else shaping.widen(mask)
    found = _attend(shaping.widen(q), shaping.widen(k), shaping.widen(v), mask, **options)
    dtypes = {data_of(x).dtype for x in (q, k, v)}
    return shaping.narrow(found, q) if len(dtypes) == 1 else found


def _require_groups(q: tuple, k: tuple, v: tuple) -> int:
    """Return how many heads of queries share a head of keys and values."""
    who = f"scaled_dot_product_attention of q {q}, k {k}, v {v}"
    if min(len(q), len(k), len(v)) < 3:
        raise ShapeError(f"{who}: enable_gqa needs at least three axes, (heads, positions, width)")
    if k[-3] != v[-3] or not k[-3] or q[-3] % k[-3]:
        raise ShapeError(
            f"{who}: enable_gqa needs as many heads of keys as of values, and a multiple of that for the queries, not "
            f"{k[-3]}, {v[-3]} and {q[-3]}"
        )
    return q[-3] // k[-3]


def _group_heads(x, groups: int) -> "Tensor":
    """Return an array with its axis of heads split into two: heads of keys, and heads that share one of these."""
    *rest, heads, rows, width = shape_of(x)
    return shaping.reshape(x, (*rest, heads // groups, groups, rows, width))


def _group_mask(mask, heads: int, groups: int) -> "Tensor | Array":
    mask = np.asarray(mask) if isinstance(mask, (list, tuple)) else mask
    shape = shape_of(mask)
    if len(shape) < 3 or shape[-3] not in (1, heads):
        return mask  # without heads; a mask that does not fit is refused later
    split = (1, 1) if shape[-3] == 1 else (heads // groups, groups)
    new = (*shape[:-3], *split, *shape[-2:])
    if isinstance(mask, Value):
        return shaping.reshape(mask, new)
    return common_backend([mask], "scaled_dot_product_attention").reshape(mask, new)


def _require_fitting(q: tuple, k: tuple, v: tuple, groups: int) -> tuple[int, ...]:
    """Return the shape of the scores."""
    who = f"scaled_dot_product_attention of q {q}, k {k}, v {v}"
    if min(len(q), len(k), len(v)) < 2:
        raise ShapeError(f"{who}: each needs at least two axes, (positions, width)")
    if q[-1] != k[-1]:
        raise ShapeError(f"{who}: queries and keys must have the same width, not {q[-1]} and {k[-1]}")
    if k[-2] != v[-2]:
        raise ShapeError(f"{who}: the number of values must equal the number of keys, not {v[-2]} and {k[-2]}")
    if not k[-2]:
        raise ShapeError(f"{who}: k contains no keys")
    before = [q[:-2], k[:-2], v[:-2]] if groups == 1 else [q[:-2], (*k[:-3], q[-3]), (*v[:-3], q[-3])]
    try:
        np.broadcast_shapes(*before)
        return (*np.broadcast_shapes(*before[:2]), q[-2], k[-2])
    except ValueError:
        hint = ""
        if min(len(q), len(k)) > 2 and 1 < k[-3] < q[-3] and q[-3] % k[-3] == 0:
            hint = "; enable_gqa=True lets several heads of queries share a head of keys"
        raise ShapeError(f"{who}: the axes before the last two do not broadcast{hint}") from None


def _require_mask(mask, wanted: tuple[int, ...]) -> None:
    """Raise if a mask does not fit scores of the shape `wanted`, or is neither boolean nor floating."""
    shape = shape_of(mask)
    if len(shape) > len(wanted) or any(a not in (1, b) for a, b in zip(shape[::-1], wanted[::-1])):
        raise ShapeError(
            f"scaled_dot_product_attention: a mask of shape {shape} does not broadcast to the scores, "
            f"(…, queries, keys) = {wanted}"
        )
    kind = str(getattr(mask, "dtype", ""))
    if not isinstance(mask, Value) and "float" not in kind and "bool" not in kind:
        raise ArgumentError(
            "scaled_dot_product_attention: a mask is boolean, True where a query may attend, or floating, to "
            f"be added to the scores, not {kind or describe(mask)}"
        )


def _additive_mask(mask, scores: "Array"):
    """Return a mask as what is added to the scores: a Value, or an array of their dtype."""
    if isinstance(mask, Value):
        return mask
    m = common_backend([scores, mask], "scaled_dot_product_attention")
    if "bool" in str(mask.dtype):
        return m.select(mask, 0.0, -math.inf, scores)
    return m.astype(m.xp.asarray(mask), scores.dtype)
