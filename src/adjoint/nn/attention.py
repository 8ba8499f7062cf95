"""Attention with several heads, and the block that transformers are made of. Samples come first."""

import math
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.attention import scaled_dot_product_attention
from adjoint.arrays.functions.products import linear
from adjoint.arrays.functions.shaping import permute_dims, reshape
from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole
from adjoint.nn.activations import activation as activation_named
from adjoint.nn.init import Seed, generator, parameter
from adjoint.nn.layers import Dropout, Linear, as_input
from adjoint.nn.module import Module
from adjoint.nn.norms import LayerNorm


class MultiHeadAttention(Module):
    """Attention in several heads side by side, each on its part of the width: (samples, places, embed_dim).

    The weights are those of `torch.nn.MultiheadAttention`; what comes out is the output alone. A boolean `mask`, of a
    shape that broadcasts to (samples, heads, queries, keys), is True where a query may attend to a key; any other is
    added to the scores. `causal` lets each place attend to itself and those before it. `dropout` is that of the
    weights of attention, in training.

    >>> import numpy as np
    >>> MultiHeadAttention(8, 2, seed=0)(np.zeros((3, 5, 8)), causal=True).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        self.embed_dim = width = whole(embed_dim, "MultiHeadAttention: embed_dim")
        self.num_heads = whole(num_heads, "MultiHeadAttention: num_heads")
        if width % self.num_heads:
            raise ArgumentError(f"MultiHeadAttention: a width of {width} cannot be shared by {num_heads} heads equally")
        rng = generator(seed)
        self.in_proj_weight = parameter((3 * width, width), math.sqrt(6 / (4 * width)), rng, dtype)
        self.in_proj_bias: Any = Tensor(np.zeros(3 * width), dtype=dtype) if bias else None
        self.out_proj = Linear(width, width, bias=bias, seed=rng, dtype=dtype)
        if self.out_proj.bias is not None:
            self.out_proj.bias.data = 0.0
        self.dropout, self.weight_dropout = dropout, Dropout(dropout, seed=rng)

    @property
    def bias(self) -> bool:
        """Whether the projections have biases."""
        return self.in_proj_bias is not None

    def forward(self, query: Any, key: Any = None, value: Any = None, *, mask: Any = None, causal: bool = False) -> Any:
        """Return what each query finds; keys, and values, are the queries themselves unless given."""
        key = query if key is None else key
        value = key if value is None else value
        width, heads = self.embed_dim, self.num_heads
        if query is key and key is value:
            x = self._input(query)
            samples, places = shape_of(x)[:2]
            every = linear(x, self.in_proj_weight, self.in_proj_bias)
            every = permute_dims(reshape(every, (samples, places, 3, heads, width // heads)), (2, 0, 3, 1, 4))
            q, k, v = every[0], every[1], every[2]
        else:
            q, k, v = (self._projected(i, self._input(x)) for i, x in enumerate((query, key, value)))
        drop = self.weight_dropout if self.dropout and self.training else None
        found = scaled_dot_product_attention(q, k, v, mask, causal=causal, dropout=drop)
        samples, _, places, _ = shape_of(found)
        return self.out_proj(reshape(permute_dims(found, (0, 2, 1, 3)), (samples, places, width)))

    def _input(self, x: Any) -> Any:
        x = as_input(x, self.in_proj_weight)
        shape = shape_of(x)
        if len(shape) != 3 or shape[-1] != self.embed_dim:
            raise ShapeError(
                f"an input of shape {shape} does not fit: it needs the shape (samples, places, {self.embed_dim})"
            )
        return x

    def _projected(self, i: int, x: Any) -> Any:
        """Return the queries, keys or values of all heads: (samples, heads, places, width of a head)."""
        part = slice(i * self.embed_dim, (i + 1) * self.embed_dim)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[part]
        x = linear(x, self.in_proj_weight[part], bias)
        samples, places, width = shape_of(x)
        return permute_dims(reshape(x, (samples, places, self.num_heads, width // self.num_heads)), (0, 2, 1, 3))


class TransformerBlock(Module):
    """Attention, then two linear layers with an activation between, each behind a norm and beside a shortcut.

    It is `torch.nn.TransformerEncoderLayer(…, norm_first=True, batch_first=True)`, with the same names; `causal` makes
    it the block of a language model. Unless told, the inner layer is four times as wide.

    >>> import numpy as np
    >>> block = TransformerBlock(8, 2, causal=True, seed=0)
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
        seed: Seed = None,
        dtype="float64",
    ):
        rng = generator(seed)
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.self_attn = MultiHeadAttention(embed_dim, num_heads, dropout, bias, seed=rng, dtype=dtype)
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
        """Whether linear layers and norms have biases."""
        return self.linear1.bias is not None

    def forward(self, x: Any, *, mask: Any = None) -> Any:
        x = as_input(x, self.linear1.weight)
        x = x + self.dropout1(self.self_attn(self.norm1(x), mask=mask, causal=self.causal))
        inner = self.inner_dropout(self.activate(self.linear1(self.norm2(x))))
        return x + self.dropout2(self.linear2(inner))
