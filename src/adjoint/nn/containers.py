"""Lists and dicts of modules and parameters, as in `torch.nn`. Plain lists and dicts among the attributes work too."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError
from adjoint.errors.given import describe
from adjoint.nn.module import Module


def Parameter(data: Any, requires_grad: bool = True) -> Value:
    """Return a new Value, which a module has as a parameter if it is one of its attributes. It has no history.

    >>> import adjoint
    >>> from adjoint import nn
    >>> class Shift(nn.Module):
    ...     def __init__(self):
    ...         self.amount = nn.Parameter(adjoint.Value([1.0, 2.0]) * 3)
    >>> Shift().state_dict()
    {'amount': array([3., 6.])}
    """
    made = Value(data.data if isinstance(data, Value) else data)
    if not requires_grad:
        made.requires_grad = False
    return made


class _Container(Module):
    """The base class of containers of modules: they have names and no `forward`."""

    def _members(self) -> dict[str, Module]:
        return {name: x for name, x in vars(self).items() if not name.startswith("_") and name != "training"}

    def _replace(self, members: Mapping[str, object]) -> None:
        for name, module in members.items():
            self._require(name, module)
        for name in self._members():
            delattr(self, name)
        for name, module in members.items():
            setattr(self, name, module)

    def _require(self, name: object, module: object) -> None:
        who = type(self).__name__
        if not isinstance(module, Module):
            hint = f"; create an instance: {module.__name__}(…)" if isinstance(module, type) else ""
            raise ArgumentError(f"{who} holds modules, not {describe(module)}{hint}")
        if not isinstance(name, str) or not name or "." in name or name[0] == "_" or hasattr(type(self), name):
            raise ArgumentError(
                f"{who}: {name!r} cannot name a module; use a name without dots and without _ at the start that {who} "
                "does not define"
            )

    def forward(self, *inputs: Any, **options: Any) -> Any:
        who = type(self).__name__
        raise ArgumentError(f"{who} has no forward; call each of its modules, or use Sequential")

    def __len__(self) -> int:
        return len(self._members())


class ModuleList(_Container):
    """A list of modules. Their parameters have the names of their positions, such as "layers.0.weight".

    >>> from adjoint import nn
    >>> layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(layers[1:])
    (3, 2)
    >>> layers.append(nn.ReLU())[-1]
    ReLU()
    """

    def __init__(self, modules: Iterable[Module] = ()):
        self.extend(modules)

    def _set(self, modules: Iterable[object]) -> None:
        self._replace({str(i): module for i, module in enumerate(modules)})

    def append(self, module: Module) -> "ModuleList":
        """Append a module; return the list."""
        return self.extend([module])

    def extend(self, modules: Iterable[Module]) -> "ModuleList":
        """Append several modules; return the list."""
        self._set([*self, *modules])
        return self

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before an index."""
        modules = list(self)
        modules.insert(index, module)
        self._set(modules)

    def pop(self, index: int = -1) -> Module:
        """Remove a module and return it."""
        modules = list(self)
        found = modules.pop(index)
        self._set(modules)
        return found

    def _group(self, children: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Show equal modules in a row once, as PyTorch does: (0-11): 12 x TransformerBlock(…)."""
        shown = []
        for text, run in groupby(children, key=itemgetter(1)):
            names = [name for name, _ in run]
            shown.append((names[0], text) if len(names) == 1 else (f"{names[0]}-{names[-1]}", f"{len(names)} x {text}"))
        return shown

    def __iter__(self) -> Iterator[Module]:
        return iter(self._members().values())

    def __iadd__(self, modules: Iterable[Module]) -> "ModuleList":
        return self.extend(modules)

    def __add__(self, modules: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *modules])

    def __getitem__(self, index: int | slice) -> Any:
        modules = list(self)
        if isinstance(index, slice):
            return ModuleList(modules[index])
        self._require_index(index)
        return modules[index]

    def __setitem__(self, index: int, module: Module) -> None:
        self._require_index(index)
        modules = list(self)
        modules[index] = module
        self._set(modules)

    def __delitem__(self, index: int | slice) -> None:
        modules = list(self)
        del modules[index]
        self._set(modules)

    def _require_index(self, index: int) -> None:
        if not -len(self) <= index < len(self):
            raise ArrayIndexError(f"index {index} is out of range: the ModuleList has {len(self)} modules")


class ModuleDict(_Container):
    """A dict of modules by name.

    >>> from adjoint import nn
    >>> heads = nn.ModuleDict({"mean": nn.Linear(2, 1), "scale": nn.Linear(2, 1)})
    >>> list(heads), heads["mean"]([[1.0, 2.0]]).shape
    (['mean', 'scale'], (1, 1))
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] = ()):
        self.update(modules)

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or replace those of the same names."""
        self._replace(self._members() | dict(modules))

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._members().keys()

    def values(self) -> Iterable[Module]:
        """Return the modules."""
        return self._members().values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Return the names and modules."""
        return self._members().items()

    def pop(self, name: str) -> Module:
        """Remove a module and return it."""
        found = self[name]
        del self[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def __contains__(self, name: object) -> bool:
        return name in self._members()

    def __getitem__(self, name: str) -> Module:
        return self._members()[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.update({name: module})

    def __delitem__(self, name: str) -> None:
        members = self._members()
        del members[name]
        self._replace(members)


class ParameterList(list[Value]):
    """A list of parameters; other numbers and arrays become Values. A plain list of Values serves as well.

    >>> from adjoint import nn
    >>> class Sum(nn.Module):
    ...     def __init__(self):
    ...         self.parts = nn.ParameterList([[1.0, 2.0], 3.0])
    >>> Sum().state_dict()
    {'parts.0': array([1., 2.]), 'parts.1': 3.0}
    """

    def __init__(self, values: Iterable[Any] = ()):
        super().__init__(map(_as_parameter, values))

    def append(self, value: Any) -> None:
        super().append(_as_parameter(value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend(map(_as_parameter, values))


class ParameterDict(dict[str, Value]):
    """A dict of parameters by name; other numbers and arrays become Values. A plain dict of Values serves as well.

    >>> from adjoint import nn
    >>> class Line(nn.Module):
    ...     def __init__(self):
    ...         self.weights = nn.ParameterDict({"slope": 2.0, "intercept": 1.0})
    >>> Line().state_dict()
    {'weights.slope': 2.0, 'weights.intercept': 1.0}
    """

    def __init__(self, values: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()):
        super().__init__({name: _as_parameter(value) for name, value in dict(values).items()})

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _as_parameter(value))


def _as_parameter(x: Any) -> Value:
    return x if isinstance(x, Value) else Value(x)
