"""Checkpoints: models and the state of their training in files, as safetensors and JSON. Nothing is ever pickled.

A file has the tensors of a model under the names of its `state_dict()`, so that PyTorch and others read it as they
read their own. In the header is one piece of JSON: what else was saved, and a checksum of every tensor and of the JSON
itself. Files are replaced atomically (see `atomic.py`); what is truncated or corrupt is refused, and the tensor named.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, CheckpointError, StateError
from adjoint.errors.given import described, is_array
from adjoint.files import atomic
from adjoint.nn.descriptions import describe, rebuild
from adjoint.nn.module import Module
from adjoint.nn.state import as_array

VERSION = 1  # of what is in the header
_RECORD = "adjoint"  # the one entry of the header's metadata, so that equal contents are equal bytes
_METADATA = "__metadata__"  # where safetensors has it
_TENSOR = "__tensor__"  # in JSON, what stands for an array: {"__tensor__": its name}
_REMEDY = "take another copy of it, or save it again"
_DTYPES = {"BOOL": "|b1", "I8": "|i1", "U8": "|u1"} | {
    f"{kind.upper()}{8 * size}": f"<{kind}{size}" for kind in "fiu" for size in (2, 4, 8)
}
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_CODES = {dtype: code for code, dtype in _DTYPES.items()}


# --- models --------------------------------------------------------------------------------------------------


class Checkpoint(NamedTuple):
    """What `load` returns: the model, and what else was saved with it."""

    model: Any
    extra: dict[str, Any]


def save(path: str | os.PathLike, model: Module, **extra: Any) -> None:
    """Write a model into a file, and whatever else is given by name, such as an optimiser and the number of an epoch.

    What has a `state_dict()` is saved by it; all else is numbers, text, arrays, and lists and dicts of them, with the
    keys of dicts as text. The tensors of the model have the names that they have in PyTorch.

    >>> import tempfile
    >>> from adjoint import nn, optim
    >>> path = tempfile.mkdtemp() + "/model.safetensors"
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.ReLU())
    >>> save(path, model, optimizer=optim.Adam(model), epoch=5)
    >>> again, extra = load(path)
    >>> again
    Sequential(
      (0): Linear(2, 3), 9 parameters
      (1): ReLU()
    ), 9 parameters
    >>> extra["epoch"]
    5
    """
    _require_module(model)
    tensors = model.state_dict()
    transient = {name: x for name, x in model.state_dict(transient=True).items() if name not in tensors}
    about = {
        "class": type(model).__name__,
        "description": describe(model),
        "transient": {name: np.asarray(x).tolist() for name, x in transient.items()},  # not for PyTorch to stumble over
        "extra": {name: _packed(x, name, tensors) for name, x in extra.items()},
    }
    save_state(path, tensors, about)


def load(path: str | os.PathLike, model: Module | None = None) -> Checkpoint:
    """Return the model in a file, and what was saved with it.

    A model of classes of your own is given, with the same layers; its numbers are replaced. So is one for a file that
    was written by PyTorch's safetensors, which has tensors and no layers. All numbers are taken, or none and an error
    says which do not fit.
    """
    if model is not None:
        _require_module(model)
    tensors, about = load_state(path)
    extra = about.get("extra", {})
    used = set(_tensor_names(extra))
    state = {name: x for name, x in tensors.items() if name not in used} | about.get("transient", {})
    if model is None:
        if not about.get("description"):
            kind = about.get("class")
            whose = f"{kind}, which adjoint cannot make by itself" if kind else "a model that it does not describe"
            raise StateError(f"{_shown(path)} has the tensors of {whose}: give load such a model as well")
        model = rebuild(about["description"])
    try:
        model.load_state_dict(state)
    except StateError as error:
        raise StateError(f"{_shown(path)}: {error}") from None
    return Checkpoint(model, _unpacked(extra, tensors))


def _require_module(model: Any) -> None:
    if not isinstance(model, Module):
        raise ArgumentError(f"a checkpoint is of a model of adjoint.nn, not of {described(model)}; see save_state")


def _packed(x: Any, name: str, tensors: dict[str, Any]) -> Any:
    """Return a structure as JSON, with its arrays entered among the tensors: under the way to them, by slashes."""
    if hasattr(x, "state_dict"):
        x = x.state_dict()
    if isinstance(x, Mapping):
        if _TENSOR in x:
            raise StateError(f"{name}: the key {_TENSOR!r} stands for arrays in a file; use another")
        return {str(key): _packed(item, f"{name}/{key}", tensors) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        return [_packed(item, f"{name}/{i}", tensors) for i, item in enumerate(x)]
    if is_array(x) or isinstance(x, np.ndarray) or (isinstance(x, Value) and hasattr(x, "shape")):
        if name in tensors:
            raise StateError(f"two tensors would have the name {name!r}")
        tensors[name] = x
        return {_TENSOR: name}
    return x.data if isinstance(x, Value) else x


def _unpacked(x: Any, tensors: Mapping[str, Any]) -> Any:
    if isinstance(x, dict):
        return tensors[x[_TENSOR]] if _TENSOR in x else {key: _unpacked(item, tensors) for key, item in x.items()}
    return [_unpacked(item, tensors) for item in x] if isinstance(x, list) else x


def _tensor_names(x: Any) -> Iterator[str]:
    """Yield the names of the tensors that a structure has."""
    if isinstance(x, dict) and _TENSOR in x:
        yield x[_TENSOR]
    elif isinstance(x, (dict, list)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _tensor_names(item)


# --- tensors and JSON ----------------------------------------------------------------------------------------


def save_state(path: str | os.PathLike, tensors: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> None:
    """Write named arrays and numbers, and whatever JSON can say `about` them, into one file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/state.safetensors"
    >>> save_state(path, {"w": [1.0, 2.0]}, {"epoch": 3})
    >>> load_state(path)
    ({'w': array([1., 2.])}, {'epoch': 3})
    """
    import safetensors.numpy

    arrays = {name: _storable(name, x) for name, x in tensors.items()}
    content = {
        "version": VERSION,
        "about": _as_json(dict(about or {})),
        "tensors": {name: _fingerprint(array) for name, array in arrays.items()},
    }
    record = json.dumps({"checksum": _checksum(json.dumps(content).encode()), "content": content})
    atomic.write(path, safetensors.numpy.save(arrays, {_RECORD: record}))


def load_state(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays of a file and what was saved `about` them. A file of PyTorch's safetensors has only arrays.

    A file that is truncated or corrupt is refused: no number is returned that was not written.
    """
    import safetensors

    content, file = atomic.read(path), _shown(path)
    header = _header(content, file)
    record = _record(header.pop(_METADATA, {}), file)
    recorded = header if record is None else record["tensors"]
    for name in [*recorded, *header]:
        if name not in header:
            raise _corrupt(file, f"tensor {name!r} is missing")
        if name not in recorded:
            raise _corrupt(file, f"tensor {name!r} is none that was written")
        if record and recorded[name][:2] != [header[name].get("dtype"), header[name].get("shape")]:
            raise _corrupt(file, f"tensor {name!r} has not the dtype and shape that were written")
    try:
        found = dict(safetensors.deserialize(content))
    except safetensors.SafetensorError as error:
        raise _corrupt(file, str(error).removeprefix("Error while deserializing: ")) from None
    arrays = {name: _from_bytes(name, file, **found[name]) for name in recorded}
    for name, array in arrays.items():
        if record and recorded[name] != _fingerprint(array):
            raise _corrupt(file, f"the numbers of tensor {name!r} are not those that were written")
    return arrays, record["about"] if record else {}


