"""Unknown names and the nearest known ones."""

from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown_name_error


def test_the_nearest_name_is_suggested_whatever_its_case():
    error = unknown_name_error("optimizer", "adamw", ["SGD", "AdamW"])
    assert isinstance(error, ArgumentError)
    assert str(error) == "unknown optimizer 'adamw' (did you mean 'AdamW'?); the known ones: SGD, AdamW"


def test_nothing_is_suggested_where_nothing_is_near():
    assert str(unknown_name_error("dataset", 5, ["moons"], "; or a file")) == (
        "unknown dataset 5; the known ones: moons; or a file"
    )
