"""For networks: attention and dropout. Their rules and functions, with the conventions of PyTorch."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import as_operand, shape_of
from adjoint.arrays.backends import NUMPY, Backend, common_backend
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.products import matmul
from adjoint.arrays.tensor import data_of
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import described, is_number

# --- attention -------------------------------------------------------------------------------------


def _row_sums(m, x):
    if m is NUMPY:  # whose sum of short rows takes four times as long as a product does
        return np.matmul(x, np.ones((x.shape[-1], 1), x.dtype))
    return m.sum(x, axis=-1, keepdims=True)


def _attention_forward(m, scores, *masks, scale, causal):
    e = scores * scale
    is_moderate = m is NUMPY and not masks and _is_moderate(e)
    for mask in masks:
        e = e + mask
    if causal:
        e += _causal(m, e)
    if not is_moderate:
        top = m.max(e, axis=-1, keepdims=True)
        e -= m.where(top == -math.inf, 0.0, top)
    e = np.exp(e, out=e) if m is NUMPY else m.exp(e)
    total = _row_sums(m, e)
    e /= m.where(total == 0, 1.0, total)  # a row that may attend to nothing has zeros, as in PyTorch
    return e


def _is_moderate(scores) -> bool:
    """Return whether no exponential comes near an end of the range, so that no maximum need be subtracted."""
    limit = math.log(np.finfo(scores.dtype).max) / 4
    return not scores.size or bool(-limit < scores.min() and scores.max() < limit)


def _causal(m, scores):
    queries, keys = m.arange(scores.shape[-2], scores), m.arange(scores.shape[-1], scores)
    return m.select(keys[None, :] <= queries[:, None], 0.0, -math.inf, scores)


def _softmax_product(m, t, y, scale):
    """Return the product of `t` with the Jacobian of softmax, which is symmetric: for both directions."""
    product = t - _row_sums(m, t * y)
    product *= y
    product *= scale
    return product


# The weights of attention: softmax of the scores times a scale, with a mask added. All of attention as one
# operation would be slower: its derivatives would have to compute the weights again.
_attention = array_op(
    "attention",
    _attention_forward,
    each_vjp=lambda m, i, g, y, *operands, scale, causal: _softmax_product(m, g, y, 1.0 if i else scale),
    jvp=lambda m, ts, y, *operands, scale, causal: _softmax_product(
        m, m.broadcast_to(m.total(None if ts[0] is None else ts[0] * scale, *ts[1:]), y.shape), y, 1.0
    ),
    reads="y",
)


# --- the functions ---------------------------------------------------------------------------------


def dropout(x, p: float = 0.5, *, generator: Any = None, key: Any = None, training: bool = True) -> Any:
    """Return `x` with each element set to zero with probability `p`, and the others divided by 1 - p.

    Where the randomness comes from is explicit: for NumPy arrays `generator=numpy.random.default_rng(0)`, or
    a seed; for PyTorch's a `torch.Generator`, or a seed; for JAX's, and under `jit`, `key=jax.random.key(0)`.
    A key serves NumPy arrays too, and gives the same zeros there. Without `training`, `x` stays as it is.

    >>> import numpy as np
    >>> from adjoint import Value, dropout
    >>> sorted(set(dropout(Value(np.ones(1000)), 0.2, generator=np.random.default_rng(0)).tolist()))
    [0.0, 1.25]
    """
    x = as_operand(x)
    if not is_number(p) or not 0 <= p < 1:
        raise ArgumentError(f"dropout: p is a probability, at least 0 and less than 1, not {described(p)}")
    if not training or p == 0:
        return x
    data = data_of(x)
    m = common_backend([data], "dropout")
    kept = _draw(m, data, float(p), generator, key)
    if not hasattr(data, "dtype"):
        return ops.mul(x, float(kept) / (1 - p))
    return ops.mul(x, m.select(kept, 1 / (1 - p), 0.0, data))


def _draw(m: Backend, data, p: float, generator: Any, key: Any):
    """Return which elements are kept."""
    shape = shape_of(data)
    if generator is not None and key is not None:
        raise ArgumentError("dropout: give a generator or a key, not both")
    if key is not None and m.name in ("JAX", "NumPy"):
        import jax

        if not getattr(key, "shape", ()) and "key<" not in str(getattr(key, "dtype", "")):
            key = jax.random.key(key)
        return m.xp.asarray(jax.random.bernoulli(key, 1 - p, shape))
    if m.name == "JAX":
        raise ArgumentError(
            "dropout: JAX arrays need key=jax.random.key(0), another one for each call (jax.random.split); a "
            "generator would be asked once, when the program is compiled. For evaluation give training=False"
        )
    seed = int(generator) if isinstance(generator, (int, np.integer)) else None
    if m.name == "PyTorch":
        if seed is not None:
            generator = m.torch.Generator(device=data.device).manual_seed(seed)
        if not isinstance(generator, m.torch.Generator):
            raise _no_randomness("PyTorch", "torch.Generator().manual_seed(0)", generator, key)
        return m.torch.rand(shape, generator=generator, device=data.device) >= p
    if seed is not None:
        generator = np.random.default_rng(seed)
    if not isinstance(generator, np.random.Generator):
        raise _no_randomness("NumPy", "numpy.random.default_rng(0)", generator, key)
    return m.xp.asarray(generator.random(shape, np.float32) >= p)


def _no_randomness(library: str, example: str, generator, key) -> ArgumentError:
    given = key if generator is None else generator
    instead = "" if given is None else f", not {described(given)}"
    return ArgumentError(
        f"dropout: {library} arrays need generator={example}, or a seed{instead}; for evaluation give training=False"
    )


def scaled_dot_product_attention(
    q, k, v, mask: Any = None, *, causal: bool = False, scale: float | None = None, dropout: Callable | None = None
) -> Any:
    """Return, for each query, the mean of the values by how well their keys fit: softmax(q kᵀ · scale) v.

    `q` has the shape (…, queries, width), `k` (…, keys, width), `v` (…, keys, any width); the axes before,
    such as those of samples and heads, broadcast. A boolean `mask`, of a shape that broadcasts to
    (…, queries, keys), is True where a query may attend to a key; any other is added to the scores. `causal`
    lets each query attend to its own place and those before it. The usual `scale` is 1 / √width. A query that
    may attend to nothing receives zeros. The weights go through `dropout`, a function, before the mean is taken.

    >>> import numpy as np
    >>> from adjoint import Value, scaled_dot_product_attention
    >>> q = k = Value(np.zeros((2, 4)))
    >>> scaled_dot_product_attention(q, k, Value([[1.0], [3.0]]), causal=True).data
    array([[1.],
           [2.]])
    """
    q, k, v = as_operand(q), as_operand(k), as_operand(v)
    _require_fitting(shape_of(q), shape_of(k), shape_of(v))
    if scale is None:
        scale = 1 / math.sqrt(max(1, shape_of(q)[-1]))
    operands = [matmul(q, shaping.matrix_transpose(k))]
    if mask is not None:
        operands.append(_added(mask, data_of(operands[0])))
    weights = _attention(*operands, scale=float(scale), causal=bool(causal))
    return matmul(weights if dropout is None else dropout(weights), v)


def _require_fitting(q: tuple, k: tuple, v: tuple) -> None:
    who = f"scaled_dot_product_attention of q {q}, k {k}, v {v}"
    if min(len(q), len(k), len(v)) < 2:
        raise ShapeError(f"{who}: each needs at least two axes, (places, width)")
    if q[-1] != k[-1]:
        raise ShapeError(f"{who}: queries and keys need one width, not {q[-1]} and {k[-1]}")
    if k[-2] != v[-2]:
        raise ShapeError(f"{who}: there are as many values as keys, not {v[-2]} and {k[-2]}")
    if not k[-2]:
        raise ShapeError(f"{who}: there are no keys to attend to")
    try:
        np.broadcast_shapes(q[:-2], k[:-2], v[:-2])
    except ValueError:
        raise ShapeError(f"{who}: the axes before the last two do not broadcast") from None


def _added(mask, scores: Any) -> Any:
    """Return a mask as what is added to the scores: a Value, or an array of their dtype."""
    if isinstance(mask, (list, tuple)):
        mask = np.asarray(mask)
    shape = shape_of(mask)
    wanted = shape_of(scores)
    if len(shape) > len(wanted) or any(a not in (1, b) for a, b in zip(shape[::-1], wanted[::-1])):
        raise ShapeError(
            f"scaled_dot_product_attention: a mask of shape {shape} does not broadcast to the scores, "
            f"(…, queries, keys) = {wanted}"
        )
    if hasattr(mask, "_apply"):
        return mask
    m = common_backend([scores, mask], "scaled_dot_product_attention")
    kind = str(getattr(mask, "dtype", ""))
    if "float" not in kind and "bool" not in kind:
        raise ArgumentError(
            "scaled_dot_product_attention: a mask is boolean, True where a query may attend, or floating, to "
            f"be added to the scores, not {kind or described(mask)}"
        )
    if "bool" in kind:
        return m.select(mask, 0.0, -math.inf, scores)
    return m.astype(m.xp.asarray(mask), scores.dtype)
