r"""Expressions, names, numbers and text as LaTeX: `\frac{-y}{z}`."""

from collections.abc import Sequence

from adjoint.engine.mathematics.printing import Expression, write

_SIGNS = {"−": "-", "·": r"\cdot", "@": r"\,", "≤": r"\le", "≥": r"\ge", "∧": r"\land"}
_FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
_ESCAPES = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", " ": r"\ "} | {c: f"\\{c}" for c in "{}$&#%_"}
_TEXT = _ESCAPES | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", " ": " "}


def as_latex(expression: Expression) -> str:
    r"""Return a symbol or a number as LaTeX.

    >>> from adjoint.engine import ops
    >>> from adjoint.see.explanation.derivative_formulas import local_derivative
    >>> print(as_latex(local_derivative(ops.div, 1, "y", ["x1", "z"])))
    \frac{-y}{z}
    """
    return write(expression, LATEX)


def name_as_latex(name: str) -> str:
    r"""Return a name as LaTeX: a letter with a number as its index, a longer name upright.

    >>> name_as_latex("x"), name_as_latex("v12"), name_as_latex("loss_1")
    ('x', 'v_{12}', '\\mathrm{loss\\_1}')
    """
    if len(name) == 1 and name.isalpha():
        return name
    if name[:1].isalpha() and name[:1].isascii() and name[1:].isdecimal() and name.isascii():
        return f"{name[0]}_{{{name[1:]}}}"
    return rf"\mathrm{{{''.join(map(_escape, name))}}}"


def text_as_latex(text: str) -> str:
    r"""Return text inside a formula as LaTeX.

    >>> text_as_latex("50% of a_1")
    '\\text{50\\% of a\\_1}'
    """
    return rf"\text{{{''.join(_TEXT.get(c, c) for c in text)}}}"


def number_as_latex(text: str) -> str:
    r"""Return a formatted number as LaTeX, with its exponent as a power of ten.

    >>> number_as_latex("1.5e-07"), number_as_latex("-inf")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    text = text.replace("−", "-").replace("inf", r"\infty").replace("nan", r"\mathrm{NaN}")
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else text


class _Latex:
    """The notation of LaTeX."""

    inline = False
    prefixes: frozenset[str] = frozenset()

    def number(self, x: float) -> str:
        return number_as_latex(f"{x:g}")

    def name(self, name: str) -> str:
        return name_as_latex(name)

    def negative(self, x: str) -> str:
        return f"-{x}"

    def infix(self, left: str, sign: str, right: str) -> str:
        return f"{left} {_SIGNS.get(sign, sign)} {right}"

    def parentheses(self, x: str) -> str:
        return rf"\left({x}\right)"

    def fraction(self, over: str, under: str) -> str:
        return rf"\frac{{{over}}}{{{under}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{{{exponent}}}"

    def whole_power(self, base: str, exponent: int) -> str:
        return self.power(base, str(exponent))

    def call(self, name: str, operands: Sequence[str]) -> str:
        if name == "exp":
            return f"e^{{{operands[0]}}}"
        if name == "sqrt":
            return rf"\sqrt{{{operands[0]}}}"
        if name == "abs":
            return rf"\left|{operands[0]}\right|"
        called = rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{''.join(map(_escape, name))}}}"
        return rf"{called}\left({', '.join(operands)}\right)"

    def cases(self, x: str, condition: str, otherwise: str) -> str:
        return rf"\begin{{cases}} {x} & {condition} \\ {otherwise} & \text{{else}} \end{{cases}}"


LATEX = _Latex()


def _escape(character: str) -> str:
    return _ESCAPES.get(character, character)
