"""Finding the parameters, buffers and submodules among the attributes of a module."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeGuard

from adjoint.engine.value import Value
from adjoint.nn.hidden_layers import warn_of_hidden_layers

if TYPE_CHECKING:
    from adjoint.nn.module import Module

_CONTAINERS = (list, tuple, dict)


class HasParameters(Protocol):
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


def find_members(module: "Module") -> list[tuple[str, "Value | Module"]]:
    """Return the Values and modules among the attributes of a module, and in the lists, tuples and dicts there."""
    found: list[tuple[str, Value | Module]] = []
    kinds = _kinds()
    for name, x in list(vars(module).items()):  # another thread may add an attribute meanwhile
        if isinstance(x, kinds):
            if name not in module._buffers:
                found.append((name, x))
        elif isinstance(x, _CONTAINERS) or hasattr(x, "parameters"):
            _add_members(name, x, found, (x,))
    return found


def _kinds() -> "tuple[type[Value], type[Module]]":
    from adjoint.nn.module import Module  # which imports this file

    return Value, Module


def _add_members(name: str, x: object, found: "list[tuple[str, Value | Module]]", within: tuple[object, ...]) -> None:
    items: Iterable[tuple[object, object]] = ()
    if isinstance(x, dict):
        items = x.items()
    elif isinstance(x, (list, tuple)):
        items = enumerate(x)
    elif _has_parameters(x):
        items = enumerate(x.parameters())
    kinds = _kinds()
    for key, item in items:
        if isinstance(item, kinds):
            found.append((f"{name}.{key}", item))
        elif (isinstance(item, _CONTAINERS) or hasattr(item, "parameters")) and all(item is not y for y in within):
            _add_members(f"{name}.{key}", item, found, (*within, item))


def _has_parameters(x: object) -> TypeGuard[HasParameters]:
    return callable(getattr(x, "parameters", None)) and not isinstance(x, type)


def named_values(
    module: "Module", prefix: str = "", overridden: bool = True, within: tuple[object, ...] = ()
) -> list[tuple[str, Value]]:
    """Return all parameters with their names; a parameter with several names appears under each of them.

    A class that overrides `parameters()`, as the tutorials do, decides what its parameters are.
    """
    if overridden and type(module).parameters is not _kinds()[1].parameters:
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
