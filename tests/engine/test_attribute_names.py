"""The attributes of a Value are fixed: assigning another one is an error."""

import pytest

from adjoint import Value

NUMBER, ARRAY = (lambda: Value(2.0)), (lambda: Value([1.0, 2.0]))
COMPUTED = (lambda: Value(2.0) * 3.0), (lambda: Value([1.0, 2.0]).exp()), (lambda: Value([1.0, 2.0]).cumsum())


@pytest.mark.parametrize("make", [NUMBER, ARRAY, *COMPUTED])
@pytest.mark.parametrize("name", ["gard", "dta", "_bakward", "momentum"])
def test_assigning_an_attribute_that_a_value_does_not_have_is_an_error(make, name):
    value = make()
    with pytest.raises(AttributeError, match=f"'{type(value).__name__}' object has no attribute '{name}'"):
        setattr(value, name, 0.0)
    assert not hasattr(value, name)
    assert not hasattr(value, "__dict__")


def test_subclasses_of_users_have_the_attributes_they_like():
    class Weight(Value):
        pass

    w = Weight(2.0)
    w.momentum = 0.9
    y = w * 3
    y.note = "computed"
    assert (w.momentum, y.note) == (0.9, "computed")


@pytest.mark.parametrize("make", [NUMBER, ARRAY])
def test_reading_an_unknown_attribute_lets_python_suggest_the_nearest_one(make):
    with pytest.raises(AttributeError) as caught:
        make().gard  # noqa: B018
    assert (caught.value.name, type(caught.value.obj)) == ("gard", type(make()))


def test_deleting_an_attribute_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError):
        del Value(2.0).gard
