"""Write an expression of symbols as mathematics. Precedence and parentheses are decided here, for every notation.

`write(expression, notation)` walks the expression and decides what needs parentheses. A `Notation` says how each part
looks. `Unicode` below writes one line of text; LaTeX and MathML are in `see/explanation`. To add a notation, write a
class with the attributes and methods of `Notation`: its methods receive parts that are already written, with their
parentheses.
"""

import math
from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from adjoint.engine.mathematics.symbols import Symbol, read
from adjoint.engine.rule import Op

T = TypeVar("T")  # a part of an expression, written: a text, or an element of a document
Expression = Symbol | float

# How tightly an expression binds, from a choice `x if c else z` to a name, a number or a call.
CHOICE, AND, RELATION, SUM, PRODUCT, SIGN, POWER, TIGHT = range(8)

# Each operator: how tightly it binds, and its sign.
_INFIX = {
    "&": (AND, "∧"),
    "<": (RELATION, "<"),
    "<=": (RELATION, "≤"),
    ">": (RELATION, ">"),
    ">=": (RELATION, "≥"),
    "equal": (RELATION, "="),
    "+": (SUM, "+"),
    "-": (SUM, "−"),
    "*": (PRODUCT, "·"),
    "@": (PRODUCT, "@"),
}


class Notation(Protocol[T]):
    """How the parts of an expression look."""

    # Whether everything stands on one line: a quotient as x/z and a choice as `x if c else z` need parentheses, and a
    # sign binds like a product, as in −x·z.
    inline: bool
    # Functions written as a sign in front of the operand, such as √x, so that the operand may need parentheses.
    prefixes: frozenset[str]

    def number(self, x: float) -> T:
        """Write a number."""
        ...

    def name(self, name: str) -> T:
        """Write the name of a value."""
        ...

    def negative(self, x: T) -> T:
        """Write a minus sign in front of an expression."""
        ...

    def infix(self, left: T, sign: str, right: T) -> T:
        """Write an operator between two expressions; `sign` is one of ∧ < ≤ > ≥ = + − · @."""
        ...

    def parentheses(self, x: T) -> T:
        """Write parentheses around an expression."""
        ...

    def fraction(self, over: T, under: T) -> T:
        """Write a quotient."""
        ...

    def power(self, base: T, exponent: T) -> T:
        """Write a power."""
        ...

    def whole_power(self, base: T, exponent: int) -> T:
        """Write a power with a whole exponent."""
        ...

    def call(self, name: str, operands: Sequence[T]) -> T:
        """Write a function of operands."""
        ...

    def cases(self, x: T, condition: T, otherwise: T) -> T:
        """Write a choice between two expressions."""
        ...


class _Part(NamedTuple, Generic[T]):
    text: T
    binds: int
    leads: bool = False  # whether it begins with a minus sign


def write(expression: Expression, notation: Notation[T]) -> T:
    """Return a symbol or a number in a notation.

    >>> x = Symbol("x")
    >>> write((x + 1) * x / -x, Unicode())
    '(x + 1)·x/(−x)'
    """
    return _write(expression, notation).text


def write_factor(expression: Expression, notation: Notation[T]) -> T:
    """Return an expression as the right factor of a product, in parentheses where it needs them."""
    return _apart(_write(expression, notation), PRODUCT, notation)


def _write(e: Expression, n: Notation[T]) -> _Part[T]:
    if not isinstance(e, Symbol):
        return _Part(n.number(e), TIGHT if e >= 0 else SIGN if n.inline else SUM, e < 0)
    if not e.operands:
        return _Part(n.name(e.head), TIGHT)
    if e.head == "//":
        return _write(Symbol("floor", Symbol("/", *e.operands)), n)
    parts = [_write(x, n) for x in e.operands]
    if e.head == "where":
        condition, x, z = (part.text for part in parts)
        return _Part(n.cases(x, condition, z), CHOICE if n.inline else TIGHT)
    if e.head == "neg":
        inside = _within(parts[0], SIGN if n.inline else PRODUCT, n)
        return _Part(n.negative(inside), PRODUCT if n.inline else SUM, True)
    if e.head == "**" or (e.head == "*" and e.operands[0] is e.operands[1]):
        return _Part(_power(e.operands[1] if e.head == "**" else 2, parts, n), POWER)
    if e.head == "/":
        return _quotient(parts[0], parts[1], n)
    if e.head in _INFIX:
        return _operation(e.head, parts[0], parts[1], n)
    if e.head in n.prefixes:
        return _Part(n.call(e.head, [_within(part, TIGHT, n) for part in parts]), _binds_of_call(e.head))
    name = "mod" if e.head == "%" else e.head
    return _Part(n.call(name, [part.text for part in parts]), _binds_of_call(name))