def _shown(path: Any) -> str:
    return repr(os.fspath(path))


def _corrupt(file: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{file} is corrupt: {reason}; {_REMEDY}")


# What is written


def _storable(name: Any, x: Any) -> np.ndarray:
    """Return an array as the file has it: its rows one after the other, the low byte of each number first."""
    if not isinstance(name, str) or name == _METADATA:
        raise StateError(f"a tensor is saved under a name such as 'layers.0.weight', not {described(name)}")
    array = as_array(x)
    if array is not None:
        array = np.array(array, array.dtype.newbyteorder("<"), order="C", copy=None)
        if array.dtype.str in _CODES:
            return array
    kind = described(x) if array is None else f"an array of {array.dtype}"
    raise StateError(f"tensor {name!r} cannot be saved: it is {kind}, and no array of numbers of up to 64 bits")


def _as_json(about: Any) -> Any:
    """Return what JSON makes of it: a checksum is of what will be read, not of what was given."""

    def plain(x: Any) -> Any:
        if isinstance(x, np.generic):
            return x.item()
        raise StateError(f"JSON cannot say {described(x)}; save numbers, text, arrays, and lists and dicts of them")

    try:
        return json.loads(json.dumps(about, default=plain))
    except StateError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise StateError(f"what is saved about tensors is JSON, and {described(about)} is not: {error}") from None


def _fingerprint(array: np.ndarray) -> list:
    """Return what a file records of a tensor: its dtype, its shape, and a checksum of its bytes."""
    return [_CODES[array.dtype.str], list(array.shape), _checksum(array.reshape(-1).view(np.uint8).data)]


def _checksum(content: Any) -> str:
    return f"{zlib.crc32(content):08x}"


# What is read


def _header(content: bytes, file: str) -> dict[str, Any]:
    """Return the header of a file, or say which tensor is the first that is not all there."""
    size = int.from_bytes(content[:8], "little")
    if content[8:9] not in (b"{", b""):
        raise CheckpointError(f"{file} is no checkpoint: it does not begin as a file in the safetensors format does")
    if len(content) < 8 + size or size < 2:
        where = "it ends within its header, before the first tensor" if content else "it is empty"
        raise CheckpointError(f"{file} is truncated: {where}; {_REMEDY}")
    try:
        header = json.loads(content[8 : 8 + size])
        ends = sorted((int(entry["data_offsets"][1]), name) for name, entry in header.items() if name != _METADATA)
    except _MALFORMED:
        raise _corrupt(file, "its header, which lists the tensors, cannot be read") from None
    lost = next((name for end, name in ends if end > len(content) - 8 - size), None)
    if lost is not None:
        raise CheckpointError(f"{file} is truncated: tensor {lost!r} is not all there; {_REMEDY}")
    return header


def _record(metadata: Any, file: str) -> dict[str, Any] | None:
    """Return what `save_state` put into the header; None if the file was written by something else."""
    try:
        if _RECORD not in metadata and not any('"checksum"' in text for text in metadata.values()):
            return None
        record = json.loads(metadata[_RECORD])
        content = record["content"]
        is_whole = record["checksum"] == _checksum(json.dumps(content).encode())
        version = content["version"]
    except _MALFORMED:
        is_whole, content, version = False, {}, VERSION
    if not is_whole:
        raise _corrupt(file, "what its header says about the tensors is not what was written")
    if version != VERSION:
        raise CheckpointError(f"{file} has form {version} of a later adjoint; this one reads form {VERSION}: update it")
    return content


def _from_bytes(name: str, file: str, dtype: str, shape: list[int], data: bytes) -> np.ndarray:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    if dtype not in _DTYPES:
        raise CheckpointError(f"{file}: tensor {name!r} has the dtype {dtype}, which NumPy has not")
    return np.array(np.frombuffer(data, _DTYPES[dtype]).reshape(shape))
