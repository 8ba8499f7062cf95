"""Warnings of an optimizer: gradients that are never set to zero or computed again, and parameters without a gradient.

They are mistakes of a whole program, not of a single step. They appear in the first steps, so later steps are not
checked.

A step marks the gradient that it used as spent; assigning or zeroing the gradient removes the mark. A step that finds
the mark would use a gradient that backward() has added to an old one. Gradients that several `backward()` calls add up
between two steps have no mark, so accumulation is not reported. If two steps find the gradients of the first one
unchanged, the loop does not call backward().
"""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from adjoint.arrays.axes import name_of
from adjoint.arrays.kinds import is_tensor
from adjoint.engine.freezing import trainable
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import MissingBackwardWarning, MissingGradientWarning, StaleGradientWarning
from adjoint.errors.given import is_traced
from adjoint.errors.guard_warnings import is_on, warn
from adjoint.optim.update_units import ArrayParameter, UpdateUnit

if TYPE_CHECKING:
    from adjoint.optim.optimizer import Optimizer

PATIENCE = 10  # steps that a parameter may lack a gradient: a part of a model may be trained later
_PATIENCE_OF_ALL = 3  # steps that all of them may lack one


class GradientWatch:
    """The observations of the first steps of an optimizer, kept apart from it so that jit does not trace them."""

    def __init__(self, optimizer: "Optimizer"):
        self.steps = 0
        self.unreached = [unit for group in optimizer.param_groups for unit in group.units]
        self.count = len(self.unreached)
        self.repeated = 0  # steps with the gradients of the step before
        self.numbers: list[Any] = []  # the gradients of scalar parameters in the last step, if it was one of the first
        self.is_waiting = True  # whether it is still unknown if gradients are set to zero
        self.used: tuple[Value, object] | None = None  # a parameter, and its gradient in the last step

    def before_step(self, optimizer: "Optimizer") -> None:
        """Check the gradients before a step, and warn."""
        self.steps += 1
        compiled = is_compiled(optimizer)
        self.unreached = [unit for unit in self.unreached if not _is_reached(unit)]
        is_due = self.steps == (_PATIENCE_OF_ALL if len(self.unreached) == self.count else PATIENCE)
        if is_due or compiled:  # a compiled step is traced only once
            self._warn_of_missing(optimizer, compiled)
        self.repeated += not compiled and self._is_unchanged(optimizer)
        if self.steps == 3 == self.repeated + 1 and is_on("missing_backward"):
            warn("missing_backward", MissingBackwardWarning, _NO_BACKWARD.format(type(optimizer).__name__))
        if self.is_waiting and self.steps > 1 and not compiled:
            self.is_waiting = self.steps < PATIENCE
            if is_on("stale_gradients") and self._is_stale():
                self.is_waiting = False
                warn("stale_gradients", StaleGradientWarning, _STALE.format(type(optimizer).__name__))
        if not self.is_waiting and not self.unreached:
            del watches[optimizer]

    def after_step(self, optimizer: "Optimizer") -> None:
        """Mark the gradient of one parameter as spent."""
        if not self.is_waiting or is_compiled(optimizer):
            self.used = None
            return
        value = next(filter(_has_gradient, _parameters(optimizer)), None)
        if value is not None:
            self.used, value._spent = (value, value._grad), True
            self.numbers = [p._grad for p in _scalars(optimizer)] if self.steps < 3 else []

    def _is_stale(self) -> bool:
        """Return whether backward() has added to the gradient of the last step. Using the same one again is allowed."""
        if self.used is None:
            return False
        value, used = self.used
        return value._spent and (value._grad is not used if is_tensor(value) else value._grad != used)

    def _is_unchanged(self, optimizer: "Optimizer") -> bool:
        """Return whether nothing has computed, added to or assigned the gradients since the last step."""
        if self.used is None or not self.used[0]._spent:
            return False
        value, used = self.used
        return value._grad is used if is_tensor(value) else self.numbers == [p._grad for p in _scalars(optimizer)]

    def _warn_of_missing(self, optimizer: "Optimizer", compiled: bool) -> None:
        missing, self.unreached = self.unreached, []
        if missing and is_on("missing_gradients") and len(missing) == self.count and not compiled:
            has_arrays = any(isinstance(unit, ArrayParameter) for unit in missing)
            what = "a gradient" if has_arrays else "a gradient other than 0"  # a number without one has 0
            text = _NONE_REACHED.format(type(optimizer).__name__, what, _PATIENCE_OF_ALL)
            warn("missing_gradients", MissingGradientWarning, text)
        elif missing and is_on("missing_gradients"):
            names = ", ".join(_name(optimizer, unit) for unit in missing)
            when = "in the compiled step" if compiled else f"in {PATIENCE} steps"
            warn("missing_gradients", MissingGradientWarning, _MISSING.format(names, when))


watches: WeakKeyDictionary["Optimizer", GradientWatch] = WeakKeyDictionary()

_STALE = (
    "{}.step() used gradients that still contain those of the previous step, because backward() adds to existing "
    "gradients. Call optimizer.zero_grad() once in each step, before backward()."
)
_NO_BACKWARD = (
    "{}.step() has used the same gradients three times: nothing has computed them again. Call loss.backward() in each "
    "step, before step(), with a loss that is computed again."
)
_NONE_REACHED = (
    "no parameter of this {} received {} in {} steps, so it trains nothing. Call loss.backward() before "
    "step(), and check that the loss depends on these parameters: that they are those of the model that computes it, "
    "and that no detach(), .data or .numpy() is in between. adjoint.why(parameter, step) says where a gradient ends."
)
_MISSING = (
    "{} received no gradient {} and is not trained. Check that the loss depends on it: a parameter that was replaced, "
    "copied or detached after the optimizer was created is no longer the one that the model uses. "
    "adjoint.why(parameter, step) says where its gradient ends."
)


def is_compiled(optimizer: "Optimizer") -> bool:
    """Return whether jit traces the step: for arrays, its Values hold arrays."""
    return bool(modes.takeover) or is_tensor(optimizer._clock)


def _has_gradient(value: Value) -> bool:
    if is_tensor(value):
        return value._grad is not None
    grad = value.grad
    number = grad.data if isinstance(grad, Value) else grad
    return is_traced(number) or number != 0.0


def _is_reached(unit: UpdateUnit) -> bool:
    """Return whether a unit has a gradient or is frozen; for scalars one is enough: others may feed dead ReLUs."""
    return any(map(_has_gradient, unit.values)) or not trainable(unit.values)


def _parameters(optimizer: "Optimizer") -> list[Value]:
    return [p for group in optimizer.param_groups for p in group.parameters]


def _scalars(optimizer: "Optimizer") -> list[Value]:
    return [p for p in _parameters(optimizer) if not is_tensor(p)]


def _name(optimizer: "Optimizer", unit: UpdateUnit) -> str:
    if not isinstance(unit, ArrayParameter):
        return f"each of the {len(unit.values)} scalar parameters"
    i = next(i for i, p in enumerate(_parameters(optimizer)) if p is unit.value)
    return f"parameter {i} ({name_of(unit.value)})"
