"""Attention as one operation of JAX. Here XLA computes what cuDNN computes on a GPU; the rest is the same code."""

import warnings
from types import FunctionType

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors, grad, jit, jvp, nn, no_grad
from adjoint.arrays.backends import cudnn
from adjoint.arrays.backends.jax import placed_on
from adjoint.arrays.functions import attention as general

jax = pytest.importorskip("jax")
pytest.importorskip("jax.export")
torch = pytest.importorskip("torch")
F = torch.nn.functional
attention = adjoint.scaled_dot_product_attention
LENGTH, WIDTH = 16, 8


@pytest.fixture(autouse=True)
def _on_this_cpu(monkeypatch):
    """Use the operation on this machine, also for float32."""
    monkeypatch.setattr(cudnn, "IMPLEMENTATION", "xla")
    monkeypatch.setattr(cudnn, "PLATFORM", jax.default_backend())
    monkeypatch.setattr(cudnn, "DTYPES", ("float32", "bfloat16"))


@pytest.fixture
def fused(monkeypatch):
    """The number of times that attention was one operation."""
    made = []

    class Counting(general.FusedOp):
        def __init__(self, *arguments):
            made.append(self)
            super().__init__(*arguments)

    monkeypatch.setattr(general, "FusedOp", Counting)
    return made


def operands(*before, heads=(2, 2, 2), seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*before, n, LENGTH, WIDTH)).astype(np.float32) for n in heads]


def padding_mask(*before):
    """Return a mask that lets each query attend to a few keys, and the third to none."""
    mask = np.random.default_rng(1).random((*before, LENGTH, LENGTH)) < 0.5
    mask[..., 2, :] = False
    return mask


CASES = {
    "plain": ((3,), {}, {}),
    "causal": ((3,), {"causal": True}, {"is_causal": True}),
    "scale": ((3,), {"scale": 0.3}, {"scale": 0.3}),
    "without samples": ((), {"causal": True}, {"is_causal": True}),
    "more axes": ((2, 3), {"causal": True}, {"is_causal": True}),
    "mask": ((3,), {"mask": padding_mask()}, {"attn_mask": padding_mask()}),
    "mask of samples": ((3,), {"mask": padding_mask(3, 1)}, {"attn_mask": padding_mask(3, 1)}),
    "mask of heads, more axes": ((2, 3), {"mask": padding_mask(3, 2)}, {"attn_mask": padding_mask(3, 2)}),
    "mask and causal": (
        (3,),
        {"mask": padding_mask(), "causal": True},
        {"attn_mask": padding_mask() & np.tri(LENGTH, dtype=bool)},
    ),
    "groups": ((3,), {"enable_gqa": True, "causal": True}, {"enable_gqa": True, "is_causal": True}),
}


ODD = {
    "causal": ((2, 17, 8), (2, 17, 8), {"is_causal": True}),
    "plain": ((2, 17, 8), (2, 20, 8), {}),
    "mask": ((2, 18, 8), (2, 21, 8), {"attn_mask": np.random.default_rng(1).random((18, 21)) < 0.5}),
}
QUICK = ("mask and causal",)


def cases(names):
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in names]


@pytest.mark.parametrize("name", cases(CASES))
def test_values_and_gradients_are_those_of_pytorch(name, fused):
    before, options, torch_options = CASES[name]
    xs = operands(*before, heads=(4, 2, 2) if name == "groups" else (2, 2, 2))
    g = np.random.default_rng(2).normal(size=xs[0].shape).astype(np.float32)
    leaves = [Value(x) for x in xs]

    @jit
    def program(g):
        y = attention(*leaves, **options)
        (y * g).sum().backward()
        return y

    y = program(g)
    assert len(fused) == 1
    theirs = [torch.tensor(x, requires_grad=True) for x in xs]
    torch_options = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in torch_options.items()}
    expected = F.scaled_dot_product_attention(*theirs, **torch_options)
    expected.backward(torch.tensor(g))
    require_close(y.data, expected, terms=LENGTH)
    for leaf, their in zip(leaves, theirs):
        require_close(leaf.grad, their.grad, terms=LENGTH)


@pytest.mark.full
@pytest.mark.parametrize("name", ODD)
def test_odd_numbers_of_positions_are_extended_by_one(name, fused, monkeypatch):
    of_q, of_k, options = ODD[name]
    rng = np.random.default_rng(0)
    xs = [rng.normal(size=shape).astype(np.float32) for shape in (of_q, of_k, of_k)]
    plain = jax.nn.dot_product_attention

    def attend(q, k, v, **options):
        assert q.shape[1] % 2 == k.shape[1] % 2 == 0
        return plain(q, k, v, **options)

    monkeypatch.setattr(jax.nn, "dot_product_attention", attend)
    theirs = [torch.tensor(x, requires_grad=True) for x in xs]
    given = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    (F.scaled_dot_product_attention(*theirs, **given) ** 2).sum().backward()
    found = jit(grad(lambda *xs: (attention(*xs, **options) ** 2).sum(), argnums=(0, 1, 2)))(*xs)
    assert fused
    for a, their in zip(found, theirs):
        require_close(a, their.grad, terms=LENGTH)


