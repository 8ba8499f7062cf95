"""Checkpoints: models and the state of their training in files, as safetensors and JSON, without pickle.

A file holds the tensors of a model under the names of its `state_dict()`, so PyTorch and others can read it, and
everything else that was saved (see `tensor_files.py`). A large model is saved in several files of a folder (see
`parts.py`). Both are replaced atomically (see `atomic.py`).
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.live_states import without_copies
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, StateError
from adjoint.errors.given import describe, is_array
from adjoint.files import atomic
from adjoint.files.parts import is_folder, require_own_folder, require_writable_folder, split_by, write_folder
from adjoint.files.tensor_files import MALFORMED, TensorFile, corrupt, quote_path, write_tensors
from adjoint.files.tensor_sources import source_of
from adjoint.files.tensors import open_tensors
from adjoint.nn.descriptions import describe_model, rebuild
from adjoint.nn.module import Module
from adjoint.nn.state_entries import as_array
from adjoint.nn.weight_draws import skip_draws
from adjoint.nn.weight_limit import limit_weights
from adjoint.optim import EMA, Optimizer

_TENSOR = "__tensor__"  # represents an array in JSON: {"__tensor__": its name}


# --- models --------------------------------------------------------------------------------------------------


class Checkpoint(NamedTuple):
    """The result of `load`: the model, and everything else that was saved with it."""

    model: Any  # of any class: the caller knows which
    extra: dict[str, Any]


Path = str | os.PathLike
Savable = Module | Mapping[str, Any]


def save(
    path: Path | Savable,
    model: Savable | Path,
    *,
    parts: int | None = None,
    max_size: str | int | None = None,
    **extra: object,
) -> None:
    """Save a model, and anything else by name, such as an optimizer and the number of an epoch.

    Objects with a `state_dict()` are saved by it. Everything else must be numbers, text, arrays, or lists and dicts of
    them; keys of dicts become text. The tensors of the model have the same names as in PyTorch.

    PyTorch's order of arguments, `save(model, path)`, works as well. In place of a model, a dict may be saved, such as
    a `state_dict()`, or a dict of several of them; `load` returns it.

    With `parts`, a number, or `max_size`, such as "5GB", the path is that of a folder, which is created. It gets
    several files of about the same size, or of at most that size, and an index, in the layout of Hugging Face. A path
    that ends in "/", and one of a folder that is empty or has a checkpoint, are those of folders as well, with files of
    at most 5 GB. Arrays that are split over the devices of several processes are saved that way: every process calls
    `save`, and writes the parts that its own devices hold.

    A file or a folder is replaced as a whole: a process that is killed leaves the old one or the new one.

    >>> import os, tempfile
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
    IncompatibleKeys(missing=[], unexpected=[])
    >>> folder = tempfile.mkdtemp() + "/large"
    >>> save(folder, model, epoch=6, parts=2)
    >>> sorted(os.listdir(folder))
    ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors', 'model.safetensors.index.json']
    >>> load(folder).extra
    {'epoch': 6}
    """
    if isinstance(model, (str, os.PathLike)):
        path, model = model, path
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"save needs a path and a model, save(path, model), not {describe(path)} as the path")
    tensors, others, about = _dict_content(model, extra) if isinstance(model, Mapping) else _content(model, extra)
    if _takes_folder(path, parts, max_size):
        write_folder(path, tensors, others, _as_json(about), split_by(parts, max_size))
    else:
        save_state(path, tensors | others, about)


Content = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]  # tensors of the model, other tensors, and JSON


def _content(model: object, extra: Mapping[str, object]) -> Content:
    if not isinstance(model, Module):
        raise _not_a_model(model)
    tensors, others = dict(_state_of(model)), {}
    transient = {name: x for name, x in _state_of(model, transient=True).items() if name not in tensors}
    about = {
        "class": type(model).__name__,
        "description": describe_model(model),
        # PyTorch has no such tensors
        "transient": {name: np.asarray(as_array(x)).tolist() for name, x in transient.items()},
        "extra": {name: _pack(x, name, others) for name, x in extra.items()},
    }
    twice = tensors.keys() & others.keys()
    if twice:
        raise StateError(f"two tensors have the name {min(twice)!r}; rename one of them")
    return tensors, others, about


def _dict_content(given: Mapping[str, Any], extra: Mapping[str, object]) -> Content:
    tensors: dict[str, Any] = {}
    content = {str(name): _pack(x, str(name), tensors) for name, x in {**given, **extra}.items()}
    return tensors, {}, {"dict": content}


def _takes_folder(path: Path, parts: object, max_size: object) -> bool:
    """Return whether a checkpoint is written into a folder; raise if the path does not say so clearly."""
    if parts is not None or max_size is not None:
        if os.fspath(path).endswith(".safetensors"):
            given = f"parts={parts!r}" if parts is not None else f"max_size={max_size!r}"
            raise ArgumentError(
                f"save with {given} writes a folder of several files, and {quote_path(path)} is the name of one file; "
                "give the name of a folder"
            )
        return True
    if is_folder(path):
        require_own_folder(path)
        return True
    return False


def require_writable(path: Path) -> None:
    """Raise if a checkpoint cannot be written to a file or a folder now: call this before long work."""
    if is_folder(path):
        require_own_folder(path)
        require_writable_folder(path)
    else:
        atomic.require_writable(path)


def load(path: Path, model: Module | None = None, *, map_location: object = None, weights_only: bool = True) -> Any:
    """Return the model in a file, and everything that was saved with it: a `Checkpoint`, `model, extra = load(path)`.

    The path is that of a file, or of a folder with several files and an index, whose arrays are mapped into memory. If
    it holds a dict instead of a model, such as a `state_dict()`, the dict is returned.

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
    opened = open_tensors(path)
    opened.verify()  # before anything is changed
    tensors, about = opened.lazily(), opened.about or {}
    if "dict" in about:
        with refuse_malformed(path):
            found = _unpack(about["dict"], _own(tensors, _tensor_names(about["dict"]), path))
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
        count = sum(math.prod(np.shape(x)) for x in state.values())
        with refuse_malformed(path), limit_weights(count), skip_draws():
            model = rebuild(about["description"])
    try:
        model.load_state_dict(state)
    except StateError as error:
        raise StateError(f"{quote_path(path)}: {error}") from None
    return Checkpoint(model, _unpack(extra, _own(tensors, used, path)))


def _own(tensors: Mapping[str, Any], names: Iterable[str], path: Path) -> Mapping[str, Any]:
    """Return the tensors that a user keeps. Those of a file are copies, so that the file may be replaced."""
    return tensors if is_folder(path) else {name: np.array(tensors[name]) for name in names}


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


def _state_of(x: Any, **options: bool) -> Mapping[str, Any]:
    """Return the state of an object; without copies, if it is a `state_dict()` of adjoint that makes it."""
    if type(x).state_dict in (Module.state_dict, Optimizer.state_dict, EMA.state_dict):
        with without_copies():
            return x.state_dict(**options)
    return x.state_dict(**options)


def _pack(x: Any, name: str, tensors: dict[str, Any]) -> Any:
    """Return a nested structure as JSON; its arrays are added to the tensors, named by their path with slashes."""
    if hasattr(x, "state_dict"):
        x = _state_of(x)
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
