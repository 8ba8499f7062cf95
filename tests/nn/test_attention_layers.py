"""Multi-head attention and the transformer block agree with PyTorch's for the same weights."""

import numpy as np
import pytest
import torch
from closeness import is_close, require_close, require_drawn
from torch_reference import normal, require_agreement

import adjoint
from adjoint import Value, errors, nn


class Theirs(torch.nn.MultiheadAttention):
    """PyTorch's attention with our convention for masks: True where a query may attend."""

    def __init__(self, *sizes, mask=None, **options):
        super().__init__(*sizes, batch_first=True, **options)
        self.mask = mask

    def forward(self, query, key=None, value=None):
        key = query if key is None else key
        value = key if value is None else value
        mask = None if self.mask is None else torch.tensor(~self.mask)
        return super().forward(query, key, value, need_weights=False, attn_mask=mask)[0]


class Ours(nn.Attention):
    def __init__(self, *sizes, **options):
        super().__init__(*sizes)
        self.options = options

    def forward(self, *inputs):
        return super().forward(*inputs, **self.options)


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_self_attention_agrees_with_pytorch(heads, bias):
    require_agreement(nn.Attention(6, heads, bias=bias), Theirs(6, heads, bias=bias), normal(2, 5, 6))


@pytest.mark.parametrize("bias", [True, False])
def test_cross_attention_agrees_with_pytorch(bias):
    inputs = normal(2, 5, 6), normal(2, 3, 6, seed=1), normal(2, 3, 6, seed=2)
    require_agreement(nn.Attention(6, 2, bias=bias), Theirs(6, 2, bias=bias), *inputs)
    require_agreement(nn.Attention(6, 2, bias=bias), Theirs(6, 2, bias=bias), *inputs[:2])


def test_causal_attention_agrees_with_pytorch_under_a_triangular_mask():
    require_agreement(Ours(6, 2, causal=True), Theirs(6, 2, mask=np.tri(5, dtype=bool)), normal(2, 5, 6))


def test_masked_attention_agrees_with_pytorch():
    mask = np.random.default_rng(0).random((5, 5)) < 0.6
    mask[:, 0] = True
    require_agreement(Ours(6, 2, mask=mask), Theirs(6, 2, mask=mask), normal(2, 5, 6))


def test_attention_weights_are_dropped_in_training_mode_only():
    layer = nn.Attention(6, 2, dropout=0.5, seed=0)
    x = normal(2, 5, 6)
    assert not is_close(layer(x).data, layer(x).data)
    layer.eval()
    np.testing.assert_array_equal(layer(x).data, layer(x).data)
    assert [*layer.state_dict()] == ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]


def test_dropout_of_attention_weights_keeps_the_mean():
    q = Value(np.zeros((1, 3)))
    k, v = Value(np.zeros((50_000, 3))), Value(np.ones((50_000, 1)))
    y = adjoint.scaled_dot_product_attention(q, k, v, dropout=nn.Dropout(0.5, seed=0))
    require_drawn(y.item(), 1.0, spread=1.0, draws=50_000)
    assert not is_close(y.item(), 1.0)


# --- the block -------------------------------------------------------------------------------------------


def torch_block(width, heads, inner, activation, **options):
    return torch.nn.TransformerEncoderLayer(
        width, heads, inner, 0.0, activation, batch_first=True, norm_first=True, **options
    )


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("training", [True, False])
def test_a_transformer_block_agrees_with_pytorch(activation, training):
    ours = nn.TransformerBlock(6, 2, 10, activation=activation)
    require_agreement(ours, torch_block(6, 2, 10, activation), normal(2, 5, 6), training=training)


def test_a_transformer_block_without_biases_agrees_with_pytorch():
    ours = nn.TransformerBlock(6, 2, 10, activation="gelu", bias=False, eps=0.1)
    theirs = torch_block(6, 2, 10, "gelu", bias=False, layer_norm_eps=0.1)
    require_agreement(ours, theirs, normal(2, 5, 6))


def test_a_causal_block_agrees_with_pytorch():
    ours, theirs = nn.TransformerBlock(6, 2, causal=True), torch_block(6, 2, 24, "gelu").double()
    ours.load_state_dict(theirs.state_dict())
    x = normal(2, 5, 6)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    require_close(ours(x), theirs(torch.tensor(x), src_mask=mask, is_causal=True), "the output")


def test_positions_of_a_causal_block_do_not_depend_on_later_ones():
    block, x = nn.TransformerBlock(6, 2, causal=True, seed=0), normal(1, 5, 6)
    other = x.copy()
    other[:, 3:] += 1
    first, second = block(x).data, block(other).data
    np.testing.assert_array_equal(first[:, :3], second[:, :3])
    assert not is_close(first[:, 3:], second[:, 3:])


def test_dropout_of_a_block_applies_in_training_mode_only():
    block, x = nn.TransformerBlock(6, 2, dropout=0.3, seed=0), normal(2, 5, 6)
    assert not is_close(block(x).data, block(x).data)
    np.testing.assert_array_equal(block.eval()(x).data, block(x).data)


class Repeated(nn.Attention):
    """An attention with all heads whose keys and values are those of the grouped one, repeated."""

    def __init__(self, grouped):
        super().__init__(grouped.embed_dim, grouped.num_heads)
        head, times = grouped.embed_dim // grouped.num_heads, grouped.num_heads // grouped.num_kv_heads
        for name in ("in_proj_weight", "in_proj_bias"):
            data = getattr(grouped, name).data
            q, k, v = np.split(data, [grouped.embed_dim, (len(data) + grouped.embed_dim) // 2])
            k, v = (
                np.repeat(part.reshape(grouped.num_kv_heads, head, -1), times, axis=0).reshape(-1, *data.shape[1:])
                for part in (k, v)
            )
            getattr(self, name).data = np.concatenate([q, k, v])
        self.out_proj = grouped.out_proj


def test_grouped_queries_share_heads_of_keys_and_values():
    layer, x = nn.Attention(8, 4, num_kv_heads=2, seed=0), normal(2, 3, 8)
    layer.in_proj_bias.data = normal(16)
    assert layer.in_proj_weight.shape == (16, 8)
    require_close(layer(x, causal=True).data, Repeated(layer)(x, causal=True).data)
    require_close(layer(x, normal(2, 5, 8)).data, Repeated(layer)(x, normal(2, 5, 8)).data)
    same = nn.Attention(8, 4, num_kv_heads=4, seed=0)
    np.testing.assert_array_equal(same(x).data, nn.Attention(8, 4, seed=0)(x).data)
    assert nn.TransformerBlock(8, 4, num_kv_heads=1)(x).shape == (2, 3, 8)


def test_heads_that_cannot_be_grouped_are_refused():
    with pytest.raises(errors.ArgumentError, match="num_heads=4 must be a multiple of num_kv_heads=3"):
        nn.Attention(8, 4, num_kv_heads=3)
