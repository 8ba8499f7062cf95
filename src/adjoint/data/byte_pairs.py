"""The tokenizer of byte pairs, as GPT-2 has it, by the library `tokenizers` (the extra `tokenizers`)."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from adjoint.data.text_files import read_pieces
from adjoint.data.tokenizer import ByteLevelTokenizer, each_text, utf8
from adjoint.errors import ArgumentError, FileError
from adjoint.errors.given import describe, whole
from adjoint.errors.interruptions import raise_interruption
from adjoint.errors.optional import library

if TYPE_CHECKING:
    import numpy as np

END_OF_TEXT = "<|endoftext|>"
_ENDS = (END_OF_TEXT, "<|end_of_text|>", "</s>")  # of GPT-2, of Llama 3, and of others


class BytePairTokenizer(ByteLevelTokenizer):
    """Frequent sequences of bytes as tokens: trained on texts, or loaded from `tokenizer.json` or GPT-2's files.

    `data.Tokenizer.load("tokenizer.json")` loads a tokenizer of this class, and also the folder of a GPT-2 with
    `vocab.json` and `merges.txt`. The tokenizer must work on bytes, as those of GPT-2, Llama 3 and Qwen do. This needs
    the extra `tokenizers`.

    >>> from adjoint import data
    >>> tokenizer = data.BytePairTokenizer.from_texts(["low lower lowest"] * 10, vocab_size=260)
    >>> tokenizer.encode("lower lows").tolist()
    [258, 69, 82, 259, 83]
    >>> tokenizer.decode([258, 69, 82, 259, 83])
    'lower lows'
    >>> tokenizer.vocab_size, tokenizer.end_of_text
    (260, 0)
    """

    def __init__(self, inner: Any):
        if not hasattr(inner, "to_str"):
            raise ArgumentError(
                f"BytePairTokenizer needs a Tokenizer of the library tokenizers, not {describe(inner)}; use "
                "BytePairTokenizer.load or BytePairTokenizer.train"
            )
        notes = json.loads(inner.to_str())
        kinds = {part: (notes.get(part) or {}).get("type") for part in ("model", "decoder")}
        if kinds != {"model": "BPE", "decoder": "ByteLevel"}:
            raise ArgumentError(
                f"the tokenizer has a model of type {kinds['model']} and a decoder of type {kinds['decoder']}; "
                "BytePairTokenizer needs BPE and ByteLevel, as in the tokenizers of GPT-2, Llama 3 and Qwen"
            )
        inner = type(inner).from_str(inner.to_str())  # a copy: its settings are changed
        inner.encode_special_tokens = True  # a text that contains "<|endoftext|>" is text
        inner.no_truncation()
        inner.no_padding()
        self._inner = inner
        added = inner.get_added_tokens_decoder()
        ends = [name for name in _ENDS if inner.token_to_id(name) is not None]
        if not ends:
            raise ArgumentError(
                f"the tokenizer has no end-of-text token, called {', '.join(_ENDS[:-1])} or {_ENDS[-1]}; add one with "
                f"add_special_tokens([{END_OF_TEXT!r}]) of the library tokenizers"
            )
        self.end_of_text = inner.token_to_id(ends[0])
        vocabulary = inner.get_vocab(with_added_tokens=True)
        self._size = 1 + max(vocabulary.values())
        self._bytes = [b""] * self._size
        for token, i in vocabulary.items():
            self._bytes[i] = token.encode() if i in added else bytes(_BYTE_OF[letter] for letter in token)
        for i in (self.end_of_text, *(i for i, token in added.items() if token.special)):
            self._bytes[i] = b""

    @classmethod
    def train(cls, files: str | os.PathLike | Sequence[str | os.PathLike], vocab_size: int) -> Self:
        """Return a tokenizer of the most frequent sequences of bytes in text files.

        >>> import tempfile
        >>> from pathlib import Path
        >>> from adjoint import data
        >>> path = Path(tempfile.mkdtemp()) / "names.txt"
        >>> _ = path.write_text("\\n".join(data.names()))
        >>> data.BytePairTokenizer.train(path, vocab_size=300)
        BytePairTokenizer(vocab_size=300)
        """
        paths = [files] if isinstance(files, (str, os.PathLike)) else files
        if not isinstance(paths, Iterable):
            raise ArgumentError(f"train needs the path of a text file, or several, not {describe(files)}")
        return cls.from_texts((piece for path in paths for piece in read_pieces(path)), vocab_size)

    @classmethod
    def from_texts(cls, texts: Iterable[str], vocab_size: int) -> Self:
        """Return a tokenizer of the most frequent sequences of bytes in some texts."""
        vocab_size = whole(vocab_size, "vocab_size")
        if vocab_size <= 256:
            raise ArgumentError(f"vocab_size must be at least 257: 256 bytes and the end of a text; it is {vocab_size}")
        tokenizers = _library()
        inner = _byte_level(tokenizers, tokenizers.models.BPE())
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=vocab_size, special_tokens=[END_OF_TEXT], show_progress=False, initial_alphabet=list(_BYTE_OF)
        )
        inner.train_from_iterator(each_text([texts] if isinstance(texts, str) else texts, "from_texts"), trainer)
        return cls(inner)

    @classmethod
    def from_tokenizers_json(cls, text: str) -> Self:
        """Return the tokenizer of the text of a `tokenizer.json`."""
        tokenizers = _library()
        try:
            notes = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"a tokenizer is described by JSON, not {describe(text)}: {error}") from None
        require_numbered(notes)
        with _library_errors("cannot read the tokenizer"):
            inner = tokenizers.Tokenizer.from_str(text)
        return cls(inner)

    @classmethod
    def from_folder(cls, folder: Path) -> Self:
        """Return the tokenizer of a folder with `tokenizer.json`, or with `vocab.json` and `merges.txt` of GPT-2."""
        whole_file, vocab, merges = (folder / name for name in ("tokenizer.json", "vocab.json", "merges.txt"))
        if whole_file.exists():
            return cls.from_tokenizers_json(whole_file.read_text(encoding="utf-8"))
        for path in (vocab, merges):
            if not path.exists():
                raise FileError(f"{str(folder)!r} has neither tokenizer.json nor vocab.json and merges.txt")
        tokenizers = _library()
        try:
            require_numbered({"model": {"vocab": json.loads(vocab.read_text(encoding="utf-8"))}})
            inner = _byte_level(tokenizers, tokenizers.models.BPE.from_file(str(vocab), str(merges)))
        except Exception as error:  # the library raises no other class
            raise_interruption(error)
            raise FileError(f"cannot read {str(vocab)!r} and {str(merges)!r}: {error}") from None
        if inner.token_to_id(END_OF_TEXT) is not None:
            inner.add_special_tokens([END_OF_TEXT])  # it keeps its id
        return cls(inner)

    @property
    def vocab_size(self) -> int:
        return self._size

    def encode(self, text: str) -> "np.ndarray":
        import numpy as np

        utf8(text)
        with _library_errors("cannot encode the text"):
            return np.array(self._inner.encode(text, add_special_tokens=False).ids, np.int64)

    def encode_all(self, texts: Sequence[str]) -> "list[np.ndarray]":
        import numpy as np

        texts = list(each_text(texts, "encode_all"))
        for text in texts:
            utf8(text)
        with _library_errors("cannot encode the texts"):
            found = self._inner.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(one.ids, np.int64) for one in found]

    def bytes_of(self, token: int) -> bytes:
        return self._bytes[token]

    def to_json(self) -> str:
        return self._inner.to_str()


_MOST = 1 << 24  # ids: the library keeps a list as long as the largest one


def require_numbered(notes: Any) -> None:
    """Raise unless the vocabulary of a tokenizer gives each token an id of its own, of which a list can be made.

    >>> require_numbered({"model": {"vocab": {"a": 0, "b": 0}}})
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: the tokens 'a' and 'b' of the vocabulary have the same id, 0; give each its own
    """
    model = notes.get("model") if isinstance(notes, dict) else None
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(vocabulary, dict):
        return  # another model, which the library or BytePairTokenizer refuses
    added = notes.get("added_tokens")
    tokens = [*vocabulary.items()]
    if isinstance(added, list):
        tokens += [(x.get("content"), x.get("id")) for x in added if isinstance(x, dict)]
    name_of: dict[int, object] = {}
    for token, i in tokens:
        if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < _MOST:
            raise ArgumentError(f"the token {describe(token)} has the id {describe(i)}; ids are 0 to {_MOST - 1:,}")
        if name_of.setdefault(i, token) != token:
            raise ArgumentError(
                f"the tokens {name_of[i]!r} and {token!r} of the vocabulary have the same id, {i}; give each its own"
            )


@contextmanager
def _library_errors(what: str) -> Iterator[None]:
    """Raise our error for one of the library: its panics are no `Exception`, and a user's own exceptions pass."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            reason = "; a regular expression in its pre_tokenizer is too slow for it" if "Regex" in str(error) else ""
            raise ArgumentError(f"the library tokenizers {what}: {error}{reason}") from None
        raise


def _library() -> ModuleType:
    return library("tokenizers", "BytePairTokenizer", "tokenizers")


def _byte_level(tokenizers: ModuleType, model: Any) -> Any:
    """Return a tokenizer that cuts text into words as GPT-2 does, before it merges bytes."""
    inner = tokenizers.Tokenizer(model)
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    return inner


def _letters() -> dict[str, int]:
    """Return the letter that stands for each byte in a vocabulary: itself if it is visible, else one from U+0100 on."""
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in sorted(visible)} | {chr(256 + k): byte for k, byte in enumerate(hidden)}


_BYTE_OF = _letters()
