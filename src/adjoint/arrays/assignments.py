"""When nodes were made and data was assigned: the backward pass refuses data that changed after it was used.

Threads may share Values. A node takes its serial number before it reads its operands, and an assignment is noted before
the new data can be read. So a pass that checks the time after it has read the data sees every assignment that matters.
"""

import weakref
from itertools import count
from typing import TYPE_CHECKING, Any

from adjoint.engine.locks import make_lock
from adjoint.engine.native import twin

# The age of a node, and the time at which data was assigned.
tick = twin("tick", count(1).__next__)
_BEING_ASSIGNED = 2**63 - 1  # later than any time; the native core uses the same number


class _LastAssignment:
    """When the data of any array was last assigned: nodes made later need no check. The native core has its own."""

    __slots__ = ("_lock", "last")

    def __init__(self):
        self.last, self._lock = 0, make_lock()

    def replace(self, value: Any, data: object) -> None:
        """Assign the data of an array and note the time."""
        with self._lock:
            try:
                value._changed = self.last = _BEING_ASSIGNED
                value._data = data
            finally:
                value._changed = self.last = tick()

    def settle(self, value: Any) -> None:
        """Wait until another thread has assigned the data of an array, or remove the mark that an interrupt left."""
        with self._lock:
            if value._changed == _BEING_ASSIGNED:
                value._changed = tick()


if not TYPE_CHECKING:
    _LastAssignment = twin("Assigned", _LastAssignment)


class _Assigned(_LastAssignment):
    """The last assignment of all, and the memory that was changed in place."""

    __slots__ = ("_memory",)

    def __init__(self):
        super().__init__()
        # by the memory that was changed in place: a weak reference to it, and when
        self._memory: dict[int, tuple[weakref.ref[object], int]] = {}

    def changed(self, value: Any) -> int:
        """Return when the data of an array was last assigned."""
        when = value._changed
        if when == _BEING_ASSIGNED:
            self.settle(value)
        return when

    def in_place(self, memory: object) -> None:
        """Note that memory changes now: that of an array, and of all views of it."""
        key = id(memory)
        try:
            forget = weakref.ref(memory, lambda gone: self._memory.pop(key, None))
        except TypeError:
            return  # a scalar of NumPy, which cannot change in place
        self._memory[key] = forget, tick()

    def when(self, memory: object) -> int:
        """Return when memory was last changed in place; 0 for never."""
        known = self._memory.get(id(memory))
        return known[1] if known is not None and known[0]() is memory else 0


assigned = _Assigned()
