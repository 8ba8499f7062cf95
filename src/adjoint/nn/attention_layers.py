"""Multi-head attention and the transformer block. The first axis is the batch."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions.attention import scaled_dot_product_attention
from adjoint.arrays.functions.products import linear
from adjoint.arrays.functions.shaping import permute_dims, reshape
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole
from adjoint.nn.activation_layers import activation as activation_named
from adjoint.nn.dropouts import Dropout
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.layers import Linear
from adjoint.nn.module import Module
from adjoint.nn.normalization_layers import LayerNorm
from adjoint.nn.weight_draws import full_tensor, parameter


class Past(NamedTuple):
    """The keys and values of earlier positions: arrays of (samples, heads, places, features of a head)."""

    keys: Any
    values: Any


class Attention(Module):
    """Attention in several heads, each on its share of the features: (samples, positions, embed_dim).

    The parameters are those of `torch.nn.MultiheadAttention`; the result is the output alone, without the attention
    weights. As in `scaled_dot_product_attention`, a boolean `mask`, of a shape that broadcasts to (samples, heads,
    queries, keys), is True where a query may attend to a key; a mask of numbers is added to the scores. With `causal`,
    each position attends to itself and to earlier positions. `dropout` applies to the attention weights, in training
    mode.

    `num_kv_heads`, if it is less than `num_heads`, is the number of heads of keys and values (grouped-query
    attention): several heads of queries share one. The rows of `in_proj_weight` are then fewer.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Attention(8, 2, seed=0)(np.zeros((3, 5, 8)), causal=True).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        num_kv_heads: int | None = None,
        seed: Seed = None,
        dtype="float64",
    ):
        self.embed_dim = width = whole(embed_dim, "Attention: embed_dim")
        self.num_heads = whole(num_heads, "Attention: num_heads")
        if width % self.num_heads:
            raise ArgumentError(f"Attention: embed_dim={width} must be a multiple of num_heads={num_heads}")
        self.num_kv_heads = None if num_kv_heads is None else whole(num_kv_heads, "Attention: num_kv_heads")
        shared = self.num_kv_heads or self.num_heads
        if self.num_heads % shared:
            raise ArgumentError(f"Attention: num_heads={num_heads} must be a multiple of num_kv_heads={num_kv_heads}")
        narrow = width // self.num_heads * shared
        self._widths = (width, narrow, narrow)  # of the queries, keys and values of all heads
        rng, rows = generator(seed), sum(self._widths)
        self.in_proj_weight = parameter((rows, width), math.sqrt(6 / (width + rows)), rng, dtype)
        self.in_proj_bias: Tensor | None = full_tensor(rows, 0.0, dtype) if bias else None
        self.out_proj = Linear(width, width, bias=bias, seed=rng, dtype=dtype)
        if self.out_proj.bias is not None:
            self.out_proj.bias.data = 0.0
        self.dropout, self.weight_dropout = dropout, Dropout(dropout, seed=rng)

    @property
    def bias(self) -> bool:
        """Whether the projections have biases."""
        return self.in_proj_bias is not None

    def forward(
        self,
        query: "ArrayLike",
        key: "ArrayLike | None" = None,
        value: "ArrayLike | None" = None,
        *,
        mask: "ArrayLike | None" = None,
        causal: bool = False,
    ) -> Tensor:
        """Return the attention output for each query; `key` defaults to the queries, `value` to the keys."""
        key = query if key is None else key
        drop = self.weight_dropout if self.dropout and self.training else None
        return self._attend(query, key, key if value is None else value, mask, causal, drop)

    def _attend(
        self,
        query: "ArrayLike",
        key: "ArrayLike",
        value: "ArrayLike",
        mask: "ArrayLike | None",
        causal: bool,
        drop: Callable[[Any], Any] | None,
    ) -> Tensor:
        """Return the output for each query; `drop` is applied to the attention weights."""
        q, k, v = self._heads(query, key, value)
        found = scaled_dot_product_attention(q, k, v, mask, causal=causal, dropout=drop, enable_gqa=self._is_grouped)
        return self._merge(found)

    def extend(self, x: "ArrayLike", past: "Past | None", position: Any, places: int = 0) -> tuple[Tensor, "Past"]:
        """Return the output for new positions, and the keys and values of these and of all before: causal attention.

        `past` is what the last call returned, and `position` the number of positions before these, an integer that may
        be traced. Without a `past`, a new one has memory for `places` positions. It may be changed in place.
        """
        q, k, v = self._heads(x, x, x)
        m = common_backend([data_of(k)], "attention")
        if past is None:
            samples, heads, _, width = shape_of(k)
            shape = (samples, heads, places, width)
            past = Past(m.zeros(shape, data_of(k)), m.zeros(shape, data_of(v)))
        past = Past(*(m.put_slice(old, data_of(new), 2, position) for old, new in zip(past, (k, v))))
        last = position + m.arange(shape_of(q)[2], past.keys)
        seen = past
        if not m.is_traced(last):  # attend to the positions that exist; a compiled program attends to all memory
            seen = Past(*(x[:, :, : int(last[-1]) + 1] for x in past))
        mask = m.arange(seen.keys.shape[2], past.keys)[None, :] <= last[:, None]
        return self._merge(scaled_dot_product_attention(q, *seen, mask, enable_gqa=self._is_grouped)), past

    @property
    def _is_grouped(self) -> bool:
        """Whether several heads of queries share a head of keys and values."""
        return self._widths[1] < self.embed_dim

    def _heads(self, query: "ArrayLike", key: "ArrayLike", value: "ArrayLike") -> tuple[Tensor, Tensor, Tensor]:
        """Return the queries, keys and values of all heads: (samples, heads, positions, features of a head)."""
        if query is key and key is value and not self._is_grouped and len(set(self._input_sizes)) == 1:
            width, heads = self.embed_dim, self.num_heads
            x = self._input(query)
            samples, positions = shape_of(x)[:2]
            qkv = linear(x, self.in_proj_weight, self.in_proj_bias)
            qkv = reshape(qkv, (samples, positions, 3, heads, width // heads))
            q, k, v = (permute_dims(qkv[:, :, i], (0, 2, 1, 3)) for i in range(3))
            return q, k, v
        q, k, v = (self._project(i, self._input(x, i)) for i, x in enumerate((query, key, value)))
        return q, k, v

    def _merge(self, found: Tensor) -> Tensor:
        """Return the output of the layer, from what each head has found."""
        samples, _, positions, _ = shape_of(found)
        return self.out_proj(reshape(permute_dims(found, (0, 2, 1, 3)), (samples, positions, self.embed_dim)))

    @property
    def _input_sizes(self) -> tuple[int, ...]:
        """The numbers of features of the queries, keys and values that are given."""
        return (self.embed_dim,) * 3

    def _weight(self, i: int) -> Tensor:
        """Return the projection to the queries, keys or values of all heads."""
        return self.in_proj_weight[slice(sum(self._widths[:i]), sum(self._widths[: i + 1]))]

    def _input(self, x: "ArrayLike", i: int = 0) -> "ArrayLike":
        given, size = as_input(x, self.out_proj.weight), self._input_sizes[i]
        shape = shape_of(given)
        if len(shape) != 3 or shape[-1] != size:
            raise ShapeError(f"expected an input of shape (samples, positions, {size}), not {shape}")
        return given

    def _project(self, i: int, x: "ArrayLike") -> Tensor:
        """Return the queries, keys or values of all heads: (samples, heads, positions, features of a head)."""
        part = slice(sum(self._widths[:i]), sum(self._widths[: i + 1]))
        bias = None if self.in_proj_bias is None else self.in_proj_bias[part]
        y = linear(x, self._weight(i), bias)
        samples, positions, width = shape_of(y)
        head = self.embed_dim // self.num_heads
        return permute_dims(reshape(y, (samples, positions, width // head, head)), (0, 2, 1, 3))


class TransformerBlock(Module):
    """Attention, then a two-layer feed-forward network; each has a norm before it and a residual connection around it.

    It is `torch.nn.TransformerEncoderLayer(…, norm_first=True, batch_first=True)`, with the same names. With `causal`
    it is the block of a language model. `dim_feedforward` defaults to four times `embed_dim`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> block = nn.TransformerBlock(8, 2, causal=True, seed=0)
    >>> block(np.zeros((3, 5, 8))).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dim_feedforward: int | None = None,
        dropout: float = 0.0,
        activation: str = "gelu",
        causal: bool = False,
        eps: float = 1e-5,
        bias: bool = True,
        *,
        num_kv_heads: int | None = None,
        seed: Seed = None,
        dtype="float64",
    ):
        rng = generator(seed)
        self.embed_dim, self.num_heads, self.num_kv_heads = embed_dim, num_heads, num_kv_heads
        self.self_attn = Attention(
            embed_dim, num_heads, dropout, bias, num_kv_heads=num_kv_heads, seed=rng, dtype=dtype
        )
        self.dim_feedforward = 4 * embed_dim if dim_feedforward is None else dim_feedforward
        self.linear1 = Linear(embed_dim, self.dim_feedforward, bias, seed=rng, dtype=dtype)
        self.dropout = dropout
        self.inner_dropout = Dropout(dropout, seed=rng)
        self.linear2 = Linear(self.dim_feedforward, embed_dim, bias, seed=rng, dtype=dtype)
        self.norm1 = LayerNorm(embed_dim, eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(embed_dim, eps, bias=bias, dtype=dtype)
        self.dropout1, self.dropout2 = Dropout(dropout, seed=rng), Dropout(dropout, seed=rng)
        self.activation, self.activate = activation, activation_named(activation)
        self.causal, self.eps = bool(causal), eps

    @property
    def bias(self) -> bool:
        """Whether the linear layers and norms have biases."""
        return self.linear1.bias is not None

    def forward(self, x: "ArrayLike", *, mask: "ArrayLike | None" = None) -> Tensor:
        given = as_input(x, self.linear1.weight)
        y = given + self.dropout1(self.self_attn(self.norm1(given), mask=mask, causal=self.causal))
        inner = self.inner_dropout(self.activate(self.linear1(self.norm2(y))))
        return y + self.dropout2(self.linear2(inner))

    def extend(self, x: Value, past: "Past | None", position: Any, places: int = 0) -> "tuple[Value, Past]":
        """Return the output for positions that follow those of `past`; see `Attention.extend`.

        It is the output of a causal block in evaluation mode.
        """
        found, past = self.self_attn.extend(self.norm1(x), past, position, places)
        y = x + found
        return y + self.linear2(self.activate(self.linear1(self.norm2(y)))), past
