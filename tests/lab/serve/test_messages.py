"""Messages of a page: what is accepted, and the error for each mistake."""

import json

import pytest

from adjoint.errors import AdjointError, LabError
from adjoint_lab.serve import messages
from adjoint_lab.serve.messages import MAX_DEPTH, fields, finite, flag, items, number, one_of, read, text, whole


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("", "must be JSON, and this is not: Expecting value"),
        ("{", "must be JSON, and this is not"),
        ("{'id': 1}", "must be JSON, and this is not"),
        ('{"id": 1} {"id": 2}', "Extra data"),
        ("3", "must be a JSON object, not int 3"),
        ('"text"', "must be a JSON object, not str 'text'"),
        ("null", "must be a JSON object, not None"),
        ('{"x": NaN}', "JSON has no NaN"),
        ('{"x": -Infinity}', "JSON has no -Infinity"),
        ('{"x": ' + "9" * 5000 + "}", "an integer with thousands of digits"),
        ("[" * 100_000, "nested at most 16 deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested at most 16 deep"),
        ('{"x": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}", "nested at most 16 deep"),
    ],
)
def test_an_invalid_message_is_refused(written, problem):
    with pytest.raises(LabError, match=problem):
        read(written)


def test_a_wide_message_of_the_allowed_depth_is_accepted():
    message = {"points": [[0.5, 1.0, 1]] * 1000, "deep": json.loads("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1))}
    assert read(json.dumps(message)) == message


def test_brackets_in_a_string_do_not_count_as_depth():
    assert read(json.dumps({"expression": "[" * 1000}))["expression"] == "[" * 1000


@pytest.mark.parametrize("given", [0, 9, -1, 3.0, True, "3", None, [3], {}, 10**400])
def test_an_integer_out_of_bounds_or_of_another_type_is_refused(given):
    with pytest.raises(LabError, match=r"^layers must be a whole number from 1 to 8, not "):
        whole({"layers": given}, "layers", 1, 8)


@pytest.mark.parametrize("given", [-0.1, 1.1, True, "0.5", None, [0.5], {}, 10**400, json.loads("1e999")])
def test_a_number_out_of_bounds_or_of_another_type_is_refused(given):
    with pytest.raises(LabError, match=r"^noise must be a number from 0 to 1, not "):
        number({"noise": given}, "noise", 0, 1)
    with pytest.raises(LabError, match=r"^a coordinate must be a number from 0 to 1, not "):
        finite(given, "a coordinate", 0, 1)


@pytest.mark.parametrize("given", [10**400, -(10**400), json.loads("-1e999")])
def test_a_number_without_bounds_must_be_finite(given):
    with pytest.raises(LabError, match=r"^x must be a number, not "):
        number({"x": given}, "x")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("abcdef", "expression must be a text of at most 5 characters, not str 'abcdef'"),
        (5, "expression must be a text of at most 5 characters, not int 5"),
        ("a\0", "expression contains NUL or an unpaired surrogate"),
        ("\ud800", "expression contains NUL or an unpaired surrogate"),
    ],
)
def test_a_text_that_is_too_long_or_cannot_be_encoded_is_refused(given, problem):
    with pytest.raises(LabError, match=problem):
        text({"expression": given}, "expression", 5)


@pytest.mark.parametrize("given", ["sgdd", 3, None, ["sgd"], {"sgd": 1}, ""])
def test_an_unknown_name_is_refused_with_the_known_ones(given):
    with pytest.raises(LabError, match=r"^unknown optimizer .*the known ones: sgd, adam"):
        one_of({"optimizer": given}, "optimizer", ["sgd", "adam"])


def test_a_very_long_name_is_not_repeated_in_full():
    with pytest.raises(LabError) as refused:
        one_of({"optimizer": "sgd" * 1000}, "optimizer", ["sgd", "adam"])
    assert len(str(refused.value)) < 200


def test_flags_lists_and_objects_are_not_confused():
    for given in (0, 1, "true", None, []):
        with pytest.raises(LabError, match=r"^on must be true or false, not "):
            flag({"on": given}, "on")
    for given in ("ab", {"a": 1}, [1, 2, 3], None):
        with pytest.raises(LabError, match=r"^sizes must be a list of at most 2 elements, not "):
            items({"sizes": given}, "sizes", 2)
    for given in ("ab", [1], None, 3):
        with pytest.raises(LabError, match=r"^numbers must be an object, not "):
            fields({"numbers": given}, "numbers")


@pytest.mark.parametrize(
    ("reader", "arguments"),
    [
        ("whole", (1, 8)),
        ("number", ()),
        ("flag", ()),
        ("text", (5,)),
        ("one_of", (["a"],)),
        ("items", (2,)),
        ("fields", ()),
    ],
)
def test_a_missing_field_is_named_unless_it_has_a_default(reader, arguments):
    read_field, default = getattr(messages, reader), object()
    with pytest.raises(LabError, match=r"^size is missing; send "):
        read_field({"sise": 1}, "size", *arguments)
    assert read_field({}, "size", *arguments, default=default) is default


def test_a_lab_error_is_an_adjoint_error_and_a_value_error():
    assert issubclass(LabError, AdjointError)
    assert issubclass(LabError, ValueError)
