"""One safetensors file: written one tensor at a time, and read where it is mapped into memory.

The header of a file has an entry with JSON, the record: what else was saved, and checksums of each tensor and of the
JSON itself. So truncated and corrupt files are refused with an error that names the tensor. Files of other libraries
have no record, and are read as well.
"""

import json
import math
import mmap
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from adjoint.errors import CheckpointError, StateError
from adjoint.errors.given import describe
from adjoint.files import atomic

VERSION = 1  # of the content of the record
RECORD = "adjoint"  # the entry of the metadata that holds the record
REMEDY = "use another copy, or save it again"
MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_METADATA = "__metadata__"  # the key that safetensors uses for metadata
_FORMAT = {"format": "pt"}  # transformers refuses a file with metadata that does not have this entry
_LARGEST = 2**48  # elements along an axis: NumPy cannot make an array of 2**62, even of none along another axis
_MOST_AXES = 64  # of an array of NumPy
_KEYS = ('"checksum"', '"content"', '"version"', '"about"', '"tensors"')  # of the record
_DTYPES = {"BOOL": "|b1", "I8": "|i1", "U8": "|u1"} | {
    f"{kind.upper()}{8 * size}": f"<{kind}{size}" for kind in "fiu" for size in (2, 4, 8)
}
_CODES = {dtype: code for code, dtype in _DTYPES.items()}


def checksum(content: bytes | memoryview) -> str:
    """Return the checksum of bytes, always of the same length."""
    return f"{zlib.crc32(content):08x}"


def quote_path(path: str | os.PathLike) -> str:
    """Return a path as messages show it."""
    return repr(os.fspath(path))


def corrupt(file: str, reason: str) -> CheckpointError:
    """Return the error for a file whose content has changed since it was written."""
    return CheckpointError(f"{file} is corrupt: {reason}; {REMEDY}")


# --- writing -------------------------------------------------------------------------------------------------


