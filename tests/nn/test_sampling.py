"""The choice of tokens, compared with a reference that sorts and adds up one token after the other."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.support.fuzzing import examples

from adjoint.arrays.backends import NUMPY
from adjoint.nn.sampling import UNKNOWN, choose, likely


def likely_tokens(scores: list[float], top_k: int | None, top_p: float | None) -> list[int]:
    """Return the likely tokens, in the order of their indices."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])[:top_k]
    if top_p is not None:
        total = math.fsum(math.exp(scores[i]) for i in order)
        kept, mass = [], 0.0
        for i in order:
            if mass >= top_p:
                break
            kept.append(i)
            mass += math.exp(scores[i]) / total
        order = kept
    return sorted(order)


def token_at(scores: list[float], uniform: float, kept: list[int]) -> int:
    total, mass = math.fsum(math.exp(scores[i]) for i in kept), 0.0
    for i in kept:
        mass += math.exp(scores[i]) / total
        if mass > uniform:
            return i
    return kept[-1]


@st.composite
def choices(draw):
    # distinct scores, so that the likely tokens do not depend on how ties are broken
    numbers = st.integers(-400, 400)
    scores = [i / 50 for i in draw(st.lists(numbers, min_size=1, max_size=40, unique=True))]
    top_k = draw(st.none() | st.integers(1, 45))
    top_p = draw(st.none() | st.floats(0.01, 0.99))
    return scores, draw(st.floats(0, 0.999)), draw(st.sampled_from([0.5, 1.0, 2.0])), top_k, top_p


@examples(200)
@given(choices())
def test_tokens_are_those_of_the_reference(case):
    scores, uniform, temperature, top_k, top_p = case
    scaled = [x / temperature for x in scores]
    kept = likely_tokens(scaled, top_k, top_p)
    found = likely(NUMPY, np.array([scaled]), top_k, top_p)[0]
    assert np.flatnonzero(np.isfinite(found)).tolist() == kept
    token = choose(NUMPY, np.array([scores]), np.array([uniform]), temperature, top_k, top_p)
    assert token.tolist() == [token_at(scaled, uniform, kept)]


def test_the_frequencies_of_tokens_are_their_probabilities():
    scores = np.log([[0.5, 0.25, 0.125, 0.125]]).repeat(4000, axis=0)
    uniform = (np.arange(4000) + 0.5) / 4000
    tokens = choose(NUMPY, scores, uniform, 1.0, None, None)
    assert np.bincount(tokens).tolist() == [2000, 1000, 500, 500]


def test_a_large_vocabulary_in_float32_gives_the_tokens_of_float64():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 50257)).astype(np.float32)
    uniform = rng.random(20)
    ends = np.cumsum(np.exp(scores.astype(float)), axis=1)
    expected = [int(np.searchsorted(row, u * row[-1], side="right")) for row, u in zip(ends, uniform)]
    found = choose(NUMPY, scores, uniform.astype(np.float32), 1.0, None, None)
    # float32 has a relative precision of 6e-8, and a token has a probability of about 2e-5
    assert np.abs(found - expected).max() <= 1


@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-24])
def test_a_token_that_is_not_likely_is_never_drawn(uniform):
    scores = np.full((1, 1000), -np.inf, np.float32)
    scores[0, [3, 700]] = 0.1
    token = choose(NUMPY, scores, np.array([uniform], np.float32), 1.0, None, None)
    assert token.tolist() == [3 if uniform == 0 else 700]


def test_scores_that_are_nan_give_no_token():
    for temperature in (None, 1.0):
        found = choose(NUMPY, np.array([[0.0, np.nan], [0.0, 1.0]]), np.array([0.9, 0.9]), temperature, None, None)
        assert found.tolist() == [UNKNOWN, 1]
