"""The attributes of a Value are fixed; a misspelled one is an error that suggests the nearest name."""

import pytest

from adjoint import Value
from adjoint.errors import AdjointError

NUMBER, ARRAY = (lambda: Value(2.0)), (lambda: Value([1.0, 2.0]))
COMPUTED = (lambda: Value(2.0) * 3.0), (lambda: Value([1.0, 2.0]).exp()), (lambda: Value([1.0, 2.0]).cumsum())


@pytest.mark.parametrize("make", [NUMBER, ARRAY, *COMPUTED])
@pytest.mark.parametrize(
    ("name", "meant"), [("gard", "grad"), ("dta", "data"), ("lable", "label"), ("_bakward", "_backward")]
)
def test_assigning_a_misspelled_attribute_suggests_the_nearest_one(make, name, meant):
    value = make()
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}' \(did you mean '{meant}'\?\)") as caught:
        setattr(value, name, 0.0)
    assert isinstance(caught.value, AdjointError)
    assert not hasattr(value, name)


@pytest.mark.parametrize("make", [NUMBER, ARRAY])
def test_assigning_any_other_attribute_says_where_to_keep_it(make):
    with pytest.raises(AttributeError, match="no attribute 'momentum'; keep data of your own in its label, in a dict"):
        make().momentum = 0.9


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
