"""What an optimiser watches for: gradients that nobody sets to zero, and parameters that get none.

Both are mistakes of a program and not of a single step: they show in the first steps, and after these nobody looks
any more.

To see whether gradients are set to zero, one parameter has a hook from one step to the next `backward()`: when the next
gradient arrives, does the parameter still hold the one that was used? A gradient that is added up by several
`backward()` between two steps holds none that was used, and is no mistake.
"""

import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from adjoint.backends import backend_of
from adjoint.errors import MissingGradientWarning, StaleGradientWarning
from adjoint.mistakes import is_on, warn
from adjoint.optim.lots import ArrayLot, Lot
from adjoint.tensor import Tensor
from adjoint.value import Value

if TYPE_CHECKING:
    from adjoint.optim.optimizer import Optimizer

PATIENCE = 10  # steps that a parameter may be without a gradient: a part of a model may have its turn later


class Watch:
    """What the first steps of an optimiser have shown. It is kept apart from the optimiser, where jit would see it."""

    def __init__(self, optimizer: "Optimizer"):
        self.steps = 0
        self.unreached = [lot for group in optimizer.param_groups for lot in group.lots]
        self.is_waiting = True  # to see whether gradients are set to zero
        self.watched: Any = None  # the parameter that has a hook
        self.arrivals: list[bool] = []  # of gradients there, after a step: was the used one in place?

    def before_step(self, optimizer: "Optimizer") -> None:
        """Look at the gradients of a step that is about to be taken, and warn."""
        self.steps += 1
        is_traced = isinstance(optimizer._clock, Tensor)
        self.unreached = [lot for lot in self.unreached if not _is_reached(lot)]
        if self.steps == PATIENCE or is_traced:  # a compiled step is the same each time
            self._warn_of_missing(optimizer, is_traced)
        if self.is_waiting and (self.arrivals or self.steps == PATIENCE):
            self.is_waiting = False
            self._unhook()
            if any(self.arrivals) and is_on("stale_gradients"):
                warn("stale_gradients", StaleGradientWarning, _STALE.format(type(optimizer).__name__))
        if not self.is_waiting and not self.unreached:
            del watches[optimizer]

    def after_step(self, optimizer: "Optimizer") -> None:
        """Put a hook on a parameter whose gradient was used."""
        is_traced = isinstance(optimizer._clock, Tensor)
        if not self.is_waiting or self.watched is not None or is_traced or not is_on("stale_gradients"):
            return
        value = next(filter(_has_gradient, _parameters(optimizer)), None)
        if value is None:
            return
        used, arrivals = value.grad, self.arrivals

        def arrived(gradient) -> None:
            m = backend_of(gradient.data if isinstance(gradient, Value) else gradient)
            if m is None or not m.is_traced(gradient):
                arrivals.append(value._grad is used if isinstance(value, Tensor) else value.grad == used)
                remove()

        self.watched, self._remove_hook = value, (remove := value.register_hook(arrived))

    def _unhook(self) -> None:
        """Let the parameter be as it was: a hook makes every backward() slower, wherever it is."""
        value, self.watched = self.watched, None
        if value is None:
            return
        self._remove_hook()
        if not isinstance(value, Tensor) and not value._hooks and value._closure is None:
            # The native core takes a number that had a hook for one made by hand, until it is made anew.
            grad = value.grad
            Value.__init__(value, value.data)
            value.grad = grad

    def _warn_of_missing(self, optimizer: "Optimizer", is_traced: bool) -> None:
        missing, self.unreached = self.unreached, []
        if missing and is_on("missing_gradients"):
            names = ", ".join(_name(optimizer, lot) for lot in missing)
            when = "in the compiled step" if is_traced else f"in {PATIENCE} steps"
            warn("missing_gradients", MissingGradientWarning, _MISSING.format(names, when))

    def __del__(self):
        if not sys.is_finalizing():
            self._unhook()


watches: WeakKeyDictionary[Any, Watch] = WeakKeyDictionary()

_STALE = (
    "{}.step() used gradients that contain those of the step before: they were not set to zero since, and backward() "
    "adds to what is there. Call optimizer.zero_grad() once in each step, before backward()."
)
_MISSING = (
    "no gradient has reached {} {}, so it stays as it is. Does the loss depend on it? A parameter that was replaced, "
    "copied or detached after the optimiser was made is another one than the model uses."
)


def _has_gradient(value: Any) -> bool:
    return value._grad is not None if isinstance(value, Tensor) else type(value) is Value and value.grad != 0.0


def _is_reached(lot: Lot) -> bool:
    """Return whether a lot has a gradient: of numbers any one will do, for a ReLU may be dead."""
    return any(map(_has_gradient, lot.values))


def _parameters(optimizer: "Optimizer") -> list[Any]:
    return [p for group in optimizer.param_groups for p in group.parameters]


def _name(optimizer: "Optimizer", lot: Lot) -> str:
    if not isinstance(lot, ArrayLot):
        return f"any of the {len(lot.values)} numbers among the parameters"
    array = lot.values[0]
    i = next(i for i, p in enumerate(_parameters(optimizer)) if p is array)
    return f"parameter {i} ({array.label or f'shape {array.shape}'})"
