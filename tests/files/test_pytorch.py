"""Models converted to PyTorch and back: the same names, weights and outputs."""

import sys

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import errors, from_torch, nn, to_torch
from adjoint.files.pytorch import _COUNTERPARTS
from adjoint.transforms.trees import tree_leaves

t = torch.nn
rng = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape)


# Layers with the same arguments in adjoint and in PyTorch: how to make one, and an input.
SAME = [
    (lambda m: m.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2), normal(2, 2, 2, 4, 3)),
    (lambda m: m.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), normal(2, 2, 4, 3)),
    (lambda m: m.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), normal(2, 4, 5)),
    (lambda m: m.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False), normal(2, 2, 3, 4)),
    (lambda m: m.ConvTranspose3d(2, 1, 2, 2), normal(2, 2, 2, 1, 2)),
    (lambda m: m.MaxPool1d(3, 2, 1, ceil_mode=True), normal(2, 3, 8)),
    (lambda m: m.MaxPool2d(2, 1, dilation=2), normal(2, 3, 5, 4)),
    (lambda m: m.MaxPool3d(2, 1), normal(2, 1, 3, 2, 4)),
    (lambda m: m.AvgPool1d(3, 2, 1, True, False), normal(2, 3, 8)),
    (lambda m: m.AvgPool2d(2, ceil_mode=True, divisor_override=3), normal(2, 3, 5, 4)),
    (lambda m: m.AvgPool3d(2, 1, 1), normal(2, 1, 3, 2, 4)),
    (lambda m: m.LPPool1d(2, 3, 2), normal(2, 3, 8)),
    (lambda m: m.LPPool2d(2, (2, 3), ceil_mode=True), normal(2, 3, 5, 4)),
    (lambda m: m.LPPool3d(2, 2), normal(2, 1, 3, 2, 4)),
    (lambda m: m.AdaptiveAvgPool1d(3), normal(2, 3, 8)),
    (lambda m: m.AdaptiveAvgPool2d((2, None)), normal(2, 3, 5, 4)),
    (lambda m: m.AdaptiveAvgPool3d(1), normal(2, 1, 3, 2, 4)),
    (lambda m: m.AdaptiveMaxPool1d(3), normal(2, 3, 8)),
    (lambda m: m.AdaptiveMaxPool2d((2, None)), normal(2, 3, 5, 4)),
    (lambda m: m.AdaptiveMaxPool3d(1), normal(2, 1, 3, 2, 4)),
    (lambda m: m.Upsample(scale_factor=2.0), normal(2, 3, 4)),
    (lambda m: m.Upsample(size=(5, 3), mode="bilinear", align_corners=True), normal(2, 3, 4, 4)),
    (lambda m: m.PixelShuffle(2), normal(2, 4, 3, 2)),
    (lambda m: m.PixelUnshuffle(2), normal(2, 1, 4, 6)),
    (lambda m: m.Unfold((2, 3), padding=1), normal(2, 2, 4, 5)),
    (lambda m: m.Fold((4, 5), (2, 3), stride=(2, 1)), normal(2, 12, 6)),
    (lambda m: m.BatchNorm3d(3), normal(4, 3, 2, 1, 3)),
    (lambda m: m.InstanceNorm1d(3), normal(4, 3, 5)),
    (lambda m: m.InstanceNorm2d(3, 1e-3, affine=True), normal(4, 3, 2, 5)),
    (lambda m: m.InstanceNorm3d(3, track_running_stats=True), normal(4, 3, 2, 1, 3)),
    (lambda m: m.GroupNorm(2, 4, 1e-3), normal(3, 4, 2, 2)),
    (lambda m: m.GroupNorm(3, 3, affine=False), normal(3, 3)),
    (lambda m: m.LocalResponseNorm(3, 0.1, 0.5, 2.0), normal(2, 4, 3)),
    (lambda m: m.PReLU(), normal(3, 9)),
    (lambda m: m.PReLU(3, 0.1), normal(2, 3, 4)),
    (lambda m: m.RNN(3, 4, 2, batch_first=True, bidirectional=True, dropout=0.1), normal(2, 5, 3)),
    (lambda m: m.LSTM(3, 4, 2, batch_first=True, bidirectional=True), normal(2, 5, 3)),
    (lambda m: m.GRU(3, 4, 3, batch_first=True, dropout=0.5), normal(2, 5, 3)),
    (lambda m: m.LSTM(3, 4, 2, batch_first=True, proj_size=2), normal(2, 5, 3)),
    (lambda m: m.BatchNorm2d(3, bias=False), normal(4, 3, 5, 6)),
    (lambda m: m.GroupNorm(1, 3, bias=False), normal(4, 3, 5, 6)),
]
# Each layer in adjoint and in PyTorch, and an input for both.
PAIRS = [
    *[(make(nn), make(t), x) for make, x in SAME],
    (nn.Linear(3, 2), t.Linear(3, 2), normal(5, 3)),
    (nn.Linear(3, 2, bias=False), t.Linear(3, 2, bias=False), normal(5, 3)),
    (nn.Embedding(7, 3), t.Embedding(7, 3), np.array([[0, 6], [3, 3]])),
    (nn.Conv1d(4, 6, 3, 2, 1, groups=2), t.Conv1d(4, 6, 3, 2, 1, groups=2), normal(2, 4, 9)),
    (nn.Conv1d(4, 6, 3, padding="same"), t.Conv1d(4, 6, 3, padding="same"), normal(2, 4, 9)),
    (
        nn.Conv2d(1, 3, (3, 2), dilation=2, bias=False),
        t.Conv2d(1, 3, (3, 2), dilation=2, bias=False),
        normal(2, 1, 8, 9),
    ),
    (nn.MaxPool2d(3, 2, 1), t.MaxPool2d(3, 2, 1), normal(2, 3, 7, 8)),
    (nn.MaxPool2d(2), t.MaxPool2d(2), normal(2, 3, 6, 8)),
    (
        nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        t.AvgPool2d(3, 2, 1, count_include_pad=False),
        normal(2, 3, 7, 8),
    ),
    (nn.Flatten(), t.Flatten(), normal(2, 3, 4)),
    (nn.Flatten(0, 1), t.Flatten(0, 1), normal(2, 3, 4)),
    (nn.Dropout(0.3), t.Dropout(0.3), normal(2, 3)),
    (nn.LayerNorm(3, 1e-3), t.LayerNorm(3, 1e-3), normal(2, 3)),
    (nn.LayerNorm((2, 3), bias=False), t.LayerNorm((2, 3), bias=False), normal(4, 2, 3)),
    (nn.LayerNorm(3, elementwise_affine=False), t.LayerNorm(3, elementwise_affine=False), normal(2, 3)),
    (nn.RMSNorm(3), t.RMSNorm(3), normal(2, 3)),
    (nn.RMSNorm(3, 1e-3), t.RMSNorm(3, 1e-3), normal(2, 3)),
    (nn.BatchNorm1d(3), t.BatchNorm1d(3), normal(4, 3)),
    (nn.BatchNorm1d(3, momentum=None, affine=False), t.BatchNorm1d(3, momentum=None, affine=False), normal(4, 3, 5)),
    (nn.BatchNorm2d(3, 1e-3, 0.2), t.BatchNorm2d(3, 1e-3, 0.2), normal(4, 3, 5, 6)),
    (nn.BatchNorm2d(3, track_running_stats=False), t.BatchNorm2d(3, track_running_stats=False), normal(4, 3, 5, 6)),
    (nn.RNN(3, 4, 2, "relu"), t.RNN(3, 4, 2, "relu", batch_first=True), normal(2, 5, 3)),
    (nn.LSTM(3, 4, 2), t.LSTM(3, 4, 2, batch_first=True), normal(2, 5, 3)),
    (nn.GRU(3, 4, bias=False, batch_first=False), t.GRU(3, 4, bias=False), normal(2, 5, 3)),
    (
        nn.TransformerBlock(6, 2, 8, 0.1),
        t.TransformerEncoderLayer(6, 2, 8, 0.1, "gelu", batch_first=True, norm_first=True),
        normal(2, 5, 6),
    ),
    (
        nn.TransformerBlock(6, 2, 8, activation="relu", eps=1e-3, bias=False),
        t.TransformerEncoderLayer(6, 2, 8, 0.0, "relu", 1e-3, True, True, bias=False),
        normal(2, 5, 6),
    ),
    (nn.Attention(6, 2, 0.1), t.MultiheadAttention(6, 2, 0.1, batch_first=True), normal(2, 5, 6)),
    (
        nn.Attention(6, 3, bias=False),
        t.MultiheadAttention(6, 3, bias=False, batch_first=True),
        normal(2, 5, 6),
    ),
    (
        nn.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2),
        t.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2),
        normal(2, 2, 2, 4, 3),
    ),
    (
        nn.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False),
        t.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False),
        normal(2, 2, 3, 4),
    ),
    (
        nn.AvgPool2d(2, ceil_mode=True, divisor_override=3),
        t.AvgPool2d(2, ceil_mode=True, divisor_override=3),
        normal(2, 3, 5, 4),
    ),
    (
        nn.Upsample(size=(5, 3), mode="bilinear", align_corners=True),
        t.Upsample(size=(5, 3), mode="bilinear", align_corners=True),
        normal(2, 3, 4, 4),
    ),
    (
        nn.InstanceNorm3d(3, track_running_stats=True),
        t.InstanceNorm3d(3, track_running_stats=True),
        normal(4, 3, 2, 1, 3),
    ),
    (
        nn.RNN(3, 4, 2, bidirectional=True, dropout=0.1),
        t.RNN(3, 4, 2, bidirectional=True, dropout=0.1, batch_first=True),
        normal(2, 5, 3),
    ),
    (nn.Tanh(), t.Tanh(), normal(9)),
    (nn.Sigmoid(), t.Sigmoid(), normal(9)),
    (nn.ReLU(), t.ReLU(), normal(9)),
    (nn.SiLU(), t.SiLU(), normal(9)),
    (nn.Softplus(), t.Softplus(), normal(9)),
    (nn.LeakyReLU(0.2), t.LeakyReLU(0.2), normal(9)),
    (nn.ELU(0.5), t.ELU(0.5), normal(9)),
    (nn.GELU(), t.GELU(), normal(9)),
    (nn.GELU("tanh"), t.GELU("tanh"), normal(9)),
    (nn.Softsign(), t.Softsign(), normal(9)),
    (nn.LogSigmoid(), t.LogSigmoid(), normal(9)),
    (nn.Tanhshrink(), t.Tanhshrink(), normal(9)),
    (nn.Mish(), t.Mish(), normal(9)),
    (nn.ReLU6(), t.ReLU6(), normal(9)),
    (nn.Hardsigmoid(), t.Hardsigmoid(), normal(9)),
    (nn.Hardswish(), t.Hardswish(), normal(9)),
    (nn.SELU(), t.SELU(), normal(9)),
    (nn.Hardtanh(-0.5, 1.5), t.Hardtanh(-0.5, 1.5), normal(9)),
    (nn.Hardshrink(0.3), t.Hardshrink(0.3), normal(9)),
    (nn.Softshrink(0.3), t.Softshrink(0.3), normal(9)),
    (nn.CELU(0.5), t.CELU(0.5), normal(9)),
    (nn.Threshold(0.1, 20.0), t.Threshold(0.1, 20.0), normal(9)),
    (nn.Softplus(2.0, 1.5), t.Softplus(2.0, 1.5), normal(9)),
    (nn.Softmin(1), t.Softmin(1), normal(3, 4)),
    (nn.GLU(1), t.GLU(1), normal(3, 4)),
    (nn.Softmax(0), t.Softmax(0), normal(3, 4)),
    (nn.LogSoftmax(-1), t.LogSoftmax(-1), normal(3, 4)),
    (nn.Identity(), t.Identity(), normal(3, 4)),
]
LOSSES = [
    (nn.MSELoss("sum"), t.MSELoss(reduction="sum"), normal(3, 4), normal(3, 4)),
    (nn.L1Loss(), t.L1Loss(), normal(3, 4), normal(3, 4)),
    (nn.HuberLoss(delta=0.5), t.HuberLoss(delta=0.5), normal(3, 4), normal(3, 4)),
    (nn.BCELoss(), t.BCELoss(), rng.uniform(size=(3, 4)), rng.uniform(size=(3, 4))),
    (nn.BCEWithLogitsLoss(), t.BCEWithLogitsLoss(), normal(3, 4), rng.uniform(size=(3, 4))),
    (nn.CrossEntropyLoss(label_smoothing=0.1), t.CrossEntropyLoss(label_smoothing=0.1), normal(3, 4), [0, 1, 3]),
    (nn.NLLLoss(reduction="sum"), t.NLLLoss(reduction="sum"), normal(3, 4), [0, 1, 3]),
    (nn.KLDivLoss("batchmean"), t.KLDivLoss(reduction="batchmean"), normal(3, 4), rng.uniform(size=(3, 4))),
    (nn.SmoothL1Loss(beta=0.5), t.SmoothL1Loss(beta=0.5), normal(3, 4), normal(3, 4)),
    (nn.PoissonNLLLoss(full=True), t.PoissonNLLLoss(full=True), normal(3, 4), rng.uniform(size=(3, 4))),
    (nn.HingeEmbeddingLoss(0.5), t.HingeEmbeddingLoss(0.5), normal(3, 4), np.sign(normal(3, 4))),
    (nn.SoftMarginLoss(), t.SoftMarginLoss(), normal(3, 4), np.sign(normal(3, 4))),
    (nn.MultiMarginLoss(2, 0.5), t.MultiMarginLoss(2, 0.5), normal(3, 4), [0, 1, 3]),
    (nn.MultiLabelMarginLoss(), t.MultiLabelMarginLoss(), normal(2, 3), [[0, 2, -1], [1, -1, 0]]),
    (nn.MultiLabelSoftMarginLoss(), t.MultiLabelSoftMarginLoss(), normal(3, 4), rng.uniform(size=(3, 4))),
]


