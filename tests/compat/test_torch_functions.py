"""PyTorch's names and parameters: the same expressions, evaluated by adjoint and by PyTorch."""

import math
import types

import numpy as np
import pytest
from arrays import Problem, case, to_numpy, torch
from claims import claims
from closeness import require_close, require_drawn

import adjoint
from adjoint import Value
from adjoint.errors import AdjointError, ArgumentError, ArrayError, ShapeError

CASES: dict = {}


@case(CASES, "permute")
def _(name, draw):
    x = draw.array((2, 3, 1))
    dims = draw.one_of((2, 0, 1), (-1, 1, 0))
    return Problem(draw.call(name, *draw.one_of(dims, (dims,))), lambda t: t.permute(dims), [x])


@case(CASES, "chunk")
def _(name, draw):
    x, chunks, dim = draw.array((3, 5)), draw.integer(1, 6), draw.integer(0, 1)
    return Problem(lambda v: adjoint.chunk(v, chunks, dim)[-1], lambda t: t.chunk(chunks, dim)[-1], [x])


@case(CASES, "index_select")
def _(name, draw):
    x, dim = draw.array((3, 4)), draw.integer(0, 1)
    return Problem(draw.call(name, dim, [2, 0, 2]), lambda t: t.index_select(dim, torch.tensor([2, 0, 2])), [x])


@case(CASES, "take_along_dim")
def _(name, draw):
    x, dim, i = draw.array((3, 4)), draw.one_of(None, 0, -1), np.array([[2, 0, 1, 2], [0, 0, 2, 1], [1, 2, 0, 0]])
    k = torch.tensor(i)  # without an axis, PyTorch's own function fails in forward mode

    def theirs(t):
        return t.reshape(-1)[k.reshape(-1)] if dim is None else torch.take_along_dim(t, k, dim)

    return Problem(draw.call(name, i, dim=dim), theirs, [x])


@case(CASES, "clamp_min", "clamp_max", "clone")
def _(name, draw):
    bound = () if name == "clone" else (0.3,)
    return Problem(draw.call(name, *bound), lambda t: getattr(t, name)(*bound), [draw.array()])


@case(CASES, "amax", "amin")
def _(name, draw):
    options = draw.one_of({}, {"dim": 1}, {"dim": (0, 2), "keepdim": True})
    return Problem(draw.call(name, **options), lambda t: getattr(t, name)(**options), [draw.array((2, 3, 2))])


@case(CASES, "addmm")
def _(name, draw):
    options = draw.one_of({}, {"beta": 0.5, "alpha": 2.0})
    inputs = [draw.array(shape) for shape in ((2, 2), (2, 3), (3, 2))]
    return Problem(lambda *v: adjoint.addmm(*v, **options), lambda *t: torch.addmm(*t, **options), inputs)


WITHOUT = ["results", "ties_and_edges", "own_gradients", "arrays_of_torch", "arrays_of_jax", "compiled"]
globals().update(claims(CASES, without=WITHOUT))

