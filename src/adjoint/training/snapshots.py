"""Copies of the weights during training: the best state, and the moving average of `fit(ema=0.999)`.

They are in memory, or on the device of compiled steps.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint import optim
from adjoint.arrays.backends import backend_of
from adjoint.arrays.scalars import gather, scatter
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.nn.module import Module

if TYPE_CHECKING:
    from adjoint.optim import EMA


class Snapshot:
    """A copy of all parameters and buffers of a model."""

    def __init__(self, model: object, parameters: list[Value], compile: Callable[..., Any] | None = None):
        modules = model.modules() if isinstance(model, Module) else ()
        self._places = [(module, name) for module in modules for name in module._buffers]
        buffers = [getattr(*place) for place in self._places]
        self._values = [*parameters, *(x for x in buffers if isinstance(x, Value))]
        self._places = [place for place, x in zip(self._places, buffers) if not isinstance(x, Value)]
        self._arrays = [v for v in self._values if isinstance(v, Tensor)]
        self._scalars = [v for v in self._values if not isinstance(v, Tensor)]
        self._numbers: list[Any] = []
        self._scalar_numbers = np.zeros(0)
        self._others: list[Any] = []
        self.is_kept = False
        self._copy_in = self._copy_out = None
        if compile is not None:
            copies = _Copies(model, self._values)
            self._copy_in, self._copy_out = compile(copies.keep), compile(copies.restore)

    def keep(self) -> None:
        """Copy the current state."""
        self.is_kept = True
        self._others = [np.array(x) if hasattr(x, "dtype") else x for x in (getattr(*p) for p in self._places)]
        if self._copy_in:
            self._copy_in()
        else:
            self._numbers = [_copy(v) for v in self._arrays]
            self._scalar_numbers = gather(self._scalars)

    def restore(self) -> None:
        """Assign the kept state to the model, if there is one."""
        if not self.is_kept:
            return
        for (module, name), x in zip(self._places, self._others):
            setattr(module, name, x)
        if self._copy_out:
            self._copy_out()
        else:
            scatter(self._scalar_numbers, self._scalars)
            for v, x in zip(self._arrays, self._numbers):
                m: Any = backend_of(v.data)
                v.data = m.from_numpy(np.array(x)) if m else x


class NoSnapshot:
    """Keeps nothing: the model stays as it is."""

    is_kept = False

    def keep(self) -> None:
        pass

    def restore(self) -> None:
        pass


class _Copies:
    """Copies of Values. On several devices, each is split as the Value is, by its name in the model."""

    def __init__(self, model: object, values: list[Value]):
        self.model = model
        self.pairs = [(v, Value(_copy(v))) for v in values]

    def parameter_state(self) -> Iterator[tuple[Value, str, Value]]:
        """Yield each Value, what its copy is to it, and the copy, for `jit(shard=...)`."""
        for v, copied in self.pairs:
            yield v, "best", copied

    def keep(self) -> None:
        """Copy the Values."""
        for v, copied in self.pairs:
            copied.data = v.data

    def restore(self) -> None:
        """Assign the copies to the Values."""
        for v, copied in self.pairs:
            v.data = copied.data


def _copy(v: Value) -> Any:
    return np.array(v.numpy()) if isinstance(v, Tensor) else v.data


class Averaging:
    """Updates an average of the weights after each step, and replaces the weights by it; None does nothing."""

    def __init__(self, decay: float | None, model: object, parameters: list[Value], compile: Callable[..., Any] | None):
        self.ema = None if decay is None else optim.EMA(parameters, decay)
        self._update = None
        if self.ema is not None:
            self._update = compile(_NamedAverage(model, self.ema).update) if compile is not None else self.ema.update

    def update(self) -> None:
        """Move the average toward the weights."""
        if self._update is not None:
            self._update()

    def weights(self) -> AbstractContextManager:
        """Return a context in which the model has the average of the weights."""
        return nullcontext() if self.ema is None else self.ema

    def finish(self) -> None:
        """Leave the average in the model."""
        if self.ema is not None:
            self.ema.copy_to_parameters()


class _NamedAverage:
    """An average beside its model, whose names decide how `jit(shard=...)` splits it."""

    def __init__(self, model: object, ema: "EMA"):
        self.model, self.ema = model, ema

    def update(self) -> None:
        """Move the average toward the weights."""
        self.ema.update()
