"""NumPy's own ways to call a function give the same for a Value as for an array, with gradients."""

import math

import numpy as np
import pytest
from arrays import require_numpys_result_and_slope
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ArrayError, MissingRuleError, ShapeError

X = np.random.default_rng(0).uniform(0.2, 0.9, (2, 3))
Z = np.random.default_rng(1).uniform(1.2, 1.9, (2, 3))
MASK = np.array([[True, False, True], [False, True, True]])

CALLS = {
    # reductions: some of the elements, and a first one
    "sum, where": lambda x: np.sum(x, axis=1, where=MASK),
    "sum, where of one row": lambda x: np.sum(x, where=MASK[0]),
    "sum, initial": lambda x: np.sum(x, axis=0, initial=2.0),
    "sum by position": lambda x: np.sum(x, 0, None, None, True),
    "sum, all by name": lambda x: np.sum(a=x, axis=None, dtype=None, out=None, keepdims=False, initial=1.0, where=True),
    "prod, where": lambda x: np.prod(x, axis=1, where=MASK, initial=3.0),
    "mean, where": lambda x: np.mean(x, axis=1, where=MASK, keepdims=True),
    "mean by name": lambda x: np.mean(a=x, axis=(0, 1), dtype=None, out=None),
    "var, where": lambda x: np.var(x, axis=1, where=MASK, ddof=1),
    "var, a given mean": lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)),
    "var by position": lambda x: np.var(x, 0, None, None, 1, True),
    "var, correction": lambda x: np.var(x, axis=1, correction=1),
    "std, where": lambda x: np.std(x, where=MASK, keepdims=True),
    "std, correction": lambda x: np.std(x, axis=1, correction=1),
    "max, where": lambda x: np.max(x, axis=1, where=MASK, initial=0.0),
    "max, initial": lambda x: np.max(x, axis=1, initial=0.5),
    "max by position": lambda x: np.max(x, 0, None, True),
    "max of nothing": lambda x: np.max(x[:0], axis=0, initial=0.5) + x[0],
    "min, where": lambda x: np.min(x, where=MASK, initial=2.0),
    "cumsum by position": lambda x: np.cumsum(x, 1, None, None),
    # methods of ufuncs
    "add.reduce": np.add.reduce,
    "add.reduce, where": lambda x: np.add.reduce(x, axis=1, where=MASK, initial=1.0, keepdims=True),
    "add.reduce of all": lambda x: np.add.reduce(x, axis=None),
    "multiply.reduce": lambda x: np.multiply.reduce(x, 1),
    "maximum.reduce": lambda x: np.maximum.reduce(x, axis=0, initial=0.5),
    "add.accumulate": np.add.accumulate,
    "multiply.accumulate": lambda x: np.multiply.accumulate(x, axis=1),
    "maximum.accumulate": np.maximum.accumulate,
    "minimum.accumulate": lambda x: np.minimum.accumulate(x, 1),
    "logaddexp.reduce": lambda x: np.logaddexp.reduce(x, axis=1),
    "logaddexp.accumulate": lambda x: np.logaddexp.accumulate(x, axis=1),
    "add.outer": lambda x: np.add.outer(x, Z[0]),
    "multiply.outer": lambda x: np.multiply.outer(x[0], x),
    "divide.outer": lambda x: np.divide.outer(Z, x),
    "power.outer": lambda x: np.power.outer(x[0], 2.0),
    # ufuncs
    "exp, where": lambda x: np.where(MASK, np.exp(x, where=MASK, out=None), 0.0),
    "add, all by name": lambda x: np.add(x, Z, out=None, where=True, casting="same_kind", order="K", dtype=None),
    "multiply, dtype": lambda x: np.multiply(x, 2.0, dtype=np.float64),
    "matmul, dtype": lambda x: np.matmul(x, Z.T, dtype=np.float64),
    # shapes
    "reshape, order": lambda x: np.reshape(x, (3, 2), order="F"),
    "reshape, order and -1": lambda x: np.reshape(x, (-1, 2), "F"),
    "reshape to one axis": lambda x: np.reshape(x, -1, order="F"),
    "ravel, order": lambda x: np.ravel(x, order="F"),
    "ravel, as in memory": lambda x: np.ravel(x.T, "K"),
    "ravel by name": lambda x: np.ravel(a=x),
    "concatenate, dtype": lambda x: np.concatenate([x, Z], axis=None, dtype=np.float64, casting="safe"),
    "concatenate by position": lambda x: np.concatenate([x, Z], 1),
    "stack, dtype": lambda x: np.stack([x, Z], axis=1, dtype=np.float64),
    "vstack": lambda x: np.vstack([x, Z[0]]),
    "vstack, dtype": lambda x: np.vstack((x, Z), dtype=np.float64),
    "hstack": lambda x: np.hstack([x, Z]),
    "dstack": lambda x: np.dstack([x, Z]),
    "column_stack": lambda x: np.column_stack([x, Z[:, 0]]),
    "append": lambda x: np.append(x, Z),
    "append, axis": lambda x: np.append(x, Z, axis=1),
    "block": lambda x: np.block([[x, Z], [Z, x]]),
    "array_split": lambda x: np.array_split(x, 2, axis=1)[1],
    "split by name": lambda x: np.split(ary=x, indices_or_sections=3, axis=1)[2],
    "vsplit": lambda x: np.vsplit(x, 2)[1],
    "hsplit": lambda x: np.hsplit(x, [1])[1],
    "dsplit": lambda x: np.dsplit(x[:, :, None], 1)[0],
    "atleast_1d": np.atleast_1d,
    "atleast_2d": lambda x: np.atleast_2d(x[0]),
    "atleast_3d": lambda x: np.atleast_3d(x[0]),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x[:, :1], Z)[0],
    "rot90": lambda x: np.rot90(x, k=3),
    "flipud": np.flipud,
    "fliplr": np.fliplr,
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "roll, several": lambda x: np.roll(x, (1, 2), axis=(0, 1)),
    "roll, several without an axis": lambda x: np.roll(x, (2, 2)),
    "roll, several along one axis": lambda x: np.roll(x, (1, 1), 1),
    "roll, one along several axes": lambda x: np.roll(x, 1, (0, 1)),
    "resize": lambda x: np.resize(x, (4, 2)),
    "delete": lambda x: np.delete(x, [0], axis=1),
    "insert": lambda x: np.insert(x, 1, 0.5, axis=1),
    "sliding_window_view": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
    "squeeze, several": lambda x: np.squeeze(x[None, :, :, None], axis=(0, -1)),
    "repeat by name": lambda x: np.repeat(a=x, repeats=np.array([2, 0]), axis=0),
    "transpose by name": lambda x: np.transpose(a=x, axes=(1, 0)),
    "copy": np.copy,
    "diagflat": np.diagflat,
    "trace, dtype": lambda x: np.trace(x, dtype=np.float64),
    # elements
    "take, wrap": lambda x: np.take(x, [7, -8], mode="wrap"),
    "take, clip": lambda x: np.take(x, [9, -1], axis=1, mode="clip"),
    "sort, kind": lambda x: np.sort(x, axis=1, kind="stable"),
    "round, decimals": lambda x: np.round(x, 1),
    "round, before the point": lambda x: np.round(100.0 * x, decimals=-1),
    "fix": lambda x: np.fix(10.0 * x),
    "clip by name": lambda x: np.clip(a=x, a_min=0.4, a_max=0.6, out=None),
    "einsum, optimize": lambda x: np.einsum("ij,kj->ik", x, Z, optimize=True),
    "einsum, dtype": lambda x: np.einsum("ij->j", x, dtype=np.float64, casting="safe", order="K", out=None),
    "ptp": lambda x: np.ptp(x, axis=1),
    "real": lambda x: np.real(x) + np.imag(x),
    "angle": lambda x: np.angle(x - 0.5, deg=True) + x,
    "conjugate": lambda x: np.conj(x) * np.real_if_close(x),
    "extract": lambda x: np.extract(MASK, x),
    "compress": lambda x: np.compress([False, True], x, axis=1),
    "ediff1d": lambda x: np.ediff1d(x, to_begin=[1.0, 2.0], to_end=3.0),
    "vdot": lambda x: np.vdot(x, Z),
    "full_like": lambda x: np.full_like(Z, 1.0) * x,
}
NUMPY_2 = {
    "astype": lambda x: np.astype(x, np.float64),
    "vecdot": lambda x: np.vecdot(x, Z),
    "matvec": lambda x: np.matvec(x, Z[0]),
    "vecmat": lambda x: np.vecmat(x, Z.T),
    "unstack": lambda x: np.unstack(x, axis=1)[2],
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
    "cumulative_prod": lambda x: np.cumulative_prod(x, axis=0, include_initial=True),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_returns_numpys_result_with_two_derivatives(name):
    require_numpys_result_and_slope(CALLS[name], X)
    adjoint.check_gradients(CALLS[name], X, order=2)


@pytest.mark.parametrize("name", [name for name in NUMPY_2 if hasattr(np, name)])
def test_functions_of_recent_versions_of_numpy_return_values_with_gradients(name):
    require_numpys_result_and_slope(NUMPY_2[name], X)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sum(x, dtype=np.float32),
        lambda x: np.mean(x, dtype="float32"),
        lambda x: np.prod(x, axis=0, dtype=np.float32),
        lambda x: np.cumsum(x, axis=0, dtype=np.float32),
        lambda x: np.var(x, dtype=np.float32),
        lambda x: np.add(x, 1.0, dtype=np.float32),
        lambda x: np.exp(x, dtype=np.float32),
        lambda x: np.add.reduce(x, dtype=np.float32),
        lambda x: np.concatenate([x, x], dtype=np.float32),
        lambda x: np.vstack([x, Z], dtype=np.float32),
        lambda x: np.einsum("ij->i", x, dtype=np.float32, casting="same_kind"),
        lambda x: np.linspace(x, 2.0, 3, dtype=np.float32),
        lambda x: x.sum(axis=0, dtype=np.float32),
        lambda x: x.mean(dtype=np.float32),
        lambda x: x.prod(dtype=np.float32),
        lambda x: x.cumsum(axis=1, dtype=np.float32),
        lambda x: x.cumprod(axis=1, dtype=np.float32),
    ],
)
def test_a_dtype_is_that_of_the_result_and_the_gradient_keeps_its_own(call):
    v = Value(X)
    y, expected = call(v), call(X)
    assert y.dtype == expected.dtype == np.float32
    require_close(y.data, expected)
    y.sum().backward()
    assert v.grad.dtype == np.float64
    assert np.abs(v.grad).sum() > 0