# Each line is a program for both libraries: `torch` is adjoint or PyTorch, `x` has the shape (2, 3, 4), `m` (3, 4),
# `w` (4, 4), `v` (4,), `b` (2, 4, 3), `s` no axes, `i` and `k` are integers and `mask` is boolean.
EXPRESSIONS = """
x.add(m)
x.sub(m)
x.mul(2.0)
x.div(m)
x.pow(2)
x.neg()
x.view(6, 4)
x.view(-1)
x.view((4, 6))
x.view_as(x.permute(2, 0, 1))
x.reshape_as(x.permute(2, 0, 1))
x.unsqueeze(0)
x.unsqueeze(-1)
x.unsqueeze(dim=1)
torch.unsqueeze(x, 1)
x.unsqueeze(0).squeeze()
x.unsqueeze(1).squeeze(1)
x.unsqueeze(1).squeeze(dim=1)
x.squeeze(dim=1)
torch.squeeze(x.unsqueeze(1), dim=0)
x.permute(2, 0, 1)
x.permute((2, 0, 1))
torch.permute(x, (2, 0, 1))
x.transpose(1, 2)
x.transpose(-2, -1)
torch.transpose(x, 0, 2)
m.t()
v.t()
m.T
x.mT
x.flatten()
x.flatten(1)
x.flatten(start_dim=1)
x.flatten(start_dim=0, end_dim=1)
torch.flatten(x, 1)
torch.flatten(x, start_dim=1)
x.unflatten(-1, (2, 2))
x.unflatten(dim=2, sizes=(2, -1))
x.contiguous().view(2, 12)
torch.cat([x, x * 2], dim=1)
torch.cat((x, x), 0)
torch.concatenate([x, x], dim=-1)
torch.stack([x, x * 2], dim=1)
torch.stack([v, v * v])
x.split(2, dim=2)
x.split(2, dim=1)
x.split([1, 2], dim=1)
torch.split(x, 3, dim=-1)
x.chunk(2, dim=-1)
torch.chunk(x, 2, 1)
x.unbind(1)
torch.unbind(x, dim=0)
x.index_select(1, i)
torch.index_select(x, 0, i)
x.gather(1, k)
x.gather(dim=1, index=k)
torch.gather(x, 1, k)
x.scatter(1, k, b.permute(0, 2, 1))
x.scatter_add(dim=1, index=k, src=b.permute(0, 2, 1))
torch.take_along_dim(x, k, dim=1)
torch.take_along_dim(x, k)
x.take_along_dim(k[0])
m.repeat_interleave(2, dim=0)
torch.repeat_interleave(m, 2, dim=1)
m.tile(2, 3)
m.tile((2, 1))
x[:1].expand(5, 3, 4)
x[:1].expand(5, -1, -1)
v.expand(2, 3, 4)
v.expand_as(x)
x.roll(1, dims=2)
torch.roll(x, shifts=(1, 1), dims=(0, 1))
x.flip(dims=(1,))
torch.flip(x, dims=[0, 2])
x.clamp(-0.5, 0.5)
x.clamp(min=0.1)
torch.clamp(x, max=0.2)
x.clamp_min(0.1)
x.clamp_max(0.2)
x.masked_fill(mask, 0.0)
x.masked_fill(mask, float("-inf")).softmax(dim=-1)
torch.where(mask, x, 0.0)
x.clone()
x.clone() * x.detach()
torch.bmm(x, b)
x.bmm(b)
torch.mm(m, w)
m.mm(w)
torch.mv(w, v)
w.mv(v)
torch.addmm(v, m, w)
x.matmul(b)
x.sum(dim=1)
x.sum(dim=(0, 2))
x.sum(dim=-1, keepdim=True)
x.sum(1, keepdim=True)
torch.sum(x, dim=0)
x.mean(dim=0)
x.mean(dim=(1, 2), keepdim=True)
torch.mean(x, dim=2)
x.prod(dim=1)
x.std(dim=1)
x.std(dim=1, keepdim=True)
x.std(dim=1, unbiased=False)
x.std(dim=1, correction=0)
x.var(dim=-1)
x.var(dim=-1, unbiased=False, keepdim=True)
torch.var(x, dim=0)
torch.std_mean(x, dim=0)
torch.var_mean(x, dim=0, keepdim=True)
x.max(dim=1)
x.max(dim=1).values
x.max(dim=-1, keepdim=True)
torch.max(x, dim=0)
x.min(dim=2)[0]
x.max()
x.amax(dim=1)
x.amin(dim=(0, 1))
x.argmax(dim=1)
x.argmax(dim=-1, keepdim=True)
torch.argmin(x, dim=0)
x.softmax(dim=1)
x.softmax(-1)
torch.softmax(x, dim=0)
x.log_softmax(dim=-1)
torch.log_softmax(x, dim=1)
x.logsumexp(dim=1)
x.logsumexp(dim=1, keepdim=True)
x.cumsum(dim=1)
torch.cumsum(x, dim=0)
x.cumprod(dim=2)
x.cummax(dim=1)
x.logcumsumexp(dim=1)
x.norm(dim=1)
x.norm(p=1, dim=1, keepdim=True)
torch.norm(x)
torch.nn.functional.normalize(x, dim=1)
torch.nn.functional.normalize(x, p=1.0, dim=-1)
torch.nn.functional.cosine_similarity(m, m * 2 + 1, dim=0)
torch.nn.functional.glu(x, dim=-1)
torch.nn.functional.softmin(x, dim=1)
x.sort(dim=1)
x.sort(dim=-1, descending=True)
x.argsort(dim=1)
x.topk(2, dim=1)
torch.topk(x, 2, dim=-1, largest=False)
x.diff(dim=1)
x.quantile(0.3, dim=1, keepdim=True)
x.nansum(dim=1)
x.nanmean(dim=1, keepdim=True)
x.float()
x.double()
x.to(torch.float32)
x.to("cpu", torch.float32)
x.to("cpu")
x.to(m)
x.cpu()
x.type_as(m)
x.numel()
torch.numel(x)
x.dim()
x.ndimension()
x.size()
x.size(1)
x.size(-1)
x.size(dim=0)
x.detach().cpu().numpy()
x.detach().tolist()
m.sum().item()
m.tril().masked_fill(m.tril() == 0, -1.0)
torch.triu(m, diagonal=1)
x.tril(diagonal=-1)
torch.linalg.norm(x, dim=1)
torch.linalg.norm(x, ord=1, dim=(0, 2), keepdim=True)
torch.linalg.vector_norm(x, 3, dim=-1, keepdim=True)
torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=None, dropout_p=0.0)
torch.add(x, m, alpha=2)
torch.add(s, m, alpha=0.5)
torch.sub(x, m, alpha=3)
torch.round(x * 10, decimals=0)
torch.round(x, decimals=1)
torch.round(x * 1000, decimals=-2)
torch.softmax(x.detach(), 1, dtype=torch.float32)
torch.softmax(x, 1, dtype=torch.float64)
torch.log_softmax(x.detach(), dim=-1, dtype=torch.float32)
torch.nn.functional.softmin(x.detach(), dim=1, dtype=torch.float32)
x.median(dim=1)
x.median(dim=2, keepdim=True)
torch.nanmedian(x, dim=2)
torch.where(mask, float("nan"), x).median(dim=1)
torch.where(mask, float("nan"), x).nanmedian(dim=1, keepdim=True)
torch.where(mask | True, float("nan"), x).nanmedian(dim=1)
x.quantile(0.3, dim=1, interpolation="nearest")
torch.quantile(x, 0.6, dim=2, interpolation="midpoint")
torch.nanquantile(x, 0.3, dim=1, keepdim=True, interpolation="higher")
torch.cov(m)
torch.cov(m, correction=0)
torch.cdist(x, x * 2, p=1.5)
torch.cdist(x, x * 2, 1.0, "donot_use_mm_for_euclid_dist")
torch.cross(x[..., :3], x[..., 1:], dim=-1)
torch.cross(m, m * m, dim=0)
torch.diagonal(x, offset=1, dim1=1, dim2=2)
torch.diagonal(x, offset=-1, dim1=-1, dim2=0)
torch.diagonal(x, dim2=2)
torch.tensordot(x, b, dims=([1, 2], [2, 1]))
torch.tensordot(x, w, dims=1)
torch.tensordot(x, w[:1], dims=([2], [0]))
torch.rot90(x, 1, dims=[1, 2])
torch.trapezoid(x, x.cumsum(dim=2), dim=2)
torch.trapezoid(x, dim=0)
torch.cumulative_trapezoid(x, dim=1)
torch.gradient(x, dim=1)
torch.gradient(x, spacing=0.5, dim=(1, 2))
torch.gradient(x, spacing=[0.5, 2.0], dim=(0, 1))
torch.gradient(x, spacing=2.0)
torch.meshgrid([v, m[0]], indexing="ij")
torch.select(x, dim=2, index=-1)
torch.repeat_interleave(m, 2, dim=1, output_size=8)
torch.fft.fft(x, dim=1).real
torch.fft.ifft(x, 5, dim=0, norm="ortho").imag
torch.fft.rfft(x, dim=-2).imag
torch.fft.irfft(x, dim=1)
torch.fft.fft2(x, dim=(0, 1)).real
torch.fft.ifft2(x, (3, 5), dim=(0, 1)).real
torch.fft.rfft2(x, dim=(0, 2)).imag
torch.fft.irfft2(x, dim=(1, 2))
torch.fft.fftn(x, dim=1).real
torch.fft.ifftn(x, dim=(0, 2)).imag
torch.fft.rfftn(x, dim=(1,)).real
torch.fft.irfftn(x, dim=(0, 2))
torch.fft.fftshift(x, dim=1)
torch.fft.ifftshift(x, dim=(0, 2))
torch.linalg.vecdot(x, m, dim=1)
torch.linalg.cross(m, m * m, dim=0)
torch.linalg.matrix_norm(x, "fro", (0, 2), True)
torch.linalg.matrix_norm(x, 1, dim=(2, 0), keepdim=True)
torch.linalg.matrix_norm(x.detach().float(), "nuc", dtype=torch.float64)
torch.linalg.pinv(w + w.mT, hermitian=True)
torch.linalg.matrix_rank(w, atol=3.0)
torch.linalg.matrix_rank(x, atol=0.1, rtol=0.5)
torch.linalg.matrix_rank(w, hermitian=True)
torch.linalg.matrix_rank(x[:, :, :0])
torch.linalg.lstsq(x.mT, b, driver="gels")[0]
torch.norm(x, "fro")
torch.norm(x, "fro", (0, 1), True)
torch.norm(m, "nuc")
torch.norm(x, p="nuc", dim=(1, 2))
x.topk(2, dim=1, sorted=True)
x.sort(dim=1, stable=True)
torch.sort(x, dim=1, descending=True, stable=True)
x.argsort(dim=1, stable=True)
torch.cat([v[:0], m], dim=1)
torch.linspace(1, 2, 5, dtype=torch.float64, device="cpu")
torch.logspace(0, 2, 3, dtype=torch.float64)
torch.zeros_like(x, device="cpu")
torch.ones_like(x, dtype=torch.float32, device="cpu")
torch.full_like(x, 2.5, device="cpu")
torch.eye(2, dtype=torch.float64, requires_grad=False)
x.double(memory_format=None)
x.cumsum(dim=1).contiguous()
torch.cumsum(s, dim=0)
torch.cumprod(s, 0)
torch.cummax(s, -1)
torch.cummin(s, dim=0)
torch.logcumsumexp(s, dim=0)
torch.logsumexp(s, (0,))
s.sort(dim=0)
s.argsort(dim=-1)
torch.topk(s, 1)
torch.max(s, dim=0)
torch.min(s, dim=-1, keepdim=True)
torch.median(s, dim=0)
torch.argmax(s, dim=0)
torch.argmin(s, dim=-1, keepdim=True)
torch.index_select(s, 0, i[:1] * 0)
torch.gather(s, 0, k[0, 0, 0] * 0)
torch.gather(s, 0, i * 0)
torch.gather(m, 1, k[:0, 0, 0])
torch.scatter(s, 0, k[0, 0, 0] * 0, v[0])
torch.scatter_add(s, 0, k[0, 0, 0] * 0, v[0])
torch.scatter_reduce(s, 0, k[0, 0, 0] * 0, v[0], "prod")
s.squeeze(dim=0)
torch.squeeze(s, dim=(0,))
torch.transpose(s, 0, -1)
torch.transpose(v, 0, 0)
torch.nn.functional.avg_pool2d(x, [2], stride=[], padding=[1])
"""


