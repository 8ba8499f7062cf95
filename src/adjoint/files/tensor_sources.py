"""The tensors that a checkpoint holds: arrays of any library, read where they are when they are written.

An array of JAX that is split over the devices of several processes is not gathered. Each process writes the part that
its own devices hold, as one slice of the tensor if it is a block, otherwise as several.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.kinds import is_resident
from adjoint.engine.value import Value
from adjoint.errors import StateError
from adjoint.files.tensor_files import TensorSource, require_savable
from adjoint.nn.state_entries import array_as_held

Box = tuple[tuple[int, int], ...]  # where a slice starts and ends along each axis


class Piece(NamedTuple):
    """A tensor to write, or a slice of it."""

    source: TensorSource
    of: str  # the name of the tensor
    shape: tuple[int, ...]  # of the tensor
    offset: tuple[int, ...]  # where the slice starts along each axis

    @property
    def is_whole(self) -> bool:
        """Whether the slice is the whole tensor, which then has its plain name."""
        return self.source.shape == self.shape


def source_of(name: str, x: object) -> TensorSource:
    """Return an array or a number as a tensor to write; raise if it is neither."""
    array = _array_on_devices(x)
    if array is None:
        array = array_as_held(x)
        require_savable(name, None if array is None else array.dtype, x)
        assert array is not None
    elif not array.is_fully_addressable and not array.is_fully_replicated:
        raise StateError(
            f"cannot save tensor {name!r} in one file: it is split over the devices of several processes; save into a "
            "folder, for instance with save(folder, model, max_size='5GB'), where each process writes its part"
        )
    else:
        require_savable(name, np.dtype(array.dtype), x)
    return TensorSource(name, np.dtype(array.dtype), tuple(array.shape), lambda: np.asarray(array))


def pieces_of(name: str, x: object, is_first: bool) -> list[Piece]:
    """Return what this process writes of a tensor. What every process has, the first one writes (`is_first`)."""
    array = _array_on_devices(x)
    if array is None or array.is_fully_addressable:
        source = source_of(name, x)
        return [Piece(source, name, source.shape, (0,) * len(source.shape))] if is_first else []
    dtype, shape = np.dtype(array.dtype), tuple(array.shape)
    require_savable(name, dtype, x)
    shards = {_box(shard.index, shape): shard for shard in array.addressable_shards if shard.replica_id == 0}
    block = _bounding_box(shards)
    return [_piece(name, dtype, shape, box, shards) for box in ([block] if block else shards)]


def _array_on_devices(x: object) -> Any:
    """Return the array of JAX that an object is or holds; None if there is none."""
    held = x
    if isinstance(x, Value) and x._is_array:
        held = None
        if is_resident(x._data):  # a compiled function has left it on its devices
            from adjoint.compile.xla.device_arrays import device_array_of

            held = device_array_of(x)
        held = x.data if held is None else held
    jax = sys.modules.get("jax")
    return held if jax is not None and isinstance(held, jax.Array) else None


def _box(index: Sequence[slice], shape: tuple[int, ...]) -> Box:
    return tuple(side.indices(size)[:2] for side, size in zip(index, shape))


def _bounding_box(boxes: Iterable[Box]) -> Box | None:
    """Return the box that the boxes fill without a gap; None if there is none."""
    boxes = list(boxes)
    around = tuple((min(start for start, _ in sides), max(end for _, end in sides)) for sides in zip(*boxes))
    return around if boxes and _volume(around) == sum(map(_volume, boxes)) else None


def _volume(box: Box) -> int:
    return math.prod(end - start for start, end in box)


def _piece(name: str, dtype: np.dtype, shape: tuple[int, ...], box: Box, shards: dict[Box, Any]) -> Piece:
    size = tuple(end - start for start, end in box)

    def read() -> np.ndarray:
        if box in shards:
            return np.asarray(shards[box].data)
        found = np.empty(size, dtype)
        for part, shard in shards.items():
            found[tuple(slice(a - start, b - start) for (a, b), (start, _) in zip(part, box))] = shard.data
        return found

    stored = name if size == shape else f"{name}[{', '.join(f'{start}:{end}' for start, end in box)}]"
    return Piece(TensorSource(stored, dtype, size, read), name, shape, tuple(start for start, _ in box))
