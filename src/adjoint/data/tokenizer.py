"""Tokenizers turn text into token ids and back: what all of them can do, and the tokenizer of bytes."""

import codecs
import json
import operator
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from adjoint.data.text_files import missing_file_error
from adjoint.engine import late
from adjoint.errors import ArgumentError, FileError
from adjoint.errors.given import describe
from adjoint.errors.public_names import PublicTable

if TYPE_CHECKING:
    import numpy as np

_CLASSES = PublicTable("adjoint.data", {"characters": "Characters", "byte pairs": "BytePairTokenizer"})


class Tokenizer(ABC):
    """The base class of tokenizers: `Characters`, `ByteTokenizer` and `BytePairTokenizer`.

    The token `end_of_text` separates texts. `encode` never makes it, and `decode` leaves it out.

    >>> from adjoint import data
    >>> isinstance(data.ByteTokenizer(), data.Tokenizer)
    True
    """

    end_of_text: int

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """The number of tokens, with the end-of-text token."""

    @abstractmethod
    def encode(self, text: str) -> "np.ndarray":
        """Return the token ids of a text."""

    def encode_all(self, texts: Sequence[str]) -> "list[np.ndarray]":
        """Return the token ids of several texts."""
        return [self.encode(text) for text in each_text(texts, "encode_all")]

    @abstractmethod
    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield the text of token ids as they arrive; a character is yielded when all its bytes are there."""

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of token ids. Bytes that are not UTF-8 become replacement characters."""
        return "".join(self.stream(ids))

    @abstractmethod
    def to_json(self) -> str:
        """Return the tokenizer as JSON, for `from_json`."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the tokenizer that `to_json` wrote, or that of a `tokenizer.json` of the library `tokenizers`.

        >>> from adjoint import data
        >>> data.Tokenizer.from_json(data.ByteTokenizer().to_json())
        ByteTokenizer(vocab_size=257)
        """
        try:
            found = json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise ArgumentError(f"a tokenizer is described by JSON, not {describe(text)}: {error}") from None
        found = found if isinstance(found, dict) else {}
        kind = found.get("kind")
        if "model" in found:
            tokenizer: Tokenizer = _CLASSES["byte pairs"].from_tokenizers_json(text)
        elif kind == "bytes":
            tokenizer = ByteTokenizer()
        elif kind == "characters" and isinstance(found.get("characters"), str):
            tokenizer = _CLASSES["characters"](found["characters"])
        else:
            raise ArgumentError(f"this JSON does not describe a tokenizer: {describe(text)}")
        return cls._of_this_class(tokenizer)

    @classmethod
    def _of_this_class(cls, tokenizer: "Tokenizer") -> Self:
        if not isinstance(tokenizer, cls):
            raise ArgumentError(f"it is a {type(tokenizer).__name__}, not a {cls.__name__}; use data.Tokenizer.load")
        return tokenizer

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer to a JSON file, atomically."""
        late.write_file(path, self.to_json().encode())

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Return the tokenizer of a file: one that `save` wrote, or a `tokenizer.json`.

        A folder, or a file `vocab.json` in it, gives the tokenizer of a GPT-2: the folder has a `tokenizer.json`, or
        `vocab.json` and `merges.txt`.

        >>> import tempfile
        >>> from pathlib import Path
        >>> from adjoint import data
        >>> path = Path(tempfile.mkdtemp()) / "tokenizer.json"
        >>> data.Characters("abc").save(path)
        >>> data.Tokenizer.load(path)
        Characters(vocab_size=4)
        """
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(f"load needs the path of a tokenizer, such as 'tokenizer.json', not {describe(path)}")
        path = Path(path)
        try:
            if path.is_dir() or path.name == "vocab.json":
                return cls._of_this_class(_CLASSES["byte pairs"].from_folder(path if path.is_dir() else path.parent))
            return cls.from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise missing_file_error(path) from None
        except (OSError, UnicodeDecodeError, ArgumentError) as error:
            raise FileError(f"cannot read the tokenizer {str(path)!r}: {error}") from None

    def checked(self, ids: Iterable[Any]) -> Iterator[int]:
        """Yield token ids; raise for one that this tokenizer does not have."""
        try:
            found = iter(ids)
        except TypeError:
            raise ArgumentError(f"decode needs several token ids, such as [5], not {describe(ids)}") from None
        for i in found:
            try:
                number = operator.index(i)
            except TypeError:
                raise ArgumentError(f"token ids must be integers, not {describe(i)}") from None
            if not 0 <= number < self.vocab_size:
                raise ArgumentError(
                    f"token ids are numbered from 0 to {self.vocab_size - 1}, so {number} is out of range"
                )
            yield number

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"


class ByteLevelTokenizer(Tokenizer):
    """The base class of tokenizers whose tokens are sequences of bytes of UTF-8."""

    @abstractmethod
    def bytes_of(self, token: int) -> bytes:
        """Return the bytes of a token."""

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for i in self.checked(ids):
            text = decoder.decode(b"" if i == self.end_of_text else self.bytes_of(i), final=i == self.end_of_text)
            if text:
                yield text
        if text := decoder.decode(b"", final=True):
            yield text


class ByteTokenizer(ByteLevelTokenizer):
    """The bytes of UTF-8 as tokens 0 to 255, and 256 for the end of a text. It knows every text and needs no training.

    >>> from adjoint import data
    >>> tokenizer = data.ByteTokenizer()
    >>> tokenizer.encode("né"), tokenizer.vocab_size
    (array([110, 195, 169]), 257)
    >>> tokenizer.decode([110, 195, 169, 256])
    'né'
    >>> list(tokenizer.stream([110, 195, 169]))
    ['n', 'é']
    """

    end_of_text = 256

    @property
    def vocab_size(self) -> int:
        return 257

    def encode(self, text: str) -> "np.ndarray":
        import numpy as np

        return np.frombuffer(utf8(text), np.uint8).astype(np.int64)

    def bytes_of(self, token: int) -> bytes:
        return bytes([token])

    def to_json(self) -> str:
        return json.dumps({"kind": "bytes"})


def each_text(texts: Iterable[str], who: str) -> Iterator[str]:
    """Yield texts; raise if they are anything else.

    >>> list(each_text(5, "Characters"))
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: Characters needs texts, such as ['one', 'two'], not int 5
    """
    if not isinstance(texts, Iterable):
        raise ArgumentError(f"{who} needs texts, such as ['one', 'two'], not {describe(texts)}")
    for text in texts:
        if not isinstance(text, str):
            raise ArgumentError(f"{who} needs texts, such as ['one', 'two'], but one of them is {describe(text)}")
        yield text


def require_text(text: object) -> None:
    """Raise if what is to be encoded is not a text."""
    if not isinstance(text, str):
        raise ArgumentError(f"encode needs a text, not {describe(text)}")


def utf8(text: str) -> bytes:
    """Return the bytes of a text; raise if it is no text, or has half a character."""
    require_text(text)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"the character {text[error.start]!r} at position {error.start} is half of a pair (a surrogate), which "
            "UTF-8 does not have; replace it, for example by text.encode(errors='replace').decode()"
        ) from None