def operands() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"x": (2, 3, 4), "m": (3, 4), "w": (4, 4), "v": (4,), "b": (2, 4, 3), "s": ()}
    found = {name: random.permutation(math.prod(shape)).reshape(shape) / 7.0 - 1.4 for name, shape in shapes.items()}
    return {name: np.asarray(x) for name, x in found.items()}


def results(y) -> list:
    """Return the arrays of a result: of one, or of a tuple."""
    is_several = isinstance(y, (tuple, list)) and not all(isinstance(part, (int, float, list)) for part in y)
    return list(y) if is_several else [y]


class Adjoint:
    """`adjoint` under the name `torch`; the functions of `torch.nn.functional` are its own."""

    nn = types.SimpleNamespace(functional=adjoint)

    def __getattr__(self, name: str):
        return getattr(adjoint, name)


@pytest.mark.parametrize("line", EXPRESSIONS.strip().splitlines())
def test_an_expression_of_pytorch_gives_its_numbers_and_gradients(line):
    pytest.importorskip("torch")
    arrays = operands()
    plain = {"i": np.array([1, 0, 1]), "k": np.arange(24).reshape(2, 3, 4) * 7 % 3, "mask": arrays["x"] > 0.5}
    ours = {name: Value(x) for name, x in arrays.items()}
    theirs = {name: torch.tensor(x, requires_grad=True) for name, x in arrays.items()}
    found = results(eval(line, {"torch": Adjoint(), "peer": torch, **plain, **ours}))
    expected = results(
        eval(line, {"torch": torch, "peer": torch, **{k: torch.from_numpy(x) for k, x in plain.items()}, **theirs})
    )
    assert len(found) == len(expected)
    for y, z in zip(found, expected):
        require_close(to_numpy(y), to_numpy(z), "the result", scale=1.0)
        if isinstance(z, torch.Tensor) and z.requires_grad:
            weights = np.random.default_rng(1).normal(size=tuple(z.shape)).astype(to_numpy(z).dtype)
            y.backward(weights if weights.ndim else float(weights))
            z.backward(torch.from_numpy(weights), retain_graph=True)
    for name, x in ours.items():
        reference = theirs[name].grad
        expected = np.zeros(x.shape) if reference is None else reference
        require_close(x.grad, expected, f"the gradient of {name}", scale=1.0)