def results(model, x) -> list[np.ndarray]:
    """Return the outputs of a model of either library as arrays."""
    if isinstance(model, t.Module):
        x = torch.tensor(x)
        y = model(x, x, x, need_weights=False)[0] if isinstance(model, t.MultiheadAttention) else model(x)
    else:
        y = model(x)
    parts = [part.detach() if isinstance(part, torch.Tensor) else part for part in tree_leaves(y)]
    return [part.numpy() if hasattr(part, "numpy") else part for part in parts]


def require_same(ours, theirs, x) -> None:
    state, other = ours.state_dict(), theirs.state_dict()
    assert sorted(state) == sorted(other)
    for name, array in state.items():
        np.testing.assert_array_equal(array, other[name].numpy(), err_msg=name)
        assert str(np.asarray(array).dtype) == str(other[name].dtype).removeprefix("torch.")
    for a, b in zip(results(ours, x), results(theirs, x), strict=True):
        assert a.dtype == b.dtype
        require_close(a, b)


def ids(pair) -> str:
    return type(pair[0]).__name__


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_a_layer_converts_to_pytorch_with_the_same_weights_and_outputs(pair):
    ours, theirs, x = pair
    found = to_torch(ours.eval())
    assert repr(found) == repr(theirs.eval())
    assert not found.training
    require_same(ours, found, x)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_a_layer_of_pytorch_converts_to_adjoint_with_the_same_weights_and_outputs(pair):
    ours, theirs, x = pair
    found = from_torch(theirs.double().eval())
    assert found.arguments().keys() == ours.arguments().keys()
    assert not found.training
    require_same(found, theirs, x)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_a_layer_converted_to_pytorch_and_back_is_the_same(pair):
    ours, _, x = pair
    again = from_torch(to_torch(ours.train()))
    assert type(again) is type(ours)
    assert again.training
    assert repr(from_torch(to_torch(again))) == repr(again)
    for a, b in zip(results(ours.eval(), x), results(again.eval(), x), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("losses", LOSSES, ids=ids)
def test_losses_convert_in_both_directions(losses):
    ours, theirs, prediction, target = losses
    expected = theirs(torch.tensor(prediction), torch.tensor(target)).item()
    assert repr(to_torch(ours)) == repr(theirs)
    assert to_torch(ours)(torch.tensor(prediction), torch.tensor(target)).item() == expected
    require_close(float(from_torch(theirs)(prediction, target)), expected)


LOSSES_OF_THREE = [
    (nn.MarginRankingLoss(0.5), t.MarginRankingLoss(0.5), [normal(3), normal(3), np.sign(normal(3))]),
    (nn.CosineEmbeddingLoss(0.5), t.CosineEmbeddingLoss(0.5), [normal(3, 4), normal(3, 4), np.sign(normal(3))]),
    (nn.TripletMarginLoss(swap=True), t.TripletMarginLoss(swap=True), [normal(3, 4), normal(3, 4), normal(3, 4)]),
    (nn.GaussianNLLLoss(full=True), t.GaussianNLLLoss(full=True), [normal(3), normal(3), rng.uniform(size=3)]),
    (nn.CTCLoss(2, "sum"), t.CTCLoss(2, "sum"), [normal(4, 1, 3), np.array([[0, 1]]), np.array([4]), np.array([2])]),
]


@pytest.mark.parametrize("losses", LOSSES_OF_THREE, ids=ids)
def test_losses_of_several_inputs_convert_in_both_directions(losses):
    ours, theirs, inputs = losses
    expected = theirs(*map(torch.tensor, inputs)).item()
    assert repr(to_torch(ours)) == repr(theirs)
    assert to_torch(ours)(*map(torch.tensor, inputs)).item() == expected
    require_close(float(from_torch(theirs)(*inputs)), expected)


def test_the_weights_of_the_classes_convert_in_both_directions():
    weight, scores, labels = np.array([0.5, 1.0, 4.0]), normal(4, 3), np.array([0, 1, 2, 2])
    ours, theirs = nn.CrossEntropyLoss(weight=weight), t.CrossEntropyLoss(weight=torch.tensor(weight))
    expected = theirs(torch.tensor(scores), torch.tensor(labels)).item()
    assert to_torch(ours)(torch.tensor(scores), torch.tensor(labels)).item() == expected
    require_close(float(from_torch(theirs)(scores, labels)), expected)


def test_every_counterpart_is_tested():
    assert {ids(pair) for pair in [*PAIRS, *LOSSES, *LOSSES_OF_THREE]} == set(_COUNTERPARTS)


def nested():
    return nn.Sequential(
        nn.Linear(3, 4),
        nn.Sequential({"norm": nn.BatchNorm1d(4), "activation": nn.ReLU(), "drop": nn.Dropout(0.2)}),
        adjoint.tanh,
        nn.Linear(4, 2),
        adjoint.softmax,
    )


def test_nested_sequentials_keep_their_names_and_statistics():
    ours, x = nested(), normal(5, 3)
    for _ in range(3):
        ours(normal(5, 3))
    theirs = to_torch(ours.eval())
    assert [name for name, _ in theirs.named_modules()][1:] == [name for name, _ in ours.named_modules()][1:]
    require_same(ours, theirs, x)
    require_same(from_torch(theirs), theirs, x)


def test_weights_are_copied():
    ours = nn.Linear(2, 2)
    theirs = to_torch(ours)
    before = ours.weight.data.copy()
    with torch.no_grad():
        theirs.weight.zero_()
    np.testing.assert_array_equal(ours.weight.data, before)
    again = from_torch(theirs)
    with torch.no_grad():
        theirs.weight.fill_(1.0)
    np.testing.assert_array_equal(again.weight.data, 0.0)


def test_float32_is_kept_for_each_layer():
    ours = nn.Sequential(nn.Linear(3, 2, dtype="float32"), nn.LayerNorm(2, dtype="float32"))
    theirs = to_torch(ours)
    require_same(ours, theirs, normal(4, 3).astype(np.float32))
    require_same(from_torch(theirs), theirs, normal(4, 3).astype(np.float32))
    mixed = to_torch(nn.Sequential(nn.Linear(3, 2, dtype="float32"), nn.Linear(2, 2)))
    assert [p.dtype for p in mixed.parameters()] == [torch.float32] * 2 + [torch.float64] * 2


def test_pytorch_trains_a_converted_model():
    theirs = to_torch(nn.Sequential(nn.Linear(3, 2), nn.Tanh()))
    theirs(torch.tensor(normal(4, 3))).sum().backward()
    assert all(p.grad is not None for p in theirs.parameters())


def test_a_causal_block_stays_causal_in_both_directions():
    ours, x = nn.Sequential(nn.TransformerBlock(6, 2, causal=True), nn.TransformerBlock(6, 2)), normal(2, 5, 6)
    theirs = to_torch(ours.eval())
    require_same(ours, theirs, x)
    again = from_torch(theirs)
    assert [block.causal for block in again] == [True, False]
    require_same(again, theirs, x)


def test_a_network_of_scalar_values_is_converted_to_arrays():
    ours = nn.MLP(2, [3, 1], "relu", "linear")
    theirs = to_torch(ours)
    assert [type(layer) for layer in theirs] == [t.Linear, t.ReLU, t.Linear]
    require_close(theirs(torch.tensor([[0.5, -1.0]], dtype=torch.float64)).item(), ours([0.5, -1.0]).data)


def test_a_layer_used_twice_stays_one_layer():
    layer = nn.Linear(2, 2)
    theirs = to_torch(nn.Sequential(layer, nn.Tanh(), layer))
    assert theirs[0] is theirs[2]
    ours = from_torch(theirs)
    assert ours[0] is ours[2]


def test_a_weight_shared_by_two_layers_is_refused():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    with pytest.raises(errors.ConversionError, match="a weight shared by two layers would become two in PyTorch's"):
        to_torch(model)
    theirs = t.Sequential(t.Linear(2, 2), t.Linear(2, 2))
    theirs[1].weight = theirs[0].weight
    with pytest.raises(errors.ConversionError, match="would become two in adjoint's"):
        from_torch(theirs)


class Own(nn.Module):
    def forward(self, x):
        return x


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Own(), r"^Own\(\), has no counterpart in torch\.nn; write it as a torch\.nn\.Module"),
        (nn.Sequential(nn.ReLU(), nn.Sequential(Own())), r"^layer 1\.0, Own\(\), has no counterpart in torch\.nn"),
        (nn.Sequential(nn.ReLU(), lambda x: x), "^layer 1, <lambda>, has no counterpart"),
        (nn.Sequential(adjoint.sin), "^layer 0, sin, has no counterpart"),
        (nn.HingeLoss(), "HingeLoss.* has no counterpart"),
        (nn.Softmax((0, 1)), "Softmax.* has no counterpart in torch.nn with these arguments"),
        (nn.TransformerBlock(4, 2, activation="softmax"), "with the activation softmax"),
        (nn.Attention(4, 2, num_kv_heads=1), "with fewer heads of keys than of queries"),
        (nn.Sequential(nn.Attention(4, 2)), "^layer 0, .* in a Sequential: PyTorch's takes three inputs"),
        (3, "to_torch needs a model of adjoint.nn, not int 3"),
        (t.Linear(2, 2), "to_torch needs a model of adjoint.nn, not Linear"),
    ],
)
def test_a_layer_without_a_counterpart_in_pytorch_is_named(model, message):
    with pytest.raises(errors.ConversionError, match=message):
        to_torch(model)


