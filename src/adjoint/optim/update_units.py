"""The units that an optimizer updates together, with the buffers that belong to them.

Each array parameter is a unit. All scalar parameters form one unit, gathered into one array: an update rule is written
for arrays alone, and a network of a thousand scalars is updated in a few operations.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from adjoint.arrays.kinds import array_code, is_resident
from adjoint.arrays.live_states import is_live
from adjoint.arrays.scalars import as_vector, gather, mathematics_of, scatter
from adjoint.engine.freezing import trainable, used
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value

if TYPE_CHECKING:
    import numpy as np

    from adjoint.arrays.tensor import Tensor


class UpdateUnit(ABC):
    """Parameters that are updated as one array: their data, their gradient, and the buffers of the optimizer."""

    values: list[Value]

    def __init__(self) -> None:
        self.buffers: dict[str, Any] = {}  # Values, so that jit updates them; each has the shape of the parameters
        self.missed = 0  # the number of steps in which it had no gradient

    @abstractmethod
    def add_buffer(self, name: str, start: float) -> None:
        """Add a buffer of the shape of the parameters, unless there is one of that name."""

    @abstractmethod
    def buffer(self, name: str) -> Any:
        """Return a buffer as one array. An update rule may change the array in place."""

    @abstractmethod
    def write_buffer(self, name: str, array: Any) -> None:
        """Assign new numbers to a buffer, also those that were changed in place."""

    def parameter_state(self) -> "Iterator[tuple[Value, str, Value]]":
        """Yield each buffer with its parameter and its name. `jit(shard=...)` splits it as it splits the parameter."""
        yield from ()

    def saved_buffer(self, name: str) -> "list[Any]":
        """Return the part of a buffer that belongs to each parameter, for a state to hold."""
        return self.split(self.buffer(name))

    def load_buffer(self, name: str, parts: Sequence[Any]) -> None:
        """Assign new numbers to a buffer: the part of each parameter, as a state holds it."""
        self.write_buffer(name, self.join(parts))

    @abstractmethod
    def data(self) -> Any:
        """Return the parameters as one array."""

    @abstractmethod
    def gradient(self) -> Any:
        """Return the gradient as one array; None if `backward()` has not computed one."""

    @abstractmethod
    def write(self, p: Array) -> None:
        """Assign new data to the parameters."""

    @abstractmethod
    def write_gradient(self, g: Array) -> None:
        """Assign a new gradient to the parameters."""

    @abstractmethod
    def split(self, array: Any) -> "list[float] | list[np.ndarray]":
        """Return the part of each parameter: a float for a scalar, a new NumPy array for an array."""

    @abstractmethod
    def join(self, parts: Sequence[Any]) -> Any:
        """Return the parts as one array like `data()`: the inverse of `split`. Numbers count for all elements."""


class ArrayParameter(UpdateUnit):
    """One array parameter."""

    def __init__(self, value: "Tensor"):
        super().__init__()
        self.value = value
        self.values = [value]

    def add_buffer(self, name: str, start: float) -> None:
        if name not in self.buffers:
            p = self.data()
            m = array_code("backends").common_backend([p], name)
            self.buffers[name] = array_code("apply").make_leaf(m.zeros_like(p) + start if start else m.zeros_like(p))

    def buffer(self, name: str) -> Any:
        return self.buffers[name].data

    def parameter_state(self) -> "Iterator[tuple[Value, str, Value]]":
        for name, buffer in self.buffers.items():
            yield self.value, name, buffer

    def saved_buffer(self, name: str) -> list[Any]:
        return [self.buffers[name]] if is_live() else super().saved_buffer(name)

    def load_buffer(self, name: str, parts: Sequence[Any]) -> None:
        buffer, is_whole = self.buffers[name], tuple(getattr(parts[0], "shape", ())) == self.value.shape
        if is_whole and is_resident(buffer._data):
            from adjoint.compile.xla.placed_states import load_split

            if load_split(buffer, parts[0]):
                return
        super().load_buffer(name, parts)

    def write_buffer(self, name: str, array: Any) -> None:
        if array is not self.buffers[name].data:
            self.buffers[name].data = array

    def data(self) -> Any:
        return self.value.data

    def gradient(self) -> Any:
        if self.value._grad is None or self.value._frozen:  # `grad` would return zeros
            return None
        grad = self.value.grad
        return grad.data if isinstance(grad, Value) else grad

    def write(self, p: Array) -> None:
        self.value.data = p
        self.value._grad_used = False  # `stale_gradients.py` warns of a gradient that an optimizer uses twice

    def write_gradient(self, g: Array) -> None:
        self.value.grad = g

    def split(self, array: Any) -> "list[np.ndarray]":
        import numpy as np

        return [np.array(mathematics_of(array, "optimizer").to_numpy(array))]

    def join(self, parts: Sequence[Any]) -> Any:
        import numpy as np

        data = self.data()
        m = mathematics_of(data, "optimizer")
        return m.astype(m.from_numpy(np.array(np.broadcast_to(parts[0], data.shape))), data.dtype)


class ScalarParameters(UpdateUnit):
    """All scalar parameters."""

    def __init__(self, values: Sequence[Value]):
        super().__init__()
        self.values = list(values)

    def add_buffer(self, name: str, start: float) -> None:
        if name not in self.buffers:  # a Value for each parameter, so that a step computes with numbers alone
            self.buffers[name] = [Value(start) for _ in self.values]

    def buffer(self, name: str) -> Any:
        return gather(self.buffers[name])

    def write_buffer(self, name: str, array: Any) -> None:
        self._scatter(array, self.buffers[name])

    def data(self) -> Any:
        return gather(self.values)

    def gradient(self) -> Any:
        if used.ever and not trainable(self.values):
            return None
        return gather(self.values, is_grad=True)

    def write(self, p: Array) -> None:
        self._scatter(p, self.values)

    def _scatter(self, array: Any, values: list[Value]) -> None:
        """Assign the numbers that belong to the parameters that are not frozen."""
        if used.ever:
            kept = [i for i, value in enumerate(self.values) if not value._frozen]
            if len(kept) < len(values):
                m = mathematics_of(array, "optimizer")
                array, values = m.stack([array[i] for i in kept]), [values[i] for i in kept]
        scatter(array, values)

    def write_gradient(self, g: Array) -> None:
        scatter(g, self.values, is_grad=True)

    def split(self, array: Any) -> list[float]:
        return array.tolist()

    def join(self, parts: Sequence[Any]) -> Any:
        return as_vector([float(part) for part in parts])


def units_of(parameters: Sequence[Value]) -> list[UpdateUnit]:
    """Return the units of some parameters: one for each array, and one for all scalars."""
    units: list[UpdateUnit] = [ArrayParameter(cast("Tensor", p)) for p in parameters if p._is_array]
    numbers = [p for p in parameters if not p._is_array]
    return [*units, ScalarParameters(numbers)] if numbers else units
