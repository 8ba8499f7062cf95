"""Shuffled orders that are not stored."""

import numpy as np
from hypothesis import given, settings, strategies as st

from adjoint.data.permutations import keys, permute


@given(st.integers(1, 3000), st.integers(0, 2**63 - 1), st.integers(0, 2**40))
@settings(max_examples=50, deadline=None)
def test_every_number_has_one_place(size, seed, epoch):
    order = permute(np.arange(size), size, keys(seed, np.full(size, epoch)))
    assert sorted(order.tolist()) == list(range(size))


def test_the_order_of_billions_is_computed_in_part():
    size = 7_000_000_001
    places = np.array([0, 1, size - 1])
    found = permute(places, size, keys(3, np.zeros(3, int)))
    assert len(set(found.tolist())) == 3
    assert ((found >= 0) & (found < size)).all()
    assert found.tolist() != places.tolist()
    np.testing.assert_array_equal(permute(places[2:], size, keys(3, np.zeros(1, int))), found[2:])


def test_the_numbers_at_neighboring_places_are_not_correlated():
    order = permute(np.arange(10_000), 10_000, keys(0, np.zeros(10_000, int)))
    assert abs(np.corrcoef(order[:-1], order[1:])[0, 1]) < 0.04  # four standard deviations
    assert abs(np.corrcoef(order, np.arange(10_000))[0, 1]) < 0.04


def test_each_number_is_first_with_the_same_probability():
    first = permute(np.zeros(6000, int), 6, keys(0, np.arange(6000)))
    counts = np.bincount(first, minlength=6)
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5  # chi-squared with 5 degrees of freedom: p = 0.001