def test_equal_maxima_along_a_dimension_give_the_gradient_to_the_index_as_in_pytorch():
    pytest.importorskip("torch")
    x, z = Value([[2.0, 5.0, 5.0]]), torch.tensor([[2.0, 5.0, 5.0]], requires_grad=True)
    values, indices = x.max(dim=1)
    values.backward([1.0])
    expected = z.max(dim=1)
    expected.values.backward(torch.ones(1))
    assert indices.tolist() == expected.indices.tolist()
    assert x.grad.tolist() == z.grad.tolist()


X = Value(np.arange(24.0).reshape(2, 3, 4))
M = Value(np.arange(12.0).reshape(3, 4))
AMBIGUOUS = [
    (lambda: X.sum(axis=1, dim=0), ArgumentError, "sum: dim is another name for axis; give one of them"),
    (lambda: X.sum(0, dim=1), ArgumentError, "give one of them"),
    (lambda: X.mean(1, keepdims=True, keepdim=True), ArgumentError, "keepdim is another name for keepdims"),
    (lambda: X.softmax(axis=0, dim=1), ArgumentError, "softmax: dim is another name for axis"),
    (lambda: adjoint.concat([X, X], 1, dim=0), ArgumentError, "concat: dim is another name for axis"),
    (lambda: X.norm(1, p=2), ArgumentError, "p is another name for ord"),
    (lambda: X.std(ddof=1, correction=1), ArgumentError, "ddof is another name for correction"),
    (lambda: X.std(ddof=1, unbiased=True), ArgumentError, "unbiased is another name for correction"),
    (lambda: X.max(dim=1, axis=1), ArgumentError, "max: dim is another name for axis"),
    (lambda: X.max(dim=7), ShapeError, "max: axis 7 does not exist"),
    (lambda: X.median(dim=1, axis=1), ArgumentError, "median: dim is another name for axis"),
    (lambda: adjoint.median(X[:0], dim=0), ShapeError, "median of an empty array"),
    (lambda: adjoint.select(X, 1, 2), ArgumentError, r"called select\(x, dim=…, index=…\)"),
    (
        lambda: adjoint.repeat_interleave(M, 2, dim=1, output_size=7),
        ShapeError,
        "add up to 8, not to output_size=int 7",
    ),
    (lambda: adjoint.quantile(X, 0.5, method="lower", interpolation="lower"), ArgumentError, "another name for method"),
    (lambda: adjoint.cov(M, fweights=[1, -1, 1, 1]), ArgumentError, "cov: fweights must be at least 0"),
    (lambda: adjoint.cov(M, fweights=[1, 0.5, 1, 1]), ArgumentError, "cov: fweights are counts"),
    (lambda: adjoint.gradient(X, spacing=[0.1], dim=(0, 1)), ArgumentError, "1 spacings for 2 axes"),
    (lambda: adjoint.flipud(Value(1.0)), ShapeError, "flipud: axis 0 does not exist"),
    (lambda: adjoint.eye(-1), ShapeError, r"eye: the sizes of a shape must be at least 0, not \(-1, -1\)"),
    (lambda: adjoint.arange(0, float("inf"), 2), ArgumentError, "arange needs finite numbers"),
    (lambda: adjoint.zeros_like(X, device="cuda"), ArgumentError, "zeros_like: the device cannot be 'cuda'"),
    (lambda: adjoint.linalg.matrix_norm(X, dim=(0,)), ShapeError, "matrix_norm: axis must be two axes"),
    (lambda: adjoint.cumsum(Value(2.0), dim=1), ShapeError, "cumsum: axis 1 does not exist"),
    (lambda: adjoint.max(X, X), ArgumentError, r"maximum\(x, z\) compares two arrays"),
    (lambda: M.repeat(2, 3), ArgumentError, r"repeat\(2, 3\) repeats the whole array in PyTorch.*x.tile\(\(2, 3\)\)"),
    (lambda: M.repeat(2), ArgumentError, r"x.repeat\(2, axis=…\) or x.repeat_interleave\(2\)"),
    (lambda: M.transpose(0, 1), ArgumentError, r"keeps its axes in NumPy and swaps them in PyTorch; write x.T"),
    (lambda: M.transpose(-2, -1), ArgumentError, "write x.T"),
    (lambda: X.t(), ShapeError, "x.mT swaps the last two axes"),
    (lambda: X.split([1, 1], dim=1), ShapeError, r"must add up to the size 3 of the axis, not \(1, 1\)"),
    (lambda: X.split(0, dim=1), ShapeError, "at least 1, not"),
    (lambda: X.expand(2, 5, 4), ShapeError, "does not broadcast"),
    (lambda: M.expand(-1, 3, 4), ShapeError, "-1 keeps the size of an axis that the array has"),
    (lambda: X.long(), ArrayError, r"v.data.astype\(int\)"),
    (lambda: X.to("cuda"), ArgumentError, "cannot be 'cuda'; this array is on 'cpu'.*jit compiles for the devices"),
    (lambda: X.cuda(), ArgumentError, "a Value stays on the device of its array"),
    (lambda: X.to(pytest.importorskip("torch").int64), ArrayError, "floating-point"),
    (lambda: X.size(3), ShapeError, r"an array of shape \(2, 3, 4\) has 3 axes"),
    (lambda: adjoint.multinomial([0.0, 1.0], 2), ArgumentError, "replacement=True"),
    (lambda: adjoint.multinomial([-1.0, 1.0], 1), ArgumentError, "use softmax first"),
    (lambda: adjoint.multinomial(np.ones((2, 2, 2)), 1), ShapeError, "in rows"),
]


