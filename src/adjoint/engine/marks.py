"""The attributes that few nodes have, and the time: marks are bits in one slot, the rest a dictionary in another.

Most nodes have neither, so that a node is small and quickly made. `_native/node.h` has the same bits and dictionary.
"""

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")

# The flags of `_native/node.h`.
BY_HAND, SPENT, GRAD_READ, GRAD_USED, GRAD_REPLACED = 8, 64, 256, 512, 1024
PASSED, FROZEN, UNRECORDED, DOUBTFUL = 4096, 8192, 16384, 32768
TAKES_PART = BY_HAND | FROZEN | GRAD_USED | UNRECORDED  # more than arithmetic happens in a backward pass


class Clock:
    """The time, which counts assignments to the data of numbers. The native core has its own."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0


clock = Clock()


class Mark:
    """An attribute that is True or False: a bit of the slot `_marks`."""

    __slots__ = ("_bit",)

    def __init__(self, bit: int):
        self._bit = bit

    @overload
    def __get__(self, node: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, node: object, owner: type | None = None) -> bool: ...
    def __get__(self, node: Any, owner: type | None = None) -> Any:
        return self if node is None else node._marks & self._bit != 0

    def __set__(self, node: Any, on: bool) -> None:
        node._marks = node._marks | self._bit if on else node._marks & ~self._bit

    def __delete__(self, node: Any) -> None:
        raise AttributeError("this attribute of a Value cannot be deleted")


class Rare(Generic[T]):
    """An attribute with a default. Few nodes have another one, in the dictionary of the slot `_rare`."""

    def __init__(self, default: T, doc: str | None = None):
        self._default, self.__doc__ = default, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, node: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, node: object, owner: type | None = None) -> T: ...
    def __get__(self, node: Any, owner: type | None = None) -> Any:
        if node is None:
            return self
        kept = node._rare
        return self._default if kept is None else kept.get(self._name, self._default)

    def __set__(self, node: Any, x: T) -> None:
        kept = node._rare or {}
        kept[self._name] = x
        node._rare = kept  # in the native core, this tells the garbage collector what the node holds

    def __delete__(self, node: Any) -> None:
        raise AttributeError("this attribute of a Value cannot be deleted")
