"""Integers and truth values keep their dtype in functions that arrange and choose elements, as in NumPy and PyTorch.

Arithmetic and real functions convert them to floats, so that small integers do not overflow.
"""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from public_functions import differentiable_functions

import adjoint
from adjoint import Value

X = np.array([[3, 1, 2, 0], [1, 0, 2, 3], [0, 1, 1, 2]])
DTYPES = ("int64", "int8", "uint8", "bool")
INDICES = [[0], [1], [2]]


def index(library, numbers):
    return torch.tensor(numbers) if library is torch else np.array(numbers)


# The same call of NumPy and adjoint.
AS_NUMPY = {
    "maximum": lambda lib, x: lib.maximum(x, x),
    "minimum": lambda lib, x: lib.minimum(x, x),
    "positive": lambda lib, x: lib.positive(x),
    "amax": lambda lib, x: lib.amax(x),
    "amin": lambda lib, x: lib.amin(x),
    "max": lambda lib, x: lib.max(x, axis=0),
    "min": lambda lib, x: lib.min(x, axis=1),
    "sum": lambda lib, x: lib.sum(x, axis=0),
    "prod": lambda lib, x: lib.prod(x, axis=1),
    "cumsum": lambda lib, x: lib.cumsum(x, axis=0),
    "cumprod": lambda lib, x: lib.cumprod(x, axis=0),
    "nansum": lambda lib, x: lib.nansum(x, axis=0),
    "nanprod": lambda lib, x: lib.nanprod(x, axis=0),
    "nanmax": lambda lib, x: lib.nanmax(x, axis=0),
    "nanmin": lambda lib, x: lib.nanmin(x, axis=0),
    "nancumsum": lambda lib, x: lib.nancumsum(x, axis=0),
    "nancumprod": lambda lib, x: lib.nancumprod(x, axis=0),
    "trace": lambda lib, x: lib.trace(x),
    "fmax": lambda lib, x: lib.fmax(x, x),
    "fmin": lambda lib, x: lib.fmin(x, x),
    "append": lambda lib, x: lib.append(x, x),
    "array_split": lambda lib, x: lib.array_split(x, 2)[0],
    "astype": lambda lib, x: lib.astype(x, np.int16),
    "atleast_1d": lambda lib, x: lib.atleast_1d(x),
    "atleast_2d": lambda lib, x: lib.atleast_2d(x),
    "atleast_3d": lambda lib, x: lib.atleast_3d(x),
    "block": lambda lib, x: lib.block([x, x]),
    "broadcast_arrays": lambda lib, x: lib.broadcast_arrays(x, x[:1])[1],
    "broadcast_to": lambda lib, x: lib.broadcast_to(x, (2, 3, 4)),
    "choose": lambda lib, x: lib.choose(np.array([0, 1, 1, 0]), [x[0], x[1]]),
    "clip": lambda lib, x: lib.clip(x, x[:1], x[:1]),
    "column_stack": lambda lib, x: lib.column_stack((x, x)),
    "concat": lambda lib, x: lib.concat((x, x)),
    "concatenate": lambda lib, x: lib.concatenate((x, x)),
    "cat": lambda lib, x: (lib.concat if lib is np else lib.cat)((x, x)),
    "delete": lambda lib, x: lib.delete(x, 1, 0),
    "diag": lambda lib, x: lib.diag(x),
    "diagonal": lambda lib, x: lib.diagonal(x),
    "dsplit": lambda lib, x: lib.dsplit(x[None], 2)[0],
    "dstack": lambda lib, x: lib.dstack((x, x)),
    "expand_dims": lambda lib, x: lib.expand_dims(x, 0),
    "flip": lambda lib, x: lib.flip(x),
    "fliplr": lambda lib, x: lib.fliplr(x),
    "flipud": lambda lib, x: lib.flipud(x),
    "hsplit": lambda lib, x: lib.hsplit(x, 2)[0],
    "hstack": lambda lib, x: lib.hstack((x, x)),
    "insert": lambda lib, x: lib.insert(x, 1, x[0], 0),
    "matrix_transpose": lambda lib, x: lib.matrix_transpose(x),
    "meshgrid": lambda lib, x: lib.meshgrid(x[0], x[1])[0],
    "moveaxis": lambda lib, x: lib.moveaxis(x, 0, 1),
    "nan_to_num": lambda lib, x: lib.nan_to_num(x),
    "pad": lambda lib, x: lib.pad(x, 1),
    "partition": lambda lib, x: lib.partition(x, 1),
    "permute_dims": lambda lib, x: lib.permute_dims(x, (1, 0)),
    "ravel": lambda lib, x: lib.ravel(x),
    "repeat": lambda lib, x: lib.repeat(x, 2),
    "reshape": lambda lib, x: lib.reshape(x, (4, 3)),
    "resize": lambda lib, x: lib.resize(x, (2, 3)),
    "roll": lambda lib, x: lib.roll(x, 1),
    "rollaxis": lambda lib, x: lib.rollaxis(x, 1),
    "rot90": lambda lib, x: lib.rot90(x),
    "select": lambda lib, x: lib.select([x > 1, x <= 1], [x, x]),
    "sliding_window_view": lambda lib, x: (lib.lib.stride_tricks if lib is np else lib).sliding_window_view(x, 2, 0),
    "sort": lambda lib, x: lib.sort(x),
    "split": lambda lib, x: lib.split(x, 2, axis=1)[0],
    "squeeze": lambda lib, x: lib.squeeze(x[:1]),
    "stack": lambda lib, x: lib.stack((x, x)),
    "swapaxes": lambda lib, x: lib.swapaxes(x, 0, 1),
    "take": lambda lib, x: lib.take(x, [0, 2], axis=1),
    "take_along_axis": lambda lib, x: lib.take_along_axis(x, np.zeros((3, 1), int), axis=1),
    "tile": lambda lib, x: lib.tile(x, 2),
    "transpose": lambda lib, x: lib.transpose(x),
    "tril": lambda lib, x: lib.tril(x),
    "triu": lambda lib, x: lib.triu(x),
    "unstack": lambda lib, x: lib.unstack(x)[0],
    "vsplit": lambda lib, x: lib.vsplit(x, 3)[0],
    "vstack": lambda lib, x: lib.vstack((x, x)),
    "where": lambda lib, x: lib.where(x > 1, x, x),
    "fft.fftshift": lambda lib, x: lib.fft.fftshift(x),
    "fft.ifftshift": lambda lib, x: lib.fft.ifftshift(x),
}
# The same call of PyTorch and adjoint.
AS_PYTORCH = {
    "chunk": lambda lib, x: lib.chunk(x, 2)[0],
    "clamp": lambda lib, x: lib.clamp(x, x[:1], x[:1]),
    "clamp_max": lambda lib, x: lib.clamp_max(x, x[:1]),
    "clamp_min": lambda lib, x: lib.clamp_min(x, x[:1]),
    "clone": lambda lib, x: lib.clone(x),
    "cummax": lambda lib, x: lib.cummax(x, 0)[0],
    "cummin": lambda lib, x: lib.cummin(x, 0)[0],
    "flatten": lambda lib, x: lib.flatten(x),
    "gather": lambda lib, x: lib.gather(x, 1, index(lib, INDICES)),
    "index_select": lambda lib, x: lib.index_select(x, 1, index(lib, [0, 2])),
    "masked_fill": lambda lib, x: lib.masked_fill(x, x > 1, 1),
    "masked_select": lambda lib, x: lib.masked_select(x, x > 1),
    "permute": lambda lib, x: lib.permute(x, (1, 0)),
    "pixel_shuffle": lambda lib, x: lib.pixel_shuffle(x.reshape(4, 3, 1), 2),
    "pixel_unshuffle": lambda lib, x: lib.pixel_unshuffle(x.reshape(1, 2, 6), 2),
    "repeat_interleave": lambda lib, x: lib.repeat_interleave(x, 2),
    "scatter": lambda lib, x: lib.scatter(x, 1, index(lib, INDICES), x),
    "scatter_add": lambda lib, x: lib.scatter_add(x, 1, index(lib, INDICES), x),
    "scatter_reduce": lambda lib, x: lib.scatter_reduce(x, 1, index(lib, INDICES), x, "amax"),
    "take_along_dim": lambda lib, x: lib.take_along_dim(x, index(lib, INDICES), 1),
    "topk": lambda lib, x: lib.topk(x, 2)[0],
    "unbind": lambda lib, x: lib.unbind(x)[0],
    "unflatten": lambda lib, x: lib.unflatten(x, 1, (2, 2)),
    "unsqueeze": lambda lib, x: lib.unsqueeze(x, 0),
    "im2col": lambda lib, x: (
        lib.nn.functional.unfold(x[None, None], 2) if lib is torch else lib.im2col(x[None, None], 2)
    ),
    "unfold": lambda lib, x: x.unfold(0, 2, 1) if lib is torch else lib.unfold(x, 0, 2, 1),
}
# Arithmetic, whose results are floats. uint8 - uint8 is negative where NumPy wraps around.
ARITHMETIC = {
    "abs": lambda lib, x: lib.abs(x),
    "add": lambda lib, x: lib.add(x, x),
    "mul": lambda lib, x: (lib.multiply if lib is np else lib.mul)(x, x),
    "neg": lambda lib, x: (lib.negative if lib is np else lib.neg)(x),
    "sub": lambda lib, x: (lib.subtract if lib is np else lib.sub)(x, x),
    "square": lambda lib, x: lib.square(x),
    "sign": lambda lib, x: lib.sign(x),
    "remainder": lambda lib, x: lib.remainder(x, x + 1),
    "fmod": lambda lib, x: lib.fmod(x, x + 1),
    "floor_divide": lambda lib, x: lib.floor_divide(x, x + 1),
    "floor": lambda lib, x: lib.floor(x),
    "ceil": lambda lib, x: lib.ceil(x),
    "trunc": lambda lib, x: lib.trunc(x),
    "round": lambda lib, x: lib.round(x),
    "pow": lambda lib, x: lib.pow(x, x),
    "copysign": lambda lib, x: lib.copysign(x, x),
    "mod": lambda lib, x: lib.mod(x, x + 1),
    "divmod": lambda lib, x: lib.divmod(x, x + 1)[0],
    "ptp": lambda lib, x: lib.ptp(x),
    "cross": lambda lib, x: lib.cross(x[0, :3], x[1, :3]),
    "convolve": lambda lib, x: lib.convolve(x[0], x[1]),
    "correlate": lambda lib, x: lib.correlate(x[0], x[1]),
    "diff": lambda lib, x: lib.diff(x),
    "dot": lambda lib, x: lib.dot(x, x.T),
    "ediff1d": lambda lib, x: lib.ediff1d(x),
    "einsum": lambda lib, x: lib.einsum("ij,ij->i", x, x),
    "inner": lambda lib, x: lib.inner(x, x),
    "kron": lambda lib, x: lib.kron(x, x),
    "matmul": lambda lib, x: lib.matmul(x, x.T),
    "matvec": lambda lib, x: lib.matvec(x, x[0]),
    "outer": lambda lib, x: lib.outer(x, x),
    "tensordot": lambda lib, x: lib.tensordot(x, x.T, axes=1),
    "vander": lambda lib, x: lib.vander(x[0]),
    "vdot": lambda lib, x: lib.vdot(x, x),
    "vecdot": lambda lib, x: lib.vecdot(x, x),
    "vecmat": lambda lib, x: lib.vecmat(x[:, 0], x),
    "linalg.cross": lambda lib, x: lib.linalg.cross(x[0, :3], x[1, :3]),
    "linalg.matrix_power": lambda lib, x: lib.linalg.matrix_power(x[:, :3], 2),
    "linalg.multi_dot": lambda lib, x: lib.linalg.multi_dot([x, x.T, x]),
    "linalg.vecdot": lambda lib, x: lib.linalg.vecdot(x, x),
    "addmm": lambda lib, x: lib.addmm(x[:, :3], x, x.T),
    "bmm": lambda lib, x: lib.bmm(x[None], x.T[None]),
    "mm": lambda lib, x: lib.mm(x, x.T),
    "mv": lambda lib, x: lib.mv(x, x[0]),
    "relu": lambda lib, x: lib.relu(x),
    "median": lambda lib, x: lib.median(x),
}

