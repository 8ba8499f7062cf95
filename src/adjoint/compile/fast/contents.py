"""Whether containers hold what they held in an earlier call; `_native/contents.h` is the same in C."""

import struct
from collections.abc import Sequence

from adjoint.engine.native import twin


def _is_same_item(now: object, before: object) -> bool:
    """Return whether an item is the same object, or an equal number, string or tuple of them of the same type."""
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if isinstance(now, float) and isinstance(before, float):
        return type(now) is float and struct.pack("d", now) == struct.pack("d", before)  # NaN, and the sign of zero
    if type(now) is tuple and type(before) is tuple:
        return len(now) == len(before) and all(map(_is_same_item, now, before))
    return type(now) in (int, str, bytes) and now == before


def _is_same_content(now: list | dict, before: list | dict) -> bool:
    if len(now) != len(before):
        return False
    if isinstance(now, dict) and isinstance(before, dict):
        return all(map(_is_same_item, now, before)) and all(map(_is_same_item, now.values(), before.values()))
    return isinstance(now, list) and isinstance(before, list) and all(map(_is_same_item, now, before))


def same_contents(pairs: Sequence[tuple[list | dict, list | dict]]) -> bool:
    """Return whether each container holds what the copy of it in the pair holds, in the same order."""
    return all(_is_same_content(now, before) for now, before in pairs)


same_contents = twin("same_contents", same_contents)
