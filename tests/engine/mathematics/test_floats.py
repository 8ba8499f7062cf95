"""Plain numbers: mathematical functions that follow IEEE 754, and what counts as a number."""

import math
import struct
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from closeness import require_close
from hypothesis import given, strategies as st

from adjoint.engine.mathematics import floats
from adjoint.errors import NumberError, NumberRangeError
from adjoint.errors.given import describe, is_number, number

UNARY = [
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "abs",
]
INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
           "atanh": "arctanh"}  # fmt: skip


@pytest.mark.parametrize("name", [*UNARY, *INVERSE])
@given(x=st.floats())
def test_functions_agree_with_numpy_at_the_edges(name, x):
    with np.errstate(all="ignore"):
        theirs = float(getattr(np, INVERSE.get(name, name))(x))
    if name in ("sin", "cos", "tan") and abs(x) > 1e9:
        return  # the two libraries reduce huge angles with different precision
    require_close(getattr(floats, name)(x), theirs)


@pytest.mark.parametrize(("ours", "theirs"), [("pow", "power"), ("divide", "divide"), ("maximum", "maximum"),
                                              ("minimum", "minimum"), ("atan2", "arctan2")])  # fmt: skip
@given(x=st.floats(), z=st.floats() | st.integers(-5, 5).map(float))
def test_functions_of_two_operands_agree_with_numpy_at_the_edges(ours, theirs, x, z):
    with np.errstate(all="ignore"):
        expected = float(getattr(np, theirs)(x, z))
    require_close(getattr(floats, ours)(x, z), expected)


@given(x=st.floats(), z=st.floats())
def test_an_ieee_float_computes_as_the_processor_does(x, z):
    a, b = floats.IEEEFloat(x), np.float64(z)
    with np.errstate(all="ignore"):
        for ours, theirs in (
            (a / floats.IEEEFloat(z), np.float64(x) / b),
            (1 / a, 1 / np.float64(x)),
            (a * z - 2, np.float64(x) * b - 2),
            (-a + 1, -np.float64(x) + 1),
        ):
            assert type(ours) is floats.IEEEFloat
            assert struct.pack("d", ours) == struct.pack("d", theirs) or (math.isnan(ours) and math.isnan(theirs))


@pytest.mark.parametrize(
    "x",
    [1, 1.5, True, np.float32(1), np.int8(1), np.bool_(True), np.array(1.0), Fraction(1, 2), Decimal("0.5")],
)
def test_real_numbers_of_all_kinds_are_numbers(x):
    assert is_number(x)
    assert type(number(x)) is float


@pytest.mark.parametrize(
    "x",
    [
        "1",
        b"1",
        None,
        1j,
        np.complex64(1),
        np.str_("1"),
        np.array([1.0]),
        [1],
        object(),
        float,
        np.datetime64(1, "D"),
    ],
)
def test_other_objects_are_not_numbers(x):
    assert not is_number(x)
    with pytest.raises(NumberError, match="rate needs a number, not "):
        number(x, "rate")


def test_an_integer_beyond_the_range_of_floats_is_an_error_that_says_so():
    with pytest.raises(NumberRangeError, match="not an integer of 1329 bits; scale it down"):
        number(10**400)


def test_a_long_object_is_described_briefly():
    assert len(describe(list(range(10_000)))) < 80
    assert len(describe("x" * 10_000)) < 80
    assert describe(None) == "None"