# Functions of real numbers, which give floats in NumPy too, or have no counterpart there.
REAL = """
    acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d asin asinh atan atan2 atanh average avg_pool1d avg_pool2d avg_pool3d cbrt cdist celu col2im
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d corrcoef cos cosh cosine_similarity cov
    cumulative_simpson cumulative_trapezoid deg2rad digamma div dropout elu embedding erf erfc erfinv exp exp2
    expm1 gelu gelu_tanh geomspace glu gradient hardshrink hardsigmoid hardswish hardtanh heaviside hypot i0 interp
    interpolate leaky_relu lerp lgamma linear linspace log log10 log1p log2 log_softmax logaddexp logaddexp2
    logcumsumexp logit logsigmoid logspace logsumexp lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool2d max_pool3d
    max_unpool1d max_unpool2d max_unpool3d mean mish nanmean nanmedian nanpercentile nanquantile nanstd nanvar norm
    normalize pairwise_distance percentile polyval prelu quantile quick_gelu rad2deg ravel_pytree reciprocal relu6
    rsqrt scaled_dot_product_attention selu sigmoid silu simpson sin sinc sinh softmax softmin softplus softshrink
    softsign sqrt std std_mean tan tanh tanhshrink threshold trapezoid var var_mean xlogy
"""
PACKAGES = ("special", "nn", "linalg", "fft", "stats")


