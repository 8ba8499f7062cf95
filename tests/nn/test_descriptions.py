"""Descriptions: every layer of adjoint.nn can be described as JSON and rebuilt, and nothing else can."""

import json

import numpy as np
import pytest

import adjoint
from adjoint import Value, errors, nn
from adjoint.nn.descriptions import describe_model, rebuild

LAYERS = [
    nn.Linear(2, 3, bias=False),
    nn.Embedding(3, 4),
    nn.Flatten(0, 1),
    nn.Dropout(0.2),
    nn.Conv1d(2, 4, 3, padding="same", groups=2),
    nn.Conv2d(1, 2, (3, 2), stride=(1, 2), bias=False),
    nn.MaxPool2d(2),
    nn.AvgPool2d(2, 1, 1, count_include_pad=False),
    nn.LayerNorm((2, 3), 1e-3, bias=False),
    nn.LayerNorm(3, elementwise_affine=False),
    nn.RMSNorm(3),
    nn.BatchNorm1d(3, momentum=None, affine=False),
    nn.BatchNorm2d(3, track_running_stats=False),
    nn.RNN(2, 3, 2, "relu"),
    nn.LSTM(2, 3, bias=False, batch_first=False),
    nn.GRU(2, 3),
    nn.Attention(4, 2, 0.1, False),
    nn.TransformerBlock(4, 2, 8, 0.1, "relu", True, 1e-6, False),
    nn.GPT(11, 6, 4, 2, 2, 0.1, False, checkpoint=True),
    nn.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2),
    nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2),
    nn.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False),
    nn.ConvTranspose3d(2, 1, 2, 2),
    nn.MaxPool1d(3, 2, 1, ceil_mode=True),
    nn.MaxPool2d(2, 1, dilation=2),
    nn.MaxPool3d(2, 1),
    nn.AvgPool1d(3, 2, 1, True, False),
    nn.AvgPool2d(2, ceil_mode=True, divisor_override=3),
    nn.AvgPool3d(2, 1, 1),
    nn.LPPool1d(2, 3, 2),
    nn.LPPool2d(2, (2, 3), ceil_mode=True),
    nn.LPPool3d(2, 2),
    nn.AdaptiveAvgPool1d(3),
    nn.AdaptiveAvgPool2d((2, None)),
    nn.AdaptiveAvgPool3d(1),
    nn.AdaptiveMaxPool1d(3),
    nn.AdaptiveMaxPool2d((2, None)),
    nn.AdaptiveMaxPool3d(1),
    nn.Upsample(scale_factor=2.0),
    nn.Upsample(size=(5, 3), mode="bilinear", align_corners=True),
    nn.PixelShuffle(2),
    nn.PixelUnshuffle(2),
    nn.Unfold((2, 3), padding=1),
    nn.Fold((4, 5), (2, 3), stride=(2, 1)),
    nn.BatchNorm3d(3),
    nn.InstanceNorm1d(3),
    nn.InstanceNorm2d(3, 1e-3, affine=True),
    nn.InstanceNorm3d(3, track_running_stats=True),
    nn.GroupNorm(2, 4, 1e-3),
    nn.GroupNorm(3, 3, affine=False),
    nn.LocalResponseNorm(3, 0.1, 0.5, 2.0),
    nn.PReLU(),
    nn.PReLU(3, 0.1),
    nn.RNN(3, 4, 2, bidirectional=True, dropout=0.1),
    nn.LSTM(3, 4, 2, bidirectional=True),
    nn.GRU(3, 4, 3, dropout=0.5),
    nn.Attention(8, 4, num_kv_heads=2),
    nn.Tanh(),
    nn.ReLU(),
    nn.Sigmoid(),
    nn.SiLU(),
    nn.Softplus(),
    nn.LeakyReLU(0.2),
    nn.ELU(0.5),
    nn.GELU("tanh"),
    nn.Softsign(),
    nn.LogSigmoid(),
    nn.Tanhshrink(),
    nn.Mish(),
    nn.ReLU6(),
    nn.Hardsigmoid(),
    nn.Hardswish(),
    nn.SELU(),
    nn.Hardtanh(-0.5, 1.5),
    nn.Hardshrink(0.3),
    nn.Softshrink(0.3),
    nn.CELU(0.5),
    nn.Threshold(0.1, 20.0),
    nn.Softmin(1),
    nn.GLU(0),
    nn.Softmax(0),
    nn.LogSoftmax(),
    nn.Identity(),
    nn.BCELoss(),
    nn.BCEWithLogitsLoss(),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.HingeLoss(),
    nn.HuberLoss(delta=2.0),
    nn.KLDivLoss(),
    nn.L1Loss("sum"),
    nn.MSELoss(),
    nn.NLLLoss(),
    nn.SmoothL1Loss(beta=0.5),
    nn.PoissonNLLLoss(full=True),
    nn.GaussianNLLLoss(eps=1e-3),
    nn.FocalLoss(gamma=1.5),
    nn.CTCLoss(blank=2),
    nn.HingeEmbeddingLoss(0.5),
    nn.SoftMarginLoss("sum"),
    nn.MarginRankingLoss(0.5),
    nn.CosineEmbeddingLoss(0.5),
    nn.TripletMarginLoss(0.5, swap=True),
    nn.MultiMarginLoss(2),
    nn.MultiLabelMarginLoss("sum"),
    nn.MultiLabelSoftMarginLoss(),
    nn.Dropout1d(0.2),
    nn.Dropout2d(0.2),
    nn.Dropout3d(0.2),
    nn.AlphaDropout(0.2),
    nn.MultiheadAttention(4, 2, 0.1, False, True),
    nn.TransformerEncoderLayer(4, 2, 8, 0.1, "gelu", 1e-6, True, True, False),
    nn.ModuleList([nn.Linear(2, 3), nn.ReLU()]),
    nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.ModuleList([nn.Dropout(0.1)])}),
    nn.Embedding(4, 2, -1),
    nn.EmbeddingBag(4, 2, "max"),
    nn.Bilinear(2, 3, 4, bias=False),
    nn.CosineSimilarity(0),
    nn.PairwiseDistance(1.0, keepdim=True),
    nn.Softmax2d(),
    nn.Unflatten(1, (2, 3)),
    nn.RNNCell(2, 3, nonlinearity="relu"),
    nn.LSTMCell(2, 3, bias=False),
    nn.GRUCell(2, 3),
    nn.CircularPad1d((0, 1)),
    nn.CircularPad2d((0, 1, 2, 3)),
    nn.CircularPad3d((0, 1, 2, 3, 4, 5)),
    nn.ConstantPad1d(1, 2.0),
    nn.ConstantPad2d(1, 2.0),
    nn.ConstantPad3d(1, 2.0),
    nn.ReflectionPad1d((0, 1)),
    nn.ReflectionPad2d((0, 1, 2, 3)),
    nn.ReflectionPad3d((0, 1, 2, 3, 4, 5)),
    nn.ReplicationPad1d((0, 1)),
    nn.ReplicationPad2d((0, 1, 2, 3)),
    nn.ReplicationPad3d((0, 1, 2, 3, 4, 5)),
    nn.ZeroPad1d((0, 1)),
    nn.ZeroPad2d((0, 1, 2, 3)),
    nn.ZeroPad3d((0, 1, 2, 3, 4, 5)),
    nn.Neuron(2, "relu"),
    nn.Layer(2, 3, "linear"),
    nn.MLP(2, [3, 4, 1], "relu", "linear"),
    nn.MLP(1, [1], adjoint.tanh),
    nn.Sequential(nn.Linear(2, 3), nn.Sequential({"inner": adjoint.tanh, "norm": nn.LayerNorm(3)}), adjoint.softmax),
    nn.Linear(2, 3, dtype="float32"),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_every_layer_is_rebuilt_from_its_description(layer):
    again = rebuild(json.loads(json.dumps(describe_model(layer))))
    assert type(again) is type(layer)
    assert repr(again) == repr(layer)
    assert again.arguments() == layer.arguments()
    states = [{name: (np.shape(x), np.asarray(x).dtype) for name, x in m.state_dict().items()} for m in (again, layer)]
    assert states[0] == states[1]


