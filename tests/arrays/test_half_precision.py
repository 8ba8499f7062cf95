"""Arrays of float16 and bfloat16 are computed in float32: their errors are those of PyTorch, up to a factor of two."""

import ml_dtypes
import numpy as np
import pytest
import torch

import adjoint
from adjoint import Value, jit, nn

DTYPES = {"float16": (np.float16, torch.float16, 2.0**-11), "bfloat16": (ml_dtypes.bfloat16, torch.bfloat16, 2.0**-8)}
EVERYWHERE = (
    "asinh atan celu cos cosh elu erf exp expm1 gelu gelu_tanh hardsigmoid hardswish leaky_relu logsigmoid mish "
)
EVERYWHERE += "relu relu6 selu sigmoid silu sin sinh softplus softsign square tan tanh tanhshrink i0"
POSITIVE = "log log10 log1p log2 sqrt rsqrt lgamma digamma reciprocal"
FORMULAS = "gelu_tanh quick_gelu silu mish elu selu celu softplus logsigmoid tanhshrink"
SMALLEST = 6e-5  # the smallest normal number of float16, below which the relative error grows


def results(call, inputs, make, library):
    """Return the result of a call and the gradients of its inputs, in double precision."""
    leaves = [make(x) for x in inputs]
    y = call(library, *leaves)
    (y.sum() if y.shape else y).backward()
    found = [y, *(leaf.grad for leaf in leaves)]
    return [np.asarray(x.data if isinstance(x, Value) else x, np.float64) for x in (_numbers(x) for x in found)]


def _numbers(x):
    return x.detach().double().numpy() if isinstance(x, torch.Tensor) else x


def leaf_of(dtype):
    return lambda x: torch.tensor(x.astype(np.float64)).to(dtype).requires_grad_()


def require_errors_of_pytorch(call, inputs, dtype, by_element, ours=None):
    own, theirs, eps = DTYPES[dtype]
    inputs = [x.astype(own) for x in inputs]
    ours = ours or results(call, inputs, Value, "adjoint")
    exact, reference = (results(call, inputs, leaf_of(kind), "torch") for kind in (torch.float64, theirs))
    for found, wanted, rounded in zip(ours, exact, reference):
        with np.errstate(invalid="ignore"):  # infinities beyond the range of float16
            fits = np.abs(wanted) < 6e4
            scale = (np.abs(wanted) + SMALLEST)[fits] if by_element else np.abs(wanted[fits]).max()
            error, allowed = (np.max(np.abs(x - wanted)[fits] / scale) for x in (found, rounded))
        assert error <= 2 * allowed + eps, f"{error:.2g}, PyTorch's is {allowed:.2g}"


def call_of(name):
    def call(library, x):
        if name == "gelu_tanh" and library == "torch":
            return torch.nn.functional.gelu(x, approximate="tanh")
        if library == "adjoint":
            return getattr(adjoint, name)(x)
        return (getattr(torch, name, None) or getattr(torch.nn.functional, name))(x)

    return call


def numbers_for(name, size):
    x = np.random.default_rng(0).normal(size=500) * size
    x = np.abs(x) + 0.01 if name in POSITIVE.split() else x
    return np.clip(x, -9, 9) if name in ("cosh", "sinh", "exp", "i0") else x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.parametrize("name", [*EVERYWHERE.split(), *POSITIVE.split()])
def test_rows_and_their_gradients(name, size, dtype):
    require_errors_of_pytorch(call_of(name), [numbers_for(name, size)], dtype, True)


