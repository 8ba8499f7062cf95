"""Sums of many float32 and float16 numbers: the error is that of rounding the result, not of a running sum."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, nn

ROWS, EXACT = 300_000, np.float64(np.float32(0.1))

# Each returns sums of ROWS numbers 0.1 of float32, and how often 0.1 counts in each.
SUMS = {
    "bias of linear": lambda x: (gradient(lambda b: adjoint.linear(np.ones((ROWS, 1), "f4"), ones(3, 1), b), 3), ROWS),
    "x + b": lambda x: (gradient(lambda b: x + b, 3), ROWS),
    "b * x": lambda x: (gradient(lambda b: b * x, (1, 3), g=1.0), ROWS),
    "sum(0)": lambda x: (x.sum(axis=0).data, ROWS),
    "sum(0), keepdims": lambda x: (x.sum(axis=0, keepdims=True).data, ROWS),
    "sum()": lambda x: (x.sum().data, 3 * ROWS),
    "sum((0, 2))": lambda x: (x.reshape(ROWS // 10, 10, 3, 1).sum(axis=(0, 1, 3)).data, ROWS),
    "sum((0, 2)), 1 between": lambda x: (x.reshape(ROWS // 2, 3, 2).sum(axis=(0, 2)).data, ROWS),
    "sum(1)": lambda x: (x.reshape(3, ROWS // 6, 6).sum(axis=1).data, ROWS / 6),
    "sum(1) of a transpose": lambda x: (x.T.sum(axis=1).data, ROWS),
    "sum(0) of a slice": lambda x: (x[:, ::2].sum(axis=0).data, ROWS),
    "sum(-2)": lambda x: (x.sum(axis=-2).data, ROWS),
    "mean(0)": lambda x: (x.mean(axis=0).data * ROWS, ROWS),
    "mean((0, 2))": lambda x: (x.reshape(ROWS // 2, 3, 2).mean(axis=(0, 2)).data * ROWS, ROWS),
    "cumsum": lambda x: (x.cumsum(axis=0).data[-1], ROWS),
    "einsum": lambda x: (adjoint.einsum("ij->j", x).data, ROWS),
}


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, "f4")


def gradient(function, shape, g: float = 0.1):
    leaf = Value(np.ones(shape, "f4"))
    y = function(leaf)
    y.backward(np.full(y.shape, g, "f4"))
    return leaf.grad


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_of_float32_has_the_error_of_pytorch(name):
    torch = pytest.importorskip("torch")
    found, count = SUMS[name](Value(np.full((ROWS, 3), 0.1, "f4")))
    assert found.dtype == np.float32
    of_torch = float(torch.full((ROWS, 3), 0.1).sum(0)[0]) / (ROWS * EXACT)
    # The claim is about accuracy: twice the error of PyTorch, and that of rounding the result.
    ulps = 1 + 2 * abs(of_torch - 1) / np.finfo("f4").eps
    require_close(found, np.full(found.shape, count * EXACT), ulps=ulps, dtype="float32")


def test_random_float32_rows_sum_as_in_float64():
    x = np.random.default_rng(0).normal(size=(100_000, 7)).astype("f4")
    expected = x.astype("f8").sum(axis=0)
    require_close(Value(x).sum(axis=0), expected, dtype="float32", scale=np.sqrt(len(x)))  # the size of random sums


# --- float16 ---------------------------------------------------------------------------------------


def layer(kind, *arguments, **options):
    return lambda x, dtype: kind(*arguments, dtype=dtype, **options)(x)


LABELS = np.zeros(3, int)
HALVES = {  # on a 3 by 1000 array around 100, whose sums and squares exceed the largest float16, 65504
    "mean": lambda x, dtype: x.mean(),
    "mean(1)": lambda x, dtype: x.mean(axis=1),
    "var": lambda x, dtype: x.var(axis=1),
    "std": lambda x, dtype: x.std(axis=1, correction=1),
    "norm": lambda x, dtype: x.norm(axis=1),
    "logsumexp": lambda x, dtype: x.logsumexp(axis=1),
    "softmax": lambda x, dtype: x.softmax() * 1000.0,
    "log_softmax": lambda x, dtype: x.log_softmax(),
    "cumsum": lambda x, dtype: (x - 100.0).cumsum(axis=1),
    "prod": lambda x, dtype: (x / 100.0).prod(axis=1),
    "cumprod": lambda x, dtype: (x[:, :50] / 100.0).cumprod(axis=1),
    "LayerNorm": layer(nn.LayerNorm, 1000),
    "RMSNorm": layer(nn.RMSNorm, 1000),
    "GroupNorm": lambda x, dtype: nn.GroupNorm(2, 4, dtype=dtype)(x.reshape(3, 4, 250)),
    "InstanceNorm1d": lambda x, dtype: nn.InstanceNorm1d(4, dtype=dtype)(x.reshape(3, 4, 250)),
    "LocalResponseNorm": lambda x, dtype: nn.LocalResponseNorm(2)(x.reshape(3, 4, 250)),
    "BatchNorm1d": lambda x, dtype: nn.BatchNorm1d(3, dtype=dtype)(x.T),
    "cross_entropy": lambda x, dtype: nn.cross_entropy(x, LABELS),
    "mse": lambda x, dtype: nn.mse(x, np.full((3, 1000), 100.0, dtype)),
    "avg_pool": lambda x, dtype: adjoint.avg_pool2d(x.reshape(1, 1, 30, 100), 30),
    "attention": lambda x, dtype: adjoint.scaled_dot_product_attention(*[(x[:, :60] / 50.0).reshape(3, 20, 3)] * 3),
    "+ b": lambda x, dtype: x.mean(axis=1, keepdims=True) + x * 0.01,
}


def with_gradient(name, x, dtype):
    x = Value(x)
    y = HALVES[name](x, dtype)
    assert str(y.dtype).endswith("float32" if name in ("cross_entropy", "mse") and dtype == "float16" else dtype)
    shape = tuple(y.shape)
    y.backward((np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 5).tolist())
    return np.asarray(y.data, float), np.asarray(x.grad, float)


def require_near(name: str, x) -> None:
    """Compare a function of float16 with the same function of float64."""
    y, g = with_gradient(name, x, "float16")
    expected, slope = with_gradient(name, np.asarray(x, "f8"), "float64")
    require_close(y, expected, dtype="float16", condition=LOSSES.get(name, 1.0))
    require_close(g, slope, dtype="float16", condition=LOSSES.get(name, 1.0))


# The gradient of logsumexp is exp(x - y), and y, about 112, is rounded to 1/16. The product has 1000 rounded factors.
# Attention takes the differences of gradients that a softmax weighs, with scores of rounded numbers.
LOSSES = {"logsumexp": 8.0, "prod": 4.0, "attention": 3.0}
HALF = (100.0 + np.random.default_rng(0).normal(size=(3, 1000)) * 4).astype("f2")


@pytest.mark.parametrize("name", HALVES)
def test_float16_accumulates_in_float32(name):
    require_near(name, HALF)


@pytest.mark.parametrize(
    ("name", "library"), [("std", "jax"), *[(name, "torch") for name in ("mean(1)", "std", "norm", "cumsum")]]
)
def test_float16_accumulates_in_float32_in_other_libraries(name, library):
    torch = pytest.importorskip("torch")
    require_near(name, pytest.importorskip("jax.numpy").asarray(HALF) if library == "jax" else torch.tensor(HALF))


def test_higher_derivatives_and_forward_mode_of_float16_accumulate_in_float32():
    def function(x):
        return x.var(axis=1).sum()

    tangent = np.ones((3, 1000), "f2")
    tangent[:, ::2] = -1
    found, expected = (
        [adjoint.jvp(function, (x,), (t,))[1], adjoint.hvp(function, x, t)]
        for x, t in ((HALF, tangent), (HALF.astype("f8"), tangent.astype("f8")))
    )
    for half, whole in zip(found, expected):
        assert half.dtype == np.float16
        require_close(half, whole, dtype="float16", condition=4.0)  # rounded products of both signs are added
