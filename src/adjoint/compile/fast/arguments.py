"""Recognizing arguments that are like those of an earlier call.

Each class here takes one argument. `take` returns whether the program of an earlier call serves this argument too,
and collects its arrays and numbers.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from adjoint.compile.reachable import home_of, is_data, is_traceable_array


class Argument(Protocol):
    """Recognizes an argument, or a part of one."""

    def take(self, x, found: list) -> bool: ...


class Same:
    """A model, a Value, a list of Values: the argument must be the same object."""

    __slots__ = ("x",)

    def __init__(self, x: object):
        self.x = x

    def take(self, x, found: list) -> bool:
        return x is self.x


class Equal:
    """A static argument, or a plain one such as a string, which is part of the program: it must be equal."""

    __slots__ = ("x",)

    def __init__(self, x: object):
        self.x = x

    def take(self, x, found: list) -> bool:
        return x is self.x or (type(x) is type(self.x) and x == self.x)


class Number:
    """Any number of the same type."""

    __slots__ = ("kind",)

    def __init__(self, x: float | int):
        self.kind = type(x)

    def take(self, x, found: list) -> bool:
        found.append(x)
        return type(x) is self.kind


class NumPyArray:
    """Any NumPy array of the same shape and dtype."""

    __slots__ = ("dtype", "kind", "shape")

    def __init__(self, x):
        self.kind, self.shape, self.dtype = type(x), x.shape, x.dtype

    def take(self, x, found: list) -> bool:
        found.append(x)
        return type(x) is self.kind and x.shape == self.shape and x.dtype == self.dtype


class JAXArray:
    """Any JAX array of the same shape and dtype, weak or not."""

    __slots__ = ("dtype", "is_weak", "kind", "shape")

    def __init__(self, x):
        self.kind, self.shape, self.dtype, self.is_weak = type(x), x.shape, x.dtype, _is_weak(x)

    def take(self, x, found: list) -> bool:
        found.append(x)
        is_alike = type(x) is self.kind and x.shape == self.shape and x.dtype == self.dtype
        return is_alike and _is_weak(x) == self.is_weak


def _is_weak(x) -> bool:
    return getattr(x, "weak_type", False)  # random keys do not have the attribute


class Items:
    """A list or tuple of the same length."""

    __slots__ = ("items", "kind")

    def __init__(self, x: Sequence, items: list[Argument]):
        self.kind, self.items = type(x), items

    def take(self, x, found: list) -> bool:
        if type(x) is not self.kind or len(x) != len(self.items):
            return False
        return all(item.take(each, found) for item, each in zip(self.items, x))


class Entries:
    """A dictionary with the same keys in the same order."""

    __slots__ = ("items", "keys", "kind")

    def __init__(self, x: dict, items: list[Argument]):
        self.kind, self.keys, self.items = type(x), list(x), items

    def take(self, x, found: list) -> bool:
        if type(x) is not self.kind or list(x) != self.keys:
            return False
        return all(item.take(each, found) for item, each in zip(self.items, x.values()))


def input_like(x) -> Number | NumPyArray | JAXArray:
    """Return what recognizes arrays, or numbers, like `x`."""
    if not is_traceable_array(x):
        return Number(x)
    return (NumPyArray if home_of(x) == "NumPy" else JAXArray)(x)


def argument_like(x: object, inputs: Iterator[Argument]) -> Argument:
    """Return what recognizes arguments like `x`; `inputs` yields what recognizes the arrays and numbers in it."""
    if not is_data(x):
        return Same(x)
    if isinstance(x, (list, tuple)):
        return Items(x, [argument_like(item, inputs) for item in x])
    if isinstance(x, dict):
        return Entries(x, [argument_like(item, inputs) for item in x.values()])
    return next(inputs) if type(x) in (float, int) or is_traceable_array(x) else Equal(x)
