"""Summaries of numbers and of arrays of any library."""

import math

import numpy as np
import pytest
import torch

from adjoint import Value, explain, jit
from adjoint.see.explanation.summaries import ArraySummary, as_json, bounds, in_words, summary


def test_an_array_is_summarized_by_shape_dtype_and_range():
    assert summary(Value(2.5)) == summary(2.5) == summary(np.array(2.5)) == 2.5
    found = summary(np.arange(12.0, dtype=np.float32).reshape(3, 4))
    assert found == ArraySummary((3, 4), "float32", 0.0, 5.5, 11.0, None)
    assert summary(np.array([1.0, 2.0])).values == [1.0, 2.0]


def test_pytorch_arrays_are_summarized_in_the_same_way():
    assert summary(torch.ones(2, 2)) == ArraySummary((2, 2), "float32", 1.0, 1.0, 1.0, [[1.0, 1.0], [1.0, 1.0]])


def test_an_empty_array_has_no_range():
    found = summary(np.zeros((0, 3)))
    assert (found.min, found.mean, found.max) == (None, None, None)
    assert in_words(found, str, brief=True) == "array 0×3"


def test_the_elements_of_a_traced_array_are_unknown():
    explanations = []

    @jit
    def square(x):
        loss = (x * x).sum()
        explanations.append(str(explain(loss)))
        return loss

    assert float(square(Value(np.ones(7), label="x"))) == 7.0
    assert "(7,)   = unknown elements" in explanations[0]


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf])
def test_json_has_strings_for_non_finite_numbers(x):
    assert as_json([x, 1.0]) == [{"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(x)], 1.0]


def test_bounds_cover_numbers_and_arrays():
    assert bounds([1.0, summary(np.array([-5.0, 5.0])), None, "2 results"]) == "−5 … 5"
    assert bounds([2.0, 2.0]) == "2"
    assert bounds([]) == "–"
