"""The public names of a package, loaded when they are first used, with an error that explains unknown ones."""

import sys
from collections.abc import Callable, Iterator, Mapping
from opcode import opmap
from types import FrameType
from typing import Any

import lazy_loader

from adjoint.errors.optional import needs_numpy

# Packages of this distribution that were modules of adjoint before.
MOVED = {"adjoint.lab": "adjoint_lab", "adjoint.learn": "adjoint_learn"}


class MovedModules:
    """The last finder of modules: it is asked for what no other finds, and names the new place of what has moved."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise an error for a module in MOVED."""
        if name in MOVED:
            raise ModuleNotFoundError(f"{name} is now {MOVED[name]}: write `import {MOVED[name]}`", name=name)


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package whose names are in its `__init__.pyi`."""
    load, list_names, names = lazy_loader.attach_stub(package, file)

    def load_or_explain(name: str) -> object:
        if name.startswith("_") or name in names:
            try:
                return load(name)
            except ModuleNotFoundError as error:
                raise needs_numpy(error) or error from None
        raise _explained(package, name, sys._getframe(1))

    return load_or_explain, list_names, names


class PublicTable(Mapping[str, Any]):
    """Public names of a package as a table for users, who write `fit(optimizer="sgd")` for `optim.SGD`.

    The module of a member is loaded when the member is looked up.
    """

    def __init__(self, package: str, names: Mapping[str, str]):
        self._package, self._names = package, names  # the public name for each name in the table

    def __getitem__(self, name: str) -> Any:
        return getattr(sys.modules[self._package], self._names[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        members = ", ".join(f"{name!r}: {self._package}.{public}" for name, public in self._names.items())
        return f"{{{members}}}"


def explain_unknown(module: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a module that has all its names: it raises the error for any other."""

    def explain(name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        raise _explained(module, name, sys._getframe(1))

    return explain


def _explained(package: str, name: str, caller: FrameType) -> Exception:
    """Return the error for an unknown name. Of an AttributeError, `from package import name` would hide the message."""
    if caller.f_globals.get("__name__") == "importlib._bootstrap":
        return AttributeError(
            name
        )  # `from package import module` asks for an attribute first, and then imports the module
    if moved := MOVED.get(f"{package}.{name}"):
        error = AttributeError(f"{package}.{name} is now {moved}: write `import {moved}`", name=name)
    else:
        from adjoint.errors.unknown_names import unknown_name  # only errors need it

        error = unknown_name(package, name)
    imports = caller.f_code.co_code[caller.f_lasti] == opmap["IMPORT_FROM"]
    return ImportError(str(error), name=package) if imports else error
