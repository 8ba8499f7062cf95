"""Arrays that stay on the device between two calls of a compiled program, the small ones packed into one.

Handing an array to XLA and getting one back takes one or two microseconds, as long as computing a small layer. So the
small arrays of the state that a program changes are packed into one array on the device, a `Block`. It goes in and
comes out as a whole, in the same memory. A Value whose data is in a block holds a `Resident`, which fetches the data
when it is read.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.axes import name_of
from adjoint.arrays.backends import Resident
from adjoint.arrays.backends.resident import Shared, reading, to_numpy
from adjoint.arrays.tensor import Tensor
from adjoint.compile.xla.jax_settings import precision
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.optional_jax import load_jax

SMALL = 1 << 14  # bytes: copying a smaller array is cheaper than handing it over separately
FEW = 4  # up to this many scalar Values are passed as separate inputs, more as one array
Member = tuple[Tensor, str]  # a Value and the slot whose array is packed: "_data" or "_grad"


def unpack(flat, shapes: Sequence[tuple[int, ...]]) -> list:
    """Return the arrays of these shapes that lie one after the other in a flat array."""
    found, start = [], 0
    for shape in shapes:
        end = start + math.prod(shape)
        found.append(flat[start:end].reshape(shape))
        start = end
    return found


def pack(m, arrays: Sequence):
    """Return a flat array with the elements of all arrays, one after the other."""
    return m.concatenate([m.reshape(x, (-1,)) for x in arrays])


class Block:
    """The arrays of some Values, data or gradients, as one array on the device."""

    __slots__ = ("__weakref__", "_parts", "array", "dtype", "is_current", "members", "residents", "shapes", "was_read")

    def __init__(self, members: Sequence[Member]):
        self.members = list(members)
        self.shapes = [value.shape for value, _ in members]
        self.dtype = np.dtype(members[0][0].dtype)
        self.array = None  # on the device: flat, unless there is only one member
        self.is_current = False  # whether all members have their data here, and nowhere else
        self.was_read = False  # by an operation outside, whose backward pass must notice a change
        self.residents = [Resident(BlockPart(self, i)) for i in range(len(self.members))]
        self._parts: tuple[object, list] = (None, [])

    def refresh(self, transfer: Callable[[Any], Any], needed: Sequence[int], sharding: Any) -> None:
        """Copy the data of `needed` members to the device if it was assigned or fetched since the last call."""
        if self.was_read:
            self.was_read = False
            for value, _ in self.members:
                value._changed = assigned.last = tick()
        absent = [i for i in needed if getattr(*self.members[i]) is not self.residents[i]]
        if not absent:
            self.is_current = True
            return
        if len(self.members) == 1:
            self.array = self._transfer_member(transfer, sharding)
        else:
            host = np.zeros(sum(map(math.prod, self.shapes)), self.dtype)
            if len(absent) < len(needed):
                host[:] = np.asarray(self.array).reshape(-1)
            parts = unpack(host, self.shapes)
            for i in absent:
                held = self._take(i)
                parts[i][...] = 0.0 if held is None else held if isinstance(held, np.ndarray) else transfer(held)
            self.array = transfer(host)
        for i in absent:
            self._attach(i)
        self.is_current = True  # at the end: an exception may come at any time

    def zeros(self, sharding: Any) -> Any:
        """Return an array of zeros in the place of this one, made on the device."""
        import jax.numpy as jnp

        shape = self.shapes[0] if len(self.shapes) == 1 else (sum(map(math.prod, self.shapes)),)
        return jnp.zeros(shape, self.dtype, device=sharding)

    def _transfer_member(self, transfer: Callable[[Any], Any], sharding: Any) -> Any:
        """Return the only member's array on the device: a new one, since a program may delete it."""
        held = self._take(0)
        if held is None:
            return self.zeros(sharding)
        return transfer(held) if isinstance(held, np.ndarray) else transfer(held).copy()

    def _take(self, i: int) -> Any:
        """Return the array of a member that is elsewhere: of NumPy, on a device, or None for a gradient of zero."""
        held = getattr(*self.members[i])
        leave_block(held)
        return on_device(held)

    def _attach(self, i: int) -> None:
        """Make member `i` hold its part of the block."""
        value, slot = self.members[i]
        if slot == "_data":
            value._changed = assigned.last = tick()
        setattr(value, slot, self.residents[i])

    def part(self, i: int):
        """Return the array of a member, on the device."""
        if len(self.members) == 1:
            return self.array
        if self._parts[0] is not self.array:
            import jax

            self._parts = self.array, jax.jit(unpack, static_argnums=1)(self.array, tuple(self.shapes))
        return self._parts[1][i]


