"""Attention and the encoder layer with the names and defaults of `torch.nn`; `attention_layers.py` has ours."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import where
from adjoint.arrays.functions.padding import pad
from adjoint.arrays.random_generators import Seed, generator
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.nn.activation_layers import activation as activation_named
from adjoint.nn.attention_layers import Attention
from adjoint.nn.dropouts import Dropout
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.layers import Linear
from adjoint.nn.module import Module
from adjoint.nn.normalization_layers import LayerNorm
from adjoint.nn.weight_draws import parameter


class MultiheadAttention(Attention):
    """Attention in several heads, as `torch.nn.MultiheadAttention`: it returns the output and the attention weights.

    Inputs have shape (positions, samples, embed_dim), or with `batch_first` (samples, positions, embed_dim). As in
    PyTorch, a boolean mask is True where a query may *not* attend to a key. `Attention` is the same layer with
    adjoint's conventions. Keys have `kdim` features and values `vdim`, by default `embed_dim`. With `add_bias_kv` a
    learned key and value are added to the others, and with `add_zero_attn` a key and a value of zeros.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> x = np.zeros((3, 5, 8))
    >>> output, weights = nn.MultiheadAttention(8, 2, batch_first=True, seed=0)(x, x, x)
    >>> output.shape, weights.shape
    ((3, 5, 8), (3, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        rng = generator(seed)
        super().__init__(embed_dim, num_heads, dropout, bias, seed=rng, dtype=dtype)
        self.add_bias_kv, self.add_zero_attn, self.batch_first = add_bias_kv, add_zero_attn, bool(batch_first)
        self.kdim = embed_dim if kdim is None else whole(kdim, "MultiheadAttention: kdim")
        self.vdim = embed_dim if vdim is None else whole(vdim, "MultiheadAttention: vdim")
        if self._input_sizes != (embed_dim,) * 3:
            del self.in_proj_weight
            for name, size in zip("qkv", self._input_sizes):
                weight = parameter((embed_dim, size), math.sqrt(6 / (embed_dim + size)), rng, dtype)
                setattr(self, f"{name}_proj_weight", weight)
        if add_bias_kv:
            bound = math.sqrt(3 / embed_dim)
            self.bias_k, self.bias_v = (parameter((1, 1, embed_dim), bound, rng, dtype) for _ in range(2))

    @property
    def _input_sizes(self) -> tuple[int, ...]:
        return self.embed_dim, self.kdim, self.vdim

    def _weight(self, i: int) -> Any:
        return super()._weight(i) if "in_proj_weight" in vars(self) else vars(self)[f"{'qkv'[i]}_proj_weight"]

    def _heads(self, query: "ArrayLike", key: "ArrayLike", value: "ArrayLike") -> tuple[Any, Any, Any]:
        """Return the queries, keys and values of all heads; `add_bias_kv` and `add_zero_attn` add a key and a value."""
        q, k, v = super()._heads(query, key, value)
        samples, heads, _, width = shape_of(k)
        if self.add_bias_kv:
            added = (
                shaping.broadcast_to(shaping.reshape(x, (1, heads, 1, width)), (samples, heads, 1, width))
                for x in (self.bias_k, self.bias_v)
            )
            k, v = (shaping.concat([x, more], axis=2) for x, more in zip((k, v), added))
        if self.add_zero_attn:
            k, v = (pad(x, [(0, 0), (0, 0), (0, 1), (0, 0)]) for x in (k, v))
        return q, k, v

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        query: "ArrayLike",
        key: "ArrayLike",
        value: "ArrayLike",
        key_padding_mask: "ArrayLike | None" = None,
        need_weights: bool = True,
        attn_mask: "ArrayLike | None" = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """Return the output for each query, and the attention weights, the mean over the heads; None if not needed."""
        is_same = query is key and key is value
        given = [as_input(x, self.out_proj.weight) for x in ((query,) if is_same else (query, key, value))]
        is_single = len(shape_of(given[0])) == 2
        if is_single:
            given = [shaping.expand_dims(x, 0) for x in given]
        elif not self.batch_first:
            given = [shaping.swapaxes(x, 0, 1) for x in given]
        q, k, v = given * 3 if is_same else given
        mask = self._mask(attn_mask, key_padding_mask, shape_of(q)[0])
        added = bool(self.add_bias_kv) + bool(self.add_zero_attn)  # keys, which every query may attend to
        if added and is_causal:
            allowed = np.tri(shape_of(q)[1], shape_of(k)[1], dtype=bool)
            mask = where(allowed, 0.0, -math.inf) if mask is None else where(allowed, _as_numbers(mask), -math.inf)
            is_causal = False
        if added and mask is not None:
            mask = _as_numbers(mask)
            mask = pad(mask, [(0, 0)] * (len(shape_of(mask)) - 1) + [(0, added)])
        seen: list[Any] = []

        def note(weights: Any) -> Any:
            seen.append(weights)
            return self.weight_dropout(weights) if self.dropout and self.training else weights

        is_noted = need_weights or (self.dropout and self.training)
        output = self._attend(q, k, v, mask, is_causal, note if is_noted else None)
        weights = None
        if need_weights:
            weights = reductions.mean(seen[0], 1) if average_attn_weights else seen[0]
        if is_single:
            return shaping.squeeze(output, 0), None if weights is None else shaping.squeeze(weights, 0)
        return output if self.batch_first else shaping.swapaxes(output, 0, 1), weights

    def _mask(self, attn_mask: Any, key_padding_mask: Any, samples: int) -> Any:
        """Return both masks as one, of a shape that broadcasts to the scores: boolean if both are, else to be added."""
        mask, padding = (_as_allowed(x) for x in (attn_mask, key_padding_mask))
        if mask is not None and padding is not None and not (_is_boolean(mask) and _is_boolean(padding)):
            mask, padding = _as_numbers(mask), _as_numbers(padding)
        if mask is not None and len(shape_of(mask)) == 3:
            mask = mask.reshape((samples, self.num_heads, *shape_of(mask)[1:]))
        if padding is not None:
            rows, keys = (1, *shape_of(padding))[-2:]
            if rows not in (1, samples):
                raise ShapeError(f"key_padding_mask must have shape ({samples}, {keys}), not {shape_of(padding)}")
            padding = padding.reshape((rows, 1, 1, keys))
            mask = padding if mask is None else mask & padding if _is_boolean(mask) else mask + padding
        return mask


def _as_allowed(mask: Any) -> Any:
    """Return a mask of PyTorch, which is True where a query may not attend, as one that is True where it may."""
    if mask is None:
        return None
    given = np.asarray(mask) if isinstance(mask, (list, tuple)) else mask
    return ~given if _is_boolean(given) else as_operand(mask)


def _as_numbers(mask: Any) -> Any:
    """Return a mask as numbers that are added to the scores."""
    return where(mask, 0.0, -math.inf) if _is_boolean(mask) else mask


def _is_boolean(mask: Any) -> bool:
    return not isinstance(mask, Value) and "bool" in str(getattr(mask, "dtype", ""))


class TransformerEncoderLayer(Module):
    """Attention and a feed-forward network with residual connections, as `torch.nn.TransformerEncoderLayer`.

    Inputs have shape (positions, samples, d_model), or with `batch_first` (samples, positions, d_model). With
    `norm_first` the norms come before each part, as in `TransformerBlock`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, seed=0)(np.zeros((3, 5, 8))).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        rng = generator(seed)
        self.d_model, self.nhead, self.dim_feedforward = d_model, nhead, dim_feedforward
        self.layer_norm_eps, self.batch_first, self.norm_first = layer_norm_eps, bool(batch_first), bool(norm_first)
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, seed=rng, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, seed=rng, dtype=dtype)
        self.linear2 = Linear(dim_feedforward, d_model, bias, seed=rng, dtype=dtype)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout = dropout
        self.inner_dropout, self.dropout1, self.dropout2 = (Dropout(dropout, seed=rng) for _ in range(3))
        self.activation = activation
        self.activate = activation_named(activation) if isinstance(activation, str) else activation

    @property
    def bias(self) -> bool:
        """Whether the linear layers and norms have biases."""
        return self.linear1.bias is not None

    def forward(
        self,
        src: "ArrayLike",
        src_mask: "ArrayLike | None" = None,
        src_key_padding_mask: "ArrayLike | None" = None,
        is_causal: bool = False,
    ) -> Any:
        x = as_input(src, self.linear1.weight)

        def attend(x: Any) -> Any:
            found, _ = self.self_attn(
                x, x, x, src_key_padding_mask, need_weights=False, attn_mask=src_mask, is_causal=is_causal
            )
            return self.dropout1(found)

        def feed(x: Any) -> Any:
            return self.dropout2(self.linear2(self.inner_dropout(self.activate(self.linear1(x)))))

        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + feed(self.norm2(x))
        x = self.norm1(x + attend(x))
        return self.norm2(x + feed(x))
