"""Layers, losses and optimizers keep float32 and float16, also with NumPy's float64 as options."""

import inspect

import numpy as np
import pytest

import adjoint
from adjoint import Value, nn, optim
from adjoint.transforms.trees import tree_leaves

DTYPES = ["float32", "float16"]
NUMBERS = [float, np.float64]  # the types of options: NumPy's float64 next to an array of float32 would be float64
LABELS = np.array([0, 2, 1, 1])

rng = np.random.default_rng(0)


def between(*shape: int) -> np.ndarray:
    """Return numbers that may be probabilities, in double precision."""
    return rng.uniform(0.1, 0.9, shape)


T = between(4, 3)  # targets in double precision: they take the dtype of the predictions
SIGNS = np.sign(T - 0.5)

# Each function of adjoint.nn: calls with a prediction p of 4 by 3, and f, the type of numbers.
LOSSES = {
    "mse": [lambda p, f: nn.mse(p, T), lambda p, f: nn.mse(p, f(0.5), reduction="none")],
    "l1": [lambda p, f: nn.l1(p, T)],
    "huber": [lambda p, f: nn.huber(p, T, delta=f(0.2))],
    "hinge": [lambda p, f: nn.hinge(p, SIGNS, margin=f(0.3))],
    "binary_cross_entropy": [
        lambda p, f: nn.binary_cross_entropy(p, T),
        lambda p, f: nn.binary_cross_entropy(p, T, reduction="none"),
    ],
    "binary_cross_entropy_with_logits": [
        lambda p, f: nn.binary_cross_entropy_with_logits(p, T),
        lambda p, f: nn.binary_cross_entropy_with_logits(p, T, pos_weight=f(2.0)),
        lambda p, f: nn.binary_cross_entropy_with_logits(p, T, pos_weight=np.array([1.0, 2.0, 3.0])),
    ],
    "kl_div": [
        lambda p, f: nn.kl_div(p, T, reduction="batchmean"),
        lambda p, f: nn.kl_div(p, T, log_target=True, reduction="sum"),
    ],
    "cross_entropy": [
        lambda p, f: nn.cross_entropy(p, LABELS, label_smoothing=f(0.1), weight=T[0]),
        lambda p, f: nn.cross_entropy(p, LABELS, ignore_index=1),
        lambda p, f: nn.cross_entropy(p, T, label_smoothing=f(0.1), weight=T[0].tolist()),
    ],
    "nll": [lambda p, f: nn.nll(p, LABELS, weight=T[0])],
    "smooth_l1": [lambda p, f: nn.smooth_l1(p, T, beta=f(0.2))],
    "poisson_nll": [
        lambda p, f: nn.poisson_nll(p, 3 * T, full=True),
        lambda p, f: nn.poisson_nll(p, T, log_input=False, eps=f(1e-3)),
    ],
    "gaussian_nll": [
        lambda p, f: nn.gaussian_nll(p, T, f(0.5), full=True),
        lambda p, f: nn.gaussian_nll(p, T, T, eps=f(0.5)),
    ],
    "focal": [lambda p, f: nn.focal(p, T, alpha=f(0.3), gamma=f(1.5))],
    "soft_margin": [lambda p, f: nn.soft_margin(p, SIGNS)],
    "hinge_embedding": [lambda p, f: nn.hinge_embedding(p, SIGNS, margin=f(0.5))],
    "margin_ranking": [lambda p, f: nn.margin_ranking(p, T, SIGNS, margin=f(0.5))],
    "cosine_embedding": [lambda p, f: nn.cosine_embedding(p, T, SIGNS[:, 0], margin=f(0.5))],
    "triplet_margin": [
        lambda p, f: nn.triplet_margin(p, T, T[::-1], margin=f(0.5), eps=f(1e-3), swap=True),
        lambda p, f: nn.triplet_margin(p, T, T[::-1], p=f(3.0)),
    ],
    "multi_margin": [lambda p, f: nn.multi_margin(p, LABELS, p=2, margin=f(0.5), weight=T[0])],
    "multilabel_margin": [lambda p, f: nn.multilabel_margin(p, [[0, -1, 1], [1, 2, -1], [2, 1, 0], [-1, 0, 0]])],
    "multilabel_soft_margin": [lambda p, f: nn.multilabel_soft_margin(p, SIGNS > 0, weight=T[0])],
    "ctc": [lambda p, f: nn.ctc(adjoint.log_softmax(p, -1), [1, 2], 4, 2)],
}

