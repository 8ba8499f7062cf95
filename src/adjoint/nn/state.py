"""The tensors of a state: how they are read from a model, and written into it."""

from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.engine.value import Value


class Entry:
    """One tensor of a state: its name, and where it is."""

    def __init__(self, name: str, kind: str, content: Any, holder: Any = None, attribute: str = ""):
        self.name, self.kind, self.content = name, kind, content
        self.holder, self.attribute = holder, attribute
        self.shape = tuple(getattr(content, "shape", ()))

    def assign(self, array: Any) -> None:
        if isinstance(self.content, Value):
            m = backend_of(self.content.data)
            self.content.data = m.from_numpy(array) if m else float(array)
        elif isinstance(self.content, int):
            setattr(self.holder, self.attribute, int(array))
        else:
            setattr(self.holder, self.attribute, array.astype(self.content.dtype))


def as_saved(x: Any) -> Any:
    """Return a copy of a Value, an array or a number for a state to hold."""
    if isinstance(x, Value):
        return np.array(x.numpy()) if hasattr(x, "numpy") else x.data  # pyright: ignore[reportAttributeAccessIssue]
    return np.array(x)


def as_array(x: Any) -> Any:
    """Return a tensor of a state, of any library, as an array of NumPy; None if it is none."""
    if isinstance(x, Value):
        x = x.data
    try:
        m = backend_of(x) if hasattr(x, "dtype") else None
        array = np.asarray(m.to_numpy(x) if m else x)
    except Exception:
        return None
    return array if array.dtype.kind in "fiub" else None