def in_library(library, call, x):
    """Return what NumPy or PyTorch computes; None if it has no such function of this dtype."""
    try:
        return np.asarray(call(library, torch.tensor(x) if library is torch else x))
    except (NotImplementedError, RuntimeError, TypeError):
        return None


CASES = [
    pytest.param(name, table[name], expected, dtype, id=f"{name}-{dtype}")
    for table, library in ((AS_NUMPY, np), (AS_PYTORCH, torch))
    for name, dtype in itertools.product(table, DTYPES)
    if (expected := in_library(library, table[name], X.astype(dtype))) is not None
]


def test_the_cases_have_a_reference_for_each_function():
    assert {case.values[0] for case in CASES} == AS_NUMPY.keys() | AS_PYTORCH.keys()


@pytest.mark.parametrize(("name", "call", "expected", "dtype"), CASES)
def test_choosing_and_arranging_keep_integers(name, call, expected, dtype):
    found = call(adjoint, X.astype(dtype))
    assert isinstance(found, np.ndarray | np.generic)
    if (name, dtype) == ("masked_fill", "bool"):  # where() of a mask and the integer 1, as in NumPy
        expected = expected.astype(np.int64)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiled_functions_give_the_integers_of_eager_ones(dtype):
    """All of them in one compiled program, which takes XLA a tenth of the time of a program for each."""
    calls = {case.id: case.values[1] for case in CASES if case.values[3] == dtype}
    del calls[f"masked_select-{dtype}"]  # the size of its result depends on the mask

    def results(x):
        return {name: call(adjoint, x) for name, call in calls.items()}

    found, expected = adjoint.jit(results)(X.astype(dtype)), results(X.astype(dtype))
    assert {name: x.dtype for name, x in found.items()} == {name: x.dtype for name, x in expected.items()}
    for name in calls:
        assert np.array_equal(found[name], expected[name]), name


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_product_along_no_axis_has_the_dtype_of_other_products(dtype):
    for x, axis in ((np.array(1, dtype), None), (np.array(1, dtype), -1), (np.ones((2, 3), dtype), ())):
        expected = np.prod(x, axis=None if axis == -1 else axis)
        for run in (adjoint.prod, adjoint.jit(adjoint.prod, static_argnames="axis")):
            found = run(x, axis=axis)
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)


