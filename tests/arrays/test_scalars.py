"""Scalars as one array: read and assigned, on both engines."""

import numpy as np
import pytest

import adjoint
from adjoint import Value
from adjoint.arrays.scalars import gather, mathematics_of, scatter
from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.tape import ArraysNeeded, Tape


class Weight(Value):
    """A Value of a user's class."""


@pytest.mark.parametrize("kind", [Value, Weight])
def test_the_numbers_of_scalars_are_read_into_one_array(kind):
    values = [kind(x) for x in (1.0, -2.5, 0.0)]
    (values[0] * 3 + values[1] * values[1]).backward()
    assert gather(values).tolist() == [1.0, -2.5, 0.0]
    assert gather(values, is_grad=True).tolist() == [3.0, -5.0, 0.0]


@pytest.mark.parametrize("kind", [Value, Weight])
@pytest.mark.parametrize("array", [np.array([4.0, -0.0]), np.array([4, 0]), np.array([4.0, 7.0, -0.0])[::2]])
def test_the_numbers_of_an_array_are_assigned_to_scalars(kind, array):
    values = [kind(1.0), kind(2.0)]
    scatter(array, values)
    scatter(2 * array, values, is_grad=True)
    assert [value.data for value in values] == array.tolist()
    assert [value.grad for value in values] == (2 * array).tolist()
    assert all(type(number) is float for value in values for number in (value.data, value.grad))


def test_an_assigned_gradient_is_no_longer_spent():
    value = Value(1.0)
    value._spent = True
    scatter(np.array([2.0]), [value], is_grad=True)
    assert not value._spent


def test_gradients_that_are_values_are_read_and_replaced():
    x, y = Value(3.0), Value(1.0)
    (x * x).backward(create_graph=True)
    assert isinstance(x.grad, Value)
    assert gather([x, y], is_grad=True).tolist() == [6.0, 0.0]
    scatter(np.array([1.0, 2.0]), [x, y], is_grad=True)
    assert [x.grad, y.grad] == [1.0, 2.0]


def recorded(fn, *columns):
    """Return what `fn` computes with vectors of numbers, recorded and replayed."""
    tape, columns = Tape(), [[Value(x) for x in column] for column in columns]
    with TapeRecording(tape):
        result = fn(*map(gather, columns))
        numbers = list(result) if hasattr(result, "shape") else [result]
    program = tape.fold([tape.entry(x) for x in numbers], b"\1" * tape.input_count)
    program.connect([(1, i) for i in range(tape.input_count)], [(0, i) for i in range(len(numbers))])
    return program.run(tuple(tape.values), ())


@pytest.mark.parametrize(
    "fn",
    [
        lambda p, g: p * 0.9 + (1 - 0.9) * g,
        lambda p, g: 2 / p - g / 3,
        lambda p, g: (p * p) ** 0.5 - abs(-g),
        lambda p, g: 2.0**p,
        lambda p, g: mathematics_of(p, "a test").sign(g),
        lambda p, g: mathematics_of(p, "a test").maximum(mathematics_of(p, "a test").minimum(g, 1.0), -1.0),
        lambda p, g: mathematics_of(p, "a test").max(p * g),
        lambda p, g: mathematics_of(p, "a test").sum(p * g),
        lambda p, g: np.sqrt(p * p) - np.maximum(g, 0.5) * np.sign(p),
        lambda p, g: adjoint.sqrt(p * p) + adjoint.minimum(1.0, g),
    ],
)
def test_numbers_that_are_recorded_compute_as_an_array(fn):
    p, g = [1.0, -2.5, 0.5], [0.25, 3.0, -1.5]
    assert recorded(fn, p, g) == np.atleast_1d(fn(np.array(p), np.array(g))).tolist()


def test_numbers_that_are_recorded_are_no_numpy_array():
    for use in (np.asarray, np.add.reduce, lambda p: p * np.ones(2), lambda p: np.ones(2) * p):
        with pytest.raises(ArraysNeeded):
            recorded(use, [1.0, 2.0])