def _loss(q):
    return (attention(q, q, q, causal=True) ** 2).sum()


DERIVATIVES = {
    "gradient": lambda f: jit(grad(f)),
    "gradient through a compiled function": lambda f: grad(jit(f)),
    "second derivative": lambda f: jit(grad(lambda q: (grad(f)(q) ** 2).sum())),
    "second derivative through a compiled function": lambda f: grad(lambda q: (grad(jit(f))(q) ** 2).sum()),
    "forward mode": lambda f: jit(lambda q: jvp(f, (q,), (q,))[1]),
    "forward mode through a compiled function": lambda f: lambda q: jvp(jit(f), (q,), (q,))[1],
    "forward over reverse": lambda f: jit(lambda q: jvp(grad(f), (q,), (q,))[1]),
    "map": lambda f: jit(lambda q: grad(lambda q: adjoint.vmap(f)(q).sum())(q)),
}
QUICK = ("second derivative",)


@pytest.mark.parametrize("name", cases(DERIVATIVES))
def test_every_derivative_is_that_of_the_general_operation(name, fused, monkeypatch):
    (q, *_) = operands(2)
    # with code of its own: compiled functions of the same code share their programs
    loss = FunctionType(_loss.__code__.replace(co_name=f"loss of {name}"), globals())
    found = DERIVATIVES[name](loss)(q)
    assert fused
    monkeypatch.setattr(cudnn, "DTYPES", ())
    count = len(fused)
    expected = DERIVATIVES[name](loss)(q.astype(np.float64))
    assert len(fused) == count
    condition = 4.0 if "second" in name else 1.0  # of sums of products of rounded gradients
    require_close(found, expected, terms=LENGTH, dtype="float32", condition=condition)
    if name == "second derivative":
        their = torch.tensor(q.astype(np.float64), requires_grad=True)
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            loss = (F.scaled_dot_product_attention(their, their, their, is_causal=True) ** 2).sum()
        (first,) = torch.autograd.grad(loss, their, create_graph=True)
        (second,) = torch.autograd.grad((first**2).sum(), their)
        require_close(found, second, terms=LENGTH, dtype="float32", condition=condition)


def test_a_kernel_without_derivatives_of_its_own_forward_pass_serves_a_compiled_function(monkeypatch):
    """The forward pass of cuDNN has no derivative for JAX; only the function around it has one."""

    @jax.custom_vjp
    def kernel(x):
        return x

    def forward(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(x.shape, x.dtype), x), ()

    kernel.defvjp(forward, lambda residuals, g: (g,))
    plain = jax.nn.dot_product_attention

    def attend(*arguments, implementation, **options):
        y = plain(*arguments, implementation="xla", **options)
        return kernel(y) if implementation == "opaque" else y

    monkeypatch.setattr(jax.nn, "dot_product_attention", attend)
    monkeypatch.setattr(cudnn, "IMPLEMENTATION", "opaque")
    (q, *_) = operands(2)
    found = [np.asarray(DERIVATIVES[name](_loss)(q)) for name in ("gradient", "gradient through a compiled function")]
    monkeypatch.setattr(cudnn, "DTYPES", ())
    require_close(found, [grad(_loss)(q)] * 2)


def test_the_forward_kernel_runs_once_in_a_step_of_training(monkeypatch):
    runs = []
    plain = jax.nn.dot_product_attention
    monkeypatch.setattr(jax.nn, "dot_product_attention", lambda *xs, **options: runs.append(1) or plain(*xs, **options))
    jit(grad(_loss))(*operands(heads=(1,)))
    assert len(runs) == 1


@pytest.mark.full
def test_half_precision_gives_results_of_that_dtype(fused):
    q = Value(jax.numpy.asarray(operands(heads=(1,))[0], "bfloat16"))
    y = attention(q, q, q, causal=True)
    y.sum().backward()
    assert fused
    assert str(y.dtype) == str(q.grad.dtype) == "bfloat16"
    with no_grad():
        again = attention(q, q, q, causal=True)
    np.testing.assert_array_equal(again.data, y.data)


REASONS = {
    "dropout is applied to the attention weights": {"dropout": lambda x: x},
    "the mask is not boolean": {"mask": np.zeros((LENGTH, LENGTH), np.float32)},
    "heads have the width 6": {"width": 6},
    "causal attention has 16 queries but 32 keys": {"causal": True, "keys": 32},
    "would broadcast": {"heads": 1},
}


