"""Read text files in pieces, so that large files need little memory."""

import codecs
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from adjoint.errors import DataError
from adjoint.errors.suggest import nearest

_PIECE = 1 << 14  # bytes; tokenizers are slower on longer pieces
_LONGEST = 64  # pieces of text without a place to cut, which are then cut anywhere


def read_pieces(
    path: str | os.PathLike,
    size: int = _PIECE,
    advance: Callable[[int], None] | None = None,
    separator: str | None = None,
) -> Iterator[str]:
    """Yield the text of a UTF-8 file in pieces, cut between words; `advance` is told how many bytes were read.

    The pieces are cut where the tokens of byte-pair tokenizers end in any case, so that their tokens together are those
    of the whole text. A `separator`, which is a text without spaces, is never cut.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = path.write_text("one two three")
    >>> list(read_pieces(path, size=6))
    ['one', ' two', ' three']
    """
    path, held, position = Path(path), "", 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while block := file.read(size):
                held += decoder.decode(block)
                position += len(block)
                if advance:
                    advance(len(block))
                at = _cut(held)
                if not at and len(held) >= _LONGEST * size:
                    at = len(held) - (_possible_start(separator, held) if separator else 0)
                if at:
                    yield held[:at]
                    held = held[at:]
            held += decoder.decode(b"", final=True)
    except FileNotFoundError:
        raise missing_file_error(path) from None
    except UnicodeDecodeError as error:
        at = position - len(decoder.getstate()[0]) + error.start
        raise DataError(f"{str(path)!r} is not UTF-8 text: byte {at:,} is wrong; save it in UTF-8") from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    if held:
        yield held


def _cut(text: str) -> int:
    """Return the last place before a single space between two words, else after a single newline; 0 if there is none.

    A run of white space is not a place to cut: how it is divided into tokens depends on what follows.

    >>> _cut("one two  three"), _cut("one\\ntwo"), _cut("one")
    (3, 4, 0)
    """
    for mark, after in ((" ", 0), ("\n", 1)):
        at = text.rfind(mark, 0, len(text) - 1)
        while at > 0:
            if not text[at - 1].isspace() and not text[at + 1].isspace():
                return at + after
            at = text.rfind(mark, 0, at)
    return 0


def _possible_start(separator: str, text: str) -> int:
    """Return how many characters at the end of a text can be the start of a separator that ends after it.

    >>> _possible_start("<end>", "one two"), _possible_start("<end>", "one<end>t")
    (4, 1)
    """
    return min(len(separator) - 1, len(text.split(separator)[-1]))


def missing_file_error(path: Path) -> DataError:
    """Return the error for a file that does not exist; it suggests a file with a similar name."""
    beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    meant = nearest(path.name, beside)
    hint = f"did you mean {str(path.with_name(meant))!r}?" if meant else "check its name and folder"
    return DataError(f"the file {str(path)!r} does not exist; {hint}")
