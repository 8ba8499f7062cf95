"""Local derivatives as formulas in the names of a graph: `1 − out²`.

A rule of `ops.py` is evaluated with symbols for the variables and numbers for the constants. Operations on constants
alone are computed, so that the derivative of `x ** 2` reads `2·x`.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from adjoint.engine.mathematics import floats
from adjoint.engine.mathematics.printing import Expression, Unicode, write_factor
from adjoint.engine.mathematics.symbols import Symbol, SymbolMaths
from adjoint.engine.rule import Op

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import Mathematics


class _KnownMaths(SymbolMaths):
    """The mathematics of a rule on symbols and numbers: numbers are computed, everything else becomes a symbol."""

    def where(self, condition, x, z):
        return Symbol("where", condition, x, z) if isinstance(condition, Symbol) else (x if condition else z)

    def pow(self, x: Any, z: Any) -> Any:
        if isinstance(x, Symbol) and not isinstance(z, Symbol):
            return x if z == 1 else Symbol("**", x, int(z) if float(z).is_integer() else z)
        return self._apply("pow", x, z)

    def _apply(self, name: str, *operands):
        if any(isinstance(x, Symbol) for x in operands):
            return getattr(SymbolMaths(), name)(*operands)
        return getattr(floats, name)(*map(float, operands))

    def __getattr__(self, name: str) -> Callable:
        return lambda *operands: self._apply(name, *operands)


_KNOWN = cast("Mathematics", _KnownMaths())  # its functions come from __getattr__


def local_derivative(rule: object, i: int, result: str, operands: Sequence[str | float]) -> Expression:
    """Return the partial derivative of a rule with respect to operand `i`; operands are names or numbers.

    >>> from adjoint import ops
    >>> from adjoint.see import as_mathematics, local_derivative
    >>> as_mathematics(local_derivative(ops.pow, 0, "y", ["x", 2.0]))
    '2·x'
    >>> as_mathematics(local_derivative(ops.tanh, 0, "out", ["n"]))
    '1 − out²'
    """
    symbols = [Symbol(x) if isinstance(x, str) else x for x in operands]
    if isinstance(rule, Op):
        try:
            return rule.partials[i](_KNOWN, Symbol(result), *symbols)
        except Exception:  # the rule is not an expression over m, or it has a pole at a constant
            pass
    return Symbol(f"∂{result}/∂{operands[i]}")


def as_factor(expression: Expression) -> str:
    """Return an expression as the right factor of a product, in parentheses if necessary.

    >>> as_factor(local_derivative(Op("f", lambda m, x: x - 1, (lambda m, y, x: 1 - x,)), 0, "y", ["x"]))
    '(1 − x)'
    """
    return write_factor(expression, Unicode())