def test_a_cumulative_product_of_small_integers_does_not_wrap_around_under_jit():
    assert adjoint.jit(adjoint.cumprod)(np.full(18, 10, np.int32))[-1] == 10**18


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8"])
def test_an_index_out_of_range_that_jit_does_not_know_marks_integers(dtype):
    x = np.array([1, 0, 1], dtype)
    add = adjoint.jit(lambda x, i: adjoint.scatter_add(x, 0, i + i, x))
    assert add(x, np.array([0, 0, 1])).tolist() == [2, 0, 2]
    missing = np.iinfo(dtype).max if dtype == "uint8" else np.iinfo(dtype).min
    expected = x.copy()
    np.add.at(expected, [0, 0, 2], np.array(missing, dtype))
    assert add(x, np.array([0, 0, 5])).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_like_integers_are_integers_under_jit_too(dtype):
    x = X.astype(dtype)
    for make in (adjoint.zeros_like, adjoint.ones_like, lambda x: adjoint.full_like(x, 2.5)):
        found, expected = adjoint.jit(make)(x), make(x)
        assert found.dtype == expected.dtype == dtype
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_of_integers_gives_floats_that_do_not_wrap_around(name, dtype):
    x = X.astype(dtype)
    found, expected = ARITHMETIC[name](adjoint, x), ARITHMETIC[name](adjoint, x.astype(np.float64))
    assert getattr(found, "dtype", np.float64) == np.float64
    assert np.array_equal(found, expected, equal_nan=True)


