"""Whether all processes run the same program: before its first run they compare what they are about to compute.

Processes that disagree wait for each other forever, or compute with different weights without a word. The comparison
takes checksums of the program and of the state, and happens once for each program.
"""

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from adjoint.distributed.coordination import coordination_client
from adjoint.errors import LaunchError

_WAIT = 600  # seconds that a process waits for the others, which may still be reading their data
_counts: Counter[tuple[int, ...]] = Counter()  # of programs, by the processes that run them


class Announcement(NamedTuple):
    """What a process is about to compute: the shapes of its batch, and checksums of the program, state and batch."""

    shapes: dict[str, list[int]]
    program: str
    state: dict[str, int]  # by name
    batch: int


def checksum(x: Any) -> int:
    """Return a checksum of an array of NumPy or of a number; 0 for an array on devices, which all processes share."""
    if isinstance(x, (float, int)):
        return zlib.crc32(repr(x).encode())
    return zlib.crc32(np.ascontiguousarray(x).data) if isinstance(x, (np.ndarray, np.generic)) else 0


def checksum_of_text(text: str) -> str:
    """Return a checksum of the text of a program, without the addresses in memory in it."""
    return hashlib.sha256(re.sub(r"0x[0-9a-f]+", "", text).encode()).hexdigest()


def require_agreement(own: Announcement, me: int, members: Sequence[int], mates: Sequence[int]) -> None:
    """Raise an error if process `me` and others are about to compute different things.

    The `members` run the program; the `mates` among them hold the same part of the batch as this process. The first of
    the `members` reads the statements of all others, and each of these that of the first, so that all of them raise;
    and so do the `mates`.
    """
    store = _Store(members)
    store.write(me, own)
    for i in members[1:] if me == members[0] else members[:1]:
        _compare(own, me, store.read(i), i)
    for i in mates[1:] if me == mates[0] else mates[:1]:
        if own.batch != store.read(i).batch:
            raise LaunchError(
                f"processes {me} and {i} compute with the same part of the batch, because weights are split between "
                "them, but they were given different rows; pass the same rows in both"
            )


def _compare(own: Announcement, me: int, other: Announcement, i: int) -> None:
    for name in own.shapes:
        if own.shapes[name] != other.shapes.get(name, own.shapes[name]):
            raise LaunchError(
                f"{name} has the shape {tuple(own.shapes[name])} in process {me}, but {tuple(other.shapes[name])} in "
                f"process {i}; every process must pass a part of the same size"
            )
    if own.program != other.program:
        raise LaunchError(
            f"processes {me} and {i} run different programs, and would wait for each other forever; every process must "
            "call the same compiled functions, with the same model, in the same order"
        )
    for name in own.state:
        if own.state[name] != other.state.get(name):
            raise LaunchError(
                f"{name} has other numbers in process {me} than in process {i}; make the model with the same seed in "
                "every process, or load the same file"
            )


class _Store:
    """The keys and values that all processes share, for the next program of some of them."""

    def __init__(self, members: Sequence[int]):
        self._client = coordination_client()
        _counts[tuple(members)] += 1
        self._number = _counts[tuple(members)]
        self._name = f"adjoint/{zlib.crc32(repr(list(members)).encode())}/{self._number}"

    def write(self, i: int, statement: Announcement) -> None:
        """Publish the statement of a process."""
        self._client.key_value_set(f"{self._name}/{i}", json.dumps(statement))

    def read(self, i: int) -> Announcement:
        """Return the statement of a process, when it has published it."""
        try:
            text = self._client.blocking_key_value_get(f"{self._name}/{i}", _WAIT * 1000)
        except Exception as error:
            if "DEADLINE_EXCEEDED" not in str(error):
                raise
            raise LaunchError(
                f"process {i} has not compiled its program number {self._number} within {_WAIT} seconds; every process "
                "must call the same compiled functions in the same order"
            ) from error
        return Announcement(*json.loads(text))