def test_every_layer_is_tested():
    """A new layer must be added to the list above."""
    public = {getattr(nn, name) for name in nn.__all__}
    layers = {kind for kind in public if isinstance(kind, type) and issubclass(kind, nn.Module)}
    assert {type(layer) for layer in LAYERS} == layers - {nn.Module}


class UserLinear(nn.Linear): ...


def shared_layer():
    layer = nn.Linear(2, 2)
    return nn.Sequential(layer, layer)


def tied_weights():
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    return nn.Sequential(a, b)


def mixed_activations():
    model = nn.MLP(2, [3, 3, 1])
    model.layers[0] = nn.Layer(2, 3, "relu")
    return model


@pytest.mark.parametrize(
    "make",
    [
        lambda: UserLinear(2, 2),
        lambda: nn.Sequential(nn.Linear(2, 2), UserLinear(2, 2)),
        lambda: nn.Sequential(lambda x: x * 2),
        lambda: nn.CrossEntropyLoss(weight=np.ones(3)),
        lambda: nn.Neuron(2, lambda x: x.tanh()),
        lambda: nn.MLP(2, [3, 1], adjoint.op("tanh", lambda m, x: 2 * x, lambda m, y, x: 2.0)),
        mixed_activations,
        shared_layer,
        tied_weights,
    ],
)
def test_models_with_user_code_or_shared_parts_have_no_description(make):
    assert describe_model(make()) is None


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"class": "Lineal", "arguments": {}}, r"adjoint\.nn has no layer 'Lineal'"),
        ({"class": "init", "arguments": {}}, r"adjoint\.nn has no layer 'init'"),
        ({"class": "__builtins__", "arguments": {}}, r"adjoint\.nn has no layer"),
        ({"class": "mse", "arguments": {}}, r"adjoint\.nn has no layer 'mse'"),
        ({"class": "Function", "function": "jit"}, "cannot build a model from the description"),
        ({"class": "Linear"}, "cannot build a model from the description"),
        ({"class": "Linear", "arguments": {"wide": 3}}, "cannot build a model from the description"),
        ({"class": ["Linear"]}, r"adjoint\.nn has no layer"),
        ("Linear", "cannot build a model from the description"),
    ],
)
def test_an_invalid_description_is_refused_and_runs_no_code(description, message):
    with pytest.raises(errors.StateError, match=message):
        rebuild(description)


def test_a_description_does_not_contain_weights():
    layer = nn.Linear(2, 3)
    layer.weight.data = 0.0
    assert isinstance(layer.weight, Value)
    assert np.any(rebuild(describe_model(layer)).weight.data)
