"""Functions element by element that are no rows of the table: NumPy's and PyTorch's convenience functions."""

import math
import pickle

import numpy as np
import pytest
from arrays import EDGES, FINITE_EDGES, Problem, case, jax_in_double, require_the_same_compiled, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value, grad
from adjoint.errors import ArgumentError

CASES: dict = {}
UNARY = {
    "deg2rad": lambda t: torch.deg2rad(t),
    "rad2deg": lambda t: torch.rad2deg(t),
    "reciprocal": lambda t: torch.reciprocal(t),
    "rsqrt": lambda t: torch.rsqrt(t),
    "sinc": lambda t: torch.sinc(t),
    "nan_to_num": lambda t: torch.nan_to_num(t),
}
DOMAINS = {"reciprocal": (0.3, 2.0), "rsqrt": (0.3, 2.0), "sinc": (0.1, 2.0)}
# PyTorch's higher derivatives of sinc are inexact near 0, and 0 at 0; at infinity its slope is NaN
SPECIAL = {"sinc": (1.0, -1.0, 0.5, 3.0, 0.25, 40.0, -40.0), "rsqrt": (1.0, 0.5, 3.0, 40.0)}
BINARY = {
    "fmax": lambda t, u: torch.fmax(t, u),
    "fmin": lambda t, u: torch.fmin(t, u),
    "logaddexp2": lambda t, u: torch.logaddexp2(t, u),
    "mod": lambda t, u: torch.remainder(t, u),
    "heaviside": lambda x, z: torch.where(x == 0, z, torch.heaviside(x.detach(), z.detach())) + 0 * x,
}


@case(CASES, *UNARY)
def _(name, draw):
    return Problem(
        draw.call(name), UNARY[name], [draw.array(None, *DOMAINS.get(name, (-2.0, 2.0)), special=SPECIAL.get(name))]
    )


@case(CASES, *BINARY)
def _(name, draw):
    special = FINITE_EDGES if name in ("heaviside", "logaddexp2") else None
    return Problem(draw.call(name), BINARY[name], [draw.array(shape, special=special) for shape in draw.broadcast(2)])


@case(CASES, "lerp")
def _(name, draw):
    arrays = [draw.array(shape, special=FINITE_EDGES) for shape in draw.broadcast(3)]
    return Problem(draw.call(name), torch.lerp, arrays)


@case(CASES, "div")
def _(name, draw):
    mode = draw.one_of(None, "floor", "trunc")
    first, second = draw.broadcast(2)
    x, z = draw.array(first), draw.array(second, 0.4, 2.0, special=(1.0, -2.0, 0.5))
    return Problem(draw.call(name, rounding_mode=mode), lambda t, u: torch.div(t, u, rounding_mode=mode), [x, z])


globals().update(
    claims(CASES, ["reciprocal"], without=["arrays_of_jax", "compiled", "central_differences", "own_gradients"])
)


def test_all_of_them_compile_in_one_program():
    def ours(x, z):
        total = adjoint.lerp(x, z, 0.25) + adjoint.div(x, z, rounding_mode="trunc")
        for name in (*UNARY, *BINARY):
            total = total + (getattr(adjoint, name)(z, x) if name in BINARY else getattr(adjoint, name)(z))
        return total

    def theirs(x, z):
        total = torch.lerp(x, z, 0.25) + torch.div(x, z, rounding_mode="trunc")
        for name, function in (UNARY | BINARY).items():
            total = total + (function(z, x) if name in BINARY else function(z))
        return total

    with jax_in_double():
        require_the_same_compiled(Problem(ours, theirs, [np.array([0.3, -1.5]), np.array([[0.7], [1.4]])]))


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_a_scalar_value_and_a_plain_number_give_the_numbers_of_arrays(name):
    pytest.importorskip("torch")
    numbers = [0.7, -0.4][: 1 + (name in BINARY)]
    expected = (UNARY | BINARY)[name](*[torch.tensor(x, dtype=torch.float64) for x in numbers]).item()
    function, leaves = getattr(adjoint, name), [Value(x) for x in numbers]
    found = function(*leaves)
    assert type(found) is Value
    require_close(found.data, expected)
    require_close(function(*numbers), expected)
    found.backward()  # a graph of numbers
    assert type(leaves[0].grad) is float


def test_sinc_has_its_derivatives_at_0():
    second = grad(grad(adjoint.sinc))
    require_close(second(0.0), -(math.pi**2) / 3)
    require_close(grad(grad(second))(0.0), math.pi**4 / 5)
    x = Value([0.0, 0.499999, 0.500001])
    require_close(adjoint.sinc(x).data, np.sinc(x.data))


