"""Where the numbers and arrays of a program live in Python: places to read and write, and what holds them."""

from collections import deque
from collections.abc import Iterable
from operator import delitem, is_, setitem
from typing import Any

from adjoint.compile.state import underlying


class Place:
    """Where an object was found, under which path, and what it was."""

    __slots__ = ("content", "holder", "inside", "is_argument", "is_data", "key", "kind", "number", "path", "same_as")

    def __init__(self, holder, key, path: str, content, is_argument: bool = False, is_data: bool = False):
        self.holder, self.key = holder, key  # without a holder the content cannot be replaced
        self.path, self.content = path, content
        self.is_argument = is_argument  # not an attribute of an object: its numbers are inputs
        self.is_data = is_data  # in an argument of arrays and numbers only, which may be new objects in each call
        self.inside: Place | None = None  # the place of the tuple that it is an item of
        self.kind = ""  # "array", "number", "scalar" for a scalar Value, or "alias" for an array that `same_as` holds
        self.same_as: Place | None = None
        self.number = -1  # its position among the places of a call

    def child(self, holder, key, path: str, content) -> "Place":
        """Return a place inside the content of this one."""
        return Place(holder, key, path, content, self.is_argument, self.is_data)

    def is_same_as(self, other: "Place") -> bool:
        """Return whether both are in the same holder, under the same key; an item of a tuple is where the tuple is."""
        if self.key != other.key:
            return False
        if self.inside is not None and other.inside is not None:
            return self.inside.is_same_as(other.inside)
        mine, its = (x.of if isinstance(x, Attributes) else x for x in (self.holder, other.holder))
        return mine is its

    def outermost(self) -> "tuple[Place, list[int]]":
        """Return the place of the outermost tuple that it is inside, itself if in none, and the indices into it."""
        place, indices = self, []
        while place.inside is not None:
            indices.append(place.key)
            place = place.inside
        return place, indices[::-1]


class Attributes:
    """The attributes of an object without a dictionary of them: a cell, a function, an object with slots."""

    __slots__ = ("of",)

    def __init__(self, of: Any):
        self.of = of

    def get(self, name: str, otherwise=None):
        try:
            return getattr(self.of, name, otherwise)
        except ValueError:  # an empty cell
            return otherwise

    __getitem__ = get

    # These work for frozen classes too: what jit replaces, it puts back.
    assign, remove = staticmethod(object.__setattr__), staticmethod(object.__delattr__)

    def __setitem__(self, name: str, content) -> None:
        self.assign(self.of, name, content)

    def __delitem__(self, name: str) -> None:
        self.remove(self.of, name)


class ClassAttributes(Attributes):
    """The attributes of a class itself, without those of its bases."""

    __slots__ = ()
    of: type

    def get(self, name: str, otherwise=None):
        return vars(self.of).get(name, otherwise)

    __getitem__ = get
    assign, remove = staticmethod(type.__setattr__), staticmethod(type.__delattr__)

    def dictionary(self) -> dict[str, object]:
        """Return the dictionary of the class, to be read only."""
        return underlying(vars(self.of))


ABSENT = object()
Assignment = tuple  # a function and its arguments


class Container:
    """What holds objects, with its content when it was visited."""

    is_data = is_namespace = False
    before: Any  # a list or a dictionary

    def __init__(self, of, path: str, is_data: bool = False):
        self.of, self.path, self.is_data = of, path, is_data
        self.before = self.now()

    def now(self) -> list | dict:
        """Return a copy of its content."""
        raise NotImplementedError

    def differences(self, expected) -> list:
        """Return the keys whose content is not the `expected` one; [None] if the whole content is another one."""
        raise NotImplementedError

    def get(self, key) -> Any:
        """Return the content under a key; a list of the whole content for the key None."""
        return self.now() if key is None else self.of[key]

    def assignments(self, key, content) -> list[Assignment]:
        """Return the calls of functions written in C that set the content under a key; the whole for the key None."""
        return [(setitem, self.of, key, content)]

    def set(self, key, content) -> None:
        """Set the content under a key; the whole content for the key None."""
        for function, *arguments in self.assignments(key, content):
            function(*arguments)

    def restore(self) -> None:
        """Put back the content that it had when it was visited."""
        if self.differences(self.before):
            self.set(None, self.before)


class ListContainer(Container):
    """A list."""

    def now(self):
        return list(self.of)

    def differences(self, expected):
        now = self.now()
        if len(now) != len(expected):
            return [None]
        return [i for i, x in enumerate(now) if x is not expected[i]]

    def assignments(self, key, content) -> list[Assignment]:
        return [(setitem, self.of, slice(None) if key is None else key, content)]


class DequeContainer(ListContainer):
    """A deque."""

    def assignments(self, key, content) -> list[Assignment]:
        if key is None:
            return [(deque.clear, self.of), (deque.extend, self.of, content)]
        return [(setitem, self.of, key, content)]


class SetContainer(Container):
    """A set. Its content changes as a whole."""

    def now(self):
        return list(self.of)

    def differences(self, expected):
        now = self.now()
        return [] if len(now) == len(expected) and all(map(is_, now, expected)) else [None]

    def assignments(self, key, content) -> list[Assignment]:
        return [(set.clear, self.of), (set.update, self.of, content)]


class DictContainer(Container):
    """A dictionary."""

    def now(self):
        return dict(self.of)

    def differences(self, expected):
        now = self.now()
        return [k for k in {**expected, **now} if now.get(k, ABSENT) is not expected.get(k, ABSENT)]

    def get(self, key):
        return self.of.get(key, ABSENT)

    def assignments(self, key, content) -> list[Assignment]:
        if content is ABSENT:
            return [(delitem, self.of, key)]
        return [(setitem, self.of, key, content)]

    def restore(self):
        if self.differences(self.before):
            self.of.clear()  # refilled, to keep the order of the keys
            self.of.update(self.before)


class Namespace(DictContainer):
    """Some names of a namespace: a dictionary of globals, or `Attributes`."""

    is_namespace = True

    def __init__(self, of, path: str):
        self.of, self.path, self.before = of, path, {}

    def watch(self, names: Iterable[str]) -> None:
        """Add names to the ones that are watched."""
        self.before |= {name: self.of.get(name, ABSENT) for name in names}

    def now(self):
        return {name: self.of.get(name, ABSENT) for name in self.before}

    def assignments(self, key, content) -> list[Assignment]:
        of = self.of
        if not isinstance(of, Attributes):
            return super().assignments(key, content)
        return [(of.remove, of.of, key)] if content is ABSENT else [(of.assign, of.of, key, content)]

    def restore(self):
        for key in self.differences(self.before):
            self.set(key, self.before[key])


class ClassNamespace(Namespace):
    """All attributes of a class."""

    def __init__(self, of: ClassAttributes, path: str):
        super().__init__(of, path)
        self.before = self.now()

    def now(self):
        return dict(vars(self.of.of))


class TupleCopy:
    """The items of a tuple as a list. They are replaced by replacing the tuple."""

    __slots__ = ("content", "items", "kind", "places")

    def __init__(self, place: Place):
        self.content = place.content
        self.places, self.items, self.kind = [place], list(place.content), type(place.content)

    def tuple(self):
        """Return a tuple of the same type with the items as they are now."""
        return tuple(self.items) if self.kind is tuple else self.kind(*self.items)
