"""Traced numbers: their arithmetic and types, choices by conditions, and what needs the number itself or arrays."""

import math
import operator

import numpy as np
import pytest
from recording import Recorded, agree

import adjoint
from adjoint import Value
from adjoint.compile.numbers.tape import ArraysNeeded
from adjoint.errors import NumberError, TraceError

# --- choices and numbers ---


def test_conditions_are_recorded():
    def function(a, b):
        y = adjoint.where(a > b, a * b, adjoint.where((a <= 0.0) & (b.data != 2.0), b, 5.0)) + a * 0.5
        y.backward()
        return y, adjoint.where(a.data < 1.0, 3, 4), adjoint.where((a < 0) | (b < 0), a, b), adjoint.where(a, 1.0, b)

    agree(function, (1.5, -0.5), (3.0, 2.0), (-1.0, 2.0), (-1.0, 3.0), (0.0, 1.0))


def test_a_choice_has_higher_derivatives():
    def function(a, b):
        y = adjoint.where(a > b, a**3, b * a)
        y.backward(create_graph=True)
        slope = a.grad
        a.grad = b.grad = None
        (slope * slope).backward()
        return slope

    agree(function, (1.5, -0.5), (-3.0, 2.0))


def test_a_choice_passes_no_gradient_to_the_other_side_even_if_it_is_infinite():
    def function(a, b):
        adjoint.where(a > 0, a, b).backward(gradient=math.inf)

    agree(function, (1.5, -0.5), (-3.0, 2.0))


ARITHMETIC = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod, operator.floordiv,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
)  # fmt: skip


@pytest.mark.parametrize("combine", ARITHMETIC, ids=lambda f: f.__name__)
def test_traced_numbers_compute_and_have_the_types_of_python(combine):
    samples = (2.5, 3, True)
    for left in samples:
        for right in samples:
            for function, numbers in (
                (combine, (left, right)),
                (lambda x, right=right: combine(x, right), (left,)),
                (lambda x, left=left: combine(left, x), (right,)),
            ):
                recorded = agree(function, (), numbers=(numbers,))
                expected = {float: 0, int: 1, bool: 2}[type(function(*numbers))]
                assert recorded.kinds == [expected], (left, right)


def test_more_arithmetic_of_traced_numbers():
    def function(x, n, b):
        return -x, abs(x), +x, -n, abs(-n), divmod(n, 2)[0], divmod(7, n)[1], b & (n > 2), b | False, n**-1, b ^ b

    recorded = agree(function, (), numbers=((-2.5, 3, True), (1.0, 2, False)))
    assert recorded.kinds == [0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 2]


def test_the_opposite_of_a_condition():
    recorded = Recorded(lambda a: (~(a > 1.0), adjoint.where(~(a > 1.0), 5.0, a)), 2.0)
    assert recorded.kinds == [2, 0]
    assert recorded.run(recorded.single, (0.5,))[:2] == recorded.run(recorded.folded, (0.5,))[:2] == [1.0, 5.0]
    assert recorded.run(recorded.single, (3.0,))[:2] == recorded.run(recorded.folded, (3.0,))[:2] == [0.0, 3.0]


def test_numbers_of_numpy_compute_with_traced_numbers():
    def function(x):
        two = np.float64(2.0)
        assert isinstance(np.power(x, 2), type(x))
        return two * x, x * two, two - x, np.int64(3) + x, np.tanh(x), adjoint.where(two < x, 1.0, 0.0), x**two

    recorded = agree(function, (), numbers=((0.5,), (3.0,)))
    assert recorded.kinds[0] == 0


def test_an_int_becomes_a_float_in_a_value():
    def function(n):
        a = Value(n)
        a.grad = n
        (a * n).backward()
        a.data = n + 1
        return a.data, a.grad, a / 2

    recorded = agree(function, (), numbers=((3,), (5,)))
    assert recorded.kinds == [0, 0, 0]


def test_a_traced_number_next_to_a_value_is_a_constant():
    def function(a):
        t = a.data * 2.0
        y = t * a + a**t - t / a + Value(t)
        y.backward()
        assert isinstance(t + a, Value)
        return y

    agree(function, (1.5,), (0.5,))


# --- what needs the number ---

NEEDS = {
    "float": float, "int": int, "bool": bool, "round": round, "math.exp": math.exp, "math.floor": math.floor,
    "index": lambda x: [1, 2][x], "format": lambda x: f"{x:.3f}", "text": str, "hash": hash, "range": range,
    "not": operator.not_, "max": lambda x: max(x, 2.0), "sorted": lambda x: sorted([x, 2.0]),
    "complex": complex, "is_integer": lambda x: x.is_integer(), "invert": operator.invert, "and": lambda x: x & 1,
}  # fmt: skip


