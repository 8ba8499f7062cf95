"""Operations on whole arrays, by subject: their rules, and the functions that check the arguments and apply them.

The functions take Values, arrays of any library, numbers and nested lists. Their annotations describe what they do with
Values; given plain arrays alone, they return a plain array. `shaping` and `reductions` come first; the other files
build on them.

Every network needs `shaping`, `reductions`, `indexing` and `products`. The classes that offer the functions of the
other files and of `compat/torch_functions.py` as methods name them with `Late`, and a file is loaded when one of its
functions is first used.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any


class Late:
    """A file whose functions are methods of a class: `argsort = Late("sorting").argsort`.

    It is the name of a file of this package, or a function that returns a module of a higher layer.
    """

    def __init__(
        self, file: str | Callable[[], ModuleType], kind: Callable[[Callable], Any] = lambda function: function
    ):
        self._load = partial(import_module, f"{__name__}.{file}") if isinstance(file, str) else file
        self._kind = kind  # what the class gets: the function, or `staticmethod` of it

    def __getattr__(self, name: str) -> Any:
        return _LateFunction(self._load, name, self._kind)


class _LateFunction:
    """A function under its names in a class, until it is first used: then the class gets the function itself."""

    def __init__(self, load: Callable[[], ModuleType], name: str, kind: Callable[[Callable], Any]):
        self._load, self._name, self._kind = load, name, kind
        self._places: list[tuple[type, str]] = []

    def __set_name__(self, owner: type, name: str) -> None:
        self._places.append((owner, name))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        found = self._kind(getattr(self._load(), self._name))
        for place, name in self._places:
            setattr(place, name, found)
        return found.__get__(instance, owner)
