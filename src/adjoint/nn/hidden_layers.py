"""Layers that `parameters()` cannot find: in a generator or a set, or as attributes of the class."""

from collections.abc import Mapping
from types import GeneratorType
from typing import TYPE_CHECKING
from weakref import WeakSet

from adjoint.engine.value import Value
from adjoint.errors import HiddenLayersWarning

if TYPE_CHECKING:
    from adjoint.nn.module import Module

_examined: "WeakSet[type]" = WeakSet()  # classes of modules: each is examined once, so that `parameters()` stays fast


def warn_of_hidden_layers(module: "Module") -> None:
    """Warn once for a class if a module of it has layers that `parameters()` does not find.

    >>> import warnings
    >>> from adjoint import nn
    >>> class Net(nn.Module):
    ...     hidden = nn.Linear(2, 3)  # should be assigned to self in __init__
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     parameters = Net().parameters()
    >>> [warning.category.__name__ for warning in found]
    ['HiddenLayersWarning']
    """
    kind = type(module)
    if kind in _examined:
        return
    _examined.add(kind)
    reason = describe_hidden(module)
    if reason:
        from adjoint.errors.guard_warnings import is_on, warn_once

        if is_on("hidden_layers"):
            warn_once("hidden_layers", HiddenLayersWarning, reason)


def describe_hidden(module: "Module") -> str:
    """Return which layers are not found, and what to write; empty if there are none."""
    name = type(module).__name__
    for attribute, x in vars(module).items():
        if isinstance(x, GeneratorType) and _makes_layers(x):
            return (
                f"{name}.{attribute} is a generator of layers, which can be read only once, so their parameters are "
                f"not found and not trained: make a list of it, self.{attribute} = [… for … in …]"
            )
        if isinstance(x, (set, frozenset)) and any(map(_has_values, x)):
            return (
                f"{name}.{attribute} is a set of layers, which has no order, so their parameters are not found and not "
                f"trained: make a list of it, self.{attribute} = [ … ]"
            )
    for attribute, x in _class_attributes(module):
        parts = x.values() if isinstance(x, Mapping) else x if isinstance(x, (list, tuple)) else [x]
        if any(map(_has_values, parts)):
            return (
                f"{name}.{attribute} is an attribute of the class, which all of its objects share, so its parameters "
                f"are not found and not trained: assign it in __init__, self.{attribute} = …"
            )
    return ""


def _class_attributes(module: "Module") -> list[tuple[str, object]]:
    from adjoint.nn.module import Module

    own = [kind for kind in type(module).__mro__ if issubclass(kind, Module)]
    return [(name, x) for kind in own for name, x in vars(kind).items() if name not in vars(module)]


def _has_values(x: object) -> bool:
    from adjoint.nn.module import Module

    return bool(x.parameters()) if isinstance(x, Module) else isinstance(x, Value) and x.requires_grad and not x.parents


def _makes_layers(generator: GeneratorType) -> bool:
    """Return whether the code of a generator names a class of modules, directly or of a module such as `nn`."""
    from adjoint import nn

    known = generator.gi_frame.f_globals if generator.gi_frame is not None else {}
    named = [known.get(name, getattr(nn, name, None)) for name in generator.gi_code.co_names]
    return any(isinstance(x, type) and issubclass(x, nn.Module) for x in named)
