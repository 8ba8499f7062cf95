"""Reductions against PyTorch and central differences: values, shapes, dtypes and three derivatives."""

import math
import warnings

import numpy as np
import pytest
from arrays import EDGES, FINITE_EDGES, Draw, Problem, case, require_agreement, torch
from claims import claims
from closeness import require_close
from fuzzing import examples
from hypothesis import given, strategies as st

import adjoint
from adjoint import Tensor, Value
from adjoint.errors import ArgumentError, ArrayError, ShapeError

CASES: dict = {}


def as_tuple(axis, ndim: int) -> tuple[int, ...]:
    """Return the axes in PyTorch's form, which treats an empty tuple as all axes."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(axis) if isinstance(axis, tuple) else (axis,)


def together(t, axes: tuple[int, ...]):
    """Return the tensor with some axes merged into one last axis."""
    axes = tuple(a % t.ndim for a in axes)
    rest = [i for i in range(t.ndim) if i not in axes]
    return t.permute((*rest, *axes)).reshape([*[t.shape[i] for i in rest], math.prod(t.shape[i] for i in axes)])


def as_reduction(function, axis, keepdims: bool):
    """Turn a function of the last axis of a tensor into a reduction along any axes."""

    def reduction(t):
        axes = {a % t.ndim for a in as_tuple(axis, t.ndim)}
        y = function(together(t, tuple(sorted(axes))))
        return y.reshape([1 if i in axes else n for i, n in enumerate(t.shape)]) if keepdims else y

    return reduction


LAST = {
    "sum": lambda t: t.sum(-1),
    "mean": lambda t: t.mean(-1),
    "prod": lambda t: t.prod(-1),
    "max": lambda t: t.amax(-1),
    "min": lambda t: t.amin(-1),
    "logsumexp": lambda t: t.logsumexp(-1),
    "norm": lambda t: torch.linalg.vector_norm(t, dim=-1),
}


# Edge values for which PyTorch gives a usable reference. Its gradient of a product divides by each factor, and is NaN
# for an infinite one. Its norm overflows for a huge number among others, and its float32 standard deviation unless it
# is computed in double precision. Its gradients at NaN depend on the order of the norm.
SPECIAL = {
    "prod": FINITE_EDGES,
    "cumprod": FINITE_EDGES,
    "norm": EDGES,
    "var": EDGES,
    "std": EDGES,
    "norm of any order": (*FINITE_EDGES, math.inf, -math.inf),
}


def special(name: str, draw) -> tuple | None:
    return SPECIAL.get(name) if draw.kind == "edges" else None


@case(CASES, *LAST)
def _(name, draw):
    x = draw.array(draw.shape(min_side=1 if name in ("max", "min") else 0), special=special(name, draw))
    axis, keepdims = draw.axes(x.ndim), draw.flag()
    return Problem(draw.call(name, axis=axis, keepdims=keepdims), as_reduction(LAST[name], axis, keepdims), [x])


@case(CASES, "var", "std")
def _(name, draw):
    x = draw.array(special=special(name, draw))
    axis, keepdims, correction = draw.axes(x.ndim), draw.flag(), draw.one_of(0, 1, 0.5)
    return Problem(
        draw.call(name, axis=axis, keepdims=keepdims, correction=correction),
        as_reduction(lambda t: getattr(t, name)(-1, correction=correction), axis, keepdims),
        [x],
    )


ORDERS = (1, 2, 3, 2.5, math.inf, -math.inf, 0, 0.5, -1, -2.5)


@case(CASES, "norm of any order")
def _(name, draw):
    near, far = draw.one_of((0.2, 2.0), (-2.0, -0.2))  # higher derivatives do not exist at zero
    x = draw.array(draw.shape(min_side=1), near, far, special=special(name, draw))
    axis, keepdims, order = draw.axes(x.ndim), draw.flag(), draw.one_of(*ORDERS)
    return Problem(
        draw.call("norm", order, axis=axis, keepdims=keepdims),
        as_reduction(lambda t: torch.linalg.vector_norm(t, order, dim=-1), axis, keepdims),
        [x],
    )


@case(CASES, "cumsum", "cumprod")
def _(name, draw):
    x = draw.array(special=special(name, draw))
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))
    return Problem(
        draw.call(name, axis=axis),
        lambda t: getattr(t.flatten(), name)(0) if axis is None else getattr(t, name)(axis),
        [x],
    )


@case(CASES, "softmax", "log_softmax")
def _(name, draw):
    x = draw.array(draw.shape(min_side=0))
    axis = draw.axes(x.ndim)

    def theirs(t):
        axes = tuple(a % t.ndim for a in as_tuple(axis, t.ndim))
        rest = [i for i in range(t.ndim) if i not in axes]
        y = getattr(together(t, axes), name)(-1)
        return y.reshape([t.shape[i] for i in (*rest, *axes)]).permute(np.argsort([*rest, *axes]).astype(int).tolist())

    return Problem(draw.call(name, axis=axis), theirs, [x])


# --- claims about every reduction -----------------------------------------------------------------

# Second derivatives at an edge have no limit, overflow, or consist of rounding errors: see docs/arrays.md.
# PyTorch divides the product by each factor, so its second derivative of `prod` is only rounding at a tiny factor.
SINGULAR = ["cumprod", "norm", "norm of any order", "prod", "std"]
globals().update(claims(CASES, SINGULAR))


# --- particular reductions ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@examples(15)
@given(data=st.data(), kind=st.sampled_from(["generic", "ties", "edges"]))
def test_positions_are_plain_integers_and_agree_with_numpy(name, data, kind):
    draw = Draw(data.draw, kind, "float64")
    x = draw.array(draw.shape(min_side=1))
    axis, keepdims = draw.one_of(None, *range(-x.ndim, x.ndim)), draw.flag()
    found = draw.call(name, axis=axis, keepdims=keepdims)(Tensor(x))
    expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    assert not isinstance(found, Value)
    assert np.asarray(found).dtype.kind == "i"
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_share_the_gradient_equally(name):
    v = Value([[2.0, 2.0, 1.0], [5.0, 5.0, 5.0]])
    sign = 1.0 if name == "max" else -1.0
    getattr(sign * v, name)(axis=1).backward([6.0, 3.0])
    assert v.grad.tolist() == [[3 * sign, 3 * sign, 0.0], [sign, sign, sign]]


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [2.0, 0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [[0.0, 1.0], [4.0, 0.0]]])
@pytest.mark.parametrize("name", ["prod", "cumprod"])
def test_three_derivatives_of_prod_are_correct_with_zeros_among_the_factors(name, x):
    pytest.importorskip("torch")
    theirs = {"prod": torch.prod, "cumprod": lambda t: t.cumprod(-1)}[name]
    ours = {"prod": adjoint.prod, "cumprod": lambda v: adjoint.cumprod(v, axis=-1)}[name]
    require_agreement(Problem(ours, theirs, [np.array(x)]), order=3)


@pytest.mark.parametrize("name", ["std", "norm"])
def test_the_gradient_of_std_of_equal_numbers_is_zero(name):
    v = Value([0.0, 0.0, 0.0])
    getattr(v, name)().backward()
    assert v.grad.tolist() == [0.0, 0.0, 0.0]


def test_the_second_derivative_of_the_spread_of_equal_numbers_is_zero_as_in_pytorch():
    problem = Problem(adjoint.std, lambda t: t.std(correction=0), [np.array([1.0, 1.0, 1.0])])
    require_agreement(problem, order=2)


def test_ddof_is_another_name_for_correction():
    x = np.array([[1.0, 2.0, 4.0], [0.0, 5.0, 1.0]])
    for name in ("var", "std"):
        found = getattr(adjoint, name)(Value(x), axis=1, ddof=1)
        require_close(found.data, getattr(np, name)(x, axis=1, ddof=1))


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("size", [0, 1, 2, 3])
@pytest.mark.parametrize("correction", [0, 1, 2, 2.5, 3, 4])
def test_a_correction_that_leaves_nothing_gives_infinity_or_nan_as_numpy_and_pytorch_do(name, size, correction):
    pytest.importorskip("torch")
    x = np.array([1.0, 2.0, 5.0])[:size]
    v, t = Value(x), torch.tensor(x, requires_grad=True)
    found = getattr(v, name)(correction=correction)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = getattr(t, name)(0, correction=correction)
        require_close(found.item(), getattr(np, name)(x, ddof=correction))
    require_close(found.item(), reference.item())
    if correction <= size:  # PyTorch divides the gradient by a negative number otherwise
        found.backward()
        reference.backward()
        require_close(v.grad, t.grad.numpy())


@pytest.mark.parametrize("options", [{"correction": 1}, {"ddof": 1}, {"ddof": 0, "correction": 1}, {"ddof": 0}])
def test_numpys_names_take_either_name_of_the_correction(options):
    x = np.array([[1.0, 2.0, 4.0], [0.0, 5.0, 1.0]])
    for function in (np.var, np.std, np.nanvar, np.nanstd):
        require_close(function(Value(x), axis=1, **options).data, function(x, axis=1, **options))


def test_two_corrections_raise_an_error():
    with pytest.raises(ArgumentError, match="var: ddof is another name for correction"):
        adjoint.var(Value([1.0, 2.0]), ddof=1, correction=1)


def test_the_variance_of_numbers_far_from_zero_keeps_its_precision():
    x = 1e8 + np.array([0.0, 1.0, 2.0])
    require_close(adjoint.var(Value(x)).item(), 2 / 3)


@pytest.mark.parametrize("shift", [1000.0, -1000.0])
def test_exponentials_neither_overflow_nor_underflow(shift):
    x = np.array([shift, shift + 1.0, shift + 2.0])
    total = math.log(1 + math.e + math.e**2)
    require_close(adjoint.logsumexp(Value(x)).item(), shift + total)
    require_close(adjoint.log_softmax(Value(x)).data, [-total, 1 - total, 2 - total])
    require_close(adjoint.softmax(Value(x)).data.sum(), 1.0)


def test_minus_infinity_has_no_weight():
    v = Value([0.0, -math.inf, 0.0])
    for y in (adjoint.softmax(v)[0], adjoint.logsumexp(v)):
        v.zero_grad()
        y.backward()
        assert np.isfinite(v.grad).all()
        assert v.grad[1] == 0.0


def test_nan_propagates_through_every_reduction():
    v = Value([1.0, math.nan, 2.0])
    for name in ("sum", "mean", "prod", "max", "min", "var", "std", "norm", "logsumexp"):
        assert math.isnan(getattr(v, name)().item()), name


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "var", "std", "norm", "logsumexp", "softmax"])
def test_every_reduction_treats_a_scalar_value_as_an_array_of_one_number(name):
    pytest.importorskip("torch")
    x, t = Value(1.5), torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    expected = {**LAST, "var": lambda t: t.var(-1, correction=0), "std": lambda t: t.std(-1, correction=0)}
    expected["softmax"] = lambda t: t.softmax(-1)[0]
    y, reference = getattr(adjoint, name)(x), expected[name](t.reshape(1))
    (y * 3.0).backward()
    (reference * 3.0).backward()
    require_close(float(y), reference.item())
    require_close(float(x.grad), t.grad.item())


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "var", "std", "norm", "logsumexp", "cumsum"])
def test_the_error_about_a_missing_axis_names_it(name):
    v = Value(np.ones((2, 3)))
    for axis in (2, -3):
        with pytest.raises(ShapeError, match=rf"{name}.*axis {axis}.*axes 0 to 1"):
            getattr(v, name)(axis=axis)
    with pytest.raises(ShapeError, match=f"{name}.*integer.*'x'"):
        getattr(v, name)(axis="x")


def test_an_axis_given_twice_raises_an_error():
    for axis in ((0, 0), (0, -2)):
        with pytest.raises(ShapeError, match=r"sum.*twice"):
            Value(np.ones((2, 3))).sum(axis=axis)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_the_extremum_of_an_empty_array_raises_an_error(name):
    with pytest.raises(ShapeError, match=rf"{name} of an empty array.*\(2, 0\)"):
        getattr(Value(np.ones((2, 0))), name)()
    with pytest.raises(ShapeError, match=rf"{name} of an empty array.*\(2, 0\)"):
        getattr(Value(np.ones((2, 0))), name)(axis=1)
    assert getattr(Value(np.ones((2, 0))), name)(axis=0).shape == (0,)


@pytest.mark.parametrize("order", ["max", math.nan, [1.0]])
def test_an_invalid_order_of_a_vector_norm_raises_an_error(order):
    with pytest.raises(ShapeError, match=r"norm: ord must"):
        adjoint.norm(Value([1.0, 2.0]), order)


def test_lists_and_plain_arrays_are_reduced_to_plain_numbers():
    assert adjoint.sum([[1, 2], [3, 4]], axis=0).tolist() == [4.0, 6.0]
    assert adjoint.mean(np.array([1.0, 2.0])) == 1.5
    assert not isinstance(adjoint.max([1.0, 2.0]), Value)


def test_the_error_about_a_list_of_values_suggests_stack():
    with pytest.raises(ArrayError, match="stack"):
        adjoint.sum([Value(1.0), Value(2.0)])
