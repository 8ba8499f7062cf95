"""Models that are exported to ONNX, run by the reference implementation of ONNX and by onnxruntime.

The layers are those of the tests of the export; to them come every loss, with predictions and targets as inputs, random
models, and programs with conditions.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx.reference import ReferenceEvaluator
from report import Difference, Report, Share

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("support", "files")]
from closeness import is_close
from test_onnx import CONDITIONS, LAYERS, PROGRAMS

from adjoint import Value, nn, to_onnx
from adjoint.errors import AdjointError

RANDOM_MODELS = 200
LONGEST_SUM = 64  # of a convolution: 7 channels of 3 by 3 elements; the numbers that are added are about 1
Model = tuple[str, str, Any, tuple[np.ndarray, ...]]  # the group, the name, the model and its inputs
rng = np.random.default_rng(0)

_LABELS = (
    "NumPy computes masks and places from the labels, beside the recorded graph: compute this loss beside the model"
)
REASONS = {
    **dict.fromkeys(("MultiMarginLoss", "MultiLabelMarginLoss"), _LABELS),
    "CTCLoss": "the lengths and the labels are plain arrays: the recorded operations depend on them",
    "BCELoss": "where a logarithm would be infinite, constants that are computed beside the graph take its place",
}


class Program(nn.Module):
    """A model that applies a function."""

    def __init__(self, function: Callable):
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def run() -> Report:
    """Export every model, and compare what it computes with adjoint."""
    report = Report(
        "ONNX",
        f"onnx {version('onnx')} (onnx.reference) and onnxruntime {version('onnxruntime')}",
        "every layer, every loss with predictions and targets as inputs, a program for each operation that the export "
        f"knows, conditions such as where(z > 0, …), and {RANDOM_MODELS} random models are exported, in evaluation "
        "mode; their outputs agree with adjoint's in float32 by both, for other numbers than the graph was made with, "
        "and for other sizes of the batch where the model takes them",
    )
    onnxruntime.set_default_logger_severity(4)
    count: Counter[tuple[str, str]] = Counter()
    differences: Counter[tuple[str, str, str]] = Counter()
    for group, name, model, inputs in models():
        kind, what = compare(model.eval(), inputs)
        count[group, "all"] += 1
        count[group, "agree"] += kind in ("agree", "reference")
        if kind != "agree":
            reason = f"{what}; onnxruntime agrees" if kind == "reference" else REASONS.get(name, "")
            differences[name if reason else f"{name}: {what}", kind, reason] += 1
    report.differences += [Difference(*difference, count=n) for difference, n in differences.items()]
    for group in dict.fromkeys(group for group, _ in count):
        report.shares.append(Share(group, count[group, "agree"], count[group, "all"]))
    return report


def compare(model: Any, inputs: tuple[np.ndarray, ...]) -> tuple[str, str]:
    """Return whether the exported model agrees, and what does not."""
    is_fixed = False
    try:
        proto = to_onnx(model, inputs)
    except AdjointError as error:
        try:
            proto, is_fixed = to_onnx(model, inputs, dynamic_batch=False), True
        except AdjointError:
            return "refused", str(error)[:200]
    names = [given.name for given in proto.graph.input]
    runs, reason = [inputs, _others(inputs)] + ([] if is_fixed else [tuple(x[:1] for x in inputs)]), ""
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    reference = ReferenceEvaluator(proto)
    for given in runs:
        feeds = {name: x.astype(np.float32 if x.dtype.kind == "f" else np.int64) for name, x in zip(names, given)}
        expected = list(_leaves(model(*(Value(x) if x.dtype.kind == "f" else x for x in given))))
        if different := _difference(session.run(None, feeds), expected):
            return "wrong", f"onnxruntime {different}"
        try:
            different = _difference(reference.run(None, feeds), expected)
        except Exception as error:
            different = f"raises {type(error).__name__}: {error}"[:150]
        reason = reason or different
    return ("reference", f"onnx.reference {reason}") if reason else ("agree", "")


def _difference(found: list[Any], expected: list[np.ndarray]) -> str:
    """Return what differs in one of the outputs; an empty string if nothing does."""
    for x, y in zip(found, expected, strict=True):
        if not is_close(np.asarray(x), y, dtype=np.float32, terms=LONGEST_SUM, scale=1.0):
            return f"differs by {np.max(np.abs(np.asarray(x) - y)):.2g}"
    return ""


def _others(inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return other inputs from the same range."""
    return tuple(np.flip(x, 0) if x.dtype.kind == "f" else np.roll(x, 1) for x in inputs)


def _leaves(y: Any) -> Iterator[np.ndarray]:
    if isinstance(y, (tuple, list)):
        for part in y:
            yield from _leaves(part)
    else:
        yield np.asarray(y.data if isinstance(y, Value) else y)


