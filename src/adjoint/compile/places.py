"""Where the numbers and arrays of a program live in Python: places to read and write, and what holds them."""

from collections.abc import Iterable
from typing import Any


class Place:
    """Where an object was found, under which path, and what it was."""

    __slots__ = ("content", "holder", "is_argument", "is_data", "key", "kind", "number", "path", "same_as")

    def __init__(self, holder, key, path: str, content, is_argument: bool = False, is_data: bool = False):
        self.holder, self.key = holder, key  # without a holder the content cannot be replaced
        self.path, self.content = path, content
        self.is_argument = is_argument  # not an attribute of an object: its numbers are inputs
        self.is_data = is_data  # in an argument of arrays and numbers only, which may be new objects in each call
        self.kind = ""  # "array", "number", "scalar" for a scalar Value, or "alias" for an array that `same_as` holds
        self.same_as: Place | None = None
        self.number = -1  # its position among the places of a call

    def child(self, holder, key, path: str, content) -> "Place":
        """Return a place inside the content of this one."""
        return Place(holder, key, path, content, self.is_argument, self.is_data)

    def is_same_as(self, other: "Place") -> bool:
        """Return whether both are in the same holder, under the same key."""
        mine, its = (x.of if isinstance(x, Attributes) else x for x in (self.holder, other.holder))
        return mine is its and self.key == other.key


class Attributes:
    """The attributes of an object without a dictionary of them: a cell, a function, an object with slots."""

    __slots__ = ("of",)

    def __init__(self, of: object):
        self.of = of

    def get(self, name: str, otherwise=None):
        try:
            return getattr(self.of, name, otherwise)
        except ValueError:  # an empty cell
            return otherwise

    __getitem__ = get

    def __setitem__(self, name: str, content) -> None:
        object.__setattr__(self.of, name, content)  # works for frozen classes too; the old content is put back

    def __delitem__(self, name: str) -> None:
        object.__delattr__(self.of, name)


ABSENT = object()


class Container:
    """A list, a dictionary, or some names of a namespace, with its content when it was visited."""

    __slots__ = ("before", "is_data", "is_namespace", "of", "path")

    def __init__(self, of, path: str, names: Iterable[str] | None = None, is_data: bool = False):
        self.of, self.path, self.is_namespace, self.is_data = of, path, names is not None, is_data
        self.before: Any = dict.fromkeys(names or ())  # a list or a dictionary
        self.before = self.now()

    def watch(self, names: Iterable[str]) -> None:
        """Add names of a namespace to the ones that are watched."""
        self.before |= {name: self.of.get(name, ABSENT) for name in names}

    def now(self) -> list | dict:
        """Return a copy of its content."""
        if self.is_namespace:
            return {name: self.of.get(name, ABSENT) for name in self.before}
        return list(self.of) if isinstance(self.of, list) else dict(self.of)

    def differences(self, expected) -> list:
        """Return the keys whose content is not the `expected` one; [None] for a list that grew or shrank."""
        now = self.now()
        if isinstance(now, list):
            if len(now) != len(expected):
                return [None]
            return [i for i, x in enumerate(now) if x is not expected[i]]
        return [k for k in {**expected, **now} if now.get(k, ABSENT) is not expected.get(k, ABSENT)]

    def get(self, key) -> Any:
        """Return the content under a key; a copy of the whole list for the key None."""
        if key is None:
            return list(self.of)
        return self.of[key] if isinstance(self.of, list) else self.of.get(key, ABSENT)

    def set(self, key, content) -> None:
        """Set the content under a key; that of the whole list for the key None."""
        if key is None:
            self.of[:] = content
        elif content is ABSENT:
            del self.of[key]
        else:
            self.of[key] = content

    def restore(self) -> None:
        """Put back the content that it had when it was visited."""
        changed = self.differences(self.before)
        if not changed:
            return
        if isinstance(self.before, list):
            self.of[:] = self.before
        elif not self.is_namespace:
            self.of.clear()  # refilled, to keep the order of the keys
            self.of.update(self.before)
        else:
            for key in changed:
                self.set(key, self.before[key])


class TupleCopy:
    """The items of a tuple as a list. They are replaced by replacing the tuple."""

    __slots__ = ("content", "items", "kind", "places")

    def __init__(self, place: Place):
        self.content = place.content
        self.places, self.items, self.kind = [place], list(place.content), type(place.content)

    def tuple(self):
        """Return a tuple of the same type with the items as they are now."""
        return tuple(self.items) if self.kind is tuple else self.kind(*self.items)
