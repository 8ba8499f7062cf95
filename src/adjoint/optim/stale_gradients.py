"""What an optimiser watches for: gradients that nobody sets to zero, and parameters that get none.

Both are mistakes of a program and not of a single step: they show in the first steps, and after these nobody looks
any more.

A gradient that a step has used is marked as spent, and the mark goes when somebody sets the gradient. A step that finds
it still there takes a gradient that backward() has added to an old one. A gradient that is added up by several
`backward()` between two steps has no mark, and is no mistake.
"""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import MissingGradientWarning, StaleGradientWarning
from adjoint.errors.guard_warnings import is_on, warn
from adjoint.optim.parameter_arrays import ArrayLot, Lot

if TYPE_CHECKING:
    from adjoint.optim.optimizer import Optimizer

PATIENCE = 10  # steps that a parameter may be without a gradient: a part of a model may have its turn later


class Watch:
    """What the first steps of an optimiser have shown. It is kept apart from the optimiser, where jit would see it."""

    def __init__(self, optimizer: "Optimizer"):
        self.steps = 0
        self.unreached = [lot for group in optimizer.param_groups for lot in group.lots]
        self.is_waiting = True  # to see whether gradients are set to zero
        self.used: tuple[Any, Any] | None = None  # a parameter, and the gradient that the last step took from it

    def before_step(self, optimizer: "Optimizer") -> None:
        """Look at the gradients of a step that is about to be taken, and warn."""
        self.steps += 1
        is_traced = isinstance(optimizer._clock, Tensor)
        self.unreached = [lot for lot in self.unreached if not _is_reached(lot)]
        if self.steps == PATIENCE or is_traced:  # a compiled step is the same each time
            self._warn_of_missing(optimizer, is_traced)
        if self.is_waiting and self.steps > 1 and not is_traced:
            self.is_waiting = self.steps < PATIENCE
            if is_on("stale_gradients") and self._is_stale():
                self.is_waiting = False
                warn("stale_gradients", StaleGradientWarning, _STALE.format(type(optimizer).__name__))
        if not self.is_waiting and not self.unreached:
            del watches[optimizer]

    def after_step(self, optimizer: "Optimizer") -> None:
        """Mark a gradient that was used."""
        if not self.is_waiting or isinstance(optimizer._clock, Tensor):
            self.used = None
            return
        value = next(filter(_has_gradient, _parameters(optimizer)), None)
        if value is not None:
            self.used, value._spent = (value, value._grad), True

    def _is_stale(self) -> bool:
        """Return whether something was added to the gradient that was used. The same one once more is no mistake."""
        if self.used is None:
            return False
        value, used = self.used
        return value._spent and (value._grad is not used if isinstance(value, Tensor) else value._grad != used)

    def _warn_of_missing(self, optimizer: "Optimizer", is_traced: bool) -> None:
        missing, self.unreached = self.unreached, []
        if missing and is_on("missing_gradients"):
            names = ", ".join(_name(optimizer, lot) for lot in missing)
            when = "in the compiled step" if is_traced else f"in {PATIENCE} steps"
            warn("missing_gradients", MissingGradientWarning, _MISSING.format(names, when))


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
