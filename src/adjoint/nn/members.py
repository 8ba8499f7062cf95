"""The parameters, buffers and submodules among the attributes of a module; a guard for others; and freezing."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import GeneratorType, MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, cast
from weakref import WeakSet

from adjoint.engine.freezing import trainable
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, HiddenLayersWarning
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    from adjoint.nn.module import Module

_CONTAINERS = (list, tuple, dict)


class ParameterHolder(Protocol):
    """An object with `parameters()`, such as a neuron of a class that is not a `Module`."""

    parameters: Callable[[], Iterable[object]]


class Parameters(list[Value]):
    """A list of parameters that is also an iterator over them, for `next(model.parameters())`."""

    _next = 0

    def __next__(self) -> Value:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]


class Members:
    """The base class of `Module`: it finds the parameters, buffers and submodules among its attributes."""

    _buffers: Mapping[str, bool] = MappingProxyType({})  # the name of each buffer, and whether it is persistent

    def parameters(self) -> list[Value]:
        """Return the Values that training changes, each once, and also those that are frozen.

        It is a list, which `next` also accepts, as it does PyTorch's iterator.

        >>> from adjoint import nn
        >>> model = nn.Linear(2, 3)
        >>> [p.shape for p in model.parameters()]
        [(3, 2), (3,)]
        """
        return Parameters({id(p): p for _, p in named_values(self, overridden=False)}.values())

    def named_parameters(self) -> Iterator[tuple[str, Value]]:
        """Yield the parameters with their names, such as "layers.0.weight"; a shared parameter appears once."""
        seen = set()
        for name, p in named_values(self):
            if id(p) not in seen:
                seen.add(id(p))
                yield name, p

    def modules(self) -> Iterator["Module"]:
        """Yield this module and all of its submodules, each once."""
        return (module for _, module in self.named_modules())

    def named_modules(self) -> Iterator[tuple[str, "Module"]]:
        """Yield this module under the name "" and all of its submodules with their names, each once."""
        seen: set[int] = set()
        waiting: list[tuple[str, Module]] = [("", cast("Module", self))]
        while waiting:
            name, module = waiting.pop()
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module
                prefix = f"{name}." if name else ""
                waiting += [(prefix + part, child) for part, child in module.named_children()][::-1]

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield the modules that are attributes of this one, or in lists, tuples and dicts among its attributes."""
        return ((name, x) for name, x in find_members(self) if isinstance(x, Members))

    def children(self) -> "Iterator[Module]":
        """Yield the modules that are attributes of this one, or in lists, tuples and dicts among its attributes.

        >>> from adjoint import nn
        >>> [type(child).__name__ for child in nn.Sequential(nn.Linear(2, 3), nn.ReLU()).children()]
        ['Linear', 'ReLU']
        """
        return (child for _, child in self.named_children())

    def get_submodule(self, target: str) -> "Module":
        """Return a submodule by its path, such as "layers.0.attention"; "" is the module itself.

        >>> from adjoint import nn
        >>> nn.Sequential(nn.Sequential(nn.Linear(2, 3))).get_submodule("0.0")
        Linear(2, 3), 9 parameters
        """
        return self._get("submodule", target, dict(self.named_modules()))

    def get_parameter(self, target: str) -> Value:
        """Return a parameter by its path, such as "layers.0.weight".

        >>> from adjoint import nn
        >>> nn.Sequential(nn.Linear(2, 3)).get_parameter("0.weight").shape
        (3, 2)
        """
        return self._get("parameter", target, dict(self.named_parameters()))

    def _get(self, what: str, target: str, known: dict[str, Any]) -> Any:
        if target not in known:
            raise unknown_name_error(what, target, known)
        return known[target]

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a submodule under a name: the same as assigning an attribute.

        >>> from adjoint import nn
        >>> model = nn.Module()
        >>> model.add_module("hidden", nn.Linear(2, 3))
        >>> model.hidden
        Linear(2, 3), 9 parameters
        """
        if module is not None and not isinstance(module, Members):
            raise ArgumentError(f"add_module({name!r}, …) needs a module, not {describe(module)}")
        self._add_member(name, module)

    register_module = add_module

    def register_parameter(self, name: str, parameter: Value | None) -> None:
        """Add a parameter under a name: the same as assigning an attribute.

        >>> from adjoint import Value, nn
        >>> model = nn.Module()
        >>> model.register_parameter("scale", Value(2.0))
        >>> model.state_dict()
        {'scale': 2.0}
        """
        if parameter is not None and (not isinstance(parameter, Value) or parameter.parents):
            raise ArgumentError(
                f"register_parameter({name!r}, …) needs a Value without history, not {describe(parameter)}"
            )
        self._add_member(name, parameter)

    def _add_member(self, name: str, member: object) -> None:
        if not isinstance(name, str) or not name or "." in name or hasattr(type(self), name):
            raise ArgumentError(f"{name!r} cannot name a member; use a name without dots that Module does not define")
        setattr(self, name, member)

    def register_buffer(self, name: str, data: object, persistent: bool = True) -> None:
        """Add an attribute that is saved but not trained: a Value, an array or an integer.

        To change it, assign to the `data` of the Value, or to the attribute. A buffer that is not `persistent`, such
        as the state of a random generator, is saved only by `state_dict(transient=True)`.
        """
        self._buffers = {**self._buffers, name: bool(persistent)}
        setattr(self, name, data)

    def named_buffers(self) -> Iterator[tuple[str, object]]:
        """Yield the buffers of this module and of all submodules, with their names."""
        for prefix, module in self.named_modules():
            for name in module._buffers:
                yield f"{prefix}.{name}" if prefix else name, getattr(module, name)

    def buffers(self) -> list[object]:
        """Return all buffers: what is saved but not trained."""
        return [buffer for _, buffer in self.named_buffers()]


def find_members(module: Members) -> list[tuple[str, "Value | Module"]]:
    """Return the Values and modules among the attributes of a module, and in the lists, tuples and dicts there."""
    found: list[tuple[str, Value | Module]] = []
    for name, x in list(vars(module).items()):  # another thread may add an attribute meanwhile
        if _is_member(x):
            if name not in module._buffers:
                found.append((name, x))
        elif isinstance(x, _CONTAINERS) or hasattr(x, "parameters"):
            _add_members(name, x, found, (x,))
    return found


def _add_members(name: str, x: object, found: "list[tuple[str, Value | Module]]", within: tuple[object, ...]) -> None:
    items: Iterable[tuple[object, object]] = ()
    if isinstance(x, dict):
        items = x.items()
    elif isinstance(x, (list, tuple)):
        items = enumerate(x)
    elif _has_parameters(x):
        items = enumerate(x.parameters())
    for key, item in items:
        if _is_member(item):
            found.append((f"{name}.{key}", item))
        elif (isinstance(item, _CONTAINERS) or hasattr(item, "parameters")) and all(item is not y for y in within):
            _add_members(f"{name}.{key}", item, found, (*within, item))


def _is_member(x: object) -> "TypeGuard[Value | Module]":
    return isinstance(x, (Value, Members))


def _has_parameters(x: object) -> TypeGuard[ParameterHolder]:
    return callable(getattr(x, "parameters", None)) and not isinstance(x, type)


def named_values(
    module: Members, prefix: str = "", overridden: bool = True, within: tuple[object, ...] = ()
) -> list[tuple[str, Value]]:
    """Return all parameters with their names; a parameter with several names appears under each of them.

    A class that overrides `parameters()`, as the tutorials do, decides what its parameters are.
    """
    if overridden and type(module).parameters is not Members.parameters:
        names = {id(p): name for name, p in named_values(module, prefix, False, within)}
        return [(names.get(id(p), f"{prefix}{i}"), p) for i, p in enumerate(module.parameters())]
    if any(module is other for other in within):
        return []
    warn_of_hidden_layers(module)
    found_here = find_members(module)
    found = [(prefix + name, x) for name, x in found_here if isinstance(x, Value) and not x.parents]
    for name, x in found_here:
        if not isinstance(x, Value):
            found += named_values(x, f"{prefix}{name}.", True, (*within, module))
    return found


def count_parameters(module: "Module") -> int:
    """Return the number of numbers in the parameters, also in frozen ones."""
    return sum(getattr(p, "size", 1) for _, p in module.named_parameters())


# --- layers that are not found ---------------------------------------------------------------------------------

_examined: "WeakSet[type]" = WeakSet()  # classes of modules: each is examined once, so that `parameters()` stays fast


def warn_of_hidden_layers(module: Members) -> None:
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


def describe_hidden(module: Members) -> str:
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


def _class_attributes(module: Members) -> list[tuple[str, object]]:
    own = [kind for kind in type(module).__mro__ if issubclass(kind, Members)]
    return [(name, x) for kind in own for name, x in vars(kind).items() if name not in vars(module)]


def _has_values(x: object) -> bool:
    return (
        bool(x.parameters()) if isinstance(x, Members) else isinstance(x, Value) and x.requires_grad and not x.parents
    )


def _makes_layers(generator: GeneratorType) -> bool:
    """Return whether the code of a generator names a class of modules, directly or of a module such as `nn`."""
    nn = sys.modules["adjoint.nn"]
    known = generator.gi_frame.f_globals if generator.gi_frame is not None else {}
    named = [known.get(name, getattr(nn, name, None)) for name in generator.gi_code.co_names]
    return any(isinstance(x, type) and issubclass(x, Members) for x in named)


# --- frozen parameters ---


def set_requires_grad(model: Members, names: Iterable[object], on: bool) -> None:
    """Set `requires_grad` of all parameters, or of those with these names; a name may be that of a submodule."""
    parameters = list(model.named_parameters())
    chosen = [_parameters_named(model, parameters, name) for name in names] or [[p for _, p in parameters]]
    for p in (p for part in chosen for p in part):
        p.requires_grad = on


def _parameters_named(model: Members, parameters: list[tuple[str, Value]], name: object) -> list[Value]:
    if isinstance(name, Members):  # model.freeze(model.encoder)
        return name.parameters()
    known = [known for known, _ in (*model.named_modules(), *parameters) if known]
    if name not in known:
        raise unknown_name_error(f"layer or parameter of {type(model).__name__}", name, known)
    return [p for place, p in parameters if place == name or place.startswith(f"{name}.")]


def frozen_note(parameters: list[Value]) -> str:
    """Return ` (frozen)`, or the number of parameters that are not frozen, or nothing if none is frozen."""
    free = trainable(parameters)
    if len(free) == len(parameters):
        return ""
    return f" ({sum(p.size for p in free):,} trainable)" if free else " (frozen)"
