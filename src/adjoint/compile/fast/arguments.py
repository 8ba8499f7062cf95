"""Recognizing arguments that are like those of an earlier call.

Each class here takes one argument. `take` returns whether the program of an earlier call serves this argument too. It
collects the arrays and numbers in it (`found`), and the identities of its containers (`around`).
"""

from collections.abc import Sequence
from typing import Protocol

from adjoint.arrays.kinds import is_numpy_number
from adjoint.compile.places import Place
from adjoint.compile.reachable import Reach
from adjoint.compile.state import exact, home_of, is_data, is_traceable_array


class Argument(Protocol):
    """Recognizes an argument, or a part of one."""

    def take(self, x, found: list, around: list[int]) -> bool: ...


class Same:
    """A model, a Value, a list of Values: the argument must be the same object."""

    __slots__ = ("x",)

    def __init__(self, x: object):
        self.x = x

    def take(self, x, found: list, around: list[int]) -> bool:
        return x is self.x


class Equal:
    """A static argument, or a plain one such as a string, which is part of the program: it must be equal."""

    __slots__ = ("key", "x")

    def __init__(self, x: object):
        self.x, self.key = x, exact(x)

    def take(self, x, found: list, around: list[int]) -> bool:
        return x is self.x or exact(x) == self.key


class Number:
    """Any number of the same type."""

    __slots__ = ("kind",)

    def __init__(self, x: float | int):
        self.kind = type(x)

    def take(self, x, found: list, around: list[int]) -> bool:
        found.append(x)
        return type(x) is self.kind


class Floats:
    """The items of a list of floats of the same length."""

    __slots__ = ("count",)

    def __init__(self, count: int):
        self.count = count

    def take(self, x, found: list, around: list[int]) -> bool:
        found += x
        return len(x) == self.count and set(map(type, x)) == {float}


class NumPyArray:
    """Any NumPy array of the same shape and dtype."""

    __slots__ = ("dtype", "kind", "shape")

    def __init__(self, x):
        self.kind, self.shape, self.dtype = type(x), x.shape, x.dtype

    def take(self, x, found: list, around: list[int]) -> bool:
        found.append(x)
        return type(x) is self.kind and x.shape == self.shape and x.dtype == self.dtype


class JAXArray:
    """Any JAX array of the same shape and dtype, weak or not."""

    __slots__ = ("dtype", "is_weak", "kind", "known", "shape")

    def __init__(self, x):
        self.kind, self.shape, self.dtype, self.is_weak = type(x), x.shape, x.dtype, _is_weak(x)
        self.known = x.aval  # of the last array: those that one program returns share theirs

    def take(self, x, found: list, around: list[int]) -> bool:
        found.append(x)
        if type(x) is not self.kind:
            return False
        if x.aval is self.known:
            return True
        if x.shape != self.shape or x.dtype != self.dtype or _is_weak(x) != self.is_weak:
            return False
        self.known = x.aval
        return True


def _is_weak(x) -> bool:
    return getattr(x, "weak_type", False)  # random keys do not have the attribute


class Items:
    """A list or tuple of the same length."""

    __slots__ = ("items", "kind")

    def __init__(self, x: Sequence, items: list[Argument]):
        self.kind, self.items = type(x), items

    def take(self, x, found: list, around: list[int]) -> bool:
        if type(x) is not self.kind or len(x) != len(self.items):
            return False
        around.append(id(x))
        return all(item.take(each, found, around) for item, each in zip(self.items, x))


class Entries:
    """A dictionary with the same keys in the same order."""

    __slots__ = ("items", "keys", "kind")

    def __init__(self, x: dict, items: list[Argument]):
        self.kind, self.keys, self.items = type(x), list(x), items

    def take(self, x, found: list, around: list[int]) -> bool:
        if type(x) is not self.kind or list(x) != self.keys:
            return False
        around.append(id(x))
        return all(item.take(each, found, around) for item, each in zip(self.items, x.values()))


def input_like(x) -> Number | NumPyArray | JAXArray:
    """Return what recognizes arrays, or numbers, like `x`."""
    if not is_traceable_array(x):
        return Number(x)
    return (NumPyArray if home_of(x) == "NumPy" else JAXArray)(x)


class Again:
    """An array that is in the data before: the argument must be the same object."""

    __slots__ = ("position",)

    def __init__(self, position: int):
        self.position = position  # in the data

    def take(self, x, found: list, around: list[int]) -> bool:
        return len(found) > self.position and x is found[self.position]


class ArgumentMaker:
    """Makes what recognizes the arguments of a call, in their order."""

    def __init__(self, reach: Reach):
        places = reach.data_places()
        self._inputs = iter([input_like(place.content) for place in places])
        self._positions = {id(place.content): k for k, place in enumerate(places) if place.kind == "array"}
        self._count, self.containers = 0, 0

    def __call__(self, x: object) -> Argument:
        """Return what recognizes arguments like `x`."""
        if not is_data(x):
            return Same(x)
        if isinstance(x, (list, tuple)):
            self.containers += 1
            return Items(x, [self(item) for item in x])
        if isinstance(x, dict):
            self.containers += 1
            return Entries(x, [self(item) for item in x.values()])
        if type(x) not in (float, int) and not is_traceable_array(x):
            return Equal(x)
        if self._positions.get(id(x), self._count) < self._count:
            return Again(self._positions[id(x)])
        self._count += 1
        return next(self._inputs)


class Distinct:
    """Checks that arrays and containers that were different objects are different objects again."""

    def __init__(self, reach: Reach, containers: int):
        data, state = reach.data_places(), reach.state_places()
        self._data = [k for k, place in enumerate(data) if _has_identity(place)]
        self._takes_all = len(self._data) == len(data)
        self._state = sum(place.kind == "array" for place in state)  # these come first
        self._count = len(self._data) + self._state
        self._containers = containers
        self._held = {id(container.of) for container in reach.containers if not container.is_data}
        self.is_needed = self._count > 1 or containers > 0

    def __call__(self, state: list, data: list, around: list[int]) -> bool:
        if self._containers and (len(set(around)) != len(around) or not self._held.isdisjoint(around)):
            return False
        if self._count < 2:
            return True
        if not self._takes_all:
            data = [data[k] for k in self._data]
        found = set(map(id, data))
        if self._state:
            found.update(map(id, state[: self._state]))
        return len(found) == self._count


def _has_identity(place: Place) -> bool:
    """Return whether code could find out that two places hold the same object."""
    return place.kind == "array" and not is_numpy_number(place.content)