@pytest.mark.parametrize(("call", "error", "message"), AMBIGUOUS)
def test_a_call_that_means_two_things_is_an_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, AdjointError)


def test_a_dtype_of_numpy_is_a_target_of_to():
    assert Value([1.0]).to("cpu", np.dtype("float32")).dtype == np.float32


def test_a_number_that_is_nan_does_not_count_as_modified():
    x, powers = Value(math.nan), Value(np.array([0.5, 1.5]))
    (x**powers).sum().backward(create_graph=True)
    assert math.isnan(x.grad.data)


def test_numbers_at_equal_distances_in_a_dtype_of_integers_are_those_of_numpy():
    found = adjoint.linspace(-2.0, 7.0, 5, dtype=np.int64)
    assert found.dtype == np.int64
    assert found.tolist() == np.linspace(-2.0, 7.0, 5, dtype=np.int64).tolist()
    assert adjoint.logspace(0.0, 2.0, 5, dtype="int64").tolist() == np.logspace(0.0, 2.0, 5, dtype=np.int64).tolist()


def test_random_arrays_like_another_one_take_a_dtype_and_a_device():
    x = Value(np.ones((2, 3)))
    for draw in (adjoint.rand_like, adjoint.randn_like):
        found = draw(x, dtype="float32", device="cpu", generator=0)
        assert (found.shape, found.dtype) == ((2, 3), np.float32)
        with pytest.raises(ArgumentError, match="cannot be 'cuda'"):
            draw(x, device="cuda")


def test_sizes_of_a_value_are_those_of_numpy_and_of_pytorch():
    pytest.importorskip("torch")
    assert (X.size, X.size(), X.size(1), X.numel()) == (24, (2, 3, 4), 3, 24)
    assert (Value(1.0).size, Value(1.0).size(), Value(1.0).dim()) == (1, (), 0)
    assert (X.device, Value(1.0).device) == ("cpu", "cpu")
    assert X.to(torch.float32).dtype == np.float32
    assert X.to("cpu") is X


def test_multinomial_draws_each_index_with_its_probability():
    weights = np.array([[1.0, 3.0], [0.0, 2.0]])
    found = adjoint.multinomial(Value(weights), 4000, replacement=True, generator=0)
    assert found.shape == (2, 4000)
    require_drawn(found[0].mean(), 0.75, spread=(0.75 * 0.25) ** 0.5, draws=4000)
    assert (found[1] == 1).all()
    assert sorted(adjoint.multinomial([0.1, 0.2, 0.7], 3, generator=1)) == [0, 1, 2]
    adjoint.manual_seed(3)
    first = adjoint.multinomial(np.ones(50), 5)
    adjoint.manual_seed(3)
    assert (first == adjoint.multinomial(np.ones(50), 5)).all()