def test_elements_left_out_of_a_ufunc_have_no_gradient_not_even_at_a_pole():
    v = Value([0.0, 2.0])
    y = np.log(v, where=v.data > 0)
    y.backward([1.0, 1.0])
    assert y.data.tolist() == [0.0, math.log(2.0)]
    assert v.grad.tolist() == [0.0, 0.5]


def test_the_first_element_of_a_reduction_has_a_gradient():
    v, first = Value([1.0, 2.0]), Value(3.0)
    np.sum(v, initial=first).backward()
    np.max(v, initial=first).backward()
    assert (v.grad.tolist(), float(first.grad)) == ([1.0, 1.0], 2.0)


def test_full_like_keeps_the_gradient_of_the_number():
    v, fill = Value(np.ones((2, 3), np.float32)), Value(2.0)
    y = np.full_like(v, fill)
    assert (y.shape, y.dtype) == ((2, 3), np.float32)
    y.backward(np.ones((2, 3)))
    assert float(fill.grad) == 6.0
    assert type(np.full_like(v, 2.0)) is np.ndarray


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype"])
def test_a_number_has_the_attributes_of_an_array_without_axes(name):
    v = Value(2.0)
    assert getattr(v, name) == getattr(v * 3.0, name) == getattr(np.array(2.0), name)
    assert v.T is v


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.reshape(1, 1),
        lambda x: x.ravel(),
        lambda x: x.flatten(),
        lambda x: x.sum(),
        lambda x: x.mean(),
        lambda x: x.max(),
        lambda x: x.min(),
        lambda x: x.prod(),
        lambda x: x.repeat(3, axis=0),
        lambda x: x.squeeze(),
        lambda x: x.transpose(),
        lambda x: x.clip(0.0, 5.0),
        lambda x: x.astype(np.float32),
        lambda x: np.reshape(x, (1, 1)),
        lambda x: np.ravel(x),
        lambda x: np.repeat(x, 3),
        lambda x: np.hstack([x, x]),
        lambda x: np.broadcast_to(x, (2, 2)),
        lambda x: np.linspace(0.0, x, 3),
        lambda x: np.add.outer(x, x),
        lambda x: np.sum(x, initial=1.0),
        lambda x: np.sum(x, axis=0),
        lambda x: np.max(x, axis=-1),
        lambda x: np.repeat(x, 3, axis=0),
        lambda x: np.full_like(x, 2.0) * x,
    ],
)
def test_a_number_answers_like_an_array_without_axes(call):
    v = Value(2.0)
    y, expected = call(v), call(np.array(2.0))
    assert isinstance(y, Value)
    np.testing.assert_array_equal(np.asarray(y.data), expected)
    assert (y.shape, y.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    adjoint.sum(y).backward()
    step = 0.25
    slope = (np.sum(call(np.array(2.0 + step))) - np.sum(call(np.array(2.0 - step)))) / (2 * step)
    require_close(float(v.grad), float(slope))


@pytest.mark.parametrize("ask", [np.shape, np.ndim, np.size, np.isfinite, np.isscalar, np.logical_not, np.flatnonzero])
def test_questions_about_a_number_have_numpys_answer(ask):
    expected = False if ask is np.isscalar else ask(2.0)
    np.testing.assert_array_equal(ask(Value(2.0)), expected)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ArrayError, lambda v: np.sum(v, dtype=int)),
        (ArgumentError, lambda v: np.concatenate([v, v], dtype=np.float32, casting="safe")),
        (ArgumentError, lambda v: np.add(v, 1.0, dtype=np.float32, casting="no")),
        (ShapeError, lambda v: np.sum(v, where=np.ones(4, bool))),
        (ArgumentError, lambda v: np.max(v, where=MASK)),
        (ArgumentError, lambda v: np.reshape(v, (3, 2), order="X")),
        (ArgumentError, lambda v: np.take(v, [0], mode="around")),
        (MissingRuleError, lambda v: np.sum(v, 0, None, np.zeros(3))),
        (MissingRuleError, lambda v: np.clip(v, 0.0, 1.0, no_such_argument=1)),
    ],
)
def test_arguments_that_do_not_fit_raise_errors_of_ours(error, call):
    with pytest.raises(error):
        call(Value(X))


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy has cumulative_sum from 2.1 on")
def test_a_cumulative_sum_of_two_axes_needs_an_axis():
    with pytest.raises(ShapeError, match="needs an axis"):
        np.cumulative_sum(Value(X))