# Each module: how to make it with the type of numbers f and a dtype, and the shape of its input.
LAYERS = {
    "Linear": (lambda f, dtype: nn.Linear(3, 2, dtype=dtype), (4, 3)),
    "Dropout": (lambda f, dtype: nn.Dropout(f(0.3)), (4, 3)),
    "Flatten": (lambda f, dtype: nn.Flatten(), (4, 3, 2)),
    "Sequential": (lambda f, dtype: nn.Sequential(nn.Linear(3, 2, dtype=dtype), adjoint.tanh), (4, 3)),
    "LayerNorm": (lambda f, dtype: nn.LayerNorm(3, f(1e-3), dtype=dtype), (4, 3)),
    "RMSNorm": (lambda f, dtype: nn.RMSNorm(3, f(1e-3), dtype=dtype), (4, 3)),
    "BatchNorm1d": (lambda f, dtype: nn.BatchNorm1d(3, f(1e-3), f(0.2), dtype=dtype), (4, 3)),
    "BatchNorm2d": (lambda f, dtype: nn.BatchNorm2d(3, f(1e-3), f(0.2), dtype=dtype), (4, 3, 2, 2)),
    "Conv1d": (lambda f, dtype: nn.Conv1d(2, 3, 2, dtype=dtype), (2, 2, 5)),
    "Conv2d": (lambda f, dtype: nn.Conv2d(2, 3, 2, dtype=dtype), (2, 2, 4, 5)),
    "MaxPool2d": (lambda f, dtype: nn.MaxPool2d(2), (1, 2, 4, 5)),
    "AvgPool2d": (lambda f, dtype: nn.AvgPool2d(2, 1, 1, count_include_pad=False), (1, 2, 4, 5)),
    "RNN": (lambda f, dtype: nn.RNN(3, 2, dtype=dtype), (2, 4, 3)),
    "LSTM": (lambda f, dtype: nn.LSTM(3, 2, dtype=dtype), (2, 4, 3)),
    "GRU": (lambda f, dtype: nn.GRU(3, 2, 2, dropout=f(0.1), bidirectional=True, dtype=dtype), (2, 4, 3)),
    "Attention": (lambda f, dtype: nn.Attention(4, 2, f(0.1), dtype=dtype), (2, 3, 4)),
    "TransformerBlock": (
        lambda f, dtype: nn.TransformerBlock(4, 2, dropout=f(0.1), eps=f(1e-5), causal=True, dtype=dtype),
        (2, 3, 4),
    ),
    "AdaptiveAvgPool1d": (lambda f, dtype: nn.AdaptiveAvgPool1d(2), (2, 4, 6)),
    "AdaptiveMaxPool1d": (lambda f, dtype: nn.AdaptiveMaxPool1d(2), (2, 4, 6)),
    "ConvTranspose1d": (lambda f, dtype: nn.ConvTranspose1d(4, 2, 2, dtype=dtype), (2, 4, 6)),
    "InstanceNorm1d": (lambda f, dtype: nn.InstanceNorm1d(4, f(1e-3), f(0.2), True, True, dtype=dtype), (2, 4, 6)),
    "LPPool1d": (lambda f, dtype: nn.LPPool1d(f(3.0), 2), (2, 4, 6)),
    "AdaptiveAvgPool2d": (lambda f, dtype: nn.AdaptiveAvgPool2d(2), (2, 4, 6, 6)),
    "AdaptiveMaxPool2d": (lambda f, dtype: nn.AdaptiveMaxPool2d(2), (2, 4, 6, 6)),
    "ConvTranspose2d": (lambda f, dtype: nn.ConvTranspose2d(4, 2, 2, dtype=dtype), (2, 4, 6, 6)),
    "InstanceNorm2d": (lambda f, dtype: nn.InstanceNorm2d(4, f(1e-3), f(0.2), True, True, dtype=dtype), (2, 4, 6, 6)),
    "LPPool2d": (lambda f, dtype: nn.LPPool2d(f(3.0), 2), (2, 4, 6, 6)),
    "AdaptiveAvgPool3d": (lambda f, dtype: nn.AdaptiveAvgPool3d(2), (1, 4, 4, 4, 4)),
    "AdaptiveMaxPool3d": (lambda f, dtype: nn.AdaptiveMaxPool3d(2), (1, 4, 4, 4, 4)),
    "ConvTranspose3d": (lambda f, dtype: nn.ConvTranspose3d(4, 2, 2, dtype=dtype), (1, 4, 4, 4, 4)),
    "InstanceNorm3d": (
        lambda f, dtype: nn.InstanceNorm3d(4, f(1e-3), f(0.2), True, dtype=dtype),
        (1, 4, 4, 4, 4),
    ),
    "LPPool3d": (lambda f, dtype: nn.LPPool3d(f(3.0), 2), (1, 4, 4, 4, 4)),
    "AvgPool1d": (lambda f, dtype: nn.AvgPool1d(2), (2, 4, 6)),
    "MaxPool1d": (lambda f, dtype: nn.MaxPool1d(2), (2, 4, 6)),
    "AvgPool3d": (lambda f, dtype: nn.AvgPool3d(2), (1, 4, 4, 4, 4)),
    "MaxPool3d": (lambda f, dtype: nn.MaxPool3d(2), (1, 4, 4, 4, 4)),
    "BatchNorm3d": (lambda f, dtype: nn.BatchNorm3d(4, f(1e-3), f(0.2), dtype=dtype), (1, 4, 4, 4, 4)),
    "Conv3d": (lambda f, dtype: nn.Conv3d(4, 2, 2, dtype=dtype), (1, 4, 4, 4, 4)),
    "GroupNorm": (lambda f, dtype: nn.GroupNorm(2, 4, f(1e-3), dtype=dtype), (2, 4, 6)),
    "LocalResponseNorm": (lambda f, dtype: nn.LocalResponseNorm(2, f(0.1), f(0.7), f(2.0)), (2, 4, 6)),
    "PReLU": (lambda f, dtype: nn.PReLU(4, f(0.2), dtype=dtype), (2, 4, 6)),
    "PixelShuffle": (lambda f, dtype: nn.PixelShuffle(2), (2, 4, 6, 6)),
    "PixelUnshuffle": (lambda f, dtype: nn.PixelUnshuffle(2), (2, 4, 6, 6)),
    "Unfold": (lambda f, dtype: nn.Unfold(2), (2, 4, 6, 6)),
    "Fold": (lambda f, dtype: nn.Fold(3, 2), (2, 4, 4)),
    "Upsample": (lambda f, dtype: nn.Upsample(scale_factor=f(1.5), mode="bicubic"), (2, 4, 6, 6)),
    "LeakyReLU": (lambda f, dtype: nn.LeakyReLU(f(0.3)), (4, 3)),
    "ELU": (lambda f, dtype: nn.ELU(f(0.3)), (4, 3)),
    "CELU": (lambda f, dtype: nn.CELU(f(0.3)), (4, 3)),
    "Hardshrink": (lambda f, dtype: nn.Hardshrink(f(0.3)), (4, 3)),
    "Softshrink": (lambda f, dtype: nn.Softshrink(f(0.3)), (4, 3)),
    "Softplus": (lambda f, dtype: nn.Softplus(f(2.0), f(1.0)), (4, 3)),
    "Hardtanh": (lambda f, dtype: nn.Hardtanh(f(-0.3), f(0.4)), (4, 3)),
    "Threshold": (lambda f, dtype: nn.Threshold(f(0.4), f(0.1)), (4, 3)),
    "GELU": (lambda f, dtype: nn.GELU("tanh"), (4, 3)),
    "GLU": (lambda f, dtype: nn.GLU(0), (4, 3)),
}
LAYERS |= {
    f"{kind}Pad{n}d": (
        lambda f, dtype, name=f"{kind}Pad{n}d": getattr(nn, name)(1, *([f(2.0)] if "Constant" in name else [])),
        (2, 3, 4, 3, 4)[: n + 2],
    )
    for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero")
    for n in (1, 2, 3)
}
LAYERS |= {
    f"Dropout{n}d": (lambda f, dtype, n=n: getattr(nn, f"Dropout{n}d")(f(0.5)), (2, 3, 4, 3, 4)[: n + 2])
    for n in (1, 2, 3)
}
LAYERS |= {
    "AlphaDropout": (lambda f, dtype: nn.AlphaDropout(f(0.5)), (4, 3)),
    "Softmax2d": (lambda f, dtype: nn.Softmax2d(), (2, 3, 4, 4)),
    "Unflatten": (lambda f, dtype: nn.Unflatten(1, (2, 3)), (4, 6)),
    "RNNCell": (lambda f, dtype: nn.RNNCell(3, 4, dtype=dtype), (4, 3)),
    "LSTMCell": (lambda f, dtype: nn.LSTMCell(3, 4, dtype=dtype), (4, 3)),
    "GRUCell": (lambda f, dtype: nn.GRUCell(3, 4, dtype=dtype), (4, 3)),
    "TransformerEncoderLayer": (
        lambda f, dtype: nn.TransformerEncoderLayer(4, 2, 8, f(0.5), dtype=dtype), (2, 3, 4),
    ),
}  # fmt: skip
PLAIN = [  # without options
    "Identity", "LogSigmoid", "LogSoftmax", "Mish", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmin",
    "Softsign", "Tanh", "Tanhshrink", "Hardsigmoid", "Hardswish",
]  # fmt: skip
LAYERS |= {name: (lambda f, dtype, name=name: getattr(nn, name)(), (4, 3)) for name in PLAIN}
# Other modules: losses call the functions above, and scalar networks compute in double precision.
OTHERS = {"Embedding", "GPT", "Layer", "MLP", "Module", "Neuron", "EmbeddingBag"}
OTHERS |= {"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"}  # containers
OTHERS |= {"Bilinear", "CosineSimilarity", "PairwiseDistance", "MultiheadAttention"}  # of several inputs


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_float32_and_its_gradient_has_the_dtype_of_the_predictions(name, dtype, number):
    for i, loss in enumerate(LOSSES[name]):
        p = Value(between(4, 3).astype(dtype))
        found = loss(p, number)
        found.backward(np.ones(found.shape), create_graph=True)
        assert (i, str(found.dtype), str(p.grad.dtype)) == (i, "float32", dtype)
        assert (i, str(loss(p.data, number).dtype)) == (i, "float32")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_keeps_the_dtype_of_its_input_and_weights(name, dtype, number):
    make, shape = LAYERS[name]
    layer = make(number, dtype)
    for is_training in (True, False):
        layer.train(is_training)
        x = Value(between(*shape).astype(dtype))
        outputs = tree_leaves(layer(x))
        sum(y.sum() for y in outputs).backward()
        for what, array in {
            "outputs": outputs, "gradient of the input": [x.grad],
            "weights": [p.data for p in layer.parameters()], "gradients": [p.grad for p in layer.parameters()],
            "buffers": [b for b in layer.state_dict().values() if np.asarray(b).dtype.kind == "f"],
        }.items():  # fmt: skip
            assert {str(part.dtype) for part in array} <= {dtype}, f"{what}, training={is_training}"


