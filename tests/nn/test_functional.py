"""`nn.functional` against `torch.nn.functional`: the same calls, values and gradients."""

import inspect
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as TF
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.nn import functional as F

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4, 6)), RNG.normal(size=(4, 6))
IMAGE, SEQUENCE, VOLUME = RNG.normal(size=(2, 4, 6, 6)), RNG.normal(size=(2, 4, 8)), RNG.normal(size=(1, 4, 4, 4, 4))
CHANCE, TARGET = RNG.uniform(0.05, 0.95, (4, 6)), (RNG.random((4, 6)) > 0.5).astype(float)
LABELS, SIGNS, W6 = np.array([0, 5, 2, 2]), np.array([1.0, -1.0, 1.0, -1.0]), RNG.uniform(0.5, 2.0, 6)
Q, K, V = RNG.normal(size=(3, 2, 5, 4))
MASK = RNG.random((5, 5)) > 0.3
MASK[:, 0] = True

CASES = [
    *((name, (X,), {}) for name in ("relu", "silu", "gelu", "selu", "tanh", "sigmoid", "mish", "relu6", "softsign")),
    *((name, (X,), {}) for name in ("hardswish", "hardsigmoid", "logsigmoid", "tanhshrink", "hardshrink")),
    ("leaky_relu", (X,), {"negative_slope": 0.2}),
    ("elu", (X, 1.5), {}),
    ("celu", (X,), {"alpha": 1.5}),
    ("gelu", (X,), {"approximate": "tanh"}),
    ("hardtanh", (X,), {"min_val": -0.3, "max_val": 0.4}),
    ("softshrink", (X,), {"lambd": 0.3}),
    ("softplus", (X * 20,), {"beta": 2.0, "threshold": 5.0}),
    ("threshold", (X, 0.1, -2.0), {}),
    ("softmax", (X,), {"dim": 1}),
    ("softmax", (IMAGE, 1), {}),
    ("log_softmax", (X,), {"dim": 0}),
    ("softmin", (X,), {"dim": 1}),
    ("glu", (X,), {"dim": 0}),
    ("mse_loss", (X, Y), {}),
    ("mse_loss", (X,), {"target": Y, "reduction": "none"}),
    ("l1_loss", (X, Y), {"reduction": "sum"}),
    ("smooth_l1_loss", (X, Y), {"beta": 0.5}),
    ("huber_loss", (X, Y), {"delta": 0.7}),
    ("cross_entropy", (X, LABELS), {}),
    ("cross_entropy", (X, LABELS, W6), {"label_smoothing": 0.1, "ignore_index": 2}),
    ("cross_entropy", (X, CHANCE), {"reduction": "sum"}),
    ("nll_loss", (X, LABELS, W6), {"ignore_index": 2}),
    ("binary_cross_entropy", (CHANCE, TARGET), {}),
    ("binary_cross_entropy_with_logits", (X, TARGET, W6), {"pos_weight": W6[::-1].copy()}),
    ("kl_div", (X, CHANCE), {"reduction": "batchmean"}),
    ("kl_div", (X, Y), {"reduction": "sum", "log_target": True}),
    ("kl_div", (X, Y), {"reduction": "sum"}),  # targets that are no probabilities
    ("poisson_nll_loss", (X, CHANCE), {"full": True}),
    ("gaussian_nll_loss", (X, Y, CHANCE), {}),
    ("cosine_embedding_loss", (X, Y, SIGNS), {"margin": 0.1}),
    ("hinge_embedding_loss", (X, 2 * TARGET - 1), {"margin": 0.5}),
    ("margin_ranking_loss", (X[:, 0], Y[:, 0], SIGNS), {}),
    ("multi_margin_loss", (X, LABELS), {}),
    ("multilabel_soft_margin_loss", (X, TARGET), {}),
    ("soft_margin_loss", (X, 2 * TARGET - 1), {}),
    ("triplet_margin_loss", (X, Y, CHANCE), {"swap": True}),
    ("linear", (X, Y, SIGNS), {}),
    ("bilinear", (X, Y[:, :3], RNG.normal(size=(2, 6, 3)), np.array([1.0, 2.0])), {}),
    ("conv1d", (SEQUENCE, RNG.normal(size=(3, 4, 3))), {"stride": 2, "padding": 1}),
    ("conv2d", (IMAGE, RNG.normal(size=(4, 2, 3, 3)), SIGNS), {"padding": "same", "groups": 2}),
    ("conv3d", (VOLUME, RNG.normal(size=(2, 4, 2, 2, 2))), {"dilation": 2}),
    ("conv_transpose2d", (IMAGE, RNG.normal(size=(4, 3, 3, 3))), {"stride": 2, "output_padding": 1}),
    ("max_pool1d", (SEQUENCE, 2), {}),
    ("max_pool2d", (IMAGE, 3), {"stride": 2, "padding": 1, "ceil_mode": True}),
    ("avg_pool2d", (IMAGE, 2), {"count_include_pad": False, "padding": 1}),
    ("avg_pool3d", (VOLUME, 2), {}),
    ("lp_pool2d", (IMAGE**2, 2.0, 2), {}),
    ("lp_pool2d", (IMAGE, 3.0, 2), {}),
    ("lp_pool1d", (SEQUENCE, 1.5, 2), {}),
    ("lp_pool1d", (np.array([[1.0, -1.0, 0.0, 0.0, -2.0, 1.0]]), 1.0, 2), {}),
    ("lp_pool1d", (SEQUENCE, math.inf, 2), {"ceil_mode": True}),
    ("adaptive_avg_pool2d", (IMAGE, (1, 1)), {}),
    ("adaptive_max_pool1d", (SEQUENCE, 3), {}),
    ("interpolate", (IMAGE,), {"scale_factor": 2, "mode": "bilinear", "align_corners": True}),
    ("pixel_shuffle", (IMAGE, 2), {}),
    ("pixel_unshuffle", (IMAGE, 3), {}),
    ("unfold", (IMAGE, 2), {"stride": 2}),
    ("fold", (RNG.normal(size=(1, 8, 9)), (4, 4), 2), {}),
    ("layer_norm", (X, (6,), W6, Y[0]), {"eps": 1e-3}),
    ("layer_norm", (IMAGE, (6, 6)), {}),
    ("rms_norm", (X, (6,), W6), {}),
    ("group_norm", (IMAGE, 2, SIGNS, W6[:4]), {}),
    ("instance_norm", (IMAGE,), {"weight": SIGNS, "bias": W6[:4]}),
    ("batch_norm", (IMAGE, Y[0, :4], CHANCE[0, :4], SIGNS, W6[:4]), {}),
    ("batch_norm", (X, None, None, W6), {"training": True, "eps": 1e-3}),
    ("local_response_norm", (IMAGE, 3), {"k": 2.0}),
    ("normalize", (X,), {}),
    ("normalize", (X,), {"p": 1.0, "dim": 0}),
    ("cosine_similarity", (X, Y), {}),
    ("cosine_similarity", (X, Y[:, :1]), {"dim": 1}),
    ("cosine_similarity", (X, Y[0]), {"dim": 0}),
    ("pairwise_distance", (X, Y), {"p": 1.0, "keepdim": True}),
    ("embedding", (LABELS, RNG.normal(size=(6, 3))), {}),
    ("embedding", (LABELS, RNG.normal(size=(6, 3))), {"padding_idx": -4}),
    ("prelu", (IMAGE, SIGNS), {}),
    ("pad", (IMAGE, (1, 2, 0, 1)), {"value": 3.0}),
    ("pad", (IMAGE, (1, 2, 2, 1)), {"mode": "reflect"}),
    ("pad", (SEQUENCE, (3, 1)), {"mode": "circular"}),
    ("pad", (SEQUENCE, (-1, 2)), {"mode": "circular"}),
    ("pad", (IMAGE, (2, -2, -1, 1)), {"mode": "circular"}),
    ("pad", (SEQUENCE, (3, 1)), {"mode": "replicate"}),
    ("scaled_dot_product_attention", (Q, K, V), {"is_causal": True}),
    ("scaled_dot_product_attention", (Q, K, V), {"attn_mask": MASK, "scale": 0.3}),
    ("dropout", (X, 0.5, False), {}),
    ("alpha_dropout", (X,), {}),
]


