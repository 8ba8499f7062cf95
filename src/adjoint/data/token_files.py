"""Files of token ids: plain `uint16` or `uint32`, with a description in JSON beside them, or with a known header.

`train.bin` is described by `train.bin.json`, which `adjoint tokenize` writes: the dtype, the number of tokens, the size
of the vocabulary, the file of the tokenizer, and checksums. A file without a description is read as `uint16`. Files of
llm.c, which start with a header of 1,024 bytes, and `.npy` files are recognized by their first bytes.
"""

import codecs
import hashlib
import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adjoint.data.npy_headers import MAGIC, require_honest_header
from adjoint.data.text_files import missing_file_error
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error

DTYPES = {"uint16": np.dtype("<u2"), "uint32": np.dtype("<u4")}
FORMAT = "adjoint-tokens"
_LLM_C = {20240520: "uint16", 20240801: "uint32"}  # the first number of a file of llm.c, for GPT-2 and for Llama 3
_LLM_C_HEADER = 1024  # bytes
# How files of other formats start. As token ids, these bytes are rare.
_OTHER_FORMATS = (
    (re.compile(rb"PK\x03\x04"), "an archive, as of numpy.savez or torch.save"),
    (re.compile(rb"\x80[\x02-\x05](\x95.{6}\0\0|[\x28\x5d\x63\x7d\x8a])", re.DOTALL), "a pickle"),
    (re.compile(rb"\x1f\x8b\x08"), "compressed by gzip"),
    (re.compile(rb".{6}\0\0\{\"", re.DOTALL), "a safetensors file"),
)
_SAMPLE = 4096  # bytes that are examined


class TokenFile(NamedTuple):
    """The ids of a file, memory-mapped, and its description: {} if there is none."""

    ids: np.ndarray
    description: dict[str, Any]


def description_path(path: Path) -> Path:
    """Return the file that describes a file of tokens.

    >>> description_path(Path("train.bin")).name
    'train.bin.json'
    """
    return path.with_name(path.name + ".json")


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def dtype_for(vocab_size: int) -> str:
    """Return the dtype that holds the ids of a vocabulary.

    >>> dtype_for(50257), dtype_for(128256)
    ('uint16', 'uint32')
    """
    return "uint16" if vocab_size <= 1 << 16 else "uint32"


def open_tokens(path: str | os.PathLike, dtype: str | None) -> TokenFile:
    """Map the ids of a file into memory, and read its description."""
    path = Path(path)
    start = _first_bytes(path)
    description = _description(path)
    if dtype is not None and dtype not in DTYPES:
        raise unknown_name_error("dtype of tokens", dtype, DTYPES)
    if start.startswith(MAGIC) or path.suffix.lower() == ".npy":
        return TokenFile(_map_npy(path), description)
    header = int.from_bytes(start[:4], "little")
    if header in _LLM_C and len(start) >= _LLM_C_HEADER:
        count = int.from_bytes(start[8:12], "little")
        return TokenFile(_map(path, _LLM_C[header], _LLM_C_HEADER, count, "its header"), description)
    given = dtype or description.get("dtype")
    if given is None:
        _refuse_other_content(path, start)
    count = description.get("tokens")
    return TokenFile(_map(path, given or "uint16", 0, count, description_path(path).name), description)


def _map(path: Path, dtype: str, offset: int, count: int | None, who: str) -> np.ndarray:
    """Map a file of ids after a header; `who` says how many there are, if that is known."""
    size, width = path.stat().st_size - offset, DTYPES[dtype].itemsize
    if size % width:
        raise DataError(
            f"{str(path)!r} has {size:,} bytes, which is not a multiple of {width}, the size of a {dtype}: it is cut "
            "off, or not a file of tokens"
        )
    if count is not None and size != count * width:
        raise DataError(
            f"{str(path)!r} holds {size // width:,} tokens of {dtype}, but {who} says {count:,}: the file is cut off "
            "or was replaced; tokenize the text again"
        )
    return np.asarray(np.memmap(path, DTYPES[dtype], "r", offset=offset))  # a plain view: slices of a memmap are slow


def _map_npy(path: Path) -> np.ndarray:
    with path.open("rb") as file:
        require_honest_header(file, path.stat().st_size, repr(str(path)))
    try:
        ids = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise DataError(f"{str(path)!r} is not a .npy file of tokens: {error}") from None
    return np.asarray(ids)


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            start = file.read(_SAMPLE)
    except FileNotFoundError:
        raise missing_file_error(path) from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    if not start:
        raise DataError(f"{str(path)!r} is empty; a file of tokens needs at least two tokens")
    return start


def _description(path: Path) -> dict[str, Any]:
    """Return the description beside a file of tokens; {} if there is none."""
    beside = description_path(path)
    try:
        found = json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"{str(beside)!r} does not describe tokens: {error}; delete it, or tokenize again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return {}  # a file of someone else
    for key in ("tokens", "vocab_size", "dtype"):
        x = found.get(key)
        is_right = isinstance(x, str) and x in DTYPES if key == "dtype" else isinstance(x, int) and x >= 1
        if not is_right:
            raise DataError(f"{str(beside)!r} is damaged: its {key} is {describe(x)}; tokenize again")
    return found


def _refuse_other_content(path: Path, start: bytes) -> None:
    """Raise if a file without a description is text, of another format, or holds `uint32`."""
    if _is_text(start):
        raise DataError(f"{str(path)!r} is text, not tokens; tokenize it first: adjoint tokenize {path}")
    other = next((name for pattern, name in _OTHER_FORMATS if pattern.match(start)), None)
    if other is not None:
        raise DataError(
            f"{str(path)!r} is {other}, not a file of tokens; write the ids with numpy.save, or open the file with "
            f"data.Tokens({str(path)!r}, dtype='uint16') if it is one"
        )
    low, high = np.frombuffer(start[: len(start) // 4 * 4], "<u2").reshape(-1, 2).T
    # The upper halves of uint32 are 0 for ids below 65,536, and at most 3 in vocabularies of up to 262,144 tokens
    if len(high) >= 8 and low.any() and (not high.any() or (high.max() <= 3 and low.max() >= 4096)):
        raise DataError(
            f"every other number in {str(path)!r} is {'at most 3' if high.any() else '0'}, as in a file of uint32; "
            f"open it with data.Tokens({str(path)!r}, dtype='uint32'), or with dtype='uint16' if it is one of uint16"
        )


def _is_text(start: bytes) -> bool:
    """Return whether the first bytes of a file are UTF-8 text without control characters."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)  # the last character may be cut off
    except UnicodeDecodeError:
        return False
    return not any(unicodedata.category(letter) == "Cc" and letter not in "\t\n\r\f" for letter in text)


def checked_ids(ids: Any, who: str) -> np.ndarray:
    """Return an array of token ids; raise if it is anything else."""
    array = np.asarray(ids)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ArgumentError(
            f"{who} needs token ids, a one-dimensional array of integers, not {array.dtype} of shape {array.shape}"
        )
    if array.dtype.kind == "i" and array.size and array.min() < 0:
        raise ArgumentError(f"{who} needs token ids of at least 0; the smallest is {array.min()}")
    return array
