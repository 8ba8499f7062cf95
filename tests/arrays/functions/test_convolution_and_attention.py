"""Convolution, pooling, dropout and attention against PyTorch and central differences."""

import math

import numpy as np
import pytest
from array_api_compat import numpy as standard
from arrays import (
    F,
    Problem,
    as_tensor,
    case,
    jax_in_double,
    problems,
    require_agreement,
    solve_in_torch,
    to_numpy,
    torch,
)
from claims import claims
from closeness import require_close, require_drawn
from fuzzing import examples
from hypothesis import given, strategies as st

import adjoint
from adjoint import Tensor, Value
from adjoint.arrays.backends import Backend
from adjoint.arrays.functions import convolution
from adjoint.errors import ArgumentError, LibraryError, ShapeError

CASES: dict = {}


def _sizes(draw, ndim: int, low: int, high: int):
    """Draw one number for all spatial axes, or one for each."""
    return draw.integer(low, high) if draw.flag() else tuple(draw.integer(low, high) for _ in range(ndim))


def _each(sizes, ndim: int) -> tuple[int, ...]:
    return sizes if isinstance(sizes, tuple) else (sizes,) * ndim


def _leading(draw, channels: int) -> tuple[int, ...]:
    return (draw.integer(0, 2), channels) if draw.flag() else (channels,)


@case(CASES, "conv1d", "conv2d", "conv3d")
def _(name, draw):
    ndim = int(name[4])
    groups, per_group = draw.integer(1, 2), draw.integer(1, 2)
    outputs = groups * draw.integer(1, 2)
    kernel = tuple(draw.integer(1, 3) for _ in range(ndim))
    dilation = _sizes(draw, ndim, 1, 2)
    stride, padding = _sizes(draw, ndim, 1, 2), _sizes(draw, ndim, 0, 2 if ndim < 3 else 1)
    if draw.flag():
        padding = draw.one_of("same", "valid")
        stride = 1 if padding == "same" else stride
    margins = _each(0 if isinstance(padding, str) else padding, ndim)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, _each(dilation, ndim))]
    size = [max(1, span - 2 * p) + draw.integer(0, 2) for span, p in zip(spans, margins)]
    inputs = [
        draw.array((*_leading(draw, groups * per_group), *size)),
        draw.array((outputs, per_group, *kernel)),
    ]
    if draw.flag():
        inputs.append(draw.array((outputs,)))
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return Problem(
        lambda *vs: getattr(adjoint, name)(*vs, **options),
        lambda *ts: getattr(F, name)(*ts, **options),
        inputs,
        f"{name} with {options}",
    )


