"""Names of nodes: readable, stable, no two alike."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from adjoint import Value, draw, explain
from adjoint.see.explanation.naming import names_of, one_line


def test_names_are_the_same_in_every_picture_and_each_time():
    a = Value(2.0, label="a")
    y = (a * 3 + 1).tanh() * a
    names = [node.name for node in explain(y).nodes]
    assert names == ["a", "v1", "v2", "v3", "v4"]
    assert [node.name for node in explain(y).nodes] == names
    assert draw(y).startswith("v4 = v3 * a")
    assert ">v4<" in draw(y, "svg")


def test_labels_that_occur_twice_and_labels_like_automatic_ones_stay_apart():
    labels = ["x", "x", "x#2", "", "v1", "", "x"]
    names = names_of([Value(1.0, label=label) for label in labels])
    assert list(names.values()) == ["x", "x#3", "x#2", "v2", "v1", "v3", "x#4"]


@given(st.lists(st.text(max_size=6), max_size=12))
def test_no_two_names_are_alike(labels):
    values = [Value(1.0, label=label) for label in labels]
    assert len(set(names_of(values).values())) == len(values)


@given(st.text())
def test_a_label_becomes_one_short_line_that_can_be_seen(text):
    line = one_line(text)
    assert len(line) <= 40
    assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert line == line.strip()


@pytest.mark.parametrize("label", [3, None, ("a", "b")])
def test_a_label_that_is_no_text_is_written_out(label):
    x = Value(1.0)
    x.label = label
    assert draw(x).startswith(f"{label if label else 'v1'}  data")