@pytest.mark.parametrize("how", ["compiled", "arrays of JAX"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_their_gradients_with_jax(dtype, how):
    jnp = pytest.importorskip("jax.numpy")
    names = [name for name in (*EVERYWHERE.split(), *POSITIVE.split()) if name in adjoint.ops.TABLE]
    inputs = {name: numbers_for(name, 3) for name in names}

    def run(inputs):
        leaves = {name: Value(x) for name, x in inputs.items()}
        found = {name: getattr(adjoint, name)(x) for name, x in leaves.items()}
        for y in found.values():
            y.sum().backward()
        return {name: (y.data, leaves[name].grad) for name, y in found.items()}

    given = {name: jnp.asarray(x.astype(DTYPES[dtype][0])) for name, x in inputs.items()}
    for name, ours in (jit(run) if how == "compiled" else run)(given).items():
        assert [str(x.dtype) for x in ours] == [dtype, dtype], name
        ours = [np.asarray(x, np.float64) for x in ours]
        by_element = name != "gelu"  # 1 + erf(x) cancels for negative x, in float32 too
        require_errors_of_pytorch(call_of(name), [inputs[name]], dtype, by_element, ours)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FORMULAS.split())
def test_formulas_of_several_steps_round_once(name, dtype):
    """Also in forward mode; a second derivative relative to the largest. The history has one node."""
    row, (own, _, eps) = adjoint.ops.TABLE[name], DTYPES[dtype]
    x = np.random.default_rng(0).uniform(-5, 5, 500).astype(own)
    found = []
    for given in (x, x.astype(np.float64)):
        leaf, direction = Value(given), np.ones_like(given)
        y = row(leaf)
        assert y.parents == (leaf,)
        y.sum().backward()
        tangent = adjoint.jvp(row, (given,), (direction,))[1]
        found.append([y.data, leaf.grad, tangent, adjoint.hvp(lambda x: row(x).sum(), given, direction)])
    for order, (ours, exact) in enumerate(zip(*found)):
        assert ours.dtype == own
        scale = np.abs(exact).max() if order == 3 else np.abs(exact) + SMALLEST
        assert np.max(np.abs(ours.astype(np.float64) - exact) / scale) <= 1.01 * eps


def test_half_floats_with_other_operands_have_the_dtype_of_pytorch():
    """A number, an array without axes and a NumPy scalar do not widen half floats; other arrays do."""
    x = np.ones(3, np.float16)
    jnp = pytest.importorskip("jax.numpy")
    for array in (np.asarray, jnp.asarray):
        for other, dtype in (
            (2.0, "float16"),
            (np.float64(2.0), "float16"),
            (Value(array(np.float32(2.0))), "float16"),
            (Value(array(np.ones(3, np.float32))), "float32"),
            (Value(array(np.ones(3, ml_dtypes.bfloat16))), "float32"),
        ):
            leaf = Value(array(x))
            y = adjoint.elu(leaf, other)
            y.sum().backward()
            assert [str(y.dtype), str(leaf.grad.dtype)] == [dtype, "float16"]


def test_an_operation_of_a_user_is_computed_in_float32():
    """1000² overflows in float16; the results do not."""
    root = adjoint.op(
        "root",
        lambda m, x: m.sqrt(x * x),
        lambda m, y, x: x * x / (x * x),
    )
    jnp = pytest.importorskip("jax.numpy")
    for array in (np.asarray, jnp.asarray):
        x = Value(array(np.full(3, 1000, np.float16)))
        y = root(x)
        y.sum().backward(create_graph=True)
        assert y.dtype == x.grad.dtype == np.float16
        assert np.asarray(y.data).tolist() == [1000.0] * 3
        assert np.asarray(x.grad.data).tolist() == [1.0] * 3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", [{}, {"is_causal": True}], ids=str)
@pytest.mark.parametrize("size", [1, 5])
def test_attention_and_its_gradients(size, options, dtype):
    random = np.random.default_rng(0)
    direction = random.normal(size=(2, 16, 32))

    def call(library, *qkv):
        module = torch.nn.functional if library == "torch" else nn.functional
        y = module.scaled_dot_product_attention(*qkv, **options)
        return y * (torch.tensor(direction).to(y.dtype) if library == "torch" else direction.astype(y.dtype))

    require_errors_of_pytorch(call, list(random.normal(size=(3, 2, 16, 32)) * size), dtype, False)


@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_binary_cross_entropy_and_the_gradients_of_its_targets(name):
    random = np.random.default_rng(0)
    scores = random.normal(size=200) * (5 if name == "binary_cross_entropy" else 20)
    x = np.clip(1 / (1 + np.exp(-scores)), 0.001, 0.999) if name == "binary_cross_entropy" else scores

    def call(library, p, t):
        return getattr(nn if library == "adjoint" else torch.nn.functional, name)(p, t, reduction="sum")

    require_errors_of_pytorch(call, [x, random.uniform(size=200)], "float16", False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_beyond_the_range_of_float16_do_not_overflow(dtype):
    x = np.full((4, 4), 100, DTYPES[dtype][0])
    q = Value(x)
    y = nn.functional.scaled_dot_product_attention(q, x, x, scale=100.0)
    y.sum().backward()
    assert y.dtype == DTYPES[dtype][0]
    assert np.all(y.data == 100)
    assert np.all(np.isfinite(q.grad.astype(float)))


def test_integers_of_two_bytes_are_no_half_precision():
    x = np.array([1000, 1000, 1000], np.int16)
    assert adjoint.cumsum(x).tolist() == [1000, 2000, 3000]
    assert adjoint.cumsum(x).dtype == np.cumsum(x).dtype
    assert adjoint.prod(x) == 10**9