class TensorSource(NamedTuple):
    """A tensor to write: its name, dtype and shape, and a function that returns its numbers."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def require_savable(name: object, dtype: np.dtype | None, given: object) -> None:
    """Raise if a file cannot hold a tensor of this name and dtype; None is the dtype of anything but an array."""
    if not isinstance(name, str) or name == _METADATA:
        raise StateError(f"a tensor needs a name such as 'layers.0.weight', not {describe(name)}")
    if dtype is None or _code(dtype) is None:
        kind = describe(given) if dtype is None else f"an array of {dtype}"
        raise StateError(f"cannot save tensor {name!r}: it is {kind}, not an array of numbers of up to 64 bits")


def write_tensors(path: str | os.PathLike, sources: Sequence[TensorSource], about: Mapping[str, Any]) -> None:
    """Write a file atomically, one tensor at a time: only one of them needs to be in memory."""
    checksums = {source.name: checksum(b"") for source in sources}
    in_order = sorted(sources, key=lambda source: -source.dtype.itemsize)  # so that each is aligned
    with atomic.replacing(path) as file:
        file.write(_header_bytes(sources, in_order, checksums, about))
        for source in in_order:
            content = _as_bytes(source.read())
            assert content.nbytes == source.size, source.name
            checksums[source.name] = checksum(content)
            file.write(content)
        file.seek(0)
        file.write(_header_bytes(sources, in_order, checksums, about))  # as long as before


def _header_bytes(
    sources: Sequence[TensorSource],
    in_order: Sequence[TensorSource],
    checksums: Mapping[str, str],
    about: Mapping[str, Any],
) -> bytes:
    tensors = {x.name: [_code(x.dtype), list(x.shape), checksums[x.name]] for x in sources}
    content = {"version": VERSION, "about": about, "tensors": tensors}
    record = json.dumps({"checksum": checksum(json.dumps(content).encode()), "content": content})
    header: dict[str, Any] = {_METADATA: {**_FORMAT, RECORD: record}}
    start = 0
    for x in in_order:
        end = start + x.size
        header[x.name] = {"dtype": _code(x.dtype), "shape": list(x.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _as_bytes(array: np.ndarray) -> memoryview:
    """Return the bytes of an array in C order, little-endian."""
    array = np.ascontiguousarray(array).reshape(-1)
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and not np.little_endian):
        array = array.byteswap()
    return array.view(np.uint8).data


def _code(dtype: np.dtype) -> str | None:
    return "BF16" if dtype.name == "bfloat16" else _CODES.get(dtype.newbyteorder("<").str)


# --- reading -------------------------------------------------------------------------------------------------


class TensorFile(Mapping[str, np.ndarray]):
    """The tensors of a file by name, each read when it is needed.

    An array is mapped into memory: its numbers are read from the disk as they are used. It may be changed, which does
    not change the file. Each number is one that was written: the checksum of a tensor is compared before it is
    returned. Tensors of bfloat16 are arrays of `ml_dtypes.bfloat16`, or of float32 where ml_dtypes is not installed.

    >>> import tempfile
    >>> from adjoint import nn, save
    >>> path = tempfile.mkdtemp() + "/model.safetensors"
    >>> save(path, nn.Linear(2, 3))
    >>> tensors = TensorFile(path)
    >>> {name: tensors[name].shape for name in tensors}
    {'weight': (3, 2), 'bias': (3,)}
    """

    def __init__(self, path: str | os.PathLike):
        self.path, self.file = path, quote_path(path)
        self._content = atomic.read_mapped(path)
        self._header, self._start = _header_of(self._content, self.file)
        record = _record_of(self._header.pop(_METADATA, {}), self.file)
        self.about: dict[str, Any] | None = None if record is None else record["about"]  # None: of another library
        self._recorded: Mapping[str, Any] = self._header if record is None else record["tensors"]
        self._verified = set(self._header) if record is None else set()
        self._require_as_recorded(record is not None)

    def _require_as_recorded(self, has_record: bool) -> None:
        for name in [*self._recorded, *self._header]:
            if name not in self._header:
                raise corrupt(self.file, f"tensor {name!r} is missing")
            if name not in self._recorded:
                raise corrupt(self.file, f"unexpected tensor {name!r}")
            entry = self._header[name]
            if has_record and self._recorded[name][:2] != [entry.get("dtype"), entry.get("shape")]:
                raise corrupt(self.file, f"the dtype or shape of tensor {name!r} has changed")
        _require_tiled(self._header, len(self._content) - self._start, self.file)

    def __iter__(self) -> Iterator[str]:
        return iter(self._recorded)

    def __len__(self) -> int:
        return len(self._recorded)

    def __contains__(self, name: object) -> bool:
        return name in self._recorded

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, without reading its numbers."""
        return tuple(self._header[name]["shape"])

    def dtype(self, name: str) -> np.dtype:
        """Return the dtype of the array that `self[name]` is, without reading its numbers."""
        return np.dtype(np.float32) if self._is_widened(name) else self._stored_dtype(name)

    def size(self, name: str) -> int:
        """Return the number of bytes of a tensor in the file."""
        start, end = self._header[name]["data_offsets"]
        return end - start

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._recorded:
            raise KeyError(name)
        self._verify(name)
        found = np.frombuffer(self._bytes(name), self._stored_dtype(name)).reshape(self.shape(name))
        if self._is_widened(name):
            return (found.astype("<u4") << 16).view("<f4")  # bfloat16 is the upper half of a float32
        return found if found.flags.aligned else found.copy()

    def verify(self) -> None:
        """Raise if any number is not one that was written; a file of another library cannot tell."""
        for name in self:
            self._verify(name)

    def lazily(self) -> dict[str, np.ndarray]:
        """Return all tensors by name, mapped into memory."""
        return dict(self)

    def _verify(self, name: str) -> None:
        if name not in self._verified:
            if checksum(self._bytes(name)) != self._recorded[name][2]:
                raise corrupt(self.file, f"the numbers of tensor {name!r} have changed")
            self._verified.add(name)

    def _bytes(self, name: str) -> memoryview:
        start, end = self._header[name]["data_offsets"]
        return memoryview(self._content)[self._start + start : self._start + end]

    def _stored_dtype(self, name: str) -> np.dtype:
        code = self._header[name]["dtype"]
        if code == "BF16":
            return _bfloat16() or np.dtype("<u2")
        if code not in _DTYPES:
            raise CheckpointError(f"{self.file}: tensor {name!r} has the dtype {code}, which NumPy does not support")
        return np.dtype(_DTYPES[code])

    def _is_widened(self, name: str) -> bool:
        return self._header[name]["dtype"] == "BF16" and _bfloat16() is None


