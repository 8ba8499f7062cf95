"""Tuples of the state that hold inputs of a program, such as the betas of an optimizer.

A tuple cannot change: another number in it means another tuple. So each call reads the tuple again, and makes sure that
everything in it but the inputs is as before.
"""

from collections.abc import Collection
from typing import Any

from adjoint.compile.places import Place, TupleCopy


class ItemOfTuple:
    """Reads an item of a tuple, which may be inside other tuples."""

    __slots__ = ("holder", "indices", "key")

    def __init__(self, place: Place):
        outermost, self.indices = place.outermost()
        self.holder, self.key = outermost.holder, outermost.key

    def __getitem__(self, _: None) -> Any:
        x = self.holder[self.key]
        for i in self.indices:
            x = x[i]
        return x


class TupleLike:
    """Recognizes a tuple like an earlier one, and remembers it: `before` is the content of its container."""

    def __init__(self, copied: TupleCopy, before: dict[int, Any]):
        place = copied.places[0]
        self.holder, self.key, self.kind = place.holder, place.key, copied.kind
        self.item = ItemOfTuple(place)
        self.before = before.get(id(place.holder)) if place.inside is None else None
        self.others = {i: x for i, x in enumerate(copied.content) if type(x) not in (float, int, tuple)}
        self.types = [type(x) for x in copied.content]
        self.is_alone = len(copied.places) == 1

    def take(self) -> bool:
        """Return whether the tuple is like the earlier one."""
        x = self.item[None]
        if type(x) is not self.kind or list(map(type, x)) != self.types or not self.is_alone:
            return False
        if any(x[i] is not other for i, other in self.others.items()):
            return False
        if self.before is not None:
            self.before[self.key] = x
        return True


def has_inputs(copied: TupleCopy, places: Collection[Place]) -> bool:
    """Return whether inputs of a program are in a tuple, or in tuples inside it."""
    return any(copied.places[0] is around for place in places for around in _around(place))


def _around(place: Place) -> list[Place]:
    found = []
    while place.inside is not None:
        place = place.inside
        found.append(place)
    return found