@case(CASES, "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _(name, draw):
    ndim = int(name[14])
    groups, per_group = draw.integer(1, 2), draw.integer(1, 2)
    kernel = tuple(draw.integer(1, 3) for _ in range(ndim))
    stride, dilation = _sizes(draw, ndim, 1, 3), _sizes(draw, ndim, 1, 2)
    steps = [max(pair) for pair in zip(_each(stride, ndim), _each(dilation, ndim))]
    more = tuple(draw.integer(0, step - 1) for step in steps)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, _each(dilation, ndim))]
    padding = tuple(draw.integer(0, (span - 1) // 2) for span in spans)
    inputs = [
        draw.array((*_leading(draw, groups * draw.integer(1, 2)), *(draw.integer(1, 3) for _ in range(ndim)))),
    ]
    inputs.append(draw.array((inputs[0].shape[-1 - ndim], per_group, *kernel)))
    if draw.flag():
        inputs.append(draw.array((groups * per_group,)))
    options = {"stride": stride, "padding": padding, "output_padding": more, "groups": groups, "dilation": dilation}
    return Problem(
        lambda *vs: getattr(adjoint, name)(*vs, **options),
        lambda *ts: getattr(F, name)(*ts, **options),
        inputs,
        f"{name} with {options}",
    )


@case(CASES, *[f"{kind}_pool{ndim}d" for kind in ("max", "avg", "lp") for ndim in (1, 2, 3)])
def _(name, draw):
    kind, ndim = name.split("_")[0], int(name[-2])
    kernel, stride = _sizes(draw, ndim, 1, 3), draw.one_of(None, _sizes(draw, ndim, 1, 3))
    padding = tuple(0 if kind == "lp" else draw.integer(0, k // 2) for k in _each(kernel, ndim))
    dilation = _sizes(draw, ndim, 1, 2) if kind == "max" else 1
    spans = [d * (k - 1) + 1 for k, d in zip(_each(kernel, ndim), _each(dilation, ndim))]
    least = spans if name == "avg_pool3d" else [max(p + 1, span - 2 * p) for span, p in zip(spans, padding)]
    size = [n + draw.integer(0, 3) for n in least]  # PyTorch's avg_pool3d takes no kernel larger than the input
    options = {"ceil_mode": draw.flag()}
    if kind == "avg":
        options["count_include_pad"] = draw.flag()
        if ndim > 1:
            options["divisor_override"] = draw.one_of(None, None, 5)
    arguments = (kernel, stride, padding, dilation) if kind == "max" else (kernel, stride, padding)
    theirs = arguments
    if kind == "lp":
        arguments = theirs = (draw.one_of(2, 3), kernel, stride)
        if ndim == 1:  # PyTorch takes no tuples here
            theirs = tuple(x[0] if isinstance(x, tuple) else x for x in arguments)
    numbers = (-1.0, 0.0, 1.0, math.inf, -math.inf) if kind == "max" and draw.kind == "edges" else None
    x = draw.array((*_leading(draw, draw.integer(1, 2)), *size), special=numbers)
    return Problem(
        lambda v: getattr(adjoint, name)(v, *arguments, **options),
        lambda t: getattr(F, name)(t, *theirs, **options),
        [np.abs(x) + 0.5 if kind == "lp" else x],
        f"{name} with {arguments}, {options}",
    )


@case(CASES, "max_unpool1d", "max_unpool2d", "max_unpool3d")
def _(name, draw):
    ndim, pool = int(name[-2]), getattr(F, name.replace("un", ""))
    kernel = tuple(draw.integer(1, 3) for _ in range(ndim))
    size = [k * draw.integer(1, 2) + draw.integer(0, k - 1) for k in kernel]
    given = torch.from_numpy(np.ascontiguousarray(draw.array((*_leading(draw, 2), *size), special=(0.0, 1.0))))
    values, indices = pool(given, kernel, return_indices=True)
    output_size = tuple(size) if draw.flag() or [n % k for n, k in zip(size, kernel)] != [0] * ndim else None

    def ours(v):
        places = indices if isinstance(v.data, torch.Tensor) else indices.numpy()
        return getattr(adjoint, name)(v, places, kernel, output_size=output_size)

    return Problem(ours, lambda t: getattr(F, name)(t, indices, kernel, output_size=output_size), [values.numpy()])


def _unfused():
    """Select the only attention of PyTorch that can be differentiated twice."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)


@case(CASES, "scaled_dot_product_attention")
def _(name, draw):
    queries, keys, width, out = (draw.integer(1, 3) for _ in range(4))
    # PyTorch's attention on an empty batch has a different shape than on a non-empty one
    q, k, v = (tuple(max(1, size) for size in shape) for shape in draw.broadcast(3, most=2))
    inputs = [draw.array((*q, queries, width)), draw.array((*k, keys, width)), draw.array((*v, keys, out))]
    scores = (*np.broadcast_shapes(q, k), queries, keys)
    causal, scale, kind = draw.flag(), draw.one_of(None, 0.5, -2.0), draw.one_of("none", "boolean", "added")
    shape = scores[draw.integer(0, len(scores)) :]
    shape = tuple(1 if draw.flag() else size for size in shape)
    allowed = np.asarray(np.random.default_rng(draw.integer(0, 100)).random(shape) < 0.7)
    if kind == "added":
        inputs.append(draw.array(shape))

    def ours(q, k, v, mask=None):
        if kind == "boolean":
            mask = torch.from_numpy(allowed) if isinstance(q.data, torch.Tensor) else allowed
        return adjoint.scaled_dot_product_attention(q, k, v, mask, causal=causal, scale=scale)

    def theirs(q, k, v, mask=None):
        added = torch.zeros((queries, keys), dtype=q.dtype)
        if causal:
            added = added.masked_fill(~torch.ones((queries, keys), dtype=torch.bool).tril(), -math.inf)
        if kind == "boolean":
            added = added.masked_fill(~torch.from_numpy(allowed), -math.inf)
        if mask is not None:
            added = added + mask
        with torch.nn.attention.sdpa_kernel(
            torch.nn.attention.SDPBackend.MATH
        ):  # the only implementation that can be differentiated twice
            return F.scaled_dot_product_attention(q, k, v, added, scale=scale)

    return Problem(ours, theirs, inputs, f"{name} with {causal=}, {scale=}, {kind} mask")


@case(CASES, "grouped_query_attention")
def _(name, draw):
    queries, keys, width, shared, groups = (draw.integer(1, 3) for _ in range(5))
    batch, kind = draw.one_of((), (2,)), draw.one_of("none", "all", "heads", "one")
    shapes = (shared * groups, queries, width), (shared, keys, width), (shared, keys, 2)
    inputs = [draw.array((*batch, *shape)) for shape in shapes]
    if kind != "none":
        heads = {"all": (), "heads": (shared * groups,), "one": (1,)}[kind]
        inputs.append(draw.array((*heads, queries, keys)))
    causal = kind == "none" and draw.flag()

    def theirs(q, k, v, mask=None):
        if mask is None and causal:
            mask = torch.zeros(queries, keys, dtype=q.dtype)
            mask = mask.masked_fill(~torch.ones((queries, keys), dtype=torch.bool).tril(), -math.inf)
        with _unfused():
            return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)

    return Problem(
        lambda q, k, v, mask=None: adjoint.scaled_dot_product_attention(q, k, v, mask, causal=causal, enable_gqa=True),
        theirs,
        inputs,
        f"{name} with {kind} mask",
    )


# --- claims about every function -------------------------------------------------------------------------

each = pytest.mark.parametrize("name", CASES)


globals().update(claims(CASES, without=["ties_and_edges", "arrays_of_jax", "compiled"]))


def _normal(*shapes) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.normal(size=shape) for shape in shapes]


def _typical(name, inputs, **options) -> Problem:
    return Problem(
        lambda *vs: getattr(adjoint, name)(*vs, **options),
        lambda *ts: getattr(F, name)(*ts, **options),
        inputs,
    )


# With JAX each shape costs a compilation, so there is one problem per function, which uses every option.
TYPICAL = {
    "conv1d": _typical("conv1d", _normal((2, 2, 6), (3, 2, 2)), padding="same", dilation=2),
    "conv2d": _typical("conv2d", _normal((2, 4, 5, 6), (6, 2, 3, 2), (6,)), stride=(2, 1), padding=(2, 1), groups=2),
    "conv3d": _typical("conv3d", _normal((1, 2, 3, 3, 2), (2, 1, 2, 1, 2), (2,)), stride=(1, 2, 1), groups=2),
    "conv_transpose2d": _typical(
        "conv_transpose2d",
        _normal((2, 4, 3, 2), (4, 1, 2, 2), (2,)),
        stride=(2, 1),
        padding=(0, 1),
        output_padding=(1, 0),
        groups=2,
        dilation=(1, 2),
    ),
    "max_pool2d": _typical("max_pool2d", _normal((2, 1, 5, 5)), kernel_size=2, stride=(1, 2), padding=(0, 1)),
    "max_pool1d": _typical("max_pool1d", _normal((2, 6)), kernel_size=2, dilation=2, padding=1, ceil_mode=True),
    "avg_pool3d": _typical("avg_pool3d", _normal((1, 1, 3, 2, 3)), kernel_size=2, padding=(0, 1, 0), ceil_mode=True),
    "avg_pool2d": _typical("avg_pool2d", _normal((1, 5, 5)), kernel_size=2, padding=1, count_include_pad=False),
    "scaled_dot_product_attention": Problem(
        lambda q, k, v, mask: adjoint.scaled_dot_product_attention(q, k, v, mask, causal=True),
        lambda q, k, v, mask: (
            ((q @ k.mT / 2 + mask).masked_fill(torch.ones(3, 3).triu(1) > 0, -math.inf)).softmax(-1).matmul(v)
        ),
        _normal((2, 3, 4), (3, 4), (2, 3, 5), (3, 3)),
    ),
}


@pytest.mark.parametrize("name", ["conv2d", "avg_pool2d"])
def test_arrays_of_jax_work_as_data(name):
    with jax_in_double() as library:
        require_agreement(TYPICAL[name], order=1, library=library)


@pytest.mark.parametrize("name", TYPICAL)
def test_two_derivatives_compile_as_one_program(name):
    jax = pytest.importorskip("jax")
    problem = TYPICAL[name]
    expected = solve_in_torch(problem, order=2)
    weights = [[problem.weights(expected.value, 0)], [problem.weights(x, 1) for x in expected.derivatives[0]]]

    @jax.jit
    def program(inputs, weights):
        leaves = [Tensor(x) for x in inputs]
        y = problem.ours(*leaves)
        y.backward(weights[0][0], create_graph=True)
        first = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.zero_grad()
        adjoint.sum(sum(adjoint.sum(g * w) for g, w in zip(first, weights[1]))).backward()
        return y.data, [g.data for g in first], [leaf.grad for leaf in leaves]

    with jax_in_double():
        y, first, second = program(problem.inputs, weights)
    require_close(to_numpy(y), expected.value, "the result", scale=1.0)
    for ours, theirs in zip([*first, *second], [*expected.derivatives[0], *expected.derivatives[1]], strict=True):
        require_close(to_numpy(ours), theirs, "a derivative", scale=1.0)


@pytest.mark.parametrize("name", TYPICAL)
def test_plain_arrays_give_a_plain_array(name):
    x = np.arange(16.0).reshape(1, 4, 4)
    arguments = {
        "max_pool1d": (x[0], 2),
        "conv3d": (x[None], np.ones((2, 1, 1, 2, 2))),
        "conv_transpose2d": (x, np.ones((1, 2, 2, 2))),
        "avg_pool3d": (x[None], (1, 2, 2)),
        "conv1d": (x[0], np.ones((2, 4, 1))),
        "conv2d": (x, np.ones((2, 1, 2, 2))),
        "scaled_dot_product_attention": (x, x, x),
    }
    assert type(getattr(adjoint, name)(*arguments.get(name, (x, 2)))) is np.ndarray


@pytest.mark.parametrize("name", ["max_pool1d", "max_pool2d", "avg_pool2d", "scaled_dot_product_attention"])
@examples(8)
@given(data=st.data())
def test_ties_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name, "ties")), order=1)


@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d", "max_pool3d"])
@examples(8)
@given(data=st.data())
def test_pooling_at_the_edges_follows_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name, "edges")), order=1)


# --- convolution -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [1, 500, 1 << 18])
@pytest.mark.parametrize("groups", [1, 4])
def test_processing_many_samples_in_chunks_does_not_change_the_result(memory, groups, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(convolution._Convolution, "memory", memory)
    random = np.random.default_rng(0)
    inputs = [
        random.normal(size=(7, 4, 9, 8)),
        random.normal(size=(8, 4 // groups, 3, 2)),
        random.normal(size=8),
    ]
    options = {"stride": (1, 2), "padding": 1, "groups": groups}
    problem = Problem(lambda *vs: adjoint.conv2d(*vs, **options), lambda *ts: F.conv2d(*ts, **options), inputs)
    require_agreement(problem, order=2)


def test_convolution_needs_only_the_array_api_standard():
    pytest.importorskip("torch")

    class Columns(Backend):
        """A library without a native convolution."""

    m, columns = Columns(standard), convolution._WITH_COLUMNS
    random = np.random.default_rng(0)
    x, w, g = (
        random.normal(size=(2, 4, 5, 6)),
        random.normal(size=(6, 2, 3, 2)),
        random.normal(size=(2, 6, 4, 7)),
    )
    geometry = convolution.Geometry((5, 6), (3, 2), (2, 1), ((2, 2), (1, 1)), (1, 1), groups=2)
    tensors = [torch.from_numpy(a).requires_grad_() for a in (x, w)]
    y = F.conv2d(*tensors, stride=(2, 1), padding=(2, 1), groups=2)
    expected = torch.autograd.grad(y, tensors, torch.from_numpy(g))
    require_close(columns.forward(m, x, w, None, geometry), to_numpy(y), "the result", scale=1.0)
    require_close(columns.input(m, g, w, geometry), to_numpy(expected[0]), "what the input receives", scale=1.0)
    require_close(columns.weight(m, x, g, geometry), to_numpy(expected[1]), "what the weight receives", scale=1.0)


def test_a_weight_of_higher_precision_promotes_the_result():
    x, w = Value(np.ones((1, 3), np.float32)), Value(np.full((1, 1, 2), 0.1))
    y = adjoint.conv1d(x, w)
    y.backward(np.ones((1, 2)))
    assert (y.dtype, x.grad.dtype, w.grad.dtype) == (np.float64, np.float32, np.float64)
    require_close(y.data, np.full(y.shape, 0.2))


def test_vmap_works_with_convolution_and_its_gradients():
    pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    random = np.random.default_rng(0)
    x, w = random.normal(size=(3, 2, 5)).astype("f"), random.normal(size=(3, 4, 2, 3)).astype("f")

    def gradients(x, w):
        leaves = Tensor(x), Tensor(w)
        (adjoint.conv1d(*leaves, stride=2) ** 2).sum().backward()
        return [leaf.grad for leaf in leaves]

    tensors = [torch.from_numpy(a).requires_grad_() for a in (x, w)]
    sum((F.conv1d(a, b, stride=2) ** 2).sum() for a, b in zip(*tensors)).backward()
    for ours, theirs in zip(jax.jit(jax.vmap(gradients))(x, w), tensors):
        require_close(to_numpy(ours), to_numpy(theirs.grad), "a gradient", scale=1.0)


# --- pooling ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_the_indices_of_max_pool_follow_pytorch(ndim):
    pytest.importorskip("torch")
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 7, 6, 5)[: 2 + ndim]).astype(float)
    for options in ({}, {"stride": 2, "padding": 1}, {"dilation": 2, "stride": 1}, {"stride": 2, "ceil_mode": True}):
        name = f"max_pool{ndim}d"
        values, places = getattr(F, name)(torch.from_numpy(x), 2, **options, return_indices=True)
        for part in (..., 0):
            y, indices = getattr(adjoint, name)(Value(x[part]), 2, **options, return_indices=True)
            np.testing.assert_array_equal(y.data, values[part].numpy())
            np.testing.assert_array_equal(indices, places[part].numpy())


def test_nan_propagates_through_max_pool():
    x = Value([[[1.0, math.nan], [2.0, 3.0]]])
    assert math.isnan(adjoint.max_pool2d(x, 2).item())


@pytest.mark.parametrize("options", [{"stride": 1, "padding": 1}, {"stride": 1}, {"padding": 1, "ceil_mode": True}])
@pytest.mark.parametrize("compiled", [True, False])
def test_the_gradient_of_a_nan_goes_to_the_nan_as_in_pytorch(options, compiled):
    pytest.importorskip("torch")
    x = np.arange(30.0).reshape(1, 5, 6)
    x[0, [0, 0, 2, 3, 4], [0, 3, 2, 3, 5]] = math.nan
    t = torch.tensor(x, requires_grad=True)
    values, places = F.max_pool2d(t, 2, **options, return_indices=True)
    values.sum().backward()
    v = Value(x)

    def run(v):
        y, indices = adjoint.max_pool2d(v, 2, **options, return_indices=True)
        y.sum().backward()
        return indices

    indices = (adjoint.jit(run) if compiled else run)(v)
    np.testing.assert_array_equal(indices, places.numpy())
    np.testing.assert_array_equal(v.grad, t.grad.numpy())


def test_padding_never_receives_a_gradient_even_among_minus_infinities():
    x = Value(np.full((1, 2, 2), -math.inf))
    adjoint.max_pool2d(x, 2, padding=1).sum().backward()
    np.testing.assert_array_equal(x.grad, np.ones((1, 2, 2)))


def test_indices_within_a_large_kernel_do_not_overflow():
    x = np.zeros((1, 12, 12))
    x[0, 11, 10] = 1.0
    v = Value(x)
    adjoint.max_pool2d(v, 12).sum().backward()
    assert v.grad.sum() == v.grad[0, 11, 10] == 1.0


@pytest.mark.parametrize("pool", [adjoint.max_pool2d, adjoint.avg_pool2d])
def test_a_window_of_one_element_is_not_a_view_of_the_input(pool):
    x = Value(np.ones((1, 2, 2)))
    assert not np.shares_memory(pool(x, 1).data, x.data)


def test_an_infinite_gradient_stays_with_the_largest_element():
    x = Value([[[1.0, 2.0], [3.0, 4.0]]])
    adjoint.max_pool2d(x, 2).backward([[[math.inf]]])
    np.testing.assert_array_equal(x.grad, [[[0.0, 0.0], [0.0, math.inf]]])


# --- dropout ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_keeps_the_mean_and_passes_gradients_to_the_kept_elements(p, dtype):
    x = Value(np.ones((200, 100), dtype))
    y = adjoint.dropout(x, p, generator=np.random.default_rng(0))
    y.sum().backward()
    assert y.dtype == x.grad.dtype == dtype
    np.testing.assert_array_equal(x.grad, y.data)  # x is 1, so y is the factor applied to x
    assert set(np.unique(y.data)) == {0, dtype(1 / (1 - p))}
    require_drawn((y.data == 0).mean(), p, spread=math.sqrt(p * (1 - p)), draws=20000)


def test_central_differences_confirm_the_derivatives_of_dropout():
    x = np.linspace(-1.7, 1.9, 12).reshape(3, 4)
    adjoint.check_gradients(lambda v: adjoint.dropout(v, 0.5, generator=np.random.default_rng(0)) ** 2, x, order=2)


def test_a_seed_gives_the_same_mask_each_time_and_a_generator_advances():
    x, generator = Value(np.ones(50)), np.random.default_rng(7)
    first, second = (adjoint.dropout(x, generator=generator).tolist() for _ in range(2))
    assert first != second
    assert adjoint.dropout(x, generator=7).tolist() == first


def test_dropout_of_torch_arrays_takes_a_torch_generator_or_a_seed():
    pytest.importorskip("torch")
    x = Value(torch.ones(400))
    y = adjoint.dropout(x, 0.25, generator=torch.Generator().manual_seed(3))
    y.sum().backward()
    assert isinstance(x.grad, torch.Tensor)
    assert x.grad.tolist() == y.data.tolist() == adjoint.dropout(x, 0.25, generator=3).data.tolist()
    require_drawn(np.mean(y.numpy() == 0), 0.25, spread=math.sqrt(0.25 * 0.75), draws=400)


@pytest.mark.parametrize("kind", ["key", "old key", "seed"])
def test_a_key_draws_the_same_zeros_on_numpy_on_jax_and_compiled(kind):
    jax = pytest.importorskip("jax")
    key = {"key": jax.random.key, "old key": jax.random.PRNGKey, "seed": int}[kind](5)
    x = np.ones((30, 20), np.float32)
    on_numpy = adjoint.dropout(Value(x), 0.25, key=key).data
    on_jax = adjoint.dropout(Value(jax.numpy.asarray(x)), 0.25, key=key).data
    compiled = jax.jit(lambda x, key: adjoint.dropout(Tensor(x), 0.25, key=key).data)(x, key)
    assert isinstance(on_numpy, np.ndarray)
    assert isinstance(on_jax, jax.Array)
    np.testing.assert_array_equal(on_numpy, on_jax)
    np.testing.assert_array_equal(on_jax, compiled)
    require_drawn((on_numpy == 0).mean(), 0.25, spread=math.sqrt(0.25 * 0.75), draws=600)


@pytest.mark.parametrize("options", [{"training": False}, {"p": 0.0}, {"p": 0}])
def test_dropout_that_drops_nothing_needs_no_seed(options):
    x = Value([1.0, 2.0])
    assert adjoint.dropout(x, **options) is x


def test_dropout_accepts_a_single_number():
    assert {adjoint.dropout(Value(3.0), 0.5, generator=seed).data for seed in range(20)} == {0.0, 6.0}


# --- attention -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1.0, 30.0, 1e4])
def test_attention_does_not_overflow_however_large_the_scores_are(size, dtype):
    pytest.importorskip("torch")
    random = np.random.default_rng(1)
    inputs = [(size * random.normal(size=(2, 3, 4))).astype(dtype) for _ in range(3)]
    problem = Problem(
        lambda q, k, v: adjoint.scaled_dot_product_attention(q, k, v, causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        inputs,
    )
    require_agreement(problem, order=1)


def test_the_weights_of_a_row_with_very_low_scores_sum_to_one():
    q = Value(np.array([[-900.0], [1.0]]))
    y = adjoint.scaled_dot_product_attention(q, np.array([[1.0], [1.0]]), np.array([[1.0], [3.0]]))
    require_close(y.data, [[2.0], [2.0]])


def test_a_query_that_may_attend_to_nothing_has_zeros_as_result_and_gradient():
    pytest.importorskip("torch")
    random = np.random.default_rng(2)
    inputs = [random.normal(size=(3, 4)) for _ in range(3)]
    mask = np.array([[True, False, True], [False, False, False], [True, True, True]])

    def theirs(q, k, v):
        with _unfused():
            return F.scaled_dot_product_attention(q, k, v, torch.from_numpy(mask))

    problem = Problem(lambda q, k, v: adjoint.scaled_dot_product_attention(q, k, v, mask), theirs, inputs)
    require_agreement(problem, order=2)
    y = adjoint.scaled_dot_product_attention(*map(Value, inputs), mask.tolist())
    np.testing.assert_array_equal(y.data[1], 0.0)


def test_attention_of_an_empty_batch_and_its_gradients_are_empty():
    q, k, v = (Value(np.ones((0, 2, size))) for size in (3, 3, 4))
    y = adjoint.scaled_dot_product_attention(q, k, v, causal=True)
    y.backward(np.ones((0, 2, 4)))
    assert (y.shape, q.grad.shape, v.grad.shape) == ((0, 2, 4), (0, 2, 3), (0, 2, 4))


def test_attention_takes_integers_and_a_mask():
    q = np.array([[1, 0], [0, 1]])
    y = adjoint.scaled_dot_product_attention(q, q, q, q == 1)
    np.testing.assert_array_equal(y, np.eye(2))


def test_a_mask_does_not_promote_the_dtype_of_attention():
    q = Value(np.ones((2, 3), np.float32))
    assert adjoint.scaled_dot_product_attention(q, q, q, np.zeros((2, 2))).dtype == np.float32


# --- bad input -------------------------------------------------------------------------------------------

IMAGE, WEIGHT, SEQUENCE = np.ones((2, 4, 5, 6)), np.ones((6, 4, 3, 3)), np.ones((4, 7))
Q = np.ones((2, 3, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT[0]),
            ShapeError,
            "conv2d: a weight has the shape (outputs, channels / groups, kernel height, kernel width), not (4, 3, 3)",
        ),
        (
            lambda: adjoint.conv2d(IMAGE[0, 0], WEIGHT),
            ShapeError,
            "conv2d: an input has the shape (samples, channels, height, width) or (channels, height, width), "
            "not (5, 6)",
        ),
        (
            lambda: adjoint.conv1d(IMAGE, np.ones((6, 4, 3))),
            ShapeError,
            "conv1d: an input has the shape (samples, channels, length) or (channels, length), not (2, 4, 5, 6)",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT[:, :3]),
            ShapeError,
            "conv2d: an input of shape (2, 4, 5, 6) has 4 channels; a weight of shape (6, 3, 3, 3) is for 3",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, groups=2),
            ShapeError,
            "conv2d: an input of shape (2, 4, 5, 6) has 4 channels, 2 for each of 2 groups; a weight of "
            "shape (6, 4, 3, 3) is for 4",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, groups=4),
            ArgumentError,
            "conv2d: 4 groups do not divide both the 4 channels of an input of shape (2, 4, 5, 6) and the 6 "
            "outputs of a weight of shape (6, 4, 3, 3)",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, groups=0),
            ArgumentError,
            "conv2d: groups must be an integer of at least 1, not int 0",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, groups=2.0),
            ArgumentError,
            "conv2d: groups must be an integer of at least 1, not float 2.0",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, np.ones(5)),
            ShapeError,
            "conv2d: a weight of shape (6, 4, 3, 3) needs a bias of shape (6,), not (5,)",
        ),
        (
            lambda: adjoint.conv1d(SEQUENCE, np.ones((1, 4, 8))),
            ShapeError,
            "conv1d: a kernel of (8,) does not fit into an input of shape (4, 7)",
        ),
        (
            lambda: adjoint.conv1d(SEQUENCE, np.ones((1, 4, 4)), padding=1, dilation=3),
            ShapeError,
            "conv1d: a kernel of (4,) with dilation (3,) does not fit into an input of shape (4, 7), (9,) "
            "with its padding",
        ),
        (
            lambda: adjoint.conv1d(SEQUENCE, np.ones((1, 4, 0))),
            ShapeError,
            "conv1d: a kernel of (0,) does not fit into an input of shape (4, 7)",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, stride=0),
            ArgumentError,
            "conv2d: stride must be an integer of at least 1, not int 0",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, dilation=(1, 2, 3)),
            ArgumentError,
            "conv2d: dilation is one number or 2 numbers, not (1, 2, 3)",
        ),
        (
            lambda: adjoint.conv1d(SEQUENCE, np.ones((1, 4, 2)), padding=(1, 1)),
            ArgumentError,
            "conv1d: padding is one number or 1 number, not (1, 1)",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, padding=-1),
            ArgumentError,
            "conv2d: padding must be an integer of at least 0, not int -1",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, padding="full"),
            ArgumentError,
            "conv2d: padding is a number, a tuple, 'same' or 'valid', not 'full'",
        ),
        (
            lambda: adjoint.conv2d(IMAGE, WEIGHT, padding="same", stride=2),
            ArgumentError,
            "conv2d: padding='same' keeps the size only with a stride of 1, not (2, 2)",
        ),
        (
            lambda: adjoint.conv3d(SEQUENCE, WEIGHT),
            ShapeError,
            "conv3d: a weight has the shape (outputs, channels / groups, kernel depth, kernel height, kernel width), "
            "not (6, 4, 3, 3)",
        ),
        (
            lambda: adjoint.conv_transpose2d(IMAGE, WEIGHT),
            ShapeError,
            "conv_transpose2d: an input of shape (2, 4, 5, 6) has 4 channels; a weight of shape (6, 4, 3, 3) is for 6",
        ),
        (
            lambda: adjoint.conv_transpose1d(SEQUENCE, np.ones((4, 1, 2)), groups=3),
            ArgumentError,
            "conv_transpose1d: 3 groups do not divide the 4 channels of an input of shape (4, 7)",
        ),
        (
            lambda: adjoint.conv_transpose1d(SEQUENCE, np.ones((4, 1, 2)), stride=2, output_padding=2),
            ArgumentError,
            "conv_transpose1d: output_padding must be less than the stride or the dilation, not (2,) with a stride of "
            "(2,) and a dilation of (1,)",
        ),
        (
            lambda: adjoint.conv_transpose1d(SEQUENCE, np.ones((4, 1, 2)), padding=4),
            ShapeError,
            "conv_transpose1d: an input of shape (4, 7) with a kernel of (2,) and a padding of (4,) gives a result of "
            "size (0,); each size must be at least 1",
        ),
        (
            lambda: adjoint.conv_transpose1d(SEQUENCE, np.ones((4, 2, 2)), np.ones(3)),
            ShapeError,
            "conv_transpose1d: a weight of shape (4, 2, 2) needs a bias of shape (2,), not (3,)",
        ),
        (
            lambda: adjoint.max_unpool1d(SEQUENCE, np.zeros((4, 6), int), 2),
            ShapeError,
            "max_unpool1d: indices have the shape (4, 6); they need that of the input, (4, 7)",
        ),
        (
            lambda: adjoint.avg_pool2d(IMAGE, 2, divisor_override=0),
            ArgumentError,
            "avg_pool2d: divisor_override must be an integer other than 0, not int 0",
        ),
        (
            lambda: adjoint.max_pool2d(SEQUENCE, 2),
            ShapeError,
            "max_pool2d: an input has the shape (samples, channels, height, width) or (channels, height, "
            "width), not (4, 7)",
        ),
        (
            lambda: adjoint.avg_pool2d(IMAGE, 7, padding=0),
            ShapeError,
            "avg_pool2d: a kernel of (7, 7) does not fit into an input of shape (2, 4, 5, 6)",
        ),
        (
            lambda: adjoint.max_pool2d(IMAGE, (2, 3), padding=(1, 2)),
            ArgumentError,
            "max_pool2d: a padding of (1, 2) is more than half of the kernel, (2, 3)",
        ),
        (
            lambda: adjoint.max_pool2d(IMAGE, 0),
            ArgumentError,
            "max_pool2d: kernel_size must be an integer of at least 1, not int 0",
        ),
        (
            lambda: adjoint.dropout(IMAGE, 1.5, generator=0),
            ArgumentError,
            "dropout: p is a probability from 0 to 1, not float 1.5",
        ),
        (
            lambda: adjoint.dropout(IMAGE, -0.1, generator=0),
            ArgumentError,
            "dropout: p is a probability from 0 to 1, not float -0.1",
        ),
        (
            lambda: adjoint.dropout(IMAGE, math.nan, generator=0),
            ArgumentError,
            "dropout: p is a probability from 0 to 1, not float nan",
        ),
        (
            lambda: adjoint.dropout(IMAGE, generator="luck"),
            ArgumentError,
            "dropout: NumPy arrays need generator=numpy.random.default_rng(0), or a seed, not str 'luck'; "
            "for evaluation give training=False",
        ),
        (
            lambda: adjoint.dropout(as_tensor(np.ones(3)), key=1),
            ArgumentError,
            "dropout: PyTorch arrays need generator=torch.Generator().manual_seed(0), or a seed, not int 1; "
            "for evaluation give training=False",
        ),
        (
            lambda: adjoint.dropout(pytest.importorskip("jax.numpy").ones(3), generator=np.random.default_rng(0)),
            ArgumentError,
            "dropout: JAX arrays need key=jax.random.key(0), another one for each call (jax.random.split); a "
            "generator would be used only while compiling. nn.Dropout has keys of its own. For evaluation give "
            "training=False",
        ),
        (
            lambda: adjoint.dropout(IMAGE, generator=0, key=0),
            ArgumentError,
            "dropout: give a generator or a key, not both",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q[0, 0], Q, Q),
            ShapeError,
            "scaled_dot_product_attention of q (4,), k (2, 3, 4), v (2, 3, 4): each needs at least two axes, "
            "(positions, width)",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q[..., :3], Q),
            ShapeError,
            "scaled_dot_product_attention of q (2, 3, 4), k (2, 3, 3), v (2, 3, 4): queries and keys must "
            "have the same width, not 4 and 3",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q, Q[:, :2]),
            ShapeError,
            "scaled_dot_product_attention of q (2, 3, 4), k (2, 3, 4), v (2, 2, 4): the number of values "
            "must equal the number of keys, not 2 and 3",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q[:, :0], Q[:, :0]),
            ShapeError,
            "scaled_dot_product_attention of q (2, 3, 4), k (2, 0, 4), v (2, 0, 4): k contains no keys",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q, np.ones((3, 3, 4))),
            ShapeError,
            "scaled_dot_product_attention of q (2, 3, 4), k (2, 3, 4), v (3, 3, 4): the axes before the last "
            "two do not broadcast",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(np.ones((4, 3, 4)), Q, Q),
            ShapeError,
            "scaled_dot_product_attention of q (4, 3, 4), k (2, 3, 4), v (2, 3, 4): the axes before the last two do "
            "not broadcast; enable_gqa=True lets several heads of queries share a head of keys",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(np.ones((3, 3, 4)), Q, Q, enable_gqa=True),
            ShapeError,
            "scaled_dot_product_attention of q (3, 3, 4), k (2, 3, 4), v (2, 3, 4): enable_gqa needs as many heads of "
            "keys as of values, and a multiple of that for the queries, not 2, 2 and 3",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q, Q, np.ones((3, 2), bool)),
            ShapeError,
            "scaled_dot_product_attention: a mask of shape (3, 2) does not broadcast to the scores, (…, "
            "queries, keys) = (2, 3, 3)",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q, Q, np.ones((4, 2, 3, 3), bool)),
            ShapeError,
            "scaled_dot_product_attention: a mask of shape (4, 2, 3, 3) does not broadcast to the scores, "
            "(…, queries, keys) = (2, 3, 3)",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(Q, Q, Q, np.ones((3, 3), int)),
            ArgumentError,
            "scaled_dot_product_attention: a mask is boolean, True where a query may attend, or floating, to "
            "be added to the scores, not int64",
        ),
        (
            lambda: adjoint.scaled_dot_product_attention(*[as_tensor(np.ones((2, 2)))] * 3, Q[0]),
            ShapeError,
            "scaled_dot_product_attention: a mask of shape (3, 4) does not broadcast to the scores, (…, "
            "queries, keys) = (2, 2)",
        ),
        (
            lambda: adjoint.conv2d(as_tensor(np.ones((1, 1, 3, 3))), np.ones((1, 1, 2, 2))),
            LibraryError,
            "conv: PyTorch and NumPy arrays in one operation; convert one of them, for instance with numpy.asarray(x)",
        ),
    ],
)
def test_errors_about_arguments_name_what_was_expected(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message
