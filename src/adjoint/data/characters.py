"""Text for language models: a list of first names, and the encoding of characters as integers."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adjoint.data.tokenizer import Tokenizer, each_text, require_text
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, whole

if TYPE_CHECKING:
    import numpy as np


def names() -> list[str]:
    """Return 558 first names in lower case.

    >>> from adjoint import data
    >>> len(data.names()), data.names()[:3]
    (558, ['aaron', 'abigail', 'adam'])
    """
    return (Path(__file__).parent / "first_names.txt").read_text(encoding="utf-8").split()


class Characters(Tokenizer):
    """The characters of some texts as tokens, numbered from 1; token 0 starts and ends each text.

    >>> from adjoint import data
    >>> characters = data.Characters(["ab", "cab"])
    >>> characters.vocab_size, characters.encode("cab")
    (4, array([3, 1, 2]))
    >>> characters.decode([3, 1, 2, 0])
    'cab'
    """

    end_of_text = 0

    def __init__(self, texts: Iterable[str]):
        if isinstance(texts, str):
            texts = [texts]
        self.letters = "".join(sorted(set().union(*each_text(texts, "Characters"))))
        if not self.letters:
            raise ArgumentError("Characters needs texts with at least one character; these have none")
        self._index = {letter: i for i, letter in enumerate(self.letters, 1)}

    @property
    def vocab_size(self) -> int:
        """The number of characters, and one for the end of a text."""
        return len(self.letters) + 1

    def encode(self, text: str) -> "np.ndarray":
        """Return the number of each character."""
        require_text(text)
        for position, letter in enumerate(text):
            if letter not in self._index:
                raise ArgumentError(
                    f"unknown character {letter!r} at position {position} of {describe(text)}; the known ones: "
                    f"{self.letters!r}"
                )
        import numpy as np

        return np.array([self._index[letter] for letter in text], dtype=np.int64)

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        return (self.letters[i - 1] for i in self.checked(ids) if i != self.end_of_text)

    def to_json(self) -> str:
        return json.dumps({"kind": "characters", "characters": self.letters})

    def windows(self, texts: Iterable[str], context: int) -> "tuple[np.ndarray, np.ndarray]":
        """Return a sample for each position in the texts: the `context` characters before it, and the one there.

        >>> X, y = Characters(["ab"]).windows(["ab"], context=2)
        >>> X.tolist(), y.tolist()
        ([[0, 0], [0, 1], [1, 2]], [1, 2, 0])
        """
        context = whole(context, "context")
        inputs, targets = [], []
        for text in each_text(texts, "windows"):
            padded = [self.end_of_text] * context + [*self.encode(text).tolist(), self.end_of_text]
            for i in range(context, len(padded)):
                inputs.append(padded[i - context : i])
                targets.append(padded[i])
        _require_some(targets)
        import numpy as np

        return np.array(inputs, dtype=np.int64), np.array(targets, dtype=np.int64)

    def sequences(self, texts: Sequence[str]) -> "tuple[np.ndarray, np.ndarray]":
        """Return each text as a row of inputs, and the character that follows each as its target.

        Shorter texts are padded with token 0 whose target is -100, which `cross_entropy` ignores.

        >>> X, Y = Characters(["a", "abc"]).sequences(["abc", "a"])
        >>> X.tolist(), Y.tolist()
        ([[0, 1, 2, 3], [0, 1, 0, 0]], [[1, 2, 3, 0], [1, 0, -100, -100]])
        """
        import numpy as np

        from adjoint.nn.losses import IGNORED

        encoded = [self.encode(text) for text in each_text(texts, "sequences")]
        _require_some(encoded)
        longest = max(map(len, encoded)) + 1
        X = np.full((len(encoded), longest), self.end_of_text)
        Y = np.full((len(encoded), longest), IGNORED)
        for i, row in enumerate(encoded):
            X[i, 1 : len(row) + 1] = Y[i, : len(row)] = row
            Y[i, len(row)] = self.end_of_text
        return X, Y


def _require_some(found: Sequence[object]) -> None:
    if not found:
        raise ArgumentError("the list of texts is empty; give at least one text")