class BlockPart(Shared):
    """What a Resident holds of a block: always its newest content."""

    __slots__ = ("block", "i")

    def __init__(self, block: Block, i: int):
        self.block, self.i = block, i

    @property
    def shape(self) -> tuple[int, ...]:
        return self.block.shapes[self.i]

    @property
    def dtype(self) -> np.dtype:
        return self.block.dtype

    def on_device(self) -> Any:
        return self.block.part(self.i)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        self.block.is_current = False  # the reader may change the array that it gets
        host = to_numpy(self.block.array)
        found = host if len(self.block.members) == 1 else unpack(host, self.block.shapes)[self.i]
        return np.array(found, dtype=dtype, copy=copy)


_blocks: WeakValueDictionary[tuple, Block] = WeakValueDictionary()


def block_of(members: Sequence[Member], devices: Sequence[int] = ()) -> Block:
    """Return the block of these Values on some devices. Programs that change the same Values there share it."""
    # The block keeps its members, and so their ids, alive
    key = *[(id(value), slot) for value, slot in members], *devices
    block = _blocks.get(key)
    if block is None:
        block = _blocks[key] = Block(members)
    return block


def note_reading(value: Value) -> None:
    """Note that an operation was computed from a Value: its backward pass needs the same data."""
    held: object = value._data
    if type(held) is Resident and type(held.array) is BlockPart:
        held.array.block.was_read, held.array.block.is_current = True, False


def leave_block(held: object) -> None:
    """Note that a Value will hold something else than this: if it is a part of a block, the block lacks a member."""
    if type(held) is Resident and type(held.array) is BlockPart:
        held.array.block.is_current = False


def on_device(held):
    """Return what a Value holds as a program takes it: the array on the device, if there is one."""
    if isinstance(held, Value):  # a gradient that can be differentiated
        held = held._data
    return held.on_device() if type(held) is Resident else held


def device_array_of(value: Value, slot: str = "data") -> Any:
    """Return the `jax.Array` on the devices that holds the data (or the "grad") of a Value, or None if NumPy holds it.

    Nothing is copied or gathered: `array.addressable_shards` has the parts on the devices of this process. The next
    call of a compiled function that changes the Value deletes the array, so read it before.
    """
    with reading:
        held: object = getattr(value, f"_{slot}")
        return on_device(held) if isinstance(held, (Resident, Value)) else None


def set_device_array(value: Value, array: Any, slot: str = "data") -> None:
    """Let a `jax.Array`, which may be split over devices in any way, be the data (or the "grad") of a Value.

    Nothing is gathered. The next call of a compiled function takes a copy of the array, split as the function needs it.
    """
    if not isinstance(value, Tensor) or tuple(array.shape) != value.shape or np.dtype(array.dtype) != value.dtype:
        own = f"{value.dtype} of shape {value.shape}" if isinstance(value, Tensor) else "a single number"
        raise ShapeError(
            f"the {slot} of {name_of(value)} is {own}, and cannot be an array of {np.dtype(array.dtype)} and shape "
            f"{tuple(array.shape)}"
        )
    with reading:
        held: object = value._data
        if slot == "grad":
            value._grad = Resident(array)
        else:
            leave_block(held)
            assigned.replace(value, Resident(array))


class Upload:
    """Hands an array to a program, and skips the transfer if the array has not changed since the last call.

    Full-batch training passes the same array in each call. Comparing a few kilobytes is faster than sending them.
    """

    __slots__ = ("_last", "transfer")

    def __init__(self, transfer: Callable[[object], object] | None):
        self.transfer = transfer  # how to move an array to the devices; None if JAX does it
        self._last: tuple[bytes, object] = b"", None  # content and array, as one: several threads may use it

    def __call__(self, x):
        if isinstance(x, (np.ndarray, np.generic)) and x.nbytes <= SMALL:
            content = x.tobytes()
            last, array = self._last
            if content == last and content:
                if array is None:
                    array = (self.transfer or to_device)(x)
                    self._last = content, array
                return array
            self._last = content, None
        return self.transfer(x) if self.transfer else x

    def remember(self, x: np.ndarray, array) -> None:
        """Note that an array on the device has the content of `x`."""
        if x.nbytes <= SMALL:
            self._last = x.tobytes(), array


def to_device(x):
    """Return a JAX array with the content of `x`, in the precision that is set; one of NumPy is copied."""
    return load_jax().device_put(np.array(x) if isinstance(x, (np.ndarray, np.generic)) else x)


def move_to_device(values: Iterable[Value]) -> None:
    """Move the data of Values to the device, so that programs that only read it do not copy it in each call.

    A Value fetches its data when it is read elsewhere.
    """
    with precision(x64=True):
        for value in values:
            held = value._data
            if isinstance(value, Tensor) and type(held) is np.ndarray:
                value._data = Resident(to_device(held))
