"""What an optimiser watches for: gradients that nobody sets to zero, and parameters that get none.

Both are mistakes of a program and not of a single step: they show in the first steps, and after these nobody looks
any more.

To see whether gradients are set to zero, one array has a hook from one step to the next `backward()`: when the next
gradient arrives, does the array still hold the one that was used? A gradient that is added up by several `backward()`
between two steps holds none that was used, and is no mistake.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from adjoint.backends import backend_of
from adjoint.errors import MissingGradientWarning, StaleGradientWarning
from adjoint.mistakes import is_on, warn
from adjoint.optim.lots import ArrayLot, Lot
from adjoint.tensor import Tensor

if TYPE_CHECKING:
    from adjoint.optim.optimizer import Optimizer

PATIENCE = 10  # steps that a parameter may be without a gradient: a part of a model may have its turn later


class Watch:
    """What the first steps of an optimiser have shown. It is kept apart from the optimiser, where jit would see it."""

    def __init__(self, optimizer: "Optimizer"):
        self.steps = 0
        self.unreached = [lot for group in optimizer.param_groups for lot in group.lots]
        self.arrivals: list[bool] = []  # of gradients, after a step: was the used one still there?
        self.has_hook = False
        self.remove_hook: Callable[[], None] = lambda: None

    def before_step(self, optimizer: "Optimizer") -> None:
        """Look at the gradients of a step that is about to be taken, and warn."""
        self.steps += 1
        is_traced = isinstance(optimizer._clock, Tensor)
        self.unreached = [lot for lot in self.unreached if not _is_reached(lot)]
        if self.steps == PATIENCE or is_traced:  # a compiled step is the same each time
            self._warn_of_missing(optimizer, is_traced)
        if any(self.arrivals) and is_on("stale_gradients"):
            warn("stale_gradients", StaleGradientWarning, _STALE.format(type(optimizer).__name__))
        if self.steps == PATIENCE or (self.arrivals and not self.unreached):
            self.remove_hook()
            del watches[optimizer]

    def after_step(self, optimizer: "Optimizer") -> None:
        """Put a hook on an array whose gradient was used."""
        lots = [lot for group in optimizer.param_groups for lot in group.lots]
        array = next((lot.values[0] for lot in lots if isinstance(lot, ArrayLot) and _is_reached(lot)), None)
        if array is None or self.has_hook or not is_on("stale_gradients") or isinstance(optimizer._clock, Tensor):
            return
        used, arrivals = array.grad, self.arrivals

        def arrived(gradient) -> None:
            if not getattr(backend_of(gradient), "is_traced", bool)(gradient):
                arrivals.append(array._grad is used)
                remove()

        self.has_hook, self.remove_hook = True, (remove := array.register_hook(arrived))

    def _warn_of_missing(self, optimizer: "Optimizer", is_traced: bool) -> None:
        missing, self.unreached = self.unreached, []
        if missing and is_on("missing_gradients"):
            names = ", ".join(_name(optimizer, lot) for lot in missing)
            when = "in the compiled step" if is_traced else f"in {PATIENCE} steps"
            warn("missing_gradients", MissingGradientWarning, _MISSING.format(names, when))

    def __del__(self):
        self.remove_hook()  # a hook, wherever it is, makes every backward() slower


watches: WeakKeyDictionary[Any, Watch] = WeakKeyDictionary()

_STALE = (
    "{}.step() used gradients that contain those of the step before: they were not set to zero since, and backward() "
    "adds to what is there. Call optimizer.zero_grad() once in each step, before backward()."
)
_MISSING = (
    "no gradient has reached {} {}, so it stays as it is. Does the loss depend on it? A parameter that was replaced, "
    "copied or detached after the optimiser was made is another one than the model uses."
)


def _is_reached(lot: Lot) -> bool:
    """Return whether a lot has a gradient; of numbers, any one that is not zero will do, for a ReLU may be dead."""
    g = lot.gradient()
    return g is not None and (isinstance(lot, ArrayLot) or not isinstance(g, np.ndarray) or bool(g.any()))


def _name(optimizer: "Optimizer", lot: Lot) -> str:
    if not isinstance(lot, ArrayLot):
        return f"any of the {len(lot.values)} numbers among the parameters"
    array = lot.values[0]
    every = [p for group in optimizer.param_groups for p in group.parameters]
    i = next(i for i, p in enumerate(every) if p is array)
    return f"parameter {i} ({array.label or f'shape {array.shape}'})"