# The positions of running statistics, weights and targets, for which PyTorch has no derivatives.
_CONSTANTS = {
    "batch_norm": (1, 2),
    "nll_loss": (2,),
    "cross_entropy": (1, 2),
    "binary_cross_entropy": (1, 2),
    "binary_cross_entropy_with_logits": (2,),
    "soft_margin_loss": (1,),
}


@pytest.mark.parametrize(("name", "inputs", "options"), CASES, ids=[case[0] for case in CASES])
def test_a_function_has_the_values_and_gradients_of_pytorch(name, inputs, options):
    constants = _CONSTANTS.get(name, ())
    ours, theirs = [], []
    for i, x in enumerate(inputs):
        is_variable = isinstance(x, np.ndarray) and x.dtype.kind == "f" and i not in constants
        ours.append(Value(x) if is_variable else x)
        theirs.append(torch.tensor(x, requires_grad=is_variable) if isinstance(x, np.ndarray) else x)
    their_options = {key: torch.tensor(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    result, expected = getattr(F, name)(*ours, **options), getattr(TF, name)(*theirs, **their_options)
    assert result.shape == tuple(expected.shape)
    require_close(result.data, expected.detach().numpy())
    direction = np.cos(np.arange(expected.numel())).reshape(expected.shape)
    (result * direction).sum().backward()
    (expected * torch.tensor(direction)).sum().backward()
    for a, b in zip(ours, theirs):
        if isinstance(a, Value):
            gradient = np.zeros(a.shape) if b.grad is None else b.grad.numpy()
            # PyTorch's slope of hardsigmoid is 1/6 rounded to float32.
            require_close(a.grad, gradient, scale=1.0, dtype="float32" if name == "hardsigmoid" else None)


@pytest.mark.parametrize("name", ["relu", "silu", "leaky_relu", "elu", "celu", "hardtanh", "dropout", "dropout2d"])
def test_inplace_is_accepted_and_changes_nothing(name):
    x = Value(IMAGE)
    adjoint.manual_seed(0)
    y = getattr(F, name)(x, inplace=True)
    adjoint.manual_seed(0)
    assert (y.data == getattr(F, name)(x).data).all()
    assert (x.data == IMAGE).all()


def test_losses_take_the_argument_names_of_pytorch():
    """PyTorch's other arguments are deprecated, or the weight of elements that PyTorch 2.7 added."""
    for name in dir(F):
        if name.endswith("_loss") or name in ("cross_entropy", "kl_div", "binary_cross_entropy"):
            ours, theirs = (set(inspect.signature(getattr(m, name)).parameters) for m in (F, TF))
            assert theirs - ours <= {"size_average", "reduce", "weight"}, name
            assert ours <= theirs, name


def test_the_weight_of_a_binary_cross_entropy_multiplies_each_element():
    each = TF.binary_cross_entropy(torch.tensor(CHANCE), torch.tensor(TARGET), reduction="none").numpy()
    require_close(float(F.binary_cross_entropy(CHANCE, TARGET, W6)), (each * W6).mean())
    values = [[Value(x) for x in row] for row in CHANCE]
    require_close(float(F.binary_cross_entropy(values, TARGET, 2.0)), 2 * each.mean())


def test_batch_norm_moves_the_running_statistics_as_pytorch_does():
    mean, var = Value(np.zeros(4)), np.ones(4)
    torch_mean, torch_var = torch.zeros(4, dtype=torch.float64), torch.ones(4, dtype=torch.float64)
    F.batch_norm(IMAGE, mean, var, training=True, momentum=0.3)
    TF.batch_norm(torch.tensor(IMAGE), torch_mean, torch_var, training=True, momentum=0.3)
    require_close(mean.data, torch_mean.numpy())
    require_close(var, torch_var.numpy())


def test_one_hot_has_one_class_more_than_the_largest_index():
    for classes in (-1, 9):
        expected = TF.one_hot(torch.tensor(LABELS), classes).numpy()
        assert (F.one_hot(LABELS, classes).data == expected).all()


@pytest.mark.parametrize("name", ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"])
def test_dropout_follows_the_shared_seed_and_keeps_the_mean(name):
    x = np.ones((20, 30, 2, 3, 2))
    adjoint.manual_seed(3)
    y = getattr(F, name)(Value(x), 0.25, training=True)
    adjoint.manual_seed(3)
    assert (getattr(F, name)(x, 0.25, True) == y.data).all()
    assert abs(getattr(F, name)(x, 0.25, True).mean() - 1) < 0.15 or name == "alpha_dropout"
    assert abs(F.alpha_dropout(0 * x, 0.25, True).mean()) < 0.05
    if name[-1] == "d":  # whole channels, or whole elements of channels where the input has more axes
        flat = y.data.reshape(*y.shape[: -int(name[-2])], -1)
        assert (flat == flat[..., :1]).all()
        assert len(np.unique(y.data)) == 2


def test_alpha_dropout_drops_to_the_same_value_as_pytorch():
    x = np.linspace(-2.0, 2.0, 50)
    ours, theirs = F.alpha_dropout(x, 0.4, training=True), TF.alpha_dropout(torch.tensor(x), 0.4, training=True).numpy()
    scale = 1 / np.sqrt(0.6 * (1 + 0.4 * 1.7580993408473766**2))
    kept = scale * x + scale * 1.7580993408473766 * 0.4
    for y in (ours, theirs):
        dropped = np.abs(y - kept) > 1e-6
        assert 0 < dropped.sum() < 50
        require_close(y[dropped], np.full(dropped.sum(), -scale * 1.7580993408473766 * 0.6))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.pad(X, (1, 2, 3)), ShapeError, r"pad: expected \(before, after\) for at most 2 axes"),
        (lambda: F.embedding(LABELS, np.zeros((6, 2)), padding_idx=9), ArgumentError, "padding_idx must be within 6"),
        (lambda: F.batch_norm(X[:1], None, None, training=True), ShapeError, "use larger batches"),
        (lambda: F.group_norm(X, 4), ShapeError, r"\(samples, a multiple of 4, …\), not \(4, 6\)"),
        (lambda: F.binary_cross_entropy([Value(0.5)], [1.0], [1.0]), ArgumentError, "one number as weight"),
    ],
)
def test_errors_say_what_is_expected(call, error, message):
    with pytest.raises(error, match=message):
        call()