@pytest.mark.parametrize("need", NEEDS)
def test_what_needs_the_number_itself_is_an_error(need):
    with pytest.raises(TraceError) as found:
        Recorded(NEEDS[need], numbers=(2.0,))
    kinds = {"condition": ("bool", "not", "max", "sorted"), "index": ("index", "range"), "text": ("format", "text")}
    assert found.value.need == next((kind for kind, names in kinds.items() if need in names), "number")


@pytest.mark.parametrize(
    "need", [float, Value.item, "{:.2f}".format, lambda v: max(v, 2.0), lambda v: bool(v > 1), math.sqrt]
)
def test_what_needs_the_number_of_a_value_is_an_error(need):
    with pytest.raises(TraceError):
        Recorded(need, 2.0)
    with pytest.raises(TraceError):
        Recorded(lambda v: need(v * 2.0), 2.0)
    assert Recorded(lambda v: need(Value(4.0)) and None, 2.0)  # a constant is known


def test_values_and_numbers_can_be_printed_while_recording():
    def function(a):
        b = a * 2.0
        assert repr(b).startswith("Value(data=?, grad=")
        assert f"{a}" == repr(a)
        assert "?" in repr(a)
        assert repr(a.data) == "TracedNumber(float)"
        assert repr(a > 1) == "TracedNumber(bool)"

    Recorded(function, 2.0)


def test_a_division_by_a_constant_zero_raises_as_for_floats():
    for divide in (operator.truediv, operator.floordiv, operator.mod):
        with pytest.raises(ZeroDivisionError):
            Recorded(lambda x, divide=divide: divide(x, 0), numbers=(2.0,))


def test_what_is_no_number_is_the_usual_error():
    for wrong in (lambda a: a.data + "x", lambda a: a.data > "x", lambda a: a + "x", lambda a: adjoint.exp("x")):
        with pytest.raises(TypeError) as found:
            Recorded(wrong, 2.0)
        assert not isinstance(found.value, TraceError)
    with pytest.raises(NumberError):
        Recorded(lambda a: setattr(a, "data", "x"), 2.0)
    Recorded(lambda a: None if (a.data == None) is False else 1 / 0, 2.0)  # noqa: E711


ARRAYS = {
    "a Value and an array": lambda a: a * np.ones(3),
    "an array and a Value": lambda a: np.ones(3) * a,
    "a Tensor": lambda a: a + adjoint.Tensor([1.0, 2.0]),
    "a list": lambda a: Value([1.0, a.data]),
    "stack": lambda a: adjoint.stack([a, a]),
    "np.stack": lambda a: np.stack([a, a]),
    "a method of arrays": lambda a: a.sum(),
    "reshape": lambda a: a.reshape(1, 1),
    "a number and an array": lambda a: a.data * np.ones(3),
    "an array and a number": lambda a: np.ones(3) - a.data,
    "np.array": lambda a: np.array([a.data, 1.0]),
    "np.stack of numbers": lambda a: np.stack([a.data, 1.0]),
    "np.float32": lambda a: a.data * np.float32(0.5),
    "an op": lambda a: adjoint.maximum(a.data, np.ones(2)),
    "where": lambda a: adjoint.where(a > 0, np.ones(2), 0.0),
    "where of a Value": lambda a: adjoint.where(np.ones(2) > 0, a, 0.0),
    "the data of a Tensor": lambda a: W.data,
    "the number of a Tensor": lambda a: W.sum().item() * a,
    "the gradient of a Tensor": lambda a: W.grad,
    "no gradient of a Tensor": lambda a: W.zero_grad(),
    "an assigned gradient": lambda a: setattr(W, "grad", [5.0, 5.0]),
    "a backward pass of a Tensor": lambda a: TOTAL.backward(),
    "a number made of an array": lambda a: Value(1.0, (W,), "sum").backward(),
    "a Tensor alone": lambda a: (W * 2.0).exp() @ W,
}
W = Value([1.0, 2.0])
W.grad = [3.0, 4.0]
TOTAL = (W * W).sum()


@pytest.mark.parametrize("case", ARRAYS)
def test_a_number_that_meets_an_array_asks_for_arrays(case):
    with pytest.raises(ArraysNeeded):
        Recorded(ARRAYS[case], 2.0)
    assert W.tolist() == [1.0, 2.0]
    assert W.grad.tolist() == [3.0, 4.0]
