"""Where the numbers of a program are in Python: places that can be read and written, and what holds them."""

from collections.abc import Iterable
from typing import Any


class Place:
    """Where something was found, by what path, and what it was."""

    __slots__ = ("content", "holder", "is_argument", "is_data", "key", "kind", "path")

    def __init__(self, holder, key, path: str, content, is_argument: bool = False, is_data: bool = False):
        self.holder, self.key = holder, key  # without a holder it stays where it is
        self.path, self.content = path, content
        self.is_argument = is_argument  # and not the attribute of an object: its numbers are inputs
        self.is_data = is_data  # in an argument of arrays and numbers alone, which may be others in each call
        self.kind = ""  # "array", "number", or "scalar" for a Value of one number

    def child(self, holder, key, path: str, content) -> "Place":
        return Place(holder, key, path, content, self.is_argument, self.is_data)

    def is_in_place_of(self, other: "Place") -> bool:
        """Return whether both are in the same holder, by the same key."""
        mine, its = (getattr(place.holder, "of", place.holder) for place in (self, other))
        return mine is its and self.key == other.key


class Attributes:
    """The attributes of something that keeps no dictionary of them: a cell, a function, an object with slots."""

    __slots__ = ("of",)

    def __init__(self, of):
        self.of = of

    def get(self, name: str, otherwise=None):
        try:
            return getattr(self.of, name, otherwise)
        except ValueError:  # a cell that is empty
            return otherwise

    __getitem__ = get

    def __setitem__(self, name: str, content) -> None:
        object.__setattr__(self.of, name, content)  # also where the class is frozen: it is put back

    def __delitem__(self, name: str) -> None:
        object.__delattr__(self.of, name)


ABSENT = object()


class Container:
    """A list, a dictionary, or some names of a namespace, with what it held when it was walked."""

    __slots__ = ("before", "is_data", "is_namespace", "of", "path")

    def __init__(self, of, path: str, names: Iterable[str] | None = None, is_data: bool = False):
        self.of, self.path, self.is_namespace, self.is_data = of, path, names is not None, is_data
        self.before: Any = dict.fromkeys(names or ())
        self.before = self.now()

    def watch(self, names: Iterable[str]) -> None:
        """Take further names of a namespace into view."""
        self.before |= {name: self.of.get(name, ABSENT) for name in names}

    def now(self) -> Any:
        """Return a copy of what it holds."""
        if self.is_namespace:
            return {name: self.of.get(name, ABSENT) for name in self.before}
        return list(self.of) if isinstance(self.of, list) else dict(self.of)

    def differences(self, expected) -> list:
        """Return the keys under which it does not hold what is `expected`; None for a list that grew or shrank."""
        now = self.now()
        if isinstance(now, list):
            if len(now) != len(expected):
                return [None]
            return [i for i, x in enumerate(now) if x is not expected[i]]
        return [k for k in {**expected, **now} if now.get(k, ABSENT) is not expected.get(k, ABSENT)]

    def get(self, key) -> Any:
        """Return what it holds; the whole list where there is no key."""
        if key is None:
            return list(self.of)
        return self.of[key] if isinstance(self.of, list) else self.of.get(key, ABSENT)

    def set(self, key, content) -> None:
        if key is None:
            self.of[:] = content
        elif content is ABSENT:
            del self.of[key]
        else:
            self.of[key] = content

    def restore(self) -> None:
        """Put back what it held when it was walked."""
        changed = self.differences(self.before)
        if not changed:
            return
        if isinstance(self.before, list):
            self.of[:] = self.before
        elif not self.is_namespace:
            self.of.clear()  # all of it anew, for the sake of the order
            self.of.update(self.before)
        else:
            for key in changed:
                self.set(key, self.before[key])


class TupleCopy:
    """The items of a tuple as a list: they are replaced by putting another tuple in its place."""

    __slots__ = ("items", "kind", "place")

    def __init__(self, place: Place):
        self.place, self.items, self.kind = place, list(place.content), type(place.content)

    def tuple(self):
        return tuple(self.items) if self.kind is tuple else self.kind(*self.items)
