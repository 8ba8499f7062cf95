"""How the arguments of a call are recognised as being like those of an earlier one, and handed to a program.

Each of these takes one argument: it says whether a program that was compiled for another one serves this one, too,
and adds the arrays and numbers that are inputs.
"""

from collections.abc import Callable, Iterator
from typing import Any

from adjoint.compile.device_arrays import Upload
from adjoint.compile.reachable import home_of, is_data, is_traceable_array


class Same:
    """A model, a Value, a list of Values: it has to be the very object."""

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

    def take(self, x, inputs: list) -> bool:
        return x is self.x


class Equal:
    """A static argument, or a plain one such as a string: it is part of the program."""

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

    def take(self, x, inputs: list) -> bool:
        return x is self.x or (type(x) is type(self.x) and x == self.x)


class Number:
    """A number of a kind."""

    __slots__ = ("is_used", "kind", "last", "place")

    def __init__(self, x, is_used: bool, place: Callable | None):
        self.kind, self.is_used, self.place = type(x), is_used, place
        self.last: Any = x  # for what is computed from it in Python

    def take(self, x, inputs: list) -> bool:
        self.last = x
        if self.is_used:
            inputs.append(self.place(x) if self.place else x)
        return type(x) is self.kind


class NumPyArray:
    """An array of a shape and dtype."""

    __slots__ = ("dtype", "is_used", "kind", "shape", "upload")

    def __init__(self, x, is_used: bool, place: Callable | None):
        self.kind, self.shape, self.dtype, self.is_used = type(x), x.shape, x.dtype, is_used
        self.upload = Upload(place)

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or x.shape != self.shape or x.dtype != self.dtype:
            return False
        if self.is_used:
            inputs.append(self.upload(x))
        return True


class JAXArray:
    """An array of a shape and dtype, weak or not."""

    __slots__ = ("dtype", "is_used", "is_weak", "kind", "place", "shape")

    def __init__(self, x, is_used: bool, place: Callable | None):
        self.kind, self.shape, self.dtype, self.is_weak = type(x), x.shape, x.dtype, _is_weak(x)
        self.is_used, self.place = is_used, place

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or x.shape != self.shape or x.dtype != self.dtype:
            return False
        if self.is_used:
            inputs.append(self.place(x) if self.place else x)
        return _is_weak(x) == self.is_weak


def _is_weak(x) -> bool:
    return getattr(x, "weak_type", False)  # random keys are neither


class Items:
    """A list or tuple."""

    __slots__ = ("items", "kind")

    def __init__(self, x, items: list):
        self.kind, self.items = type(x), items

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or len(x) != len(self.items):
            return False
        return all(item.take(each, inputs) for item, each in zip(self.items, x))


class Entries:
    """A dictionary."""

    __slots__ = ("items", "keys", "kind")

    def __init__(self, x: dict, items: list):
        self.kind, self.keys, self.items = type(x), list(x), items

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or list(x) != self.keys:
            return False
        return all(item.take(each, inputs) for item, each in zip(self.items, x.values()))


def like_input(x, is_used: bool, place: Callable | None) -> Any:
    """Return what recognises arrays, or numbers, like `x`."""
    if not is_traceable_array(x):
        return Number(x, is_used, place)
    return (NumPyArray if home_of(x) == "NumPy" else JAXArray)(x, is_used, place)


def like(x, inputs: Iterator) -> Any:
    """Return what recognises arguments like `x`; `inputs` yields what recognises the arrays and numbers in it."""
    if not is_data(x):
        return Same(x)
    if isinstance(x, (list, tuple)):
        return Items(x, [like(item, inputs) for item in x])
    if isinstance(x, dict):
        return Entries(x, [like(item, inputs) for item in x.values()])
    return next(inputs) if type(x) in (float, int) or is_traceable_array(x) else Equal(x)
