"""Headers of NumPy's files, checked before NumPy reads the file: it allocates whatever memory a header asks for."""

import math
from typing import IO

import numpy as np

from adjoint.errors import DataError
from adjoint.errors.interruptions import raise_interruption

MAGIC = b"\x93NUMPY"
_MOST = 10_000  # bytes of a header, as in NumPy


def require_honest_header(file: IO[bytes], size: int, who: str) -> None:
    """Raise unless the array that the header of a `.npy` file describes is what the file of `size` bytes has.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(3))
    >>> content = file.getvalue().replace(b"(3,)", b"(9,)")
    >>> require_honest_header(io.BytesIO(content), len(content), "ids.npy")
    Traceback (most recent call last):
    adjoint.errors.DataError: ids.npy says that it has an array of shape (9,), 72 bytes, but it has 24 bytes: it is \
cut off or damaged; use another copy, or save it again
    """
    shape, dtype = _read_header(file, who)
    wanted, has = math.prod(shape) * dtype.itemsize, size - file.tell()
    if wanted != has:
        raise DataError(
            f"{who} says that it has an array of shape {shape}, {wanted:,} bytes, but it has {has:,} bytes: it is cut "
            "off or damaged; use another copy, or save it again"
        )


def _read_header(file: IO[bytes], who: str) -> tuple[tuple[int, ...], np.dtype]:
    readers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
    start = file.read(len(MAGIC) + 2)
    version = start[len(MAGIC)] if start.startswith(MAGIC) and len(start) == len(MAGIC) + 2 else 0
    width = 2 if version == 1 else 4
    length = int.from_bytes(file.read(width), "little")
    if version not in readers or length > _MOST:
        raise DataError(f"{who} is not an array of numbers in NumPy's format; write it with numpy.save or numpy.savez")
    file.seek(len(start))
    try:
        shape, _, dtype = readers[version](file)
    except Exception as error:  # whatever damaged text and names of dtypes cause
        raise_interruption(error)
        raise DataError(f"{who} is damaged: its header is unreadable ({' '.join(str(error).split())[:200]})") from None
    if dtype.kind not in "fiub" or any(side < 0 for side in shape):
        raise DataError(f"{who} holds {dtype}, not numbers")
    return shape, dtype