def trace(*shapes, dtype="float32", **options):
    """Trace attention of arrays of these shapes, without computing anything."""
    given = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    return jax.eval_shape(lambda q, k: attention(Value(q), k, k, **options).data, *given)


@pytest.mark.parametrize("reason", REASONS)
def test_attention_that_does_not_fit_says_why_once(reason, fused):
    options = dict(REASONS[reason])
    width, queries, keys = options.pop("width", 8), options.pop("queries", 16), options.pop("keys", 16)
    shapes = (2, queries, width), (options.pop("heads", 2), keys, width)
    with pytest.warns(errors.AttentionFallbackWarning, match=reason):
        assert trace(*shapes, **options).shape == (2, queries, width)
    assert not fused
    with warnings.catch_warnings(), adjoint.guards(attention_fallback=False):
        warnings.simplefilter("error")
        trace(*shapes, **options)


def test_without_cudnn_attention_is_the_general_one(fused, monkeypatch):
    monkeypatch.setattr(cudnn, "IMPLEMENTATION", "cudnn")
    with pytest.warns(errors.AttentionFallbackWarning, match="need an NVIDIA GPU of compute capability 8.0 or more"):
        trace((2, 16, 8), (2, 16, 8))
    assert not fused
    monkeypatch.setattr(cudnn, "_has_kernels", lambda jax: True)
    with pytest.warns(errors.AttentionFallbackWarning, match="cuDNN is not detected"):
        assert trace((2, 16, 8), (2, 16, 8)).shape == (2, 16, 8)


def test_other_devices_dtypes_and_few_queries_are_silent(fused, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace((2, 1, 6), (2, 16, 6))
        trace((2, 16, 6), (2, 16, 6), dtype="float16")
        attention(Value(np.ones((2, 16, 6), np.float32)), *np.ones((2, 2, 16, 6), np.float32))
        monkeypatch.setattr(cudnn, "PLATFORM", "another")
        trace((2, 16, 6), (2, 16, 6))
    assert not fused


def test_the_devices_of_the_program_decide_while_jit_traces(fused):
    with placed_on("another", 8):
        trace((16, 8), (16, 8))
    assert not fused
    with placed_on(cudnn.PLATFORM, 8):
        trace((16, 8), (16, 8))
    assert fused


@pytest.mark.full
@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("options", [{"causal": True}, {"mask": padding_mask(2, 1)}], ids=["causal", "mask"])
def test_the_program_for_a_gpu_has_one_kernel_forward_and_one_backward(x64, options, monkeypatch):
    """JAX translates a program for a GPU that is not there, if it believes in cuDNN."""
    kernels = pytest.importorskip("jax._src.cudnn.fused_attention_stablehlo")
    monkeypatch.setattr(kernels, "check_cudnn_version", lambda: 91000)
    monkeypatch.setattr(kernels, "check_compute_capability", lambda capability: True)
    monkeypatch.setattr(kernels, "is_cuda_compute_capability_equal", lambda capability: False)
    monkeypatch.setattr(cudnn, "IMPLEMENTATION", "cudnn")
    monkeypatch.setattr(cudnn, "_has_kernels", lambda jax: True)

    def step(*arrays):
        leaves = [Value(x) for x in arrays]
        y = attention(*leaves, **options)
        (y * y).sum().backward()
        return y.data, [x.grad for x in leaves]

    names = [f"__cudnn$fmha{name}{way}" for name in ("Softmax", "ScaleBiasSoftmax") for way in ("", "Backward")]
    unchecked = [jax.export.DisabledSafetyCheck.custom_call(name) for name in names]
    with jax.enable_x64(x64):
        export = jax.export.export(jax.jit(step), platforms=["cuda"], disabled_checks=unchecked)
        text = export(*[jax.ShapeDtypeStruct((2, 4, LENGTH, WIDTH), "bfloat16")] * 3).mlir_module()
    assert [text.count(f"@{name}(") for name in names] == ([1, 1, 0, 0] if "causal" in options else [0, 0, 1, 1])
    assert "stablehlo.dot_general" not in text


def test_layers_with_the_names_of_pytorch_use_it_with_boolean_masks(fused):
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, seed=0, dtype="float32")
    padding = np.arange(LENGTH) > np.array([[9], [12]])
    later = ~np.tri(LENGTH, dtype=bool)
    given = jax.ShapeDtypeStruct((2, LENGTH, 16), "float32")
    jax.eval_shape(lambda x: layer(x, src_mask=later, src_key_padding_mask=padding).data, given)
    assert len(fused) == 1
