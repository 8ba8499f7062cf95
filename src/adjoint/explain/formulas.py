"""A rule of the table with the names of a graph in the place of its operands: `1 − out²`, as text and as LaTeX.

The rule is read with symbols, as `symbols.py` does it, and with numbers where an operand is constant; what follows
from the numbers alone is computed on the way, so that the derivative of `x ** 2` reads `2·x`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from adjoint import floats
from adjoint.rules import Op
from adjoint.symbols import Symbol, SymbolMaths, as_mathematics


class _KnownMaths(SymbolMaths):
    """The `m` of a rule read with symbols and numbers: what is known is computed, the rest becomes a symbol."""

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


def local_derivative(rule: Any, i: int, result: str, operands: Sequence[str | float]) -> Any:
    """Return the partial derivative of a rule for operand `i`, as a symbol or a number; names are given as strings.

    >>> from adjoint import ops
    >>> as_mathematics(local_derivative(ops.pow, 0, "y", ["x", 2.0]))
    '2·x'
    >>> as_mathematics(local_derivative(ops.tanh, 0, "out", ["n"]))
    '1 − out²'
    """
    symbols = [Symbol(x) if isinstance(x, str) else x for x in operands]
    if isinstance(rule, Op):
        try:
            return rule.partials[i](_KnownMaths(), Symbol(result), *symbols)
        except Exception:  # a rule in any other Python than expressions over m, or a pole among constants
            pass
    return Symbol(f"∂{result}/∂{operands[i]}")


def as_factor(expression: Any) -> str:
    """Return an expression as the right factor of a product, in parentheses where it needs them.

    >>> as_factor(local_derivative(Op("f", lambda m, x: x - 1, (lambda m, y, x: 1 - x,)), 0, "y", ["x"]))
    '(1 − x)'
    """
    return as_mathematics(Symbol("*", Symbol("g"), expression)).removeprefix("g·")


# --- as LaTeX ----------------------------------------------------------------------------------------

_LOOSE, _SUM, _PRODUCT, _POWER, _TIGHT = range(5)  # how tightly an expression binds
_LATEX_SIGNS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "equal": "=", "&": r"\land"}
_LATEX_FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
_LATEX_ESCAPES = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", " ": r"\ "} | {c: f"\\{c}" for c in "{}$&#%_"}

_LATEX_TEXT = _LATEX_ESCAPES | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    " ": " ",
}


def as_latex(expression: Any) -> str:
    r"""Return a symbol or a number as LaTeX.

    >>> from adjoint import ops
    >>> print(as_latex(local_derivative(ops.div, 1, "y", ["x1", "z"])))
    \frac{-y}{z}
    """
    return _latex(expression)[0]


def name_as_latex(name: str) -> str:
    r"""Return a name as LaTeX: one letter and a number as an index, anything longer upright.

    >>> name_as_latex("x"), name_as_latex("v12"), name_as_latex("loss_1")
    ('x', 'v_{12}', '\\mathrm{loss\\_1}')
    """
    if len(name) == 1 and name.isalpha():
        return name
    if name[:1].isalpha() and name[:1].isascii() and name[1:].isdecimal() and name.isascii():
        return f"{name[0]}_{{{name[1:]}}}"
    return rf"\mathrm{{{''.join(map(_escaped, name))}}}"


def text_as_latex(text: str) -> str:
    r"""Return words as LaTeX, amidst a formula.

    >>> text_as_latex("50% of a_1")
    '\\text{50\\% of a\\_1}'
    """
    return rf"\text{{{''.join(_LATEX_TEXT.get(c, c) for c in text)}}}"


def number_as_latex(text: str) -> str:
    r"""Return a number that was written with an exponent as LaTeX writes it.

    >>> number_as_latex("1.5e-07"), number_as_latex("-inf")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    text = text.replace("−", "-").replace("inf", r"\infty").replace("nan", r"\mathrm{NaN}")
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else text


def _latex(e: Any) -> tuple[str, int]:
    if not isinstance(e, Symbol):
        return number_as_latex(f"{e:g}"), _TIGHT if e >= 0 else _SUM
    if not e.operands:
        return name_as_latex(e.head), _TIGHT
    if e.head == "where":
        condition, x, z = map(as_latex, e.operands)
        return rf"\begin{{cases}} {x} & {condition} \\ {z} & \text{{else}} \end{{cases}}", _TIGHT
    if e.head == "neg":
        return f"-{_latex_within(e.operands[0], _PRODUCT)}", _SUM
    if e.head in ("+", "-"):
        right = _latex_within(e.operands[1], _SUM if e.head == "+" else _PRODUCT)
        return f"{_latex_within(e.operands[0], _SUM)} {e.head} {_parted(right)}", _SUM
    if e.head == "/":
        return rf"\frac{{{as_latex(e.operands[0])}}}{{{as_latex(e.operands[1])}}}", _PRODUCT
    if e.head == "*" and e.operands[0] is e.operands[1]:
        return f"{_latex_within(e.operands[0], _TIGHT)}^{{2}}", _POWER
    if e.head == "*":
        left, right = (_latex_within(x, _PRODUCT) for x in e.operands)
        return rf"{left} \cdot {_parted(right)}", _PRODUCT
    if e.head == "@":
        left, right = (_latex_within(x, _PRODUCT) for x in e.operands)
        return rf"{left} \, {right}", _PRODUCT
    if e.head == "**":
        return f"{_latex_within(e.operands[0], _TIGHT)}^{{{as_latex(e.operands[1])}}}", _POWER
    if e.head in _LATEX_SIGNS:
        left, right = map(as_latex, e.operands)
        return f"{left} {_LATEX_SIGNS[e.head]} {right}", _LOOSE
    return _latex_call(e.head, [as_latex(x) for x in e.operands]), _POWER if e.head == "exp" else _TIGHT


def _latex_call(name: str, operands: list[str]) -> str:
    if name == "exp":
        return f"e^{{{operands[0]}}}"
    if name == "sqrt":
        return rf"\sqrt{{{operands[0]}}}"
    if name == "abs":
        return rf"\left|{operands[0]}\right|"
    called = rf"\{name}" if name in _LATEX_FUNCTIONS else rf"\operatorname{{{''.join(map(_escaped, name))}}}"
    return rf"{called}\left({', '.join(operands)}\right)"


def _escaped(character: str) -> str:
    return _LATEX_ESCAPES.get(character, character)


def _latex_within(e: Any, binds: int) -> str:
    text, own = _latex(e)
    return text if own >= binds else rf"\left({text}\right)"


def _parted(text: str) -> str:
    """Return an operand in parentheses where its sign would meet an operator."""
    return rf"\left({text}\right)" if text.startswith("-") else text