def _bfloat16() -> np.dtype | None:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


def _is_impossible(shape: tuple[Any, ...]) -> bool:
    """Return whether no array has a shape."""
    return len(shape) > _MOST_AXES or any(side >= _LARGEST for side in shape)


def _header_of(content: mmap.mmap | bytes, file: str) -> tuple[dict[str, Any], int]:
    """Return the header of a file and where the tensors start; an error names the first tensor that is incomplete."""
    size = int.from_bytes(content[:8], "little")
    if content[8:9] not in (b"{", b""):
        raise CheckpointError(f"{file} is not a checkpoint: it is not in the safetensors format")
    if len(content) < 8 + size or size < 2:
        where = "it ends within its header, before the first tensor" if len(content) else "it is empty"
        raise CheckpointError(f"{file} is truncated: {where}; {REMEDY}")
    try:
        header = json.loads(content[8 : 8 + size])
        shapes = {name: tuple(entry["shape"]) for name, entry in header.items() if name != _METADATA}
        too_large = next((name for name, shape in shapes.items() if _is_impossible(shape)), None)
        ends = sorted((int(entry["data_offsets"][1]), name) for name, entry in header.items() if name != _METADATA)
    except MALFORMED:
        raise corrupt(file, "its header is unreadable") from None
    if too_large is not None:
        raise corrupt(file, f"tensor {too_large!r} has the shape {shapes[too_large]}")
    lost = next((name for end, name in ends if end > len(content) - 8 - size), None)
    if lost is not None:
        raise CheckpointError(f"{file} is truncated: tensor {lost!r} is incomplete; {REMEDY}")
    return header, 8 + size


def _require_tiled(header: Mapping[str, Any], size: int, file: str) -> None:
    """Raise unless each tensor has the bytes of its shape, and starts where the one before it ends."""
    try:
        places = sorted((*entry["data_offsets"], name) for name, entry in header.items())
        bits = {name: math.prod(entry["shape"]) * _bits(entry["dtype"]) for name, entry in header.items()}
        well_formed = all(type(x) is int for *place, name in places for x in (*place, *header[name]["shape"]))
    except MALFORMED:
        well_formed, places, bits = False, [], {}
    if not well_formed or any(len(place) != 3 for place in places):
        raise corrupt(file, "its header is unreadable")
    end = 0
    for start, stop, name in places:
        if start != end:
            raise corrupt(file, f"tensor {name!r} starts at byte {start}, and the one before it ends at byte {end}")
        if 8 * (stop - start) != bits[name]:
            entry = header[name]
            kind = f"{entry['dtype']} and shape {tuple(entry['shape'])}"
            raise corrupt(file, f"tensor {name!r} of {kind} has {stop - start} bytes")
        end = stop
    if end != size:
        raise corrupt(file, f"its tensors have {end} bytes, and {size} bytes follow the header")


def _bits(code: str) -> int:
    """Return the size of a number by the name of its dtype: 16 for BF16, 8 for BOOL and F8_E4M3."""
    digits = re.search(r"\d+", code)
    return int(digits.group()) if digits else 8


def _record_of(metadata: dict[str, str], file: str) -> dict[str, Any] | None:
    """Return the record in the metadata of a file; None for a file of another library."""
    try:
        if RECORD not in metadata and not any(key in text for text in metadata.values() for key in _KEYS):
            return None  # a damaged file of adjoint would still have some of its keys
        record = json.loads(metadata[RECORD])
        content = record["content"]
        is_whole = isinstance(content["about"], dict) and all(len(x) == 3 for x in content["tensors"].values())
    except MALFORMED:
        is_whole, record = False, {}
    if not is_whole:
        raise corrupt(file, "its metadata has changed")
    return require_whole(record, file, "its metadata has changed")


def require_whole(record: dict[str, Any], file: str, reason: str) -> dict[str, Any]:
    """Return the content of a record; raise if it does not have its checksum, or is of another version."""
    try:
        content = record["content"]
        is_whole = record["checksum"] == checksum(json.dumps(content).encode())
        version = content["version"]
    except MALFORMED:
        raise corrupt(file, reason) from None
    if not is_whole:
        raise corrupt(file, reason)
    if version != VERSION:
        raise CheckpointError(f"{file} has format {version}, but this adjoint reads format {VERSION}; update adjoint")
    return content