def test_every_public_function_and_layer_is_tested():
    """A new loss or layer must be added to the tables above."""
    public = {name: getattr(nn, name) for name in nn.__all__}
    functions = {name for name, x in public.items() if inspect.isfunction(x)} - {
        "activation", "diagnose", "functional_call", "Parameter",
    }  # fmt: skip
    layers = {name for name, x in public.items() if inspect.isclass(x)}
    assert functions == set(LOSSES)
    assert {name for name in layers if not name.endswith("Loss")} == set(LAYERS) | OTHERS


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_embedding_has_the_dtype_of_its_table(dtype):
    layer = nn.Embedding(5, 3, dtype=dtype)
    y = layer(np.array([1, 2, 2]))
    y.sum().backward()
    assert (str(y.dtype), str(layer.weight.grad.dtype)) == (dtype, dtype)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", optim.OPTIMIZERS)
def test_an_optimizer_keeps_the_dtype_of_parameters_and_state(name, dtype, number):
    p = Value(between(3).astype(dtype))
    kind = optim.OPTIMIZERS[name]
    options = {
        option: tuple(map(number, parameter.default))
        if isinstance(parameter.default, tuple)
        else number(parameter.default)
        for option, parameter in inspect.signature(kind).parameters.items()
        if option not in ("params", "common") and not isinstance(parameter.default, bool)
    }
    options |= {option: number(0.1) for option in ("weight_decay", "momentum") if option in options}
    optimizer = kind([p], **options)
    optim.WarmupLR(optimizer, 2, number(0.1)).step()
    for _ in range(2):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optim.clip_grad_norm([p], number(0.1))
        optim.clip_grad_value([p], number(0.05))
        assert str(p.grad.dtype) == dtype
        optimizer.step()
    assert str(p.dtype) == dtype
    arrays = [x for x in tree_leaves(optimizer.state_dict()) if isinstance(x, np.ndarray) and x.ndim]
    assert {str(x.dtype) for x in arrays if x.dtype.kind == "f"} <= {dtype}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_initialization_keeps_the_dtype(dtype, number):
    p = Value(np.zeros((4, 3), dtype))
    for fill in (
        lambda: nn.init.normal(p, number(0.1), number(2.0), seed=0),
        lambda: nn.init.uniform(p, number(0.1), number(2.0), seed=0),
        lambda: nn.init.xavier_uniform(p, number(2.0), seed=0), lambda: nn.init.xavier_normal(p, number(2.0), seed=0),
        lambda: nn.init.he_uniform(p, "leaky_relu", number(0.2), seed=0),
        lambda: nn.init.he_normal(p, "leaky_relu", number(0.2), seed=0),
        lambda: nn.init.orthogonal(p, number(2.0), seed=0), lambda: nn.init.constant(p, number(2.0)),
        lambda: nn.init.zeros(p), lambda: nn.init.ones(p),
    ):  # fmt: skip
        fill()
        assert str(p.dtype) == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_numpy_as_arguments_do_not_change_the_dtype_of_an_array(dtype):
    x, f = Value(between(2, 3, 4).astype(dtype)), np.float64
    results = {
        "clip": adjoint.clip(x, f(0.2), f(0.8)), "where": adjoint.where(x.data > 0.5, x, f(1.0)),
        "where, the other way": adjoint.where(x.data > 0.5, f(1.0), x), "pad": adjoint.pad(x, 1, value=f(2.0)),
        "norm": adjoint.norm(x, f(3.0)), "var": adjoint.var(x, correction=f(1.0)),
        "std": adjoint.std(x, correction=f(1.0)), "set": x.at[0].set(f(2.0)), "power": x ** f(2.0),
        "attention": adjoint.scaled_dot_product_attention(x, x, x, scale=f(0.3)), "product": f(2.0) * x,
        "dropout": adjoint.dropout(x, f(0.3), generator=0), "maximum": adjoint.maximum(x, f(0.5)),
    }  # fmt: skip
    assert {name: str(y.dtype) for name, y in results.items()} == dict.fromkeys(results, dtype)