class Theirs(t.Linear): ...


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (t.Bilinear(2, 2, 2), "^Bilinear.* has no counterpart in adjoint.nn; write it as a Module"),
        (t.Sequential(t.ReLU(), t.Sequential(t.RReLU())), r"^layer 1\.0, RReLU.* has no counterpart"),
        (Theirs(2, 2), "^Theirs.* has no counterpart"),
        (t.Embedding(3, 2, padding_idx=0), "has padding_idx=0"),
        (t.MultiheadAttention(4, 2), "has batch_first=False"),
        (t.MultiheadAttention(4, 2, batch_first=True, kdim=3), "has _qkv_same_embed_dim=False"),
        (t.MultiheadAttention(4, 2, batch_first=True, add_zero_attn=True), "has add_zero_attn=True"),
        (t.MultiheadAttention(4, 2, batch_first=True, add_bias_kv=True), "has bias_k="),
        (t.TransformerEncoderLayer(4, 2, batch_first=True), "has norm_first=False"),
        (t.TransformerEncoderLayer(4, 2, norm_first=True), "has batch_first=False"),
        (t.Softmax(), "has dim=None"),
        (t.Linear(2, 2).bfloat16(), r"has weights of bfloat16; convert them with module\.float\(\)"),
        (nn.Linear(2, 2), "from_torch needs a module of torch.nn, not Linear"),
        ("x", "from_torch needs a module of torch.nn, not str 'x'"),
    ],
)
def test_a_layer_without_a_counterpart_in_adjoint_is_named(module, message):
    with pytest.raises(errors.ConversionError, match=message):
        from_torch(module)


@pytest.mark.parametrize("convert", [to_torch, from_torch])
def test_without_pytorch_the_extra_is_named(monkeypatch, convert):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(errors.MissingExtraError, match=r"_torch needs torch.*pip install 'adjoint-autograd\[torch\]'"):
        convert(nn.Linear(2, 2))
