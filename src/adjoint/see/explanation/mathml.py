"""Expressions, names and numbers as MathML, in plain data: `["mfrac", ["mi", "a"], ["mi", "b"]]`.

An element is a list of its tag and its contents, which are elements or text. It can be sent as JSON, and since the page
creates the elements, a label cannot become markup.
"""

import math
from collections.abc import Sequence
from typing import Any

from adjoint.engine.mathematics.printing import Expression, write

Element = list[Any]  # the tag, then elements and text
_MINUS = ["mo", "−"]


def as_mathml(expression: Expression) -> Element:
    """Return a symbol or a number as MathML.

    >>> from adjoint import ops
    >>> from adjoint.see import as_mathml, local_derivative
    >>> as_mathml(local_derivative(ops.tanh, 0, "y", ["x"]))
    ['mrow', ['mn', '1'], ['mo', '−'], ['msup', ['mi', 'y'], ['mn', '2']]]
    """
    return write(expression, MATHML)


def name_as_mathml(name: str) -> Element:
    """Return a name; numbers after a single letter become its index.

    >>> from adjoint.see import name_as_mathml
    >>> name_as_mathml("v12"), name_as_mathml("loss"), name_as_mathml("w1_4_2")
    (['msub', ['mi', 'v'], ['mn', '12']], ['mi', 'loss'], ['msub', ['mi', 'w'], ['mn', '1,4,2']])
    """
    if name[:1].isalpha() and all(part.isdecimal() for part in name[1:].split("_")):
        return ["msub", ["mi", name[0]], ["mn", name[1:].replace("_", ",")]]
    return ["mi", name]


def number_as_mathml(x: float, digits: int = 6) -> Element:
    """Return a number with this many significant digits.

    >>> number_as_mathml(-2.5), number_as_mathml(1e-7)
    (['mrow', ['mo', '−'], ['mn', '2.5']], ['mrow', ['mn', '1'], ['mo', '·'], ['msup', ['mn', '10'], ['mrow', \
['mo', '−'], ['mn', '7']]]])
    """
    if math.isnan(x):
        return ["mi", "NaN"]
    if x < 0:
        return ["mrow", _MINUS, number_as_mathml(-x, digits)]
    if math.isinf(x):
        return ["mi", "∞"]
    mantissa, _, exponent = f"{x:.{digits}g}".partition("e")
    if not exponent:
        return ["mn", mantissa]
    return ["mrow", ["mn", mantissa], ["mo", "·"], ["msup", ["mn", "10"], number_as_mathml(int(exponent))]]


def text_as_mathml(text: str) -> Element:
    """Return text inside a formula."""
    return ["mtext", text]


class _MathML:
    """The notation of MathML."""

    inline = False
    prefixes: frozenset[str] = frozenset()

    def number(self, x: float) -> Element:
        return number_as_mathml(x)

    def name(self, name: str) -> Element:
        return name_as_mathml(name)

    def negative(self, x: Element) -> Element:
        return ["mrow", _MINUS, x]

    def infix(self, left: Element, sign: str, right: Element) -> Element:
        return ["mrow", left, ["mo", sign], right]

    def parentheses(self, x: Element) -> Element:
        return ["mrow", ["mo", "("], x, ["mo", ")"]]

    def fraction(self, over: Element, under: Element) -> Element:
        return ["mfrac", over, under]

    def power(self, base: Element, exponent: Element) -> Element:
        return ["msup", base, exponent]

    def whole_power(self, base: Element, exponent: int) -> Element:
        return self.power(base, self.number(exponent))

    def call(self, name: str, operands: Sequence[Element]) -> Element:
        if name == "exp":
            return ["msup", ["mi", "e"], operands[0]]
        if name == "sqrt":
            return ["msqrt", operands[0]]
        if name == "abs":
            return ["mrow", ["mo", "|"], operands[0], ["mo", "|"]]
        listed: list[Element] = []
        for x in operands:
            listed += [["mo", ","], x] if listed else [x]
        return ["mrow", ["mi", name], ["mo", "\u2061"], ["mo", "("], *listed, ["mo", ")"]]

    def cases(self, x: Element, condition: Element, otherwise: Element) -> Element:
        rows = [
            ["mtr", ["mtd", side], ["mtd", when]] for side, when in ((x, condition), (otherwise, ["mtext", "else"]))
        ]
        return ["mrow", ["mo", "{"], ["mtable", *rows]]


MATHML = _MathML()
