"""A limit on the weights of new layers: a file that describes a larger model than it holds must not take the memory."""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager

from adjoint.errors import CheckpointError
from adjoint.errors.settings import Setting

# How many more numbers the weights of new layers may have; None for any number.
_left: Setting[int | None] = Setting(None)


def limit_weights(count: int) -> AbstractContextManager[None]:
    """Refuse layers with more than `count` weights together, while the context lasts, before they take memory."""
    return _left.to(count)


def count_weights(shape: int | Sequence[int]) -> None:
    """Count the weights of a new layer, and raise if there are more than `limit_weights` allows."""
    left = _left.get()
    if left is not None:
        left -= shape if isinstance(shape, int) else math.prod(shape)
        if left < 0:
            raise CheckpointError(
                "a checkpoint is corrupt: its layers have more weights than the file; use another copy"
            )
        _left.set(left)
