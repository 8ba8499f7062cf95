"""Labels and indices: accepted forms, and errors that name an index out of range."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from adjoint import Value, errors
from adjoint.nn.indices import as_indices


@pytest.mark.parametrize(
    "given",
    [
        [0, 2, 1],
        (0, 2, 1),
        np.array([0, 2, 1]),
        np.array([0, 2, 1], np.uint8),
        np.array([[9, 9, 9], [0, 2, 1]], np.int16)[1],
        np.array([0, 9, 2, 9, 1, 9])[::2],
        torch.tensor([0, 2, 1]),
        jnp.asarray([0, 2, 1]),
    ],
    ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}",
)
def test_integers_are_accepted_in_many_forms(given):
    assert np.asarray(as_indices(given, 3, "label", "classes")).tolist() == [0, 2, 1]


def test_an_empty_list_is_an_empty_array():
    assert as_indices([], 3, "label", "classes").shape == (0,)
    assert as_indices([], 3, "label", "classes").dtype.kind == "i"


@pytest.mark.parametrize("given", [[[0], [1, 2]], ["a"], None, [0.5], Value([1.0]), True], ids=repr)
def test_anything_but_integers_is_refused(given):
    with pytest.raises(errors.ArgumentError, match="each label must be an integer from 0 to 2, not"):
        as_indices(given, 3, "label", "classes")


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_an_index_out_of_range_is_named_with_its_position(dtype):
    with pytest.raises(errors.ArrayIndexError, match=r"label 3 at position \(1, 0\) is out of range: there are 3"):
        as_indices(np.array([[0, 1], [3, 4]], dtype), 3, "label", "classes")


def test_only_the_ignored_index_may_be_out_of_range():
    assert as_indices([0, -7], 3, "label", "classes", ignored=-7).tolist() == [0, -7]
    with pytest.raises(errors.ArrayIndexError, match="label -8 at position 1"):
        as_indices([-7, -8], 3, "label", "classes", ignored=-7)
