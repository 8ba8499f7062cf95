"""Names of nodes: readable, stable and unique."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from adjoint import Value, draw, explain
from adjoint.see.explanation.naming import names_of, one_line


def test_names_are_the_same_in_every_picture():
    a = Value(2.0, label="a")
    y = (a * 3 + 1).tanh() * a
    names = [node.name for node in explain(y).nodes]
    assert names == ["a", "v1", "v2", "v3", "v4"]
    assert [node.name for node in explain(y).nodes] == names
    assert draw(y).startswith("v4 = v3 * a")
    assert ">v4<" in draw(y, "svg")


def test_repeated_labels_and_labels_like_automatic_names_stay_unique():
    labels = ["x", "x", "x#2", "", "v1", "", "x"]
    names = names_of([Value(1.0, label=label) for label in labels])
    assert list(names.values()) == ["x", "x#3", "x#2", "v2", "v1", "v3", "x#4"]


@pytest.mark.long
@given(st.lists(st.text(max_size=6), max_size=12))
def test_names_are_unique(labels):
    values = [Value(1.0, label=label) for label in labels]
    assert len(set(names_of(values).values())) == len(values)


@given(st.text())
def test_a_label_becomes_one_short_visible_line(text):
    line = one_line(text)
    assert len(line) <= 40
    assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert line == line.strip()


@pytest.mark.parametrize("label", [3, None, ("a", "b")])
def test_a_label_that_is_not_a_string_is_converted(label):
    x = Value(1.0)
    x.label = label
    assert draw(x).startswith(f"{label if label else 'v1'}  data")