def test_the_largest_number_of_the_dtype_replaces_infinities():
    x = np.array([math.inf, -math.inf, math.nan, 1.0], np.float32)
    found = adjoint.nan_to_num(Value(x))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.data, np.nan_to_num(x))
    np.testing.assert_array_equal(np.nan_to_num(Value(x), nan=2.0, posinf=3.0, neginf=4.0).data, [3.0, 4.0, 2.0, 1.0])
    assert type(adjoint.nan_to_num(Value(math.nan))) is Value


ONE = ("exp2", "cbrt", "reciprocal", "positive", "deg2rad", "rad2deg", "radians", "degrees", "sinc", "i0", "nan_to_num")
TWO = ("mod", "remainder", "fmod", "floor_divide", "fmax", "fmin", "hypot", "copysign", "logaddexp", "logaddexp2",
       "heaviside")  # fmt: skip


def test_numpys_names_give_values():
    x, z = np.array([0.3, 1.5]), np.array([0.7, -2.0])
    for name in [
        "mod",
        "remainder",
        "fmod",
        "floor_divide",
        "fmax",
        "fmin",
        "hypot",
        "copysign",
        "logaddexp",
        "logaddexp2",
        "heaviside",
    ]:
        function = getattr(np, name)
        require_close(function(Value(x), z).data, function(x, z))
        require_close(function(x, Value(z)).data, function(x, z))
    for name in [
        "exp2",
        "cbrt",
        "reciprocal",
        "positive",
        "deg2rad",
        "rad2deg",
        "radians",
        "degrees",
        "sinc",
        "i0",
        "nan_to_num",
    ]:
        function = getattr(np, name)
        require_close(function(Value(x)).data, function(x))
    for found, expected in zip(np.divmod(Value(x), z), np.divmod(x, z)):
        np.testing.assert_array_equal(found.data, expected)


def test_wrong_options_are_errors_of_ours():
    with pytest.raises(ArgumentError, match="rounding_mode is None, 'floor' or 'trunc', not str 'up'"):
        adjoint.div(Value(1.0), 2.0, rounding_mode="up")
    with pytest.raises(ArgumentError, match="nan_to_num: posinf is a number"):
        adjoint.nan_to_num(Value(1.0), posinf="x")


def test_graphs_of_these_functions_can_be_pickled():
    x = Value([0.0, 2.0])
    again = pickle.loads(pickle.dumps(adjoint.sinc(x) * adjoint.fmax(x, 1.0)))
    again.backward([1.0, 1.0])
    np.testing.assert_array_equal(again.data, np.sinc(x.data) * np.fmax(x.data, 1.0))


def test_edges_of_division_follow_numpy():
    x = np.array(EDGES)
    for z in EDGES:
        for name in ("remainder", "fmod", "floor_divide"):
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(x, z)
            np.testing.assert_array_equal(getattr(adjoint, name)(Value(x), z).data, expected)
            numbers = [getattr(adjoint, name)(Value(float(a)), z).data for a in x]
            np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize("number", [0.3, 0.0, -1.0, math.nan])
def test_a_number_that_decides_alone_gives_an_array_of_the_common_shape(number):
    """0.3 makes every element of heaviside 1: no operation of the formula then reads the other array."""
    z = np.array([[0.5, -2.0, 0.0]])
    expected = np.heaviside(number, z) if number == number else np.full_like(z, math.nan)
    choose = adjoint.op(
        "choose", lambda m, x, a, b: m.where(x > 0, a, b), lambda m, y, x, a, b: 0.0,
        lambda m, y, x, a, b: m.where(x > 0, 1.0, 0.0), lambda m, y, x, a, b: m.where(x > 0, 0.0, 1.0),
    )  # fmt: skip
    for given in (z, torch.tensor(z), z.astype(np.float32)):
        for found in (adjoint.heaviside(number, given), adjoint.jit(lambda z: adjoint.heaviside(number, z))(given)):
            assert found.dtype == given.dtype
            np.testing.assert_array_equal(found, expected)
        short, wide = Value(given[0]), Value(given[[0, 0]])
        choose(number, short, wide).sum().backward()
        np.testing.assert_array_equal(short.grad, np.full(3, 2.0 * (number > 0)))
        np.testing.assert_array_equal(wide.grad, np.full((2, 3), float(not number > 0)))
