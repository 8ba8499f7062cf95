"""The entries of a `state_dict()`: how they are read from a model and assigned to it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of, is_number_value, is_resident, is_tensor
from adjoint.arrays.live_states import is_live
from adjoint.engine.value import Value
from adjoint.errors import StateError
from adjoint.errors.given import describe
from adjoint.errors.interruptions import raise_interruption
from adjoint.nn.members import named_values

if TYPE_CHECKING:
    import numpy as np

    from adjoint.nn.module import Module


class IncompatibleKeys(NamedTuple):
    """The names that `load_state_dict(strict=False)` skipped: missing from the state, or unexpected in it."""

    missing: list[str]
    unexpected: list[str]


class Entry:
    """One tensor of a state: its name, its kind, and where it is stored."""

    def __init__(self, name: str, kind: str, content: object, holder: "Module | None" = None, attribute: str = ""):
        self.name, self.kind, self.content = name, kind, content
        self.holder, self.attribute = holder, attribute
        self.shape = (len(content),) if isinstance(content, (list, tuple)) else tuple(getattr(content, "shape", ()))

    def assign(self, array: Any) -> None:
        """Give the model a number or the numbers of an array, which may be in a file."""
        if is_tensor(self.content):
            if is_resident(self.content._data):
                from adjoint.compile.xla.placed_states import load_split

                if load_split(self.content, array):
                    return
            array = as_array(array.read() if getattr(array, "is_stored", False) else array)
            m = array_code("backends").common_backend([self.content.data], "load_state_dict")
            self.content.data = m.from_numpy(array)
        elif isinstance(self.content, Value):
            self.content.data = float(array)
        elif isinstance(self.content, int):
            setattr(self.holder, self.attribute, int(array))
        else:
            import numpy as np

            setattr(self.holder, self.attribute, array.astype(np.asarray(self.content).dtype))


def entries(root: "Module") -> list[Entry]:
    """Return all tensors of the state of a model: the parameters, then the buffers."""
    found = [Entry(name, "parameter", p) for name, p in named_values(root)]
    for prefix, module in root.named_modules():
        for name, persistent in module._buffers.items():
            path = f"{prefix}.{name}" if prefix else name
            kind = "buffer" if persistent else "transient"
            if getattr(module, name) is not None:
                found.append(Entry(path, kind, getattr(module, name), module, name))
    return found


def load_entries(root: "Module", state: Mapping[str, object], strict: bool) -> IncompatibleKeys:
    """Assign a state to a model: all of it, or nothing and an error that names each tensor that does not fit."""
    saved: Any = getattr(state, "model", state)  # of a checkpoint: load_state_dict(adjoint.load(path))
    state = saved.state_dict() if hasattr(saved, "named_modules") else state
    if not isinstance(state, Mapping):
        raise StateError(
            f"load_state_dict needs a dict of names and arrays, as state_dict() returns it, not {describe(state)}"
        )
    known = entries(root)
    missing = [entry.name for entry in known if entry.name not in state and entry.kind != "transient"]
    unexpected = sorted(set(state) - {entry.name for entry in known})
    wrong: list[str] = []
    found: list[tuple[Entry, Any]] = []
    for entry in known:
        if entry.name not in state:
            continue
        given: Any = state[entry.name]
        array = given if getattr(given, "is_stored", False) else _as_number_or_array(given)
        if array is None:
            wrong.append(f"{entry.name} is {describe(given)}, not an array of numbers")
        elif shape_of(array) != entry.shape:
            wrong.append(f"{entry.name} has shape {shape_of(array)}, but the model's has {entry.shape}")
        else:
            found.append((entry, array))
    if strict:
        wrong += [f"{name} is missing" for name in missing]
        wrong += [f"{name} is not in the model" for name in unexpected]
    if wrong:
        raise StateError(f"the state does not fit {root._headline()}: {'; '.join(wrong)}")
    for entry, array in found:
        entry.assign(array)
    return IncompatibleKeys(missing, unexpected)


def as_saved(x: Any) -> "np.ndarray | float":
    """Return a copy of a Value, an array or a number for a state to hold; a scalar Value becomes a float."""
    if is_number_value(x):
        return data_of(x)
    if is_live():
        return x
    import numpy as np

    return np.array(x.numpy() if is_tensor(x) else x)


def _as_number_or_array(x: object) -> "float | np.ndarray | None":
    return data_of(x) if isinstance(data_of(x), float) else as_array(x)


def as_array(x: object) -> "np.ndarray | None":
    """Return a tensor of a state, of any library, as a NumPy array; None if it is not an array of numbers.

    Numbers of bfloat16 become float32: NumPy's own functions do not know them.
    """
    array = array_as_held(x)
    return array.astype("float32") if array is not None and array.dtype.name == "bfloat16" else array


def array_as_held(x: object) -> "np.ndarray | None":
    """Return a tensor of a state as a NumPy array of its own dtype; None if it is not an array of numbers."""
    import numpy as np

    if isinstance(x, Value):
        x = x.data
    try:
        m = array_code("backends").backend_of(x) if hasattr(x, "dtype") else None
        array = np.asarray(m.to_numpy(x) if m else x)
    except MemoryError:
        raise
    except Exception as error:
        raise_interruption(error)
        return None
    return array if array.dtype.kind in "fiub" or array.dtype.name == "bfloat16" else None
