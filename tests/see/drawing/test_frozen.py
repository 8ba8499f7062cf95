"""Drawings say which leaves are frozen."""

import pytest

from adjoint import Value, draw


@pytest.mark.parametrize(
    "make", [lambda x: Value(x, label="b"), lambda x: Value([x], label="b")], ids=["number", "array"]
)
def test_a_frozen_leaf_is_marked_in_text_and_svg(make):
    b = make(3.0)
    loss = (Value(2.0, label="w") * b).sum()
    assert "frozen" not in str(draw(loss, "text")) + str(draw(loss, "svg"))
    b.requires_grad = False
    loss.backward()
    assert str(draw(loss, "text")).count("frozen") == 1
    assert str(draw(loss, "svg")).count("frozen") == 1
