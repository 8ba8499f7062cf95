"""`Tokens`: a long sequence of token ids, from a memory-mapped file, in batches for a language model."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, overload

import numpy as np

from adjoint.data import permutations
from adjoint.data.token_files import checked_ids, checksum, dtype_for, open_tokens
from adjoint.data.tokenizer import ByteTokenizer, Tokenizer, each_text
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe, whole

_CHUNK = 1 << 24  # tokens that are examined at a time
_AHEAD = 2048  # windows whose places are computed at a time: the cost for each is then small


class Tokens:
    """A sequence of token ids: a file of `uint16` or `uint32`, which is mapped into memory, or an array.

    `adjoint tokenize text.txt` writes such a file, and a description beside it (`text.bin.json`). Files of nanoGPT and
    llm.c work too; without a description, `dtype` is "uint16", and `vocab_size` is one more than the largest id in the
    file unless you give it.

    >>> import numpy as np
    >>> from adjoint import data
    >>> tokens = data.Tokens(np.arange(100), vocab_size=128)
    >>> tokens
    Tokens(100 tokens, vocab_size=128)
    >>> len(tokens), tokens[3], tokens[:4].tolist()
    (100, 3, [0, 1, 2, 3])
    >>> x, y = next(tokens.batches(batch_size=4, length=8))
    >>> x.shape, bool((y == x + 1).all())
    ((4, 8), True)
    """

    def __init__(
        self,
        source: str | os.PathLike | np.ndarray | Iterable[int],
        dtype: str | None = None,
        *,
        vocab_size: int | None = None,
    ):
        self.path: Path | None = None
        self._description: dict[str, Any] = {}
        self._tokenizer: Tokenizer | None = None
        self._dtype = dtype
        self._whole: Tokens | None = None  # what these tokens are a part of, and where
        self._place = slice(None)
        if isinstance(source, (str, os.PathLike)):
            self.path = Path(source)
            ids, self._description = open_tokens(source, dtype)
        elif dtype is not None:
            raise ArgumentError("dtype says how to read a file of tokens; an array has its own, so leave dtype out")
        else:
            ids = source if isinstance(source, np.ndarray) else _array_of(source)
        self._ids = checked_ids(ids, "Tokens")
        if vocab_size is not None:
            vocab_size = whole(vocab_size, "vocab_size")
        self._vocab_size: int | None = vocab_size or self._description.get("vocab_size")

    @classmethod
    def from_text(cls, text: str | Iterable[str], tokenizer: Tokenizer | None = None) -> "Tokens":
        """Return the tokens of a text or of several; the end-of-text token follows each. The default is bytes.

        >>> from adjoint import data
        >>> tokens = data.Tokens.from_text(["one", "two"])
        >>> tokens[:].tolist()
        [111, 110, 101, 256, 116, 119, 111, 256]
        """
        tokenizer = tokenizer or ByteTokenizer()
        end, parts = np.array([tokenizer.end_of_text]), []
        for one in each_text([text] if isinstance(text, str) else text, "from_text"):
            parts += [tokenizer.encode(one), end]
        if not parts:
            raise ArgumentError("the list of texts is empty; give at least one text")
        ids = np.concatenate(parts).astype(dtype_for(tokenizer.vocab_size))
        found = cls(ids, vocab_size=tokenizer.vocab_size)
        found._tokenizer = tokenizer
        return found

    @property
    def vocab_size(self) -> int:
        """The number of ids: as given or described beside the file; else one more than the largest id in the file."""
        if self._vocab_size is None and self._whole is not None:
            self._vocab_size = self._whole.vocab_size  # the parts of a split share a vocabulary
        if self._vocab_size is None:
            parts = range(0, len(self._ids), _CHUNK)
            self._vocab_size = 1 + max((int(self._ids[i : i + _CHUNK].max()) for i in parts), default=0)
        return self._vocab_size

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer that made the tokens, from the file beside them; None if it is unknown."""
        if self._tokenizer is None and self.path is not None and "tokenizer" in self._description:
            beside = self.path.with_name(self._description["tokenizer"])
            found = Tokenizer.load(beside)
            if checksum(beside) != self._description.get("tokenizer_sha256"):
                raise DataError(
                    f"{str(beside)!r} is not the tokenizer that {self._name()} was made with; tokenize the text again"
                )
            self._tokenizer = found
        return self._tokenizer

    def verify(self) -> None:
        """Raise if the file is not the one that its description was written for, by its checksum.

        Opening a file checks only its length, because this reads all of it.

        >>> import tempfile
        >>> from adjoint import data
        >>> from adjoint.files.tokenizing import write_tokens
        >>> path = f"{tempfile.mkdtemp()}/train.bin"
        >>> _ = write_tokens(path, [["some text"]], data.ByteTokenizer())
        >>> data.Tokens(path).verify()
        """
        expected = self._description.get("sha256")
        if self.path is None or expected is None:
            raise DataError(f"{self._name()} has no checksum; adjoint tokenize writes one")
        if checksum(self.path) != expected:
            raise DataError(f"{self._name()} was changed or damaged; tokenize the text again")

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> np.ndarray: ...
    def __getitem__(self, index: int | slice) -> int | np.ndarray:
        """Return a token, or those of a slice as an array."""
        return self._ids[index] if isinstance(index, slice) else int(self._ids[index])

    def split(self, fraction: float) -> "tuple[Tokens, Tokens]":
        """Return the tokens to train on, and the last `fraction` of them, for validation.

        >>> import numpy as np
        >>> from adjoint import data
        >>> data.Tokens(np.arange(100)).split(0.1)
        (Tokens(90 tokens), Tokens(10 tokens))
        """
        if not isinstance(fraction, float) or not 0 < fraction < 1:
            raise ArgumentError(f"split needs a fraction between 0 and 1, not {describe(fraction)}")
        at = len(self) - max(1, round(fraction * len(self)))
        if at < 1:
            raise ArgumentError(f"{fraction} of {len(self)} tokens leaves none to train on; use a smaller fraction")
        return self._part(slice(0, at)), self._part(slice(at, None))

    def _part(self, place: slice) -> "Tokens":
        found = Tokens(self._ids[place])
        found.path, found._description, found._tokenizer = self.path, self._description, self._tokenizer
        found._vocab_size, found._whole, found._place = self._vocab_size, self, place
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle or a copy holds: not the tokens of a file, which is opened again."""
        is_kept = self.path is None and self._whole is None
        return {name: x for name, x in self.__dict__.items() if name != "_ids" or is_kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._whole is not None:
            self._ids = self._whole._ids[self._place]
        elif self.path is not None:
            self._ids = checked_ids(open_tokens(self.path, self._dtype).ids, "Tokens")

    def windows(self, length: int) -> int:
        """Return the number of windows of `length` tokens in the first epoch, and without `shuffle`.

        >>> import numpy as np
        >>> from adjoint import data
        >>> data.Tokens(np.arange(100)).windows(length=8)
        12
        """
        found = (len(self) - 1) // whole(length, "length")
        if found < 1:
            raise DataError(
                f"{self._name()} has {len(self)} tokens, fewer than a window of length {length} and the token after "
                "it; use a smaller length, or more text"
            )
        return found

    def batches(
        self,
        batch_size: int,
        length: int,
        *,
        start: int = 0,
        steps: int | None = None,
        seed: int = 0,
        shuffle: bool = True,
        part: tuple[int, int] = (0, 1),
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield batches `(x, y)` of shape (batch_size, length), where `y` holds the token after each token of `x`.

        An epoch cuts the tokens into windows of `length` tokens that do not overlap, and uses each once, in an order
        that depends on the seed and the epoch. The first epoch cuts from the first token. The later ones cut from a
        random place, for which they leave out one window, unless there is only one. Batch number `i` depends only on
        the arguments and `i`, so `start=i` continues a run at once. Without `steps`, the number of batches to yield,
        there is no end.

        Without `shuffle`, the windows come in the order of the file. The batches end with the file, and the last one
        has fewer rows if they do not divide the windows.

        With `part=(k, n)`, process `k` of `n` gets its rows of each batch; those of all processes are the batch.

        >>> import numpy as np
        >>> from adjoint import data
        >>> tokens = data.Tokens(np.arange(100))
        >>> run = [x for x, y in tokens.batches(4, 8, steps=5)]
        >>> rest = [x for x, y in tokens.batches(4, 8, start=3, steps=2)]
        >>> bool((run[3] == rest[0]).all() and (run[4] == rest[1]).all())
        True
        >>> [x[:, 0].tolist() for x, y in tokens.batches(5, 8, shuffle=False)]
        [[0, 8, 16, 24, 32], [40, 48, 56, 64, 72], [80, 88]]
        """
        batch_size, start, seed = whole(batch_size, "batch_size"), whole(start, "start", 0), whole(seed, "seed", 0)
        length = whole(length, "length")
        windows, rows = self.windows(length), _rows(batch_size, part)
        end = None if steps is None else start + whole(steps, "steps", 0)
        if shuffle:
            if (start + _AHEAD) * batch_size >= 2**63:
                raise ArgumentError(
                    f"start={start} is too large for batch_size={batch_size}: the windows before that batch are more "
                    "than 64 bits can count; use a smaller start or batch_size"
                )
            return self._shuffled(start, end, batch_size, rows, length, seed)
        whole_pass = -(-windows // batch_size)
        numbers = iter(range(start, whole_pass if end is None else min(end, whole_pass)))
        rest = windows % batch_size
        if rest % int(part[1]):
            raise ArgumentError(
                f"the last batch has {rest} of {windows} windows, which {part[1]} processes cannot share; use a "
                "batch_size that divides the windows, or validate with one process"
            )
        return self._in_order(numbers, batch_size, part, length)

    def _shuffled(
        self, start: int, end: int | None, batch_size: int, rows: range, length: int, seed: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        windows, own, ahead = self.windows(length), np.arange(rows.start, rows.stop), -(-_AHEAD // len(rows))
        while end is None or start < end:
            numbers = np.arange(start, start + ahead if end is None else min(start + ahead, end))
            samples = numbers[:, None] * batch_size + own
            places = _starts(samples.ravel(), windows, length, len(self), seed).reshape(samples.shape)
            for starts in places:
                yield self._read(starts, length)
            start += ahead

    def _in_order(
        self, numbers: Iterator[int], batch_size: int, part: tuple[int, int], length: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        windows = self.windows(length)
        for i in numbers:
            rows = _rows(min(batch_size, windows - i * batch_size), part)
            yield self._read(length * (i * batch_size + np.arange(rows.start, rows.stop)), length)

    def _read(self, starts: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the windows at some places, and the same one token later."""
        found = np.empty((len(starts), length + 1), self._ids.dtype)
        for row, at in zip(found, starts.tolist()):
            row[:] = self._ids[at : at + length + 1]
        self._require_known(found, starts)
        return found[:, :-1].astype(np.int32), found[:, 1:].astype(np.int32)

    def _require_known(self, found: np.ndarray, starts: np.ndarray) -> None:
        """Raise if an id is beyond the vocabulary, which a model would read as another token, or not at all."""
        limit = 1 << 31 if self._vocab_size is None else self._vocab_size
        if found.max() >= limit:
            row, column = np.argwhere(found >= limit)[0]
            raise DataError(
                f"{self._name()} has the token {found[row, column]} at position {starts[row] + column}, but a "
                f"vocabulary of {limit} tokens; give the vocab_size of its tokenizer, or tokenize the text again"
            )

    def _name(self) -> str:
        return "the array of tokens" if self.path is None else repr(str(self.path))

    def __repr__(self) -> str:
        where = "" if self.path is None else f"{str(self.path)!r}, "
        known = "" if self._vocab_size is None else f", vocab_size={self._vocab_size}"
        return f"Tokens({where}{len(self):,} tokens{known})"


def _array_of(source: Iterable[int]) -> np.ndarray:
    try:
        return np.array(list(source))
    except (TypeError, ValueError):  # not several, or lists of different lengths
        raise ArgumentError(
            f"Tokens needs the path of a file, or token ids such as [3, 1, 2], not {describe(source)}"
        ) from None


def _starts(samples: np.ndarray, windows: int, length: int, tokens: int, seed: int) -> np.ndarray:
    """Return where the windows of some samples start; samples are counted over all epochs."""
    later = max(1, windows - 1)  # windows of a later epoch: so many fit from any place that it is cut from
    is_first = samples < windows
    epochs = np.where(is_first, 0, 1 + (samples - windows) // later)
    places = np.where(is_first, samples, (samples - windows) % later)
    keys = permutations.keys(seed, epochs)
    order = np.empty_like(places)
    for chosen, count in ((is_first, windows), (~is_first, later)):
        order[chosen] = permutations.permute(places[chosen], count, keys[chosen])
    offsets = permutations.scramble(keys) % np.uint64(tokens - later * length)
    return np.where(is_first, 0, offsets.astype(np.int64)) + order * length


def _rows(batch_size: int, part: tuple[int, int]) -> range:
    """Return the rows of a batch that a process gets."""
    if not isinstance(part, tuple) or len(part) != 2:
        raise ArgumentError(f"part must be (index, count), such as (0, 4), not {describe(part)}")
    index, processes = whole(part[0], "the index of a part", 0), whole(part[1], "the number of parts")
    if index >= processes:
        raise ArgumentError(f"part=({index}, {processes}): the index must be less than {processes}; the first is 0")
    if batch_size % processes:
        raise ArgumentError(f"batch_size={batch_size} cannot be shared by {processes} processes; use a multiple of it")
    share = batch_size // processes
    return range(index * share, (index + 1) * share)
