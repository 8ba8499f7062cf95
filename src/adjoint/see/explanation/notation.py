"""An expression of symbols written out in a notation, LaTeX or MathML. What needs parentheses is decided here, once."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from adjoint.engine.mathematics.symbols import Symbol

_LOOSE, _SUM, _PRODUCT, _POWER, _TIGHT = range(5)  # how tightly an expression binds
RELATIONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "equal": "=", "&": "∧"}


class Notation(Protocol):
    """How the parts of an expression are written; what a method is given and returns is in the notation already."""

    def number(self, x: float) -> Any:
        """Write a number."""
        ...

    def name(self, name: str) -> Any:
        """Write the name of a value."""
        ...

    def signed(self, *parts: Any) -> Any:
        """Write parts in a row; those that are strings are signs."""
        ...

    def parentheses(self, x: Any) -> Any:
        """Write parentheses around an expression."""
        ...

    def fraction(self, over: Any, under: Any) -> Any:
        """Write a fraction."""
        ...

    def power(self, base: Any, exponent: Any) -> Any:
        """Write a power."""
        ...

    def call(self, name: str, operands: Sequence[Any]) -> Any:
        """Write a function of operands."""
        ...

    def cases(self, x: Any, condition: Any, otherwise: Any) -> Any:
        """Write a choice between two expressions."""
        ...


class _Written(NamedTuple):
    text: Any
    binds: int
    leads: bool = False  # it begins with a minus sign


def write(expression: Any, notation: Notation) -> Any:
    """Return a symbol or a number in a notation."""
    return _write(expression, notation).text


def write_factor(expression: Any, notation: Notation) -> Any:
    """Return an expression as the right factor of a product, in parentheses where it needs them."""
    return _parted(_write(expression, notation), _PRODUCT, notation)


def _write(e: Any, n: Notation) -> _Written:
    if not isinstance(e, Symbol):
        return _Written(n.number(e), _SUM if e < 0 else _TIGHT, e < 0)
    if not e.operands:
        return _Written(n.name(e.head), _TIGHT)
    written = [_write(x, n) for x in e.operands]
    if e.head == "where":
        condition, x, z = (part.text for part in written)
        return _Written(n.cases(x, condition, z), _TIGHT)
    if e.head == "neg":
        return _Written(n.signed("−", _within(written[0], _PRODUCT, n)), _SUM, True)
    if e.head == "/":
        return _Written(n.fraction(written[0].text, written[1].text), _PRODUCT)
    if e.head == "*" and e.operands[0] is e.operands[1]:
        return _Written(n.power(_within(written[0], _TIGHT, n), n.number(2)), _POWER)
    if e.head == "**":
        return _Written(n.power(_within(written[0], _TIGHT, n), written[1].text), _POWER)
    if e.head in ("+", "-", "*", "@"):
        return _pair(e.head, written[0], written[1], n)
    if e.head in RELATIONS:
        return _Written(n.signed(written[0].text, RELATIONS[e.head], written[1].text), _LOOSE, written[0].leads)
    return _Written(n.call(e.head, [part.text for part in written]), _POWER if e.head == "exp" else _TIGHT)


def _pair(sign: str, left: _Written, right: _Written, n: Notation) -> _Written:
    """Return a sum, a difference or a product."""
    binds = _SUM if sign in "+-" else _PRODUCT
    leads = left.leads and left.binds >= binds
    if sign == "@":
        return _Written(n.signed(_within(left, binds, n), "@", _within(right, binds, n)), binds, leads)
    second = _parted(right, _SUM if sign == "+" else _PRODUCT, n)
    shown = {"+": "+", "-": "−", "*": "·"}[sign]
    return _Written(n.signed(_within(left, binds, n), shown, second), binds, leads)


def _within(e: _Written, binds: int, n: Notation) -> Any:
    return e.text if e.binds >= binds else n.parentheses(e.text)


def _parted(e: _Written, binds: int, n: Notation) -> Any:
    """Return an operand in parentheses where they are needed, also where its sign would meet an operator."""
    return e.text if e.binds >= binds and not e.leads else n.parentheses(e.text)
