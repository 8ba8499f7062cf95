"""custom_vjp: a function on plain arrays with a gradient rule written by the user."""

import functools
from collections.abc import Callable
from typing import Any

from adjoint.arrays.apply import apply_array_op
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.backends import as_constant, common_backend
from adjoint.arrays.convert import data_of
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingRuleError, ShapeError
from adjoint.errors.given import describe, is_array, is_number
from adjoint.transforms.variables import require_function


class custom_vjp:
    """A function with a custom gradient rule.

    The function is any code on plain arrays and numbers. Its rule gets the cotangent of the result, the result, and
    the operands, and returns the gradient of each operand, or None for an operand without one. Where derivatives are
    taken again, the rule gets Values, so a rule written in operators and adjoint's functions differentiates to any
    order.

    >>> from adjoint import Value, custom_vjp, grad
    >>> @custom_vjp
    ... def double(x):
    ...     return 2 * x
    >>> @double.vjp
    ... def rule(g, y, x):
    ...     return 100 * g  # not the true derivative, to show that the rule is used
    >>> grad(double)(1.0)
    100.0
    """

    def __init__(self, function: Callable, vjp: Callable | None = None, jvp: Callable | None = None):
        require_function(function, "custom_vjp")
        for rule in (vjp, jvp):
            if rule is not None:
                require_function(rule, "a rule of custom_vjp")
        self._function, self._vjp, self._jvp = function, vjp, jvp
        self._make_op()
        functools.update_wrapper(self, function)

    def vjp(self, rule: Callable) -> Callable:
        """Set the rule for reverse mode: `rule(g, y, *operands)` returns a gradient for each operand."""
        require_function(rule, "a rule of custom_vjp")
        self._vjp = rule
        self._make_op()
        return rule

    def jvp(self, rule: Callable) -> Callable:
        """Set the rule for forward mode: `rule(tangents, y, *operands)` returns the tangent of the result."""
        require_function(rule, "a rule of custom_vjp")
        self._jvp = rule
        self._make_op()
        return rule

    def __call__(self, *operands) -> Any:
        if self._op is None:
            name = getattr(self, "__name__", "the function")
            raise MissingRuleError(f"{name} has no gradient rule; decorate one with @{name}.vjp")
        return apply_array_op(self._op, operands, {})

    def _make_op(self) -> None:
        """Make the operation with its rules; not in the first call, which may be inside a function that jit records."""
        self._op = _CustomOp(self._function, self._vjp, self._jvp) if self._vjp else None


class _CustomOp(ArrayOp):
    """The operation of a `custom_vjp`: the user's code forward, the user's rule backward."""

    __slots__ = ("rule",)

    def __init__(self, function: Callable, rule: Callable, jvp: Callable | None):
        forward_mode = None if jvp is None else lambda m, ts, y, *xs: jvp(ts, y, *xs)
        name = getattr(function, "__name__", "custom")
        super().__init__(name, lambda m, *xs: _as_array(m, function(*xs), name), (), None, forward_mode, "", "xy", True)
        self.rule, self.lasting = rule, True

    def contributions(self, m, g, y, operands, static, wanted):
        found = self.rule(g, y, *operands)
        found = found if isinstance(found, (tuple, list)) else (found,)
        found = [_as_gradient(gradient, self.name) for gradient in found]
        for gradient, x in zip(found, operands):
            self._require_shape_of(x, gradient)
        if len(found) != len(operands):
            raise ArgumentError(
                f"the vjp of {self.name} returned {len(found)} gradients for {len(operands)} operands; return one for "
                "each, and None for an operand without a gradient"
            )
        return [found[i] for i in wanted]

    def _require_shape_of(self, x: object, gradient: object) -> None:
        """Raise an error if the gradient of `x` does not broadcast from the shape of `x`."""
        shape, own = (tuple(getattr(data_of(a), "shape", ())) for a in (gradient, x))
        extra = len(shape) - len(own)
        if (extra < 0 and shape) or any(a not in (1, b) for a, b in zip(own, shape[max(extra, 0) :])):
            raise ShapeError(
                f"the vjp of {self.name} returned a gradient of shape {shape} for an operand of shape {own}"
            )


def _as_gradient(gradient, name: str):
    """Return what a rule returned for one operand: a Value, an array of numbers, or None."""
    if gradient is None or isinstance(gradient, Value) or is_number(gradient):
        return gradient
    if not is_array(gradient):
        raise ArgumentError(f"the vjp of {name} returned {describe(gradient)}; a gradient must be an array")
    return as_constant(gradient, common_backend([gradient], name))


def _as_array(m, y, name: str):
    if is_array(y):
        return as_constant(y, m)
    if is_number(y):
        return m.xp.asarray(y, dtype=m.default_float())
    raise ArgumentError(f"{name} must return an array or a number, not {describe(y)}")
