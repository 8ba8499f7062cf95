"""Checkpoints: models and the state of their training in files, as safetensors and JSON, without pickle.

A file holds the tensors of a model under the names of its `state_dict()`, so PyTorch and others can read it, and
everything else that was saved (see `tensor_files.py`). A large model is saved in several files of a folder (see
`parts.py`). Both are replaced atomically (see `atomic.py`).
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, StateError
from adjoint.errors.given import describe, is_array
from adjoint.files.sources import source_of
from adjoint.files.tensor_files import MALFORMED, TensorFile, corrupt, quote_path, write_tensors
from adjoint.nn.descriptions import describe_model, rebuild
from adjoint.nn.module import Module
from adjoint.nn.weight_limit import limit_weights

_TENSOR = "__tensor__"  # represents an array in JSON: {"__tensor__": its name}


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
            raise corrupt(quote_path(path), f"tensor {min(used - tensors.keys())!r} is missing")
        state = {name: x for name, x in tensors.items() if name not in used} | dict(about.get("transient", {}))
    if model is None:
        if not about.get("description"):
            kind = about.get("class")
            whose = f"{kind}, which is not a class of adjoint.nn" if kind else "a model, but not its architecture"
            raise StateError(f"{quote_path(path)} has the tensors of {whose}; pass a model: load(path, model)")
        with refuse_malformed(path), limit_weights(sum(np.size(x) for x in state.values())):
            model = rebuild(about["description"])
    try:
        model.load_state_dict(state)
    except StateError as error:
        raise StateError(f"{quote_path(path)}: {error}") from None
    return Checkpoint(model, _unpack(extra, tensors))


@contextmanager
def refuse_malformed(path: str | os.PathLike) -> Iterator[None]:
    """Raise a CheckpointError for errors that the content of a file causes, such as text in place of a number."""
    try:
        yield
    except AdjointError:
        raise
    except (*MALFORMED, MemoryError) as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise corrupt(quote_path(path), f"its content does not fit together ({reason[:200]})") from error


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
    sources = [source_of(name, x) for name, x in tensors.items()]
    write_tensors(path, sources, _as_json(dict(about or {})))


def load_state(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays of a file and the JSON object saved with them, which is empty for a file of another library.

    A truncated or corrupt file is refused: every number returned is one that was written.
    """
    file = TensorFile(path)
    return {name: np.array(array) for name, array in file.items()}, file.about or {}


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
