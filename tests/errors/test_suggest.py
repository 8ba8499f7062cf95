"""Suggestions of the closest known name for an unknown one."""

from adjoint.errors import ArgumentError
from adjoint.errors.suggest import nearest, unknown_name_error


def test_the_closest_name_is_suggested_regardless_of_case():
    error = unknown_name_error("optimizer", "adamw", ["SGD", "AdamW"])
    assert isinstance(error, ArgumentError)
    assert str(error) == "unknown optimizer 'adamw' (did you mean 'AdamW'?); the known ones: SGD, AdamW"


def test_swapped_letters_are_closer_than_a_missing_letter():
    assert nearest("tahn", ["tan", "tanh", "atan"]) == "tanh"


def test_nothing_is_suggested_if_no_name_is_close():
    assert str(unknown_name_error("dataset", 5, ["moons"], "; or a file")) == (
        "unknown dataset 5; the known ones: moons; or a file"
    )