# The functions that HIPS autograd wraps, with arguments that they take: each has a gradient here.
AUTOGRAD = """
    abs absolute add amax amin append arccos arcsin arcsinh arctan arctan2 arctanh array_split atleast_1d atleast_2d
    atleast_3d broadcast_to clip column_stack concatenate cos cosh cumsum diag diagonal divide dot dsplit einsum exp
    expand_dims expm1 fabs fliplr flipud hsplit hstack linspace log log10 log1p log2 matmul max maximum mean min minimum
    moveaxis multiply negative outer pad power prod ravel repeat reshape roll rollaxis rot90 sin sinh sort split sqrt
    square squeeze stack std subtract sum swapaxes take tan tanh tensordot tile trace transpose tril triu true_divide
    var vsplit vstack where real imag conj conjugate real_if_close
"""
WITHOUT_GRADIENT = """
    all allclose any argmax argmin argpartition argsort argwhere array_equal array_equiv ceil count_nonzero equal fix
    flatnonzero floor greater greater_equal iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal less
    less_equal logical_and logical_not logical_or logical_xor ndim nonzero not_equal ones_like rint round searchsorted
    shape sign size trunc zeros_like
"""


@pytest.mark.parametrize("name", (AUTOGRAD + WITHOUT_GRADIENT).split())
def test_functions_that_autograd_wraps_are_known(name):
    from adjoint.arrays import numpy_names as names
    from adjoint.engine import ops

    function = getattr(np, name)
    real_name = function.__name__
    tables = (names.FUNCTIONS, names.QUESTIONS, {"matmul"})
    assert any(real_name in table for table in tables) or names.UFUNCS.get(real_name, real_name) in ops.TABLE
