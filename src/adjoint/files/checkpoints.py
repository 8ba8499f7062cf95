"""Checkpoints: models and the state of their training in files, as safetensors and JSON, without pickle.

A file holds the tensors of a model under the names of its `state_dict()`, so PyTorch and others can read it. One entry
of the header is JSON: everything else that was saved, and checksums of each tensor and of the JSON itself. Files are
replaced atomically (see `atomic.py`). Truncated and corrupt files are refused with an error that names the tensor.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, CheckpointError, StateError
from adjoint.errors.given import describe, is_array
from adjoint.files import atomic
from adjoint.nn.descriptions import describe_model, rebuild
from adjoint.nn.module import Module
from adjoint.nn.state import as_array
from adjoint.nn.weight_limit import limit_weights

VERSION = 1  # of the content of the header
_RECORD = "adjoint"  # the only entry of the metadata, so that equal contents give equal bytes
_METADATA = "__metadata__"  # the key that safetensors uses for metadata
_TENSOR = "__tensor__"  # represents an array in JSON: {"__tensor__": its name}
_KEYS = ('"checksum"', '"content"', '"version"', '"about"', '"tensors"')  # of the record
_REMEDY = "use another copy, or save it again"
_DTYPES = {"BOOL": "|b1", "I8": "|i1", "U8": "|u1"} | {
    f"{kind.upper()}{8 * size}": f"<{kind}{size}" for kind in "fiu" for size in (2, 4, 8)
}
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_CODES = {dtype: code for code, dtype in _DTYPES.items()}


# --- models --------------------------------------------------------------------------------------------------


class Checkpoint(NamedTuple):
    """The result of `load`: the model, and everything else that was saved with it."""

    model: Any  # of any class: the caller knows which
    extra: dict[str, Any]


Path = str | os.PathLike
Savable = Module | Mapping[str, Any]


def save(path: Path | Savable, model: Savable | Path, **extra: object) -> None:
    """Save a model, and anything else by name, such as an optimizer and the number of an epoch.

    Objects with a `state_dict()` are saved by it. Everything else must be numbers, text, arrays, or lists and dicts of
    them; keys of dicts become text. The tensors of the model have the same names as in PyTorch.

    PyTorch's order of arguments, `save(model, path)`, works as well. In place of a model, a dict may be saved, such as
    a `state_dict()`, or a dict of several of them; `load` returns it.

    >>> import tempfile
    >>> from adjoint import load, nn, optim, save
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
    >>> save(model.state_dict(), path)
    >>> model.load_state_dict(load(path))
    Names(missing=[], unexpected=[])
    """
    if isinstance(model, (str, os.PathLike)):
        path, model = model, path
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"save needs a path and a model, save(path, model), not {describe(path)} as the path")
    if isinstance(model, Mapping):
        _save_dict(path, model, extra)
        return
    if not isinstance(model, Module):
        raise _not_a_model(model)
    tensors = model.state_dict()
    transient = {name: x for name, x in model.state_dict(transient=True).items() if name not in tensors}
    about = {
        "class": type(model).__name__,
        "description": describe_model(model),
        "transient": {name: np.asarray(x).tolist() for name, x in transient.items()},  # PyTorch has no such tensors
        "extra": {name: _pack(x, name, tensors) for name, x in extra.items()},
    }
    save_state(path, tensors, about)


def _save_dict(path: Path, given: Mapping[str, Any], extra: Mapping[str, object]) -> None:
    tensors: dict[str, Any] = {}
    content = {str(name): _pack(x, str(name), tensors) for name, x in {**given, **extra}.items()}
    save_state(path, tensors, {"dict": content})


def load(path: Path, model: Module | None = None, *, map_location: object = None, weights_only: bool = True) -> Any:
    """Return the model in a file, and everything that was saved with it: a `Checkpoint`, `model, extra = load(path)`.

    If the file holds a dict instead of a model, such as a `state_dict()`, the dict is returned.

    For a model of your own classes, or for a file written by PyTorch, which has tensors but no architecture, pass a
    `model` with the same layers; its weights are replaced. If any tensor does not fit, nothing is changed.

    PyTorch's arguments `map_location`, which must be the CPU, and `weights_only` make no difference: a file holds no
    program.

    >>> import tempfile
    >>> from adjoint import load, nn, save
    >>> path = tempfile.mkdtemp() + "/model.safetensors"
    >>> save(path, nn.Linear(2, 1, seed=0), epoch=5)
    >>> model, extra = load(path)
    >>> model.weight.shape, extra["epoch"]
    ((1, 2), 5)
    """
    if model is not None and not isinstance(model, Module):
        raise _not_a_model(model)
    if map_location is not None and str(map_location) != "cpu":
        raise ArgumentError(f"load: map_location cannot be {map_location!r}; arrays are loaded to the 'cpu'")
    tensors, about = load_state(path)
    if "dict" in about:
        with refuse_malformed(path):
            found = _unpack(about["dict"], tensors)
        if model is None:
            return found
        about, tensors = {}, found
    with refuse_malformed(path):
        extra = dict(about.get("extra", {}))
        used = set(_tensor_names(extra))
        if not used <= tensors.keys():
            raise _corrupt(_quote_path(path), f"tensor {min(used - tensors.keys())!r} is missing")
        state = {name: x for name, x in tensors.items() if name not in used} | dict(about.get("transient", {}))
    if model is None:
        if not about.get("description"):
            kind = about.get("class")
            whose = f"{kind}, which is not a class of adjoint.nn" if kind else "a model, but not its architecture"
            raise StateError(f"{_quote_path(path)} has the tensors of {whose}; pass a model: load(path, model)")
        with refuse_malformed(path), limit_weights(sum(np.size(x) for x in state.values())):
            model = rebuild(about["description"])
    try:
        model.load_state_dict(state)
    except StateError as error:
        raise StateError(f"{_quote_path(path)}: {error}") from None
    return Checkpoint(model, _unpack(extra, tensors))


@contextmanager
def refuse_malformed(path: str | os.PathLike) -> Iterator[None]:
    """Raise a CheckpointError for errors that the content of a file causes, such as text in place of a number."""
    try:
        yield
    except AdjointError:
        raise
    except (*_MALFORMED, MemoryError) as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _corrupt(_quote_path(path), f"its content does not fit together ({reason[:200]})") from error


def _not_a_model(model: object) -> ArgumentError:
    return ArgumentError(
        f"a checkpoint needs a model of adjoint.nn, or a dict such as its state_dict(), not {describe(model)}"
    )


def _pack(x: Any, name: str, tensors: dict[str, Any]) -> Any:
    """Return a nested structure as JSON; its arrays are added to the tensors, named by their path with slashes."""
    if hasattr(x, "state_dict"):
        x = x.state_dict()
    if isinstance(x, Mapping):
        if _TENSOR in x:
            raise StateError(f"{name}: the key {_TENSOR!r} is reserved for arrays; use another")
        return {str(key): _pack(item, f"{name}/{key}", tensors) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        return [_pack(item, f"{name}/{i}", tensors) for i, item in enumerate(x)]
    if is_array(x) or isinstance(x, (np.ndarray, Tensor)):
        if name in tensors:
            raise StateError(f"two tensors have the name {name!r}; rename one of them")
        tensors[name] = x
        return {_TENSOR: name}
    return x.data if isinstance(x, Value) else x


def _unpack(x: object, tensors: Mapping[str, np.ndarray]) -> Any:
    if isinstance(x, dict):
        return tensors[x[_TENSOR]] if _TENSOR in x else {key: _unpack(item, tensors) for key, item in x.items()}
    return [_unpack(item, tensors) for item in x] if isinstance(x, list) else x


def _tensor_names(x: object) -> Iterator[str]:
    """Yield the names of the tensors in a structure."""
    if isinstance(x, dict) and _TENSOR in x:
        yield x[_TENSOR]
    elif isinstance(x, (dict, list)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _tensor_names(item)


# --- tensors and JSON ----------------------------------------------------------------------------------------


def save_state(
    path: str | os.PathLike, tensors: Mapping[str, object], about: Mapping[str, object] | None = None
) -> None:
    """Save named arrays and numbers in one file, together with the JSON object `about`.

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
    try:
        content = safetensors.numpy.save(arrays, {_RECORD: record})
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust, which has no MemoryError
            raise MemoryError(f"no memory to save {_quote_path(path)}") from error
        raise
    atomic.write(path, content)


