"""Expressions written as mathematics: one set of rules for parentheses in all notations."""

import pytest

from adjoint.engine.mathematics.printing import Unicode, as_mathematics, write, write_factor
from adjoint.engine.mathematics.symbols import Symbol, SymbolMaths

m = SymbolMaths()
x, z = Symbol("x"), Symbol("z")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x - (z - x), "x − (z − x)"),
        ((x - z) - x, "x − z − x"),
        (x / (z * x), "x/(z·x)"),
        (x / z * x, "x/z·x"),
        ((x + z) ** 3, "(x + z)³"),
        (x ** (z + 1), "x^(z + 1)"),
        (x**-1, "x⁻¹"),
        (x * x, "x²"),
        (-x * z, "−x·z"),
        (x * -z, "x·(−z)"),
        (m.where(x > 0, x, -x) + 1, "(x if x > 0 else −x) + 1"),
        (m.sqrt(x + 1), "√(x + 1)"),
        (m.exp(-x), "e^(−x)"),
        (-2.5, "−2.5"),
    ],
)
def test_an_expression_has_parentheses_only_where_it_needs_them(expression, text):
    assert as_mathematics(expression) == text


def test_a_factor_is_in_parentheses_if_a_product_would_change_it():
    assert [write_factor(e, Unicode()) for e in (x, x + z, -x, x * z)] == ["x", "(x + z)", "(−x)", "x·z"]


class Prefix(Unicode):
    """A notation with fraction bars, which make parentheses unnecessary."""

    inline = False
    prefixes = frozenset()

    def fraction(self, over, under):
        return f"[{over} | {under}]"

    def cases(self, x, condition, otherwise):
        return f"{{{x}: {condition}, {otherwise}}}"


def test_a_notation_that_is_not_on_one_line_needs_fewer_parentheses():
    assert write((x + 1) / (z - 1), Prefix()) == "[x + 1 | z − 1]"
    assert write(m.where(x > 0, x, -x) + 1, Prefix()) == "{x: x > 0, −x} + 1"
    assert write(-(x * z), Prefix()) == "−x·z"
