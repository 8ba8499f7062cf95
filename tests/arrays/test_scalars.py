"""Scalars as one array: read and assigned, on both engines."""

import numpy as np
import pytest

from adjoint import Value
from adjoint.arrays.scalars import gather, scatter


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