def load_state(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays of a file and the JSON object saved with them, which is empty for a file of another library.

    A truncated or corrupt file is refused: every number returned is one that was written.
    """
    import safetensors

    content, file = atomic.read(path), _quote_path(path)
    header = _header(content, file)
    record = _record(header.pop(_METADATA, {}), file)
    recorded = header if record is None else record["tensors"]
    for name in [*recorded, *header]:
        if name not in header:
            raise _corrupt(file, f"tensor {name!r} is missing")
        if name not in recorded:
            raise _corrupt(file, f"unexpected tensor {name!r}")
        if record and recorded[name][:2] != [header[name].get("dtype"), header[name].get("shape")]:
            raise _corrupt(file, f"the dtype or shape of tensor {name!r} has changed")
    try:
        found = dict(safetensors.deserialize(content))
    except safetensors.SafetensorError as error:
        raise _corrupt(file, str(error).removeprefix("Error while deserializing: ")) from None
    arrays = {name: _from_bytes(name, file, **found[name]) for name in recorded}
    for name, array in arrays.items():
        if record and recorded[name] != _fingerprint(array):
            raise _corrupt(file, f"the numbers of tensor {name!r} have changed")
    return arrays, record["about"] if record else {}


def _quote_path(path: str | os.PathLike) -> str:
    return repr(os.fspath(path))


def _corrupt(file: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{file} is corrupt: {reason}; {_REMEDY}")


# Writing


def _storable(name: object, x: object) -> np.ndarray:
    """Return an array as it is stored: in C order, little-endian."""
    if not isinstance(name, str) or name == _METADATA:
        raise StateError(f"a tensor needs a name such as 'layers.0.weight', not {describe(name)}")
    array = as_array(x)
    if array is not None:
        array = np.array(array, array.dtype.newbyteorder("<"), order="C", copy=None)
        if array.dtype.str in _CODES:
            return array
    kind = describe(x) if array is None else f"an array of {array.dtype}"
    raise StateError(f"cannot save tensor {name!r}: it is {kind}, not an array of numbers of up to 64 bits")


def _as_json(about: dict[str, object]) -> dict[str, Any]:
    """Return an object as JSON returns it when it is read: the checksum is computed from that."""

    def plain(x: object) -> object:
        if isinstance(x, np.generic):
            return x.item()
        raise StateError(f"cannot save {describe(x)}; save numbers, text, arrays, or lists and dicts of them")

    try:
        return json.loads(json.dumps(about, default=plain))
    except StateError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise StateError(f"cannot save {describe(about)} as JSON: {error}") from None


def _fingerprint(array: np.ndarray) -> list:
    """Return the record of a tensor: its dtype, its shape, and a checksum of its bytes."""
    return [_CODES[array.dtype.str], list(array.shape), _checksum(array.reshape(-1).view(np.uint8).data)]


def _checksum(content: bytes | memoryview) -> str:
    return f"{zlib.crc32(content):08x}"


# Reading


def _header(content: bytes, file: str) -> dict[str, Any]:
    """Return the header of a file; if the file is truncated, the error names the first incomplete tensor."""
    size = int.from_bytes(content[:8], "little")
    if content[8:9] not in (b"{", b""):
        raise CheckpointError(f"{file} is not a checkpoint: it is not in the safetensors format")
    if len(content) < 8 + size or size < 2:
        where = "it ends within its header, before the first tensor" if content else "it is empty"
        raise CheckpointError(f"{file} is truncated: {where}; {_REMEDY}")
    try:
        header = json.loads(content[8 : 8 + size])
        ends = sorted((int(entry["data_offsets"][1]), name) for name, entry in header.items() if name != _METADATA)
    except _MALFORMED:
        raise _corrupt(file, "its header is unreadable") from None
    lost = next((name for end, name in ends if end > len(content) - 8 - size), None)
    if lost is not None:
        raise CheckpointError(f"{file} is truncated: tensor {lost!r} is incomplete; {_REMEDY}")
    return header


def _record(metadata: dict[str, str], file: str) -> dict[str, Any] | None:
    """Return the JSON that `save_state` wrote into the header; None for a file of another library."""
    try:
        if _RECORD not in metadata and not any(key in text for text in metadata.values() for key in _KEYS):
            return None  # a damaged file of adjoint would still have some of its keys
        record = json.loads(metadata[_RECORD])
        content = record["content"]
        is_whole = record["checksum"] == _checksum(json.dumps(content).encode())
        version = content["version"]
        is_whole &= isinstance(content["about"], dict) and all(len(x) == 3 for x in content["tensors"].values())
    except _MALFORMED:
        is_whole, content, version = False, {}, VERSION
    if not is_whole:
        raise _corrupt(file, "its metadata has changed")
    if version != VERSION:
        raise CheckpointError(f"{file} has format {version}, but this adjoint reads format {VERSION}; update adjoint")
    return content


def _from_bytes(name: str, file: str, dtype: str, shape: list[int], data: bytes) -> np.ndarray:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    if dtype not in _DTYPES:
        raise CheckpointError(f"{file}: tensor {name!r} has the dtype {dtype}, which NumPy does not support")
    return np.array(np.frombuffer(data, _DTYPES[dtype]).reshape(shape))
