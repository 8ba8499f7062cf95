"""Describe the architecture of a model as JSON, and rebuild it: the classes of `adjoint.nn` and their arguments.

A description holds only names of adjoint's own classes and functions, and only those are looked up when a model is
rebuilt: a file can say what to build, never what to run. A model that uses other classes has no description.
"""

import inspect
from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, NoReturn

from adjoint import nn
from adjoint.arrays.kinds import array_code, is_numpy_array, is_tensor
from adjoint.engine import ops
from adjoint.errors import AdjointError, StateError
from adjoint.errors.given import describe
from adjoint.nn.containers import ModuleDict, ModuleList
from adjoint.nn.module import Module
from adjoint.nn.scalar import ACTIVATIONS, MLP, Layer, Neuron
from adjoint.nn.sequential import Function, Sequential
from adjoint.nn.state_entries import entries

_PLAIN = (bool, int, float, str, type(None))


def _functions() -> dict[str, Callable[..., object]]:
    """Return the functions that may be layers, by name."""
    reductions = array_code("functions.reductions")
    return {**ops.TABLE, "softmax": reductions.softmax, "log_softmax": reductions.log_softmax}


class _Indescribable(Exception):
    """Raised for a part of a model that is not adjoint's."""


def describe_model(model: Module) -> dict[str, Any] | None:
    """Return the architecture of a model as JSON; None if a part is not adjoint's, or is used in two places.

    >>> describe_model(nn.Sequential(nn.Linear(2, 1), nn.Tanh()))["layers"]["1"]
    {'class': 'Tanh', 'arguments': {}}
    """
    distinct = [*model.named_parameters(), *(entry for entry in model.named_buffers() if entry[1] is not None)]
    if len(distinct) < len(entries(model)):
        return None  # a weight shared by two layers would be rebuilt as two weights
    try:
        return _describe(model)
    except _Indescribable:
        return None


def rebuild(description: Mapping[str, Any]) -> Module:
    """Return a new model with the architecture of a description; its weights are initialized again."""
    try:
        name = description["class"]
        if name == "Function":
            return Function(_functions()[description["function"]])
        kind = getattr(nn, name) if name in dir(nn) else None
        if not isinstance(kind, type) or not issubclass(kind, Module):
            raise StateError(f"adjoint.nn has no layer {name!r}; use the version of adjoint that saved it")
        if kind is Sequential or kind is ModuleDict or kind is ModuleList:
            layers = {key: rebuild(layer) for key, layer in description["layers"].items()}
            return ModuleList(layers.values()) if kind is ModuleList else kind(layers)
        given = {key: tuple(x) if isinstance(x, list) else x for key, x in description["arguments"].items()}
        return kind(**given)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, AdjointError):
            raise
        raise StateError(f"cannot build a model from the description {describe(description)}: {error}") from None


def _describe(module: Module) -> dict[str, Any]:
    kind = type(module)
    if isinstance(module, Function):
        return {"class": "Function", "function": name_of(module) or _refuse()}
    if getattr(nn, kind.__name__, None) is not kind or kind is Module:
        _refuse()
    if isinstance(module, (Sequential, ModuleList, ModuleDict)):
        return {"class": kind.__name__, "layers": {key: _describe(x) for key, x in module.named_children()}}
    arguments = _scalar_arguments(module) if isinstance(module, (Neuron, Layer, MLP)) else module.arguments()
    if not all(map(is_plain, arguments.values())):
        _refuse()
    dtype = dtype_of(module)
    if dtype and "dtype" in inspect.signature(kind).parameters:
        arguments["dtype"] = dtype
    return {"class": kind.__name__, "arguments": arguments}


def dtype_of(module: Module) -> str | None:
    """Return the name of the dtype that all weights of a layer fit into; None for a layer without weights."""
    contents = [entry.content for entry in entries(module) if entry.kind != "transient"]
    dtypes: list[Any] = [x.dtype for x in contents if is_tensor(x) or is_numpy_array(x)]
    floats = [x for x in dtypes if "float" in str(x)]
    if not floats:
        return None
    import numpy as np

    # PyTorch's dtypes are not those of NumPy, but have the same names
    return np.result_type(*(str(x).removeprefix("torch.") if "torch" in str(x) else x for x in floats)).name


def _scalar_arguments(module: Neuron | Layer | MLP) -> dict[str, Any]:
    """Return the arguments of the constructor of a network of scalar Values."""
    layers = module.layers if isinstance(module, MLP) else [module]
    rows = [layer.neurons if isinstance(layer, Layer) else [layer] for layer in layers]
    names = [_one_of({_activation_name(neuron) for neuron in row}) for row in rows]
    nin, nouts = len(rows[0][0].w), [len(row) for row in rows]
    if isinstance(module, MLP):
        hidden = _one_of(set(names[:-1] or names))
        return {"nin": nin, "nouts": nouts, "activation": hidden, "output_activation": names[-1]}
    return {"nin": nin, "activation": names[0]} | ({"nout": nouts[0]} if isinstance(module, Layer) else {})


def _activation_name(neuron: Neuron) -> str:
    name, function = neuron.activation, neuron._activate
    is_known = name == "linear" or isinstance(function, methodcaller) or function is ops.TABLE.get(name)
    return name if is_known and name in ACTIVATIONS else _refuse()


def _one_of(found: set[str]) -> str:
    return found.pop() if len(found) == 1 else _refuse()


def name_of(layer: Function) -> str | None:
    """Return the name of the function that a layer calls, if it is adjoint's; None otherwise."""
    return next((name for name, function in _functions().items() if function is layer.function), None)


def is_plain(x: object) -> bool:
    """Return whether an argument of a layer can be written as JSON."""
    return all(map(is_plain, x)) if isinstance(x, (tuple, list)) else isinstance(x, _PLAIN)


def _refuse() -> NoReturn:
    raise _Indescribable