# --- the models ------------------------------------------------------------------------------------------------------


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def models() -> Iterator[Model]:
    """Yield every model."""
    for model, x in LAYERS:
        yield "layers", type(model).__name__, model, (x,)
    for layer in (nn.Bilinear(3, 3, 2), nn.CosineSimilarity(), nn.PairwiseDistance()):
        yield "layers", type(layer).__name__, layer, (normal(4, 3), normal(4, 3))
    attention = nn.MultiheadAttention(6, 2, batch_first=True)
    yield "layers", "MultiheadAttention", attention, (normal(2, 5, 6), normal(2, 4, 6), normal(2, 4, 6))
    yield from losses()
    for name, function in PROGRAMS.items():
        yield "operations", name, Program(function), (normal(4, 3, 4),)
    for name, function in CONDITIONS.items():
        yield "conditions", name, Program(function), (normal(4, 3),)
    for i in range(RANDOM_MODELS):
        yield "random models", *random_model(i)


def losses() -> Iterator[Model]:
    """Yield every loss, in the three reductions."""
    scores, others, signs = normal(5, 4), normal(5, 4), np.sign(normal(5, 4))
    shares, labels = rng.uniform(0.1, 0.9, (5, 4)), np.array([0, 3, 1, 2, 2])
    logs = np.log(shares / shares.sum(1, keepdims=True))
    inputs: dict[str, tuple[np.ndarray, ...]] = {
        **dict.fromkeys(("MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "PoissonNLLLoss"), (scores, others)),
        **dict.fromkeys(("HingeLoss", "SoftMarginLoss", "HingeEmbeddingLoss"), (scores, signs)),
        **dict.fromkeys(("BCEWithLogitsLoss", "FocalLoss", "MultiLabelSoftMarginLoss"), (scores, shares)),
        **dict.fromkeys(("CrossEntropyLoss", "MultiMarginLoss"), (scores, labels)),
        "BCELoss": (shares, shares[::-1].copy()),
        "KLDivLoss": (logs, shares),
        "NLLLoss": (logs, labels),
        "GaussianNLLLoss": (scores, others, shares),
        "MarginRankingLoss": (scores[:, 0], others[:, 0], signs[:, 0]),
        "CosineEmbeddingLoss": (scores, others, signs[:, 0]),
        "TripletMarginLoss": (scores, others, shares),
        "MultiLabelMarginLoss": (scores, np.array([[0, 3, -1, -1]] * 5)),
        "CTCLoss": (normal(6, 2, 3), np.array([[1, 2], [2, 1]]), np.array([6, 5]), np.array([2, 2])),
    }
    for name in nn.__all__:
        kind = getattr(nn, name)
        if name.endswith("Loss") and isinstance(kind, type):
            for reduction in ("mean", "sum", "none"):
                yield "losses", name, kind(reduction=reduction), inputs[name]


def random_model(seed: int) -> tuple[str, Any, tuple[np.ndarray, ...]]:
    """Return a random network for vectors, sequences or images, and an input."""
    chosen = np.random.default_rng(seed)
    width, layers = int(chosen.integers(2, 7)), []
    ndim = int(chosen.integers(0, 3))
    shape = (3, width, *map(int, chosen.integers(6, 9, ndim)))
    for _ in range(int(chosen.integers(2, 7))):
        new = int(chosen.integers(2, 7))
        makers = [*ACTIVATIONS, lambda: nn.Dropout(0.5)]
        if ndim == 0:
            makers += [lambda n=new, w=width: nn.Linear(w, n)] * 6 + [lambda w=width: nn.LayerNorm(w)] * 2
            makers += [lambda w=width: nn.BatchNorm1d(w), lambda w=width: nn.RMSNorm(w)]
        else:
            makers += [lambda n=new, w=width: (nn.Conv1d, nn.Conv2d)[ndim - 1](w, n, 3, padding=1)] * 5
            makers += [lambda n=new, w=width: (nn.ConvTranspose1d, nn.ConvTranspose2d)[ndim - 1](w, n, 2)] * 2
            makers += [lambda: (nn.MaxPool1d, nn.MaxPool2d)[ndim - 1](2, 1), lambda w=width: nn.GroupNorm(1, w)]
            makers += [lambda: (nn.AvgPool1d, nn.AvgPool2d)[ndim - 1](2, 1)]
            makers += [lambda w=width: (nn.BatchNorm1d, nn.BatchNorm2d)[ndim - 1](w)]
            makers += [lambda: (nn.ReflectionPad1d, nn.ReflectionPad2d)[ndim - 1](1)]
            makers += [lambda w=width: (nn.InstanceNorm1d, nn.InstanceNorm2d)[ndim - 1](w)]
        layers.append(makers[int(chosen.integers(len(makers)))]())
        width = getattr(layers[-1], "out_channels", getattr(layers[-1], "out_features", width))
    if ndim and chosen.random() < 0.5:
        layers += [(nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d)[ndim - 1](1), nn.Flatten(), nn.Linear(width, 2)]
    model = nn.Sequential(*layers)
    model(chosen.normal(size=shape))  # which gives batch norms running statistics
    return f"random model {seed}", model, (chosen.normal(size=shape),)


ACTIVATIONS: list[Callable[[], Any]] = [
    nn.ReLU, nn.Tanh, nn.Sigmoid, nn.GELU, nn.SiLU, nn.Softplus, nn.ELU, nn.LeakyReLU, nn.Hardswish, nn.Hardtanh,
    nn.Hardshrink, nn.Softsign, nn.Mish, nn.PReLU, lambda: nn.Threshold(0.1, -0.5), lambda: nn.Softmax(1),
]  # fmt: skip
