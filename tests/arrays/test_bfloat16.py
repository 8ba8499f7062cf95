"""bfloat16 in NumPy arrays: eager operations compute in float32 and round; models hold it, compile, and are saved."""

import sys

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors, jit, nn, optim

ml_dtypes = pytest.importorskip("ml_dtypes")
RNG = np.random.default_rng(0)


def half(*shape):
    return (0.5 + RNG.random(shape)).astype(ml_dtypes.bfloat16)


OPERATIONS = {
    "exp": lambda x: x.exp(),
    "sigmoid": lambda x: x.sigmoid(),
    "relu": lambda x: (x - 1.0).relu(),
    "x * x + 1": lambda x: x * x + 1.0,
    "2 / x": lambda x: 2.0 / x,
    "x ** 3": lambda x: x**3,
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(axis=1),
    "softmax": lambda x: x.softmax(-1),
    "max": lambda x: x.max(axis=0),
    "x @ x": lambda x: x @ x,
    "linear": lambda x: adjoint.linear(x, x, x[0]),
    "einsum": lambda x: adjoint.einsum("ij,kj->ik", x, x),
    "conv1d": lambda x: adjoint.conv1d(x, x[:, :, None]),
    "attention": lambda x: adjoint.scaled_dot_product_attention(x, x, x, causal=True),
    "layer_norm": lambda x: nn.functional.layer_norm(x, 4),
    "x[1:]": lambda x: x[1:],
    "at": lambda x: x.at[0].set(2.0),
    "concat": lambda x: adjoint.concat([x, x]),
    "where": lambda x: adjoint.where(x.data < 1, x, 0.0),
    "cumsum": lambda x: x.cumsum(axis=0),
    "sort": lambda x: x.sort(axis=0),
    "np.exp": np.exp,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_eager_operation_is_that_of_float32_rounded(name):
    """Each operation and each gradient rounds to 8 bits; the second call takes the fast path, if there is one."""
    given = half(4, 4)
    exact = Value(given.astype("float64"))
    expected = OPERATIONS[name](exact)
    expected.backward(np.ones(expected.shape))
    for _ in range(2):
        x = Value(given)
        y = OPERATIONS[name](x)
        y.backward(np.ones(y.shape, ml_dtypes.bfloat16))
        assert x.dtype == y.dtype == x.grad.dtype == ml_dtypes.bfloat16
        for found, reference in ((y.data, expected.data), (x.grad, exact.grad)):
            require_close(found, reference, ulps=2, scale=1.0, dtype="bfloat16")  # one operation, rounded once


def test_sums_of_many_elements_are_not_rounded_term_by_term():
    x = Value(np.ones(1000, ml_dtypes.bfloat16))  # a running sum in bfloat16 stops at 256
    assert x.sum().item() == 1000.0
    assert x.mean().item() == 1.0


def test_bfloat16_and_a_wider_array_give_the_wider_dtype():
    x = Value(half(3))
    assert (x * 2.0).dtype == (x + np.float64(1.0)).dtype == ml_dtypes.bfloat16
    assert (x + np.ones(3, "float32")).dtype == (x * Value(np.ones(3, "float32"))).dtype == np.float32


def test_higher_orders_and_forward_mode():
    x, t = half(3), half(3)
    require_close(adjoint.hvp(lambda x: (x**3).sum(), x, t), 6.0 * (x * t).astype("f8"), dtype="bfloat16")
    slope = adjoint.jvp(lambda x: (x**2).sum(), (x,), (t,))[1]
    require_close(slope, 2.0 * (x.astype("f8") * t.astype("f8")).sum(), dtype="bfloat16")


@pytest.mark.parametrize("kind", ["SGD", "AdamW", "RMSprop", "Lion"])
def test_optimizers_update_bfloat16(kind):
    found = []
    for dtype in (ml_dtypes.bfloat16, "float64"):
        p = Value(np.array([1.0, -2.0, 0.5]).astype(dtype))
        optimizer = getattr(optim, kind)([p], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
        assert p.dtype == dtype
        found.append(p.data)
    require_close(found[0], found[1], dtype="bfloat16")


# --- models --------------------------------------------------------------------------------------------


def test_a_model_holds_bfloat16_eagerly_compiled_and_in_a_file(tmp_path):
    torch = pytest.importorskip("torch")
    tokens, path = np.array([[1, 2, 3]]), tmp_path / "model.safetensors"
    model = nn.Sequential(nn.Embedding(8, 4, seed=0), nn.LayerNorm(4), nn.Linear(4, 3, seed=1))
    expected = model(tokens).data
    model.astype("bfloat16")
    for y in (model(tokens), jit(model)(tokens)):
        assert y.dtype == ml_dtypes.bfloat16
        require_close(y, expected, dtype="bfloat16")
    assert repr(model[1].weight) == "Tensor(data=[1 1 1 1], shape=(4,), dtype=bfloat16)"
    adjoint.save(path, model)
    theirs = pytest.importorskip("safetensors.torch").load_file(path)
    assert theirs["1.weight"].dtype == torch.bfloat16
    loaded = adjoint.load(path).model
    assert loaded[1].weight.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(loaded(tokens).data, model(tokens).data)
    assert model.astype("float32")[1].weight.dtype == np.float32
    assert model.bfloat16()[1].weight.dtype == ml_dtypes.bfloat16


def test_without_ml_dtypes_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(errors.MissingExtraError, match="bfloat16 needs ml_dtypes, which is not installed"):
        nn.Linear(2, 2).astype("bfloat16")
