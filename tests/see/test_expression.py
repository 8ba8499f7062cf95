"""Expressions typed by users: what is supported, and the position of each error."""

import math

import pytest
from closeness import require_close
from hypothesis import given, strategies as st

from adjoint import Value, ops
from adjoint.errors import ExpressionError, NumberError
from adjoint.see.expression import FUNCTIONS, MOST_CHARACTERS, MOST_DEPTH, MOST_NAMES, MOST_NODES, Expression

numbers = st.floats(0.1, 3.0)


@given(numbers, numbers, numbers)
def test_operators_bind_as_in_python(a, b, c):
    text = "-a**2 + b*(c - 1.5)/a - +b**-c"
    value = Expression(text).value({"a": a, "b": b, "c": c})
    require_close(value.data, eval(text, {"a": a, "b": b, "c": c}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_table_is_supported(name):
    row = FUNCTIONS[name]
    names, x = ["a", "b"][: len(row.operands)], 1.25 if name == "acosh" else 0.75
    value = Expression(f"{name}({', '.join(names)})").value(dict.fromkeys(names, x))
    assert value.data == row(*[x] * len(names))


def test_gradients_reach_the_names():
    a, b = Value(2.0), Value(-3.0)
    Expression("tanh(a*b + 2*pi)").value({"a": a, "b": b}).backward()
    slope = 1 - math.tanh(-6 + 2 * math.pi) ** 2
    require_close(a.grad, -3 * slope)
    require_close(b.grad, 2 * slope)


def test_names_are_in_the_order_of_their_first_use_and_label_the_leaves():
    expression = Expression("c + a*b + a")
    assert expression.names == ["c", "a", "b"]
    value = expression.value({"a": 1, "b": 2, "c": 3})
    assert {leaf.label for leaf in value.parents[0].parents + value.parents} >= {"a", "c"}


def test_a_single_number_is_a_value():
    assert Expression("2**3").value({}).data == 8.0


def test_defaults_of_a_function_can_be_omitted():
    assert Expression("leaky_relu(x)").value({"x": -1.0}).data == ops.leaky_relu(-1.0)
    assert Expression("leaky_relu(x, 0.5)").value({"x": -1.0}).data == -0.5


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("a ^ b", "use ** (a power)", 4),
        ("a @ b", "use *", 4),
        ("(a + b", "never closed", 0),
        ("a + tahn(b)", "unknown function tahn; did you mean tan", 4),
        ("tanh(a, b)", "tanh takes 1 operand, not 2", 0),
        ("maximum(a)", "maximum takes 2 operands, not 1", 0),
        ("leaky_relu()", "leaky_relu takes 1 or 2 operands, not 0", 0),
        ("1 + relu", "relu is a function; write relu(…)", 4),
        ("a + 'x'", "'x' is not a number", 4),
        ("a and b", "only names, numbers", 0),
        ("a.b", "only names, numbers", 0),
        ("a[0]", "only names, numbers", 0),
        ("lambda: 1", "only names, numbers", 0),
        ("__import__('os').system('true')", "a function must be called by its name", 0),
        ("eval(a)", "unknown function eval", 0),
        ("tanh(x=1)", "tanh takes 1 operand", 0),
        ("a + True", "True is not a number", 4),
        ("  a b", "syntax error; is an operator missing, as in 2*x?", 4),
        ("2x + 1", "syntax error; is an operator missing, as in 2*x?", 0),
        ("1" + "0" * 400, "too large", 0),
        (
            "a + \N{CYRILLIC SMALL LETTER A}",
            "(CYRILLIC SMALL LETTER A) is not supported; names consist of the letters",
            4,
        ),
        ("a × b", "× (MULTIPLICATION SIGN) is not supported; write *", 2),
        ("  2·π", "write *", 3),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}b", "U+202E is not supported", 1),
        ("a*\x1b[31m", "U+001B is not supported", 2),
        ("ｔanh(a)", "(FULLWIDTH LATIN SMALL LETTER T) is not supported", 0),
        ("__import__('os')", "unknown function __import__", 0),
        ("().__class__", "only names, numbers", 0),
        ("(a := 1)", "only names, numbers", 1),
        ("[a for a in b]", "only names, numbers", 0),
        ("f'{a}'", "only names, numbers", 0),
    ],
)
def test_an_error_marks_its_position(text, message, column):
    with pytest.raises(ExpressionError) as caught:
        Expression(text)
    said, shown, pointer = str(caught.value).split("\n")
    assert message in said
    assert shown == "  " + "".join(c if c.isprintable() else "�" for c in text)
    assert pointer.index("^") == column + 2


def test_the_size_of_an_expression_is_limited():
    names = [f"n{i}" for i in range(MOST_NAMES + 1)]
    for text, message in (
        ("x" * (MOST_CHARACTERS + 1), "characters"),
        ("(" + "+".join(["1"] * (MOST_NODES // 4)) + ")*(" + "+".join(["1"] * (MOST_NODES // 4)) + ")", "nested|parts"),
        ("*".join(f"({'+'.join(['a'] * 12)})" for _ in range(12)), "parts"),
        ("-" * (MOST_DEPTH + 1) + "x", "nested more than"),
        ("maximum(" * 30 + "x" + ",1)" * 30 + "+" + "+".join(names[:9]), ""),
        ("abs(" + ")+abs(".join(names) + ")", "more than 26 names"),
        ("(" * 220 + "x" + ")" * 220, "syntax error"),
        (" ", "expression is empty"),
        (None, "expression is empty"),
    ):
        if message:
            with pytest.raises(ExpressionError, match=message):
                Expression(text)
        else:
            assert Expression(text).names[0] == "x"


@given(st.text(max_size=60))
def test_any_text_is_either_computed_or_rejected_with_an_expression_error(text):
    try:
        expression = Expression(text)
        expression.value(dict.fromkeys(expression.names, 0.5))
    except ExpressionError:
        pass


def test_names_without_values_are_listed():
    with pytest.raises(ExpressionError, match="b, c have no value; give each one, such as b=1 c=1"):
        Expression("a*b + c").value({"a": 1.0})


def test_nested_powers_are_computed_with_floats():
    assert Expression("9**9**9**9").value({}).data == math.inf
    assert Expression("x**9**9").value({"x": 1.0}).data == 1.0


@pytest.mark.parametrize("text", ["(" * 10_000 + "x" + ")" * 10_000, "-" * 10_000 + "x", "x" * 10_000])
def test_ten_thousand_characters_are_refused_before_they_are_parsed(text):
    with pytest.raises(ExpressionError, match="characters; the limit is 1000"):
        Expression(text)


def test_an_invalid_number_is_refused():
    with pytest.raises(NumberError, match="needs a number or an array of numbers, not str 'x'"):
        Expression("a").value({"a": "x"})
