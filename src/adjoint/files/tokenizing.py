"""Write files of token ids (see `data/token_files.py`) from texts of any size, in little memory."""

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adjoint.data.token_files import DTYPES, FORMAT, checksum, description_path, dtype_for
from adjoint.data.tokenizer import Tokenizer
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.files import atomic

_TOGETHER = 256  # pieces that are encoded at a time, by several threads where the tokenizer has them


class TokenPaths(NamedTuple):
    """The files that hold the tokens of some texts."""

    tokens: Path
    tokenizer: Path
    validation: Path

    @classmethod
    def beside(cls, path: str | os.PathLike) -> "TokenPaths":
        """Return the files for a file of tokens.

        >>> [path.name for path in TokenPaths.beside("train.bin")]
        ['train.bin', 'train.tokenizer.json', 'train.validation.bin']
        """
        path = atomic.as_path(path)
        if path.name in ("", ".."):
            raise ArgumentError(f"expected the path of a file, such as 'train.bin', not the folder {str(path)!r}")
        return cls(path, path.with_suffix(".tokenizer.json"), path.with_suffix(f".validation{path.suffix}"))


class TokenCounts(NamedTuple):
    """How many tokens were written: to train on, and for validation."""

    tokens: int
    validation: int


def write_tokens(
    path: str | os.PathLike,
    texts: Iterable[Iterable[str]],
    tokenizer: Tokenizer,
    *,
    separator: str | None = None,
    validation: float = 0.0,
) -> TokenCounts:
    """Write the tokens of texts, which come in pieces; the end-of-text token follows each text.

    A `separator` in the texts also ends a text. With `validation`, that fraction of the tokens, from the end, goes to a
    file of its own. The tokenizer and the descriptions are written beside them. Each file is replaced atomically.

    >>> import tempfile
    >>> from adjoint import data
    >>> path = Path(tempfile.mkdtemp()) / "train.bin"
    >>> write_tokens(path, [["one ", "two"], ["three"]], data.ByteTokenizer())
    TokenCounts(tokens=14, validation=0)
    >>> data.Tokens(path).tokenizer.decode(data.Tokens(path)[:])
    'one twothree'
    """
    if not 0 <= validation < 1:
        raise ArgumentError(f"validation must be a fraction from 0 to below 1, not {describe(validation)}")
    paths, dtype = TokenPaths.beside(path), DTYPES[dtype_for(tokenizer.vocab_size)]
    for one in paths:
        atomic.require_writable(one)
    with atomic.replacing(paths.tokens) as file:
        written = 0
        for ids in _encoded(texts, tokenizer, separator):
            file.write(ids.astype(dtype).tobytes())
            written += len(ids)
        if written < 2:
            raise DataError(f"the texts have only {written} tokens, too few to train on; {str(path)!r} is not written")
        held_out = max(1, round(validation * written)) if validation else 0
        if held_out == written:
            raise DataError(
                f"validation={validation} of {written} tokens leaves none to train on; use a smaller fraction"
            )
        file.flush()
        tokenizer.save(paths.tokenizer)
        if held_out:
            with open(file.name, "rb") as source, atomic.replacing(paths.validation) as target:
                source.seek((written - held_out) * dtype.itemsize)
                shutil.copyfileobj(source, target)
                description_path(paths.validation).unlink(missing_ok=True)
            _describe(paths.validation, held_out, tokenizer, paths.tokenizer)
        file.truncate((written - held_out) * dtype.itemsize)
        description_path(paths.tokens).unlink(missing_ok=True)  # no moment with new tokens and an old description
    _describe(paths.tokens, written - held_out, tokenizer, paths.tokenizer)
    return TokenCounts(written - held_out, held_out)


def _encoded(texts: Iterable[Iterable[str]], tokenizer: Tokenizer, separator: str | None) -> Iterator[np.ndarray]:
    end = np.array([tokenizer.end_of_text])
    for text in texts:
        pieces = iter(text)
        while together := list(islice(pieces, _TOGETHER)):
            parts = [piece.split(separator) if separator else [piece] for piece in together]
            encoded = iter(tokenizer.encode_all([part for piece in parts for part in piece]))
            for piece in parts:
                yield next(encoded)
                for _ in piece[1:]:
                    yield end
                    yield next(encoded)
        yield end


def _describe(path: Path, tokens: int, tokenizer: Tokenizer, tokenizer_path: Path) -> None:
    notes = {
        "format": FORMAT,
        "dtype": dtype_for(tokenizer.vocab_size),
        "tokens": tokens,
        "vocab_size": tokenizer.vocab_size,
        "tokenizer": tokenizer_path.name,
        "tokenizer_sha256": checksum(tokenizer_path),
        "sha256": checksum(path),
    }
    atomic.write(description_path(path), (json.dumps(notes, indent=2) + "\n").encode())
