"""Whether containers hold what they held before; `make test-python` runs these tests on the Python engine too."""

import pytest

from adjoint import Value
from adjoint.compile.fast.contents import same_contents

V = Value(1.0)
NAN = float("nan")


@pytest.mark.parametrize(
    ("now", "before", "same"),
    [
        ([V, 1.5, 10**20, "ab", b"ab", (1, (2.0, "c"))], [V, 1.5, 10**20, "ab"[:], b"ab", (1, (2.0, "c"))], True),
        ({"a": 1, "b": V}, {"a": 1, "b": V}, True),
        ([float("nan")], [NAN], True),  # the same bits
        ([0.0], [-0.0], False),
        ([1], [1.0], False),
        ([True], [1], False),
        ([Value(1.0)], [V], False),
        ([[1]], [[1]], False),  # a list is another container, compared by identity
        ([1, 2], [1], False),
        ([(1, 2)], [(1, 3)], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),  # the order of keys counts
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
    ],
)
def test_items_are_compared_by_identity_or_as_plain_data_of_the_same_type(now, before, same):
    assert same_contents([([], []), (now, before)]) is same
