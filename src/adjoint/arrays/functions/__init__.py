"""Operations on whole arrays, by subject: their rules, and the functions that check the arguments and apply them.

The functions take Values, arrays of any library, numbers and nested lists. Their annotations describe what they do with
Values; given plain arrays alone, they return a plain array. `shaping` and `reductions` come first; the other files
build on them.

Every network needs `shaping`, `reductions`, `indexing` and `products`. The classes that offer the functions of the
other files as methods name them with `Late`, and a file is loaded when one of its functions is first used.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Late:
    """A file of this package whose functions are methods of a class: `argsort = Late("sorting").argsort`."""

    def __init__(self, file: str, kind: Callable[[Callable], Any] = lambda function: function):
        self._file, self._kind = file, kind  # `kind` is what the class gets: the function, or `staticmethod` of it

    def __getattr__(self, name: str) -> Any:
        return _LateFunction(self._file, name, self._kind)


class _LateFunction:
    """A function under its names in a class, until it is first used: then the class gets the function itself."""

    def __init__(self, file: str, name: str, kind: Callable[[Callable], Any]):
        self._file, self._name, self._kind = file, name, kind
        self._places: list[tuple[type, str]] = []

    def __set_name__(self, owner: type, name: str) -> None:
        self._places.append((owner, name))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        found = self._kind(getattr(import_module(f"{__name__}.{self._file}"), self._name))
        for place, name in self._places:
            setattr(place, name, found)
        return found.__get__(instance, owner)
