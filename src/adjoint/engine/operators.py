"""The operators and methods of a Value, made from the rows of the table, and operators that are common mistakes.

`p -= lr * p.grad` gives the name `p` to a new Value, and the parameter of the model stays as it is. A leaf that has a
gradient is therefore not silently replaced: outside `no_grad()` a guard warns. Inside, where PyTorch programs write
exactly this, or `layer.weight *= 0.1` to initialize a model, numbers and arrays update the data of a leaf in place. For
every other Value, `x += y` is `x = x + y`.
"""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

from adjoint import errors
from adjoint.engine.modes import modes
from adjoint.engine.row_docs import document
from adjoint.engine.rule import Op
from adjoint.engine.special import unsupported
from adjoint.errors.given import Operand, is_number

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def method(op: Op) -> Callable[..., "Value"]:
    """Return the method that applies a row."""
    return document(lambda *operands: operands[0]._apply(op, operands), op)


def operator_pair(
    apply: Callable[..., "Value"], op: Op, name: str
) -> tuple[Callable[..., "Value"], Callable[..., "Value"]]:
    """Return the methods behind `value <op> other` and `other <op> value`."""

    def forward(self, other, modulus=None):
        if modulus is not None:
            return NotImplemented
        try:
            return apply(op, (self, other), (type(self), type(other)))
        except errors.NumberError:
            return unsupported(op.name, self, other, other, f"__r{name}__")

    def reflected(self, other):
        try:
            return apply(op, (other, self), (type(other), type(self)))
        except errors.NumberError:
            return unsupported(op.name, other, self, other, f"__{name}__")

    return forward, reflected


def _comparison(holds: Callable[..., bool]) -> Callable[..., bool]:
    """Return the method behind `value < other` and its relatives."""

    def compare(self, other):
        if takeover := modes.takeover:
            return takeover.compare(holds, self, other)
        if isinstance(other, Operand):
            return holds(self._data, cast("Value", other)._data)
        return bool(holds(self._data, other)) if is_number(other) else NotImplemented

    return compare


def _update(sign: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the method behind `value += other` and its relatives; NotImplemented makes a new Value."""

    def method(self: "Value", other: Any) -> Any:
        if self.parents or isinstance(other, Operand):
            return NotImplemented
        if modes.recording:
            if self._grad_read and not modes.takeover and self._has_gradient():
                _warn(self, sign)
            return NotImplemented
        if self._unrecorded:  # a result of no_grad() or detach()
            return NotImplemented
        self.data = compute(self.data, other)
        return self

    return method


def _warn(value: "Value", sign: str) -> None:
    from adjoint.errors.guard_warnings import is_on, warn_once  # `import adjoint` stays fast without them

    if is_on("lost_updates"):
        warn_once("lost_updates", errors.LostUpdateWarning, _LOST.format(name=value.label or "p", sign=sign))


_LOST = (
    "`{name} {sign} ...` made a new Value, which the variable refers to now, and the parameter, which has a gradient, "
    "did not change. Write `{name}.data {sign} ...`, or put the update inside `with no_grad():`, where it changes the "
    "parameter in place."
)


def _refused(sign: str, instead: str) -> Callable[..., NoReturn]:
    def method(self: object, *other: object) -> NoReturn:
        raise errors.OperandError(f"{sign} works with the bits of integers, and Values are real numbers; {instead}")

    return method


_AND = "to combine conditions use NumPy's operators on comparisons, such as (x.data > 0) {} (y.data > 0), or write `{}`"
_SHIFT = "write x * 2 ** n or x / 2 ** n"


class CheckedOperators:
    """A base class of `Value`: the operators that this file describes."""

    __slots__ = ()
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)

    __iadd__, __isub__ = _update("+=", operator.add), _update("-=", operator.sub)
    __imul__, __itruediv__ = _update("*=", operator.mul), _update("/=", operator.truediv)

    __xor__ = __rxor__ = _refused("^", "write x ** y for a power")
    __and__ = __rand__ = _refused("&", _AND.format("&", "and"))
    __or__ = __ror__ = _refused("|", _AND.format("|", "or"))
    __invert__ = _refused("~", "write -x for the opposite number, or `not` for the opposite of a condition")
    __lshift__ = __rlshift__ = _refused("<<", _SHIFT)
    __rshift__ = __rrshift__ = _refused(">>", _SHIFT)

    def _has_gradient(self) -> bool:
        """Return whether a backward pass has reached this leaf, and its gradient is not zero."""
        grad = cast("Value", self)._grad
        return isinstance(grad, Operand) or grad != 0.0
