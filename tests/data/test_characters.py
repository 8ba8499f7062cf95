"""The list of names, and characters as integers."""

import numpy as np
import pytest

from adjoint.data import Characters, names
from adjoint.errors import ArgumentError


def test_names_are_distinct_words_in_lower_case():
    found = names()
    assert len(set(found)) == len(found) > 500
    assert all(name.isascii() and name.islower() and name.isalpha() for name in found)


def test_every_text_is_decoded_from_its_encoding():
    characters = Characters(names())
    assert characters.vocab_size == 27
    for name in names():
        assert characters.decode(characters.encode(name)) == name


def test_windows_hold_the_characters_before_each_character():
    characters = Characters("abc")
    X, y = characters.windows(["cab", "a"], context=3)
    assert X.tolist() == [[0, 0, 0], [0, 0, 3], [0, 3, 1], [3, 1, 2], [0, 0, 0], [0, 0, 1]]
    assert y.tolist() == [3, 1, 2, 0, 1, 0]


def test_windows_of_one_character_are_bigrams():
    characters = Characters(names())
    X, y = characters.windows(names(), context=1)
    counts = np.zeros((27, 27), int)
    np.add.at(counts, (X[:, 0], y), 1)
    text = "." + ".".join(names()) + "."
    for pair in ("an", ".a", "y."):
        first, second = (0 if c == "." else characters.encode(c)[0] for c in pair)
        assert counts[first, second] == text.count(pair)


def test_sequences_pair_each_character_with_the_next_and_ignore_the_padding():
    characters = Characters("ab")
    X, Y = characters.sequences(["ab", "", "bab"])
    assert X.tolist() == [[0, 1, 2, 0], [0, 0, 0, 0], [0, 2, 1, 2]]
    assert Y.tolist() == [[1, 2, 0, -100], [0, -100, -100, -100], [2, 1, 2, 0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Characters([]), "at least one character"),
        (
            lambda: Characters("abc").encode("abx"),
            "unknown character 'x' at position 2 of str 'abx'",
        ),
        (lambda: Characters("abc").decode([1, 4]), "numbered from 0 to 3, so 4 is out of range"),
        (lambda: Characters("abc").windows([], 2), "the list of texts is empty"),
        (lambda: Characters("abc").sequences([]), "the list of texts is empty"),
        (lambda: Characters("abc").windows(["a"], 0), "context must be an integer of at least 1"),
    ],
)
def test_unknown_characters_and_empty_texts_are_refused(make, message):
    with pytest.raises(ArgumentError) as error:
        make()
    assert message in str(error.value)