def test_every_public_function_is_in_a_table():
    tables = AS_NUMPY.keys() | AS_PYTORCH.keys() | ARITHMETIC.keys()
    functions = {name for name in differentiable_functions() if name.partition(".")[0] not in PACKAGES}
    assert functions - tables == {*REAL.split()}


@pytest.mark.parametrize("dtype", DTYPES)
def test_floats_and_values_among_the_operands_give_floats(dtype):
    x = X.astype(dtype)
    for found in (
        adjoint.cat((x, x.astype(float))),
        adjoint.where(x > 1, x, 0.5),
        adjoint.stack((x[0], [0.5] * 4)),
        adjoint.clip(x, 0.5, 1.5),
        adjoint.pad(x, 1, value=0.5),
        adjoint.cat((Value(X.astype(float)), x)).data,
        adjoint.where(x > 1, x, Value(1.0)).data,
    ):
        assert found.dtype == np.float64
    assert adjoint.pad(x, 1, value=0.5)[0, 0] == 0.5
    assert adjoint.clip(x, 0.5, 1.5).min() == 0.5
    narrow = Value(np.float32([[1.0, 2.0, 3.0, 4.0]]))
    assert adjoint.cat((narrow, x)).dtype == np.float32  # as in PyTorch


def test_arrays_of_jax_keep_their_dtypes_too():
    x = jnp.asarray(X, dtype="int16")
    for found in (adjoint.cat((x, x)), adjoint.sort(x), adjoint.max(x), adjoint.where(x > 1, x, 0), adjoint.flip(x)):
        assert found.dtype == np.int16
    assert adjoint.where(x > 1, x, 0.5).dtype.kind == "f"


def test_the_smallest_and_largest_integers_are_exact():
    largest = np.array([2**63 - 1, 2**63 - 2, -(2**63)])
    assert adjoint.max(largest) == 2**63 - 1
    assert adjoint.sort(largest).tolist() == [-(2**63), 2**63 - 2, 2**63 - 1]
    assert adjoint.cummin(largest)[0].tolist() == np.minimum.accumulate(largest).tolist()
    assert adjoint.scatter_reduce(largest, 0, [0, 0], largest[1:], "amax").tolist() == largest.tolist()
