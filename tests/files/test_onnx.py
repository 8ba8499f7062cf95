"""Models exported to ONNX: onnxruntime computes the same, for batches of other sizes too."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from closeness import require_close
from onnx.reference import ReferenceEvaluator

import adjoint
from adjoint import Value, errors, nn, ops, to_onnx
from adjoint.files.onnx.rules import RULES
from adjoint.transforms.trees import tree_leaves

rng = np.random.default_rng(0)
onnxruntime.set_default_logger_severity(4)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def session_of(model: onnx.ModelProto | bytes) -> onnxruntime.InferenceSession:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])


def run(session, inputs) -> list[np.ndarray]:
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}
    return session.run(
        None, {given.name: x.astype(kinds[given.type]) for given, x in zip(session.get_inputs(), inputs)}
    )


def require_same(session, model, inputs, dtype) -> None:
    expected = tree_leaves(model.eval()(*(Value(x) if x.dtype.kind == "f" else x for x in inputs)))
    for found, y in zip(run(session, inputs), expected, strict=True):
        require_close(found, y, dtype=dtype, scale=1.0)


def require_agreement(model, *inputs, dtype="float32", dynamic_batch=True, **options) -> onnx.ModelProto:
    """Require that the exported model computes the same, for three batch sizes if the batch size may vary."""
    proto = to_onnx(model, inputs, dtype=dtype, dynamic_batch=dynamic_batch, **options)
    session = session_of(proto)
    require_same(session, model, inputs, dtype)
    if dynamic_batch:
        for others in (
            [np.concatenate([x, 0.5 * x if x.dtype.kind == "f" else x]) for x in inputs],
            [x[:1] for x in inputs],
        ):
            require_same(session, model, others, dtype)
    return proto


LAYERS = [
    (nn.Linear(3, 2), normal(4, 3)),
    (nn.Linear(3, 2, bias=False), normal(4, 5, 3)),
    (nn.Linear(3, 2), normal(4, 5, 3)),
    (nn.Embedding(7, 3), np.array([[0, 6, 2], [3, 3, 1]])),
    (nn.Conv1d(4, 6, 3, 2, 1, groups=2), normal(2, 4, 9)),
    (nn.Conv1d(4, 6, 4, padding="same"), normal(2, 4, 9)),
    (nn.Conv2d(1, 3, (3, 2), dilation=2, bias=False), normal(2, 1, 8, 9)),
    (nn.MaxPool2d(3, 2, 1), normal(2, 3, 7, 8)),
    (nn.AvgPool2d(3, 2, 1), normal(2, 3, 7, 8)),
    (nn.AvgPool2d(3, 2, 1, count_include_pad=False), normal(2, 3, 7, 8)),
    (nn.Flatten(), normal(2, 3, 4)),
    (nn.Flatten(0, 1), normal(2, 3, 4)),
    (nn.Dropout(0.3), normal(2, 3)),
    (nn.Sequential(nn.ReLU(), nn.Dropout(0.3)), normal(2, 3)),
    (nn.LayerNorm((2, 3)), normal(4, 2, 3)),
    (nn.RMSNorm(3), normal(2, 3)),
    (nn.BatchNorm1d(3), normal(4, 3)),
    (nn.BatchNorm2d(3), normal(4, 3, 5, 6)),
    (nn.RNN(3, 4, 2, "relu"), normal(2, 5, 3)),
    (nn.LSTM(3, 4, 2), normal(2, 5, 3)),
    (nn.GRU(3, 4, bias=False), normal(2, 5, 3)),
    (nn.Attention(6, 2), normal(2, 5, 6)),
    (nn.TransformerBlock(6, 2), normal(2, 5, 6)),
    (nn.TransformerBlock(6, 2, causal=True, activation="silu"), normal(2, 5, 6)),
    (nn.GPT(7, 5, 6, 2, 2), np.array([[0, 6, 2], [3, 3, 1]])),
    (nn.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2), normal(2, 2, 2, 4, 3)),
    (nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), normal(2, 4, 5)),
    (nn.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False), normal(2, 2, 3, 4)),
    (nn.ConvTranspose3d(2, 1, 2, 2), normal(2, 2, 2, 1, 2)),
    (nn.MaxPool1d(3, 2, 1, ceil_mode=True), normal(2, 3, 8)),
    (nn.MaxPool2d(2, 1, dilation=2), normal(2, 3, 5, 4)),
    (nn.MaxPool3d(2, 1), normal(2, 1, 3, 2, 4)),
    (nn.AvgPool1d(3, 2, 1, True, False), normal(2, 3, 8)),
    (nn.AvgPool2d(2, ceil_mode=True, divisor_override=3), normal(2, 3, 5, 4)),
    (nn.AvgPool3d(2, 1, 1), normal(2, 1, 3, 2, 4)),
    (nn.LPPool1d(2, 3, 2), normal(2, 3, 8)),
    (nn.LPPool2d(2, (2, 3), ceil_mode=True), normal(2, 3, 5, 4)),
    (nn.LPPool3d(2, 2), normal(2, 1, 3, 2, 4)),
    (nn.AdaptiveAvgPool1d(3), normal(2, 3, 8)),
    (nn.AdaptiveAvgPool2d((2, None)), normal(2, 3, 5, 4)),
    (nn.AdaptiveAvgPool3d(1), normal(2, 1, 3, 2, 4)),
    (nn.AdaptiveMaxPool1d(3), normal(2, 3, 8)),
    (nn.AdaptiveMaxPool2d((2, None)), normal(2, 3, 5, 4)),
    (nn.AdaptiveMaxPool3d(1), normal(2, 1, 3, 2, 4)),
    (nn.Upsample(scale_factor=2.0), normal(2, 3, 4)),
    (nn.Upsample(size=(5, 3), mode="bilinear", align_corners=True), normal(2, 3, 4, 4)),
    (nn.PixelShuffle(2), normal(2, 4, 3, 2)),
    (nn.PixelUnshuffle(2), normal(2, 1, 4, 6)),
    (nn.Unfold((2, 3), padding=1), normal(2, 2, 4, 5)),
    (nn.Fold((4, 5), (2, 3), stride=(2, 1)), normal(2, 12, 6)),
    (nn.BatchNorm3d(3), normal(4, 3, 2, 1, 3)),
    (nn.InstanceNorm1d(3), normal(4, 3, 5)),
    (nn.InstanceNorm2d(3, 1e-3, affine=True), normal(4, 3, 2, 5)),
    (nn.InstanceNorm3d(3, track_running_stats=True), normal(4, 3, 2, 1, 3)),
    (nn.GroupNorm(2, 4, 1e-3), normal(3, 4, 2, 2)),
    (nn.GroupNorm(3, 3, affine=False), normal(3, 3)),
    (nn.LocalResponseNorm(3, 0.1, 0.5, 2.0), normal(2, 4, 3)),
    (nn.PReLU(), normal(3, 9)),
    (nn.PReLU(3, 0.1), normal(2, 3, 4)),
    (nn.RNN(3, 4, 2, bidirectional=True, dropout=0.1), normal(2, 5, 3)),
    (nn.LSTM(3, 4, 2, bidirectional=True), normal(2, 5, 3)),
    (nn.GRU(3, 4, 3, dropout=0.5), normal(2, 5, 3)),
    (nn.Attention(8, 4, num_kv_heads=2), normal(2, 5, 8)),
    (nn.Tanh(), normal(3, 9)),
    (nn.Sigmoid(), normal(3, 9)),
    (nn.ReLU(), normal(3, 9)),
    (nn.SiLU(), normal(3, 9)),
    (nn.Softplus(), normal(3, 9)),
    (nn.LeakyReLU(0.2), normal(3, 9)),
    (nn.ELU(0.5), normal(3, 9)),
    (nn.GELU(), normal(3, 9)),
    (nn.GELU("tanh"), normal(3, 9)),
    (nn.Softsign(), normal(3, 8)),
    (nn.LogSigmoid(), normal(3, 8)),
    (nn.Tanhshrink(), normal(3, 8)),
    (nn.Mish(), normal(3, 8)),
    (nn.ReLU6(), normal(3, 8)),
    (nn.Hardsigmoid(), normal(3, 8)),
    (nn.Hardswish(), normal(3, 8)),
    (nn.SELU(), normal(3, 8)),
    (nn.Hardtanh(), normal(3, 8)),
    (nn.Hardshrink(0.3), normal(3, 8)),
    (nn.Softshrink(0.3), normal(3, 8)),
    (nn.CELU(0.5), normal(3, 8)),
    (nn.Threshold(0.1, 20.0), normal(3, 8)),
    (nn.Softplus(2.0, 1.5), normal(3, 8)),
    (nn.Hardtanh(-0.5, 1.5), normal(3, 8)),
    (nn.Softmin(), normal(3, 8)),
    (nn.GLU(), normal(3, 8)),
    (nn.Softmax(), normal(3, 4)),
    (nn.Softmax((1, 2)), normal(3, 4, 2)),
    (nn.LogSoftmax(), normal(3, 4)),
    (nn.LogSoftmax((1, 2)), normal(3, 4, 2)),
    (nn.Identity(), normal(3, 4)),
    (nn.Dropout1d(0.3), normal(2, 3, 4)),
    (nn.Dropout2d(0.3), normal(2, 3, 4, 4)),
    (nn.Dropout3d(0.3), normal(2, 3, 4, 4, 2)),
    (nn.AlphaDropout(0.3), normal(2, 3)),
    (nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), normal(2, 5, 4)),
    (nn.EmbeddingBag(7, 3), np.array([[0, 6, 2], [3, 3, 1]])),
    (nn.Embedding(7, 3, padding_idx=3), np.array([[0, 6, 2], [3, 3, 1]])),
    (nn.Softmax2d(), normal(2, 3, 4, 2)),
    (nn.Unflatten(1, (2, 3)), normal(4, 6)),
    (nn.RNNCell(3, 4), normal(2, 3)),
    (nn.LSTMCell(3, 4), normal(2, 3)),
    (nn.GRUCell(3, 4), normal(2, 3)),
    (nn.CircularPad1d(1), normal(2, 3, 4)),
    (nn.CircularPad2d(1), normal(2, 3, 4, 3)),
    (nn.CircularPad3d(1), normal(2, 3, 4, 3, 5)),
    (nn.ConstantPad1d(1, 2.0), normal(2, 3, 4)),
    (nn.ConstantPad2d(1, 2.0), normal(2, 3, 4, 3)),
    (nn.ConstantPad3d(1, 2.0), normal(2, 3, 4, 3, 5)),
    (nn.ReflectionPad1d(1), normal(2, 3, 4)),
    (nn.ReflectionPad2d(1), normal(2, 3, 4, 3)),
    (nn.ReflectionPad3d(1), normal(2, 3, 4, 3, 5)),
    (nn.ReplicationPad1d(1), normal(2, 3, 4)),
    (nn.ReplicationPad2d(1), normal(2, 3, 4, 3)),
    (nn.ReplicationPad3d(1), normal(2, 3, 4, 3, 5)),
    (nn.ZeroPad1d(1), normal(2, 3, 4)),
    (nn.ZeroPad2d(1), normal(2, 3, 4, 3)),
    (nn.ZeroPad3d(1), normal(2, 3, 4, 3, 5)),
    (nn.Sequential(nn.Linear(3, 2, dtype="float32"), nn.Tanh()), normal(4, 3).astype(np.float32)),
]


@pytest.mark.parametrize(("model", "x"), LAYERS, ids=lambda x: type(x).__name__ if isinstance(x, nn.Module) else "")
def test_every_layer_exports_for_batches_of_any_size(model, x):
    require_agreement(model, x)


def test_every_layer_is_tested():
    """A new layer must be added to the list above. Losses and scalar networks are excluded."""
    public = {getattr(nn, name) for name in nn.__all__}
    layers = {kind for kind in public if isinstance(kind, type) and issubclass(kind, nn.Module)}
    of_pairs = {nn.Bilinear, nn.CosineSimilarity, nn.PairwiseDistance, nn.MultiheadAttention}
    others = {nn.Module, nn.Neuron, nn.Layer, nn.MLP, nn.ModuleList, nn.ModuleDict} | of_pairs
    others |= {kind for kind in layers if kind.__name__.endswith("Loss")}
    assert {type(model) for model, _ in LAYERS} == layers - others


def test_layers_of_two_inputs_export():
    for layer in (nn.Bilinear(3, 3, 2), nn.CosineSimilarity(), nn.PairwiseDistance()):
        require_agreement(layer, normal(4, 3), normal(4, 3) + 1)


CONDITIONS = {
    "a comparison with a number": lambda x: adjoint.where(x > 0, x, 2 * x),
    "numbers in both places": lambda x: adjoint.where(x <= 0.5, 1.0, -1.0) * x,
    "unequal": lambda x: adjoint.where(x != x[:, :1], x * x, 3.0),
    "of computed numbers": lambda x: adjoint.where(x.sin() < x.exp().mean(1, keepdims=True) - 1.0, x, x.exp()),
    "combined": lambda x: adjoint.where(((x > -1) & ~(x.cos() >= 0.7)) | (x == x[0, 0]), x, x.exp()),
    "of one number": lambda x: x + adjoint.where(x[0, 0] > 0, 1.0, -1.0),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_are_computed_by_the_graph(name):
    model, sample = Program(CONDITIONS[name]), normal(4, 3)
    session = session_of(to_onnx(model, sample))
    for x in (sample, normal(7, 3), -np.abs(sample[:1]), np.abs(sample)):
        require_close(run(session, [x])[0], model(Value(x)).data, dtype=np.float32)


def test_the_reference_implementation_accepts_the_axis_of_a_cumulative_sum():
    """The specification wants an axis of rank 0, and onnxruntime takes others too."""
    x = normal(4, 3).astype(np.float32)
    (found,) = ReferenceEvaluator(to_onnx(Program(PROGRAMS["cumsum"]), x)).run(None, {"input": x})
    require_close(found, np.cumsum(x, 1))


def test_a_condition_is_noted_only_while_a_model_is_exported():
    to_onnx(nn.Threshold(0.1, 20.0), normal(3, 8))
    assert type(Value(normal(3)) > 0) is np.ndarray


def test_a_convolutional_network_exports():
    layers = (
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 3),
    )
    model = nn.Sequential(*layers)
    model(normal(5, 1, 8, 8))
    proto = require_agreement(model, normal(2, 1, 8, 8))
    names = {initializer.name for initializer in proto.graph.initializer}
    assert {name for name, _ in model.named_parameters()} <= names


def test_a_network_of_scalar_values_exports():
    model = nn.MLP(2, [3, 1], "relu", "linear", seed=0)
    session = session_of(to_onnx(model, [[0.5, -1.0]]))
    found = run(session, [np.array([[0.5, -1.0], [2.0, 3.0]])])[0]
    require_close(found[:, 0], [model([0.5, -1.0]).data, model([2.0, 3.0]).data])


class Program(nn.Module):
    """A model that applies a function of arrays, with a weight."""

    def __init__(self, function, *shape):
        self.function = function
        self.w = Value(normal(*shape))

    def forward(self, *inputs):
        return self.function(*inputs)


@pytest.mark.parametrize("shape", [(5, 4), (5, 4, 3), (2, 4, 2, 3)])
@pytest.mark.parametrize(
    "loss",
    [
        nn.CrossEntropyLoss(),
        nn.CrossEntropyLoss(reduction="none", label_smoothing=0.25),
        nn.NLLLoss(reduction="sum"),
    ],
    ids=["mean", "smooth", "nll"],
)
def test_losses_of_labels_export_with_the_labels_as_an_input(loss, shape):
    def labels(samples):
        return np.random.default_rng(samples).integers(0, shape[1], (samples, *shape[2:]))

    session = session_of(to_onnx(loss, (normal(*shape), labels(shape[0]))))
    for samples in (shape[0], 1, 7):
        scores, target = normal(samples, *shape[1:]).astype(np.float32), labels(samples)
        require_close(run(session, [scores, target])[0], loss(scores, target), dtype=np.float32, terms=64)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Program(lambda x, labels: x[np.array([1, 0]), labels]), "array of indices among other indices"),
        (nn.CrossEntropyLoss([1.0, 0.5, 2.0]), "computed from the input without adjoint's operations"),
    ],
    ids=["other places", "weights"],
)
def test_labels_that_choose_in_another_way_are_refused(model, words):
    with pytest.raises(errors.ConversionError, match=words):
        to_onnx(model, (normal(2, 3), np.array([0, 2])), dynamic_batch=False)


POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "acosh", "pow")
WITHOUT_RULE = ("atan2",)


@pytest.mark.parametrize("row", [row for row in ops.TABLE if row not in WITHOUT_RULE])
def test_every_row_of_the_table_exports(row):
    op = ops.TABLE[row]
    x = np.concatenate([normal(2, 4), [[0.0, 1.0, -1.0, 2.5]]])
    if row in POSITIVE:
        x = 1.0 + np.abs(x)
    elif row in ("asin", "acos", "atanh"):
        x = 0.9 * np.tanh(x)
    count = len(op.operands) - len(op.defaults)
    require_agreement(Program(op if count == 1 else lambda x: op(x, 1.5 + 0.1 * x)), x)


PROGRAMS = {
    "reshape": lambda x: x.reshape(-1, 2).reshape(-1, 2, 3, 2),
    "permute_dims": lambda x: x.permute_dims((2, 0, 1)) * 1.0,
    "broadcast_to": lambda x: adjoint.broadcast_to(x.reshape(-1, 1, 12), (x.shape[0], 2, 12)),
    "astype": lambda x: x.astype("float32") * 2.0,
    "flip": lambda x: adjoint.flip(x, (1, 2)),
    "roll": lambda x: adjoint.roll(x, (1, -1), (1, 2)),
    "pad": lambda x: adjoint.pad(x, ((0, 0), (1, 2), (0, 3)), 0.5),
    "concat": lambda x: adjoint.concat([x, x * 2, np.ones((x.shape[0], 1, 4))], axis=1),
    "stack": lambda x: adjoint.stack([x, x * 2], axis=1),
    "sum": lambda x: x.sum(axis=(1, 2), keepdims=True) + x.sum(axis=()),
    "mean": lambda x: x.mean(axis=0),
    "max": lambda x: x.max(axis=1),
    "min": lambda x: x.min(),
    "norm": lambda x: adjoint.norm(x, axis=(1, 2)),
    "logsumexp": lambda x: adjoint.logsumexp(x, axis=1, keepdims=True),
    "prod": lambda x: adjoint.prod(x, axis=1),
    "var": lambda x: adjoint.var(x, axis=(1, 2), correction=1) + adjoint.var(x, axis=0).sum(),
    "std": lambda x: adjoint.std(x, axis=-1),
    "normalize": lambda x: nn.functional.layer_norm(x, 4),
    "layer_norm": lambda x: nn.functional.layer_norm(x, 4, np.full(4, 2.0), np.ones(4)),
    "softmax": lambda x: adjoint.softmax(x, 1),
    "log_softmax": lambda x: adjoint.log_softmax(x, 1),
    "cumsum": lambda x: adjoint.cumsum(x, 1),
    "getitem": lambda x: x[:, None, 1, ::-2] * x[..., np.array([[0, 2], [1, 1]])].sum((1, 2, 3)).reshape(-1, 1, 1),
    "constant_row": lambda x: nn.functional.embedding([[0, 2]], x.reshape(-1, 4), padding_idx=2).sum() + x,
    "where": lambda x: adjoint.where(np.arange(4) > 1, x, x * 2),
    "clip": lambda x: adjoint.clip(x, -0.5) + adjoint.clip(x, None, 0.25),
    "triangle": lambda x: adjoint.tril(x, -1) + adjoint.triu(x, 1),
    "@": lambda x: x @ adjoint.matrix_transpose(x),
    "linear": lambda x: adjoint.linear(x, np.ones((2, 4)), np.ones(2)),
    "einsum": lambda x: adjoint.einsum("bij,bkj->bik", x, x),
    "attention": lambda x: adjoint.scaled_dot_product_attention(
        x, x, x, np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0]], bool)
    ),
    "conv": lambda x: adjoint.conv1d(x, np.ones((2, 3, 2)), padding=1),
    "conv_input": lambda x: adjoint.conv_transpose1d(x, np.ones((3, 2, 2)), stride=3, output_padding=2),
    "im2col": lambda x: adjoint.im2col(x.reshape(-1, 2, 2, 3), 2, padding=(0, 1)),
    "col2im": lambda x: adjoint.col2im(x.reshape(-1, 4, 3), (2, 4), 2),
    "pool": lambda x: adjoint.avg_pool2d(x.reshape(-1, 1, 3, 4), 2, padding=1),
    "max_pool": lambda x: adjoint.max_pool2d(x.reshape(-1, 1, 3, 4), 2),
}


def test_every_rule_has_a_test_program():
    assert set(PROGRAMS) == set(RULES)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_rule_computes_the_same_in_onnxruntime(name):
    require_agreement(Program(PROGRAMS[name]), normal(5, 3, 4))


def test_several_inputs_and_outputs_export():
    class Two(nn.Module):
        def __init__(self):
            self.table, self.out = nn.Embedding(5, 3), nn.Linear(3, 2)

        def forward(self, x, index):
            y = self.out(x + self.table(index))
            return {"sum": y, "both": (x * 2, y)}

    proto = require_agreement(Two(), normal(4, 3), np.array([0, 4, 4, 2]))
    assert [given.name for given in proto.graph.input] == ["input_0", "input_1"]
    assert [given.name for given in proto.graph.output] == ["output_0", "output_1", "output_2"]


def test_an_operation_computed_twice_appears_once():
    proto = to_onnx(Program(lambda x: x.silu() + x.sigmoid()), normal(2, 3))
    assert [node.op_type for node in proto.graph.node].count("Sigmoid") == 1


def test_double_precision_is_exported_on_request():
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Softmax()), normal(2, 3)
    require_agreement(model, x, dtype="float64")
    with pytest.raises(errors.ArgumentError, match=r"unknown dtype 'float61' \(did you mean 'float64'\?\)"):
        to_onnx(model, x, dtype="float61")


def test_exporting_does_not_change_the_model():
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5))
    model[1].eval()
    before = model.state_dict(transient=True)
    to_onnx(model, normal(4, 3))
    assert [module.training for module in model.modules()] == [True, True, False]
    assert all(not module._forward_hooks for module in model.modules())
    for name, x in model.state_dict(transient=True).items():
        np.testing.assert_array_equal(x, before[name])


# --- files -----------------------------------------------------------------------------------------------


def test_the_graph_is_written_to_a_file(tmp_path):
    path = tmp_path / "model.onnx"
    model, x = nn.Sequential(nn.Linear(3, 2), nn.Tanh()), normal(4, 3)
    proto = to_onnx(model, x, path)
    assert path.read_bytes() == proto.SerializeToString()
    assert list(tmp_path.iterdir()) == [path]
    require_same(session_of(path.read_bytes()), model, [x], "float32")


def test_a_failed_export_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    with pytest.raises(errors.ConversionError):
        to_onnx(Program(lambda x: adjoint.cumprod(x, 1)), normal(4, 3), path)
    assert path.read_bytes() == b"old"
    with pytest.raises(errors.FileError, match="does not exist; create it first"):
        to_onnx(nn.Tanh(), normal(4, 3), tmp_path / "no" / "model.onnx")


KINKED = adjoint.op("kinked", lambda m, x: x if np.all(x > 0) else -x, lambda m, y, x: 1.0)


# --- models that a graph cannot express ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: adjoint.cumprod(x, 1), "the operation 'cumprod' has no translation to ONNX"),
        (lambda x: adjoint.atan2(x, 2.0), "the operation 'atan2' needs atan2, which ONNX does not provide"),
        (lambda x: x.at[0].set(1.0), "the operation 'at_set' has no translation"),
        (lambda x: x * x.data.sum(), r"the operation '\*' uses numbers that were computed from the input"),
        (lambda x: x * x.data, r"the operation '\*' uses an array that depends on the input or on the size"),
        (lambda x: adjoint.where(x.data[0] > -5, x, 0.0), "the operation 'where' uses numbers that were computed"),
        (lambda x: x[x.data > 0], "the operation 'getitem' indexes with a mask"),
        (lambda x: adjoint.sort(x), "the operation 'getitem' uses an array that depends on the input"),
        (lambda x: x[:, [0, 1], [1, 2]], "the operation 'getitem' has an array of indices among other indices"),
        (lambda x: x[:, 0, [1, 2]], "the operation 'getitem' has an array of indices among other indices"),
        (lambda x: x[: x.shape[0] // 2 + 1], "uses an index that depends on the input or on the size of the batch"),
        (
            lambda x: x + np.arange(float(x.shape[0]))[:, None],
            "uses an array that depends on the input or on the size of the batch",
        ),
        (lambda x: adjoint.var(x, axis=0, correction=1), "divides by the size of the batch minus 1"),
        (lambda x: adjoint.roll(x, 1, 0), "moves samples along the batch"),
        (lambda x: adjoint.pad(x, ((0, 0), (x.shape[0], 0))), "'pad' has a width that depends on the input or on the"),
        (
            lambda x: adjoint.broadcast_to(x[:1], (x.shape[0] // 2, 3)),
            "a size is 2 for one batch size and 4 for another",
        ),
        (
            lambda x: adjoint.scaled_dot_product_attention(x, x, x, causal=True),
            "has a size that depends on the batch",
        ),
        (lambda x: KINKED(x), "the operation 'kinked' cannot be read with symbols"),
        (lambda x: x.tanh() if x.data[0, 0] > x.data[-1, 0] else x.exp(), "runs different operations"),
        (lambda x: Value(np.ones(3)) * 2.0, "the output does not depend on input"),
        (lambda x: np.ones(3), "the model returned ndarray"),
        (lambda x: x.data, "the model returned ndarray"),
        (lambda x: x * 2.0 if x.shape[0] == 4 else x @ np.ones((9, 1)), "does not accept a batch of another size"),
    ],
)
def test_a_model_that_a_graph_cannot_express_is_refused(function, message):
    x = np.abs(normal(4, 3, 3) if "indices among" in message else normal(4, 3))
    x[-1] = -7.0
    with pytest.raises(errors.ConversionError, match=message):
        to_onnx(Program(function), x)


def test_the_layer_is_named_where_an_operation_has_no_rule():
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Tanh(), Program(lambda x: adjoint.cumprod(x, 1))))
    with pytest.raises(
        errors.ConversionError, match=r"^layer 1\.1, Program\(.*\): the operation 'cumprod' has no translation"
    ):
        to_onnx(model, normal(4, 3))


def test_a_user_operation_exports_by_its_expression():
    softsign = adjoint.op("softsign", lambda m, x: x / (1 + m.abs(x)), lambda m, y, x: (1 - m.abs(y)) ** 2)
    require_agreement(Program(softsign), normal(4, 3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[: x.shape[0] // 2 + 1],
        lambda x: x + np.arange(float(x.shape[0]))[:, None],
        lambda x: adjoint.var(x, axis=0, correction=1),
        lambda x: adjoint.roll(x, 1, 0),
        lambda x: x.reshape(-1),
    ],
)
def test_a_model_that_depends_on_the_batch_size_exports_for_a_fixed_size(function):
    proto = require_agreement(Program(function), normal(4, 3), dynamic_batch=False)
    assert [d.dim_value for d in proto.graph.input[0].type.tensor_type.shape.dim] == [4, 3]


def test_a_sample_without_a_batch_exports_for_one_size():
    require_agreement(nn.Linear(3, 2), normal(3), dynamic_batch=False)
    with pytest.raises(errors.ConversionError, match=r"another size.*dynamic_batch=False"):
        to_onnx(nn.Linear(3, 2), normal(3))


@pytest.mark.parametrize("sample", ["text", None, [], [[1.0], [2.0, 3.0]], np.array([1j])])
def test_an_invalid_sample_is_refused(sample):
    with pytest.raises(errors.ArgumentError, match="the sample must be an array of numbers, or a tuple of them"):
        to_onnx(nn.Tanh(), sample)


def test_sizes_that_depend_on_numbers_are_refused():
    x = normal(4, 3)
    x[0, 0], x[-1, -1] = 1.0, 2.0
    model = Program(lambda x: adjoint.broadcast_to(x[:1], (int(2 * x.data[0, 0]), 3)))
    with pytest.raises(errors.ConversionError, match="computes sizes from its input"):
        to_onnx(model, x, dynamic_batch=False)


def test_a_scalar_sample_has_no_batch_axis():
    with pytest.raises(errors.ConversionError, match="a sample without axes has no batch"):
        to_onnx(nn.Tanh(), 0.5)
    require_agreement(nn.Tanh(), np.array(0.5), dynamic_batch=False)


def test_only_models_are_exported():
    with pytest.raises(errors.ConversionError, match=r"to_onnx needs a model of adjoint\.nn, not function"):
        to_onnx(lambda x: x, normal(2, 3))


def test_without_onnx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(errors.MissingExtraError, match=r"to_onnx needs onnx.*pip install 'adjoint-autograd\[onnx\]'"):
        to_onnx(nn.Tanh(), normal(2, 3))
