"""The moving average of the weights during training: `fit(ema=0.999)`."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from adjoint import optim
from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.optim import EMA


class Averaging:
    """Updates an average of the weights after each step, and replaces the weights by it; None does nothing."""

    def __init__(self, decay: float | None, model: object, parameters: list[Value], compile: Callable[..., Any] | None):
        self.ema = None if decay is None else optim.EMA(parameters, decay)
        self._update = None
        if self.ema is not None:
            self._update = compile(Named(model, self.ema).update) if compile is not None else self.ema.update

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


class Named:
    """An average beside its model, whose names decide how `jit(shard=...)` splits it."""

    def __init__(self, model: object, ema: "EMA"):
        self.model, self.ema = model, ema

    def update(self) -> None:
        """Move the average toward the weights."""
        self.ema.update()