def _binds_of_call(name: str) -> int:
    return POWER if name == "exp" else TIGHT  # which is written as a power of e


def _power(exponent: Expression, parts: Sequence[_Part[T]], n: Notation[T]) -> T:
    base = _within(parts[0], TIGHT, n)
    if isinstance(exponent, int):
        return n.whole_power(base, exponent)
    return n.power(base, _within(parts[1], TIGHT, n) if n.inline else parts[1].text)


def _quotient(over: _Part[T], under: _Part[T], n: Notation[T]) -> _Part[T]:
    if not n.inline:
        return _Part(n.fraction(over.text, under.text), PRODUCT)
    leads = over.leads and over.binds >= PRODUCT
    return _Part(n.fraction(_within(over, PRODUCT, n), _apart(under, SIGN, n)), PRODUCT, leads)


def _operation(head: str, left: _Part[T], right: _Part[T], n: Notation[T]) -> _Part[T]:
    binds, sign = _INFIX[head]
    leads = left.leads and left.binds >= binds
    is_arithmetic = binds >= SUM and head != "@"
    second = _apart if is_arithmetic or n.inline else _within
    return _Part(
        n.infix(_within(left, binds, n), sign, second(right, PRODUCT if head == "-" else binds, n)), binds, leads
    )


def _within(part: _Part[T], binds: int, n: Notation[T]) -> T:
    return part.text if part.binds >= binds else n.parentheses(part.text)


def _apart(part: _Part[T], binds: int, n: Notation[T]) -> T:
    """Return an operand in parentheses where they are needed, also where its minus sign would follow an operator."""
    return part.text if part.binds >= binds and not part.leads else n.parentheses(part.text)


# --- Unicode ------------------------------------------------------------------------------------------------------

_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_CONSTANTS = {
    math.log(2): "ln 2",
    math.log(10): "ln 10",
    math.sqrt(2): "√2",
    math.sqrt(2 * math.pi): "√(2π)",
    2 / math.sqrt(math.pi): "(2/√π)",
    math.sqrt(8 / math.pi): "√(8/π)",
}


class Unicode:
    """Mathematics as one line of text: `1 − y²`."""

    inline = True
    prefixes = frozenset({"exp", "sqrt"})

    def number(self, x: float) -> str:
        return _CONSTANTS[x] if x in _CONSTANTS else f"{x:g}".replace("-", "−")

    def name(self, name: str) -> str:
        return name

    def negative(self, x: str) -> str:
        return f"−{x}"

    def infix(self, left: str, sign: str, right: str) -> str:
        return f"{left}·{right}" if sign == "·" else f"{left} {'and' if sign == '∧' else sign} {right}"

    def parentheses(self, x: str) -> str:
        return f"({x})"

    def fraction(self, over: str, under: str) -> str:
        return f"{over}/{under}"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}"

    def whole_power(self, base: str, exponent: int) -> str:
        return base + str(exponent).translate(_SUPERSCRIPT)

    def call(self, name: str, operands: Sequence[str]) -> str:
        inside = ", ".join(operands)
        return {"abs": f"|{inside}|", "sqrt": f"√{inside}", "exp": f"e^{inside}"}.get(name, f"{name}({inside})")

    def cases(self, x: str, condition: str, otherwise: str) -> str:
        return f"{x} if {condition} else {otherwise}"


def as_mathematics(expression: Expression) -> str:
    """Return a symbol or a number in Unicode mathematics.

    >>> from adjoint.see import Expression, as_mathematics
    >>> as_mathematics(Expression("(a*b + c)**2").symbol())
    '(a·b + c)^2'
    """
    return write(expression, Unicode())


def rule_as_mathematics(op: Op) -> str:
    """Return the rule of `op` as a line of mathematics.

    >>> from adjoint import ops
    >>> print(rule_as_mathematics(ops.tanh))
    y = tanh(x)    ∂y/∂x = 1 − y²
    >>> print(rule_as_mathematics(ops.div))
    y = x/z    ∂y/∂x = 1/z    ∂y/∂z = −y/z
    """
    forward, partials = read(op)
    call, meaning = f"{op.name}({', '.join(op.operands)})", as_mathematics(forward)
    result = [call, meaning] if op.name.isidentifier() and call != meaning else [meaning]
    slopes = [f"∂y/∂{x} = {as_mathematics(p)}" for x, p in zip(op.operands, partials)]
    return "    ".join([" = ".join(["y", *result]), *slopes])
