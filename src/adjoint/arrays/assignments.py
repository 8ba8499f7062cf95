"""When nodes were made and data was assigned: the backward pass refuses data that changed after it was used."""

import weakref
from itertools import count

from adjoint.engine import native

# The age of a node, and the time at which data was assigned.
tick = native.core.tick if native.core else count(1).__next__


class _Assigned:
    """When the data of any array was last assigned: nodes made later need no further check."""

    __slots__ = ("_memory", "last")

    def __init__(self):
        self.last = 0
        # by the memory that was changed in place: a weak reference to it, and when
        self._memory: dict[int, tuple[weakref.ref[object], int]] = {}

    def in_place(self, memory: object) -> None:
        """Note that memory changes now: that of an array, and of all views of it."""
        key = id(memory)
        forget = weakref.ref(memory, lambda gone: self._memory.pop(key, None))
        self._memory[key] = forget, tick()

    def when(self, memory: object) -> int:
        """Return when memory was last changed in place; 0 for never."""
        known = self._memory.get(id(memory))
        return known[1] if known is not None and known[0]() is memory else 0


assigned = _Assigned()
