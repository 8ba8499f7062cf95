"""Where the arrays of a compiled program live between two calls: on its device, the small ones side by side.

Handing an array to XLA, and getting one back, costs a microsecond or two, in which a small layer is computed. So
the small arrays of the state that a program changes share one array on the device, a `Lot`, which goes in and comes
out as a whole, in the same memory. A Value whose numbers are there holds a `Resident`, and fetches them when somebody
looks at them.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import Resident
from adjoint.engine.value import Value

SMALL = 1 << 14  # bytes: up to here an array is cheaper to copy than to hand over


def unpack(flat, shapes: Sequence[tuple[int, ...]]) -> list:
    """Return the arrays of these shapes that lie one after the other in a flat one."""
    found, start = [], 0
    for shape in shapes:
        end = start + math.prod(shape)
        found.append(flat[start:end].reshape(shape))
        start = end
    return found


def pack(m, arrays: Sequence):
    """Return arrays one after the other in a flat one."""
    return m.concatenate([m.reshape(x, (-1,)) for x in arrays])


class Lot:
    """The arrays of some Values, data or gradients, as one array on the device."""

    __slots__ = ("__weakref__", "_parts", "array", "dtype", "is_current", "members", "residents", "shapes", "was_read")

    def __init__(self, members: Sequence[tuple[Any, str]]):
        self.members = list(members)  # (Value, "_data" or "_grad")
        self.shapes = [value.shape for value, _ in members]
        self.dtype = np.dtype(members[0][0].dtype)
        self.array: Any = None  # alone, an array keeps its shape; several are flat
        self.is_current = False  # whether all members have their numbers here, and nowhere else
        self.was_read = False  # by an operation outside, which is to notice if they change
        self.residents = [Resident(Part(self, i)) for i in range(len(self.members))]
        self._parts: tuple[Any, list] = (None, [])

    def refresh(self, place: Callable[[np.ndarray], Any], needed: Sequence[int]) -> None:
        """Take in what was assigned to `needed` members, or fetched by those who may have changed it in place."""
        self.is_current = True
        if self.was_read:
            self.was_read = False
            for value, _ in self.members:
                value._changed = assigned.last = tick()
        absent = [i for i in needed if getattr(*self.members[i]) is not self.residents[i]]
        if not absent:
            return
        host = np.zeros(sum(map(math.prod, self.shapes)), self.dtype)
        if len(absent) < len(needed):
            host[:] = np.asarray(self.array).reshape(-1)
        parts = unpack(host, self.shapes)
        for i in absent:
            value, slot = self.members[i]
            if getattr(value, slot) is not None:
                parts[i][...] = value.data if slot == "_data" else value.grad
        self.array = place(host if len(self.members) > 1 else parts[0])
        for i in absent:
            self.take_over(i)

    def take_over(self, i: int) -> None:
        """Make the array on the device the one that member `i` has."""
        value, slot = self.members[i]
        setattr(value, slot, self.residents[i])
        if slot == "_data":
            value._changed = assigned.last = tick()

    def part(self, i: int) -> Any:
        """Return the array of a member, on the device."""
        if len(self.members) == 1:
            return self.array
        if self._parts[0] is not self.array:
            import jax

            self._parts = self.array, jax.jit(unpack, static_argnums=1)(self.array, tuple(self.shapes))
        return self._parts[1][i]


class Part:
    """What a Resident holds of a lot: always the newest."""

    __slots__ = ("i", "lot")

    def __init__(self, lot: Lot, i: int):
        self.lot, self.i = lot, i

    @property
    def shape(self):
        return self.lot.shapes[self.i]

    @property
    def dtype(self):
        return self.lot.dtype

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        self.lot.is_current = False  # whoever fetches it may go on to change it
        host = np.asarray(self.lot.array)
        found = host if len(self.lot.members) == 1 else unpack(host, self.lot.shapes)[self.i]
        return np.array(found, dtype=dtype, copy=copy)


_lots: WeakValueDictionary[tuple, Lot] = WeakValueDictionary()


def lot_of(members: Sequence[tuple[Any, str]]) -> Lot:
    """Return the lot of these Values. Programs that change the same ones share it."""
    key = tuple([(id(value), slot) for value, slot in members])  # a lot keeps its members, so their ids are theirs
    lot = _lots.get(key)
    if lot is None:
        lot = _lots[key] = Lot(members)
    return lot


def note_reading(value) -> None:
    """Take note that an operation was computed from a Value: it will need the same numbers in backward."""
    held = value._data
    if type(held) is Resident and type(held.array) is Part:
        held.array.lot.was_read, held.array.lot.is_current = True, False


def on_device(held) -> Any:
    """Return what a Value holds as a program takes it: from the device, if it is there."""
    if isinstance(held, Value):  # a gradient that can be differentiated
        held = held._data
    if type(held) is Resident:
        held = held.array
        if type(held) is Part:
            return held.lot.part(held.i)
    return held


class Upload:
    """Hands an array to a program. One that has not changed since the last call, as it is in full-batch
    training, is on the device already: comparing a few kilobytes is quicker than to send them.
    """

    __slots__ = ("array", "numbers", "place")

    def __init__(self, place: Callable[[Any], Any] | None):
        self.place = place  # how to send it, where a program does not take arrays as they are
        self.numbers, self.array = b"", None

    def __call__(self, x) -> Any:
        if isinstance(x, (np.ndarray, np.generic)) and x.nbytes <= SMALL:
            numbers = x.tobytes()
            if numbers == self.numbers and numbers:
                if self.array is None:
                    self.array = (self.place or to_device)(x)
                return self.array
            self.numbers, self.array = numbers, None
        return self.place(x) if self.place else x

    def remember(self, x: np.ndarray, array) -> None:
        """Take note that an array on the device has the numbers of `x`."""
        if x.nbytes <= SMALL:
            self.numbers, self.array = x.tobytes(), array


def to_device(x) -> Any:
    """Return an array of JAX's own with the numbers of `x`, under the precision that is set."""
    import jax.numpy as jnp

    return jnp.array(x)
