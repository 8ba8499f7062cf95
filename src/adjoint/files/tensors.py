"""Named tensors of a file, or of a folder with several files and an index, each read when it is needed.

An index is JSON, `model.safetensors.index.json`, in the layout of Hugging Face: `weight_map` has the file of each
tensor. What adjoint adds to it is under the key "adjoint" (see `parts.py`): the same as in the record of a single file,
the files of the tensors that are not of the model, and the slices of tensors that several processes have written.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.stored_tensors import StoredTensor
from adjoint.errors import AdjointError, CheckpointError, FileError
from adjoint.files import atomic
from adjoint.files.tensor_files import (
    MALFORMED,
    RECORD,
    TensorFile,
    corrupt,
    quote_path,
    require_whole,
)

INDEX = "model.safetensors.index.json"
_ONE_FILE = "model.safetensors"
_ATTEMPTS = 5  # to open a folder that is saved again at the same time


def open_tensors(path: str | os.PathLike) -> "TensorFile | IndexedTensors":
    """Return the tensors at a path by name, each read when it is needed, and mapped into memory.

    The path is that of a safetensors file, of a folder with one of them, of a folder with several and an index in the
    layout of Hugging Face, or of that index.

    >>> import tempfile
    >>> from adjoint import nn, save
    >>> folder = tempfile.mkdtemp()
    >>> save(folder + "/model.safetensors", nn.Linear(2, 3))
    >>> open_tensors(folder)["weight"].shape
    (3, 2)
    """
    given = atomic.as_path(path)
    if given.name.endswith(".index.json"):
        return IndexedTensors(given)
    if not given.is_dir():
        return TensorFile(path)
    if (given / INDEX).exists():
        return IndexedTensors(given / INDEX)
    files = sorted(file.name for file in given.glob("*.safetensors"))
    if len(files) == 1 or _ONE_FILE in files:
        return TensorFile(given / (files[0] if len(files) == 1 else _ONE_FILE))
    if files:
        found = f"{len(files)} safetensors files, such as {files[0]!r}, but no index, {INDEX!r}"
        remedy = "they are a checkpoint that was not written completely, or several: give the path of a file"
    else:
        found, remedy = f"neither {INDEX!r} nor {_ONE_FILE!r}", "give the path of the folder that adjoint.save wrote"
    raise CheckpointError(f"the folder {quote_path(path)} is not a checkpoint: it has {found}; {remedy}")


class Slice(NamedTuple):
    """A slice of a tensor: the file that holds it, its name there, and where it starts along each axis."""

    file: str
    name: str
    offset: tuple[int, ...]


class Split(NamedTuple):
    """A tensor that is stored in slices: its dtype, its shape, and its slices."""

    dtype: np.dtype
    shape: tuple[int, ...]
    slices: list[Slice]


class IndexedTensors(Mapping[str, np.ndarray]):
    """The tensors of a folder with an index by name, each read when it is needed.

    A tensor that is whole in one file is mapped into memory. One that is stored in slices is put together.
    """

    def __init__(self, index: Path, content: bytes | None = None):
        """Open the files of an index, whose `content` may be given before it is written."""
        self.path, self.file = index, quote_path(index)
        if content is not None:
            self._open(content)
            return
        content = b""
        for _ in range(_ATTEMPTS):
            before, content = content, atomic.read(index)
            if content == before:
                break
            try:
                self._open(content)
            except AdjointError:
                continue  # a checkpoint that was saved meanwhile has another index and other files
            return
        self._open(content)

    def _open(self, content: bytes) -> None:
        self.about: dict[str, Any] | None = None  # None: of another library
        self.save, extra, split = None, {}, {}
        try:
            found = json.loads(content)
            places = dict(found["weight_map"])
            if RECORD in found:
                record = require_whole(found[RECORD], self.file, "it has changed")
                self.about, self.save = dict(record["about"]), str(record["save"])
                extra, split = dict(record["extra"]), dict(record["split"])
            self.places = {str(name): Path(file).name for name, file in (places | extra).items()}  # by stored name
            self.is_of_model = {name: name in places for name in self.places}
        except AdjointError:
            raise
        except MALFORMED:
            raise corrupt(self.file, "it is not an index of safetensors files") from None
        self.files = {file: self._open_part(file) for file in sorted(set(self.places.values()))}
        for name, file in self.places.items():
            if name not in self.files[file]:
                raise corrupt(self.file, f"it has the tensor {name!r} in {file!r}, but that file does not")
        with_slices = self._find_slices(split)
        stored = {part.name for tensor in with_slices.values() for part in tensor.slices}
        self.tensors: dict[str, Split | None] = {name: None for name in self.places if name not in stored}
        self.tensors |= with_slices

    def _open_part(self, file: str) -> TensorFile:
        path = self.path.parent / file
        if not path.is_file():
            raise FileError(
                f"cannot read {quote_path(path)}: the file is missing, and {self.path.name!r} has tensors in it; copy "
                "all files of the folder, or save it again"
            )
        part = TensorFile(path)
        if self.save is not None and (part.about or {}).get("save") != self.save:
            raise CheckpointError(
                f"{quote_path(path)} does not belong to {self.file}: it was written by another save; copy all files of "
                f"one checkpoint into a folder of its own, or save it again"
            )
        return part

    def _find_slices(self, split: Mapping[str, Any]) -> dict[str, Split]:
        """Return the tensors in slices; raise if the slices of one are not exactly the tensor."""
        found = {}
        for name, entry in split.items():
            shape: tuple[int, ...] = ()
            try:
                sides, offsets = entry
                shape = tuple(map(int, sides))
                slices = [Slice(self.places[part], part, tuple(map(int, offset))) for part, offset in offsets.items()]
                dtypes = {self.files[part.file].dtype(part.name) for part in slices}
                sizes = [self.files[part.file].shape(part.name) for part in slices]
                is_inside = all(
                    0 <= start <= start + size <= end
                    for part, sides in zip(slices, sizes)
                    for start, size, end in zip(part.offset, sides, shape, strict=True)
                )
                is_whole = sum(map(math.prod, sizes)) == math.prod(shape) and not _overlap(slices, sizes)
            except MALFORMED:
                is_inside, is_whole, dtypes, slices = False, False, set(), []
            if not (is_inside and is_whole and len(dtypes) == 1):
                raise corrupt(self.file, f"the slices of tensor {name!r} do not fit together")
            found[name] = Split(dtypes.pop(), shape, slices)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, without reading its numbers."""
        split = self.tensors[name]
        return self.files[self.places[name]].shape(name) if split is None else split.shape

    def dtype(self, name: str) -> np.dtype:
        """Return the dtype of the array that `self[name]` is, without reading its numbers."""
        split = self.tensors[name]
        return self.files[self.places[name]].dtype(name) if split is None else split.dtype

    def __getitem__(self, name: str) -> np.ndarray:
        return self.part(name, ())

    def lazily(self) -> dict[str, np.ndarray | StoredTensor]:
        """Return all tensors by name: an array that is mapped into memory, or one whose slices are read when needed."""
        return {name: self[name] if split is None else self._stored(name) for name, split in self.tensors.items()}

    def _stored(self, name: str) -> StoredTensor:
        return StoredTensor(self.shape(name), self.dtype(name), lambda index: self.part(name, index))

    def verify(self) -> None:
        """Raise if any number is not one that was written."""
        for file in self.files.values():
            file.verify()

    def part(self, name: str, index: Sequence[slice]) -> np.ndarray:
        """Return a part of a tensor, by a slice along each of its first axes; only the files that it is in are read."""
        split = self.tensors[name]
        if split is None:
            return self.files[self.places[name]][name][tuple(index)]
        sides = [side.indices(size) for side, size in zip(index, split.shape)]
        sides += [(0, size, 1) for size in split.shape[len(sides) :]]
        found = np.empty([max(end - start, 0) for start, end, _ in sides], split.dtype)
        for part in split.slices:
            size = self.files[part.file].shape(part.name)
            ours, theirs = [], []
            for (start, end, _), offset, length in zip(sides, part.offset, size):
                low, high = max(start, offset), min(end, offset + length)
                ours.append(slice(low - start, high - start))
                theirs.append(slice(low - offset, high - offset))
            if all(side.start < side.stop for side in ours):
                found[tuple(ours)] = self.files[part.file][part.name][tuple(theirs)]
        return found


def _overlap(slices: Sequence[Slice], sizes: Sequence[tuple[int, ...]]) -> bool:
    """Return whether two slices of a tensor have an element in common."""
    starts = np.array([part.offset for part in slices])
    ends = starts + np.array(sizes)
    low, high = np.maximum(starts[:, None], starts), np.minimum(ends[:, None], ends)
    common = (low < high).all(axis=-1)
    return bool((common & ~np.eye(len(slices), dtype=bool)).any())
