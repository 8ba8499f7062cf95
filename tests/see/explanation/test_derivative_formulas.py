"""Local derivatives as formulas, evaluated and compared with the derivatives of the engine."""

import math

import pytest
from closeness import require_close, require_shown
from hypothesis import given, strategies as st

from adjoint import Value, explain, ops
from adjoint.engine.mathematics.printing import as_mathematics
from adjoint.engine.mathematics.symbols import Symbol
from adjoint.see.explanation.derivative_formulas import as_factor, local_derivative
from adjoint.see.explanation.latex import as_latex, name_as_latex, text_as_latex

PYTHON = {"2π": "2*pi", "8/π": "8/pi", "·": "*", "−": "-", "²": "**2", "^": "**", "≤": "<=", "≥": ">=", " = ": " == ",
          "ln 2": "log(2)", "ln 10": "log(10)", "√2": "sqrt(2)", "√π": "sqrt(pi)", "√": "sqrt"}  # fmt: skip


@pytest.mark.parametrize("row", ops.TABLE)
def test_the_formula_of_every_row_evaluates_to_its_derivative(row):
    op, at = ops.TABLE[row], {"p": 1.3, "q": 0.7} if row == "acosh" else {"p": 0.6, "q": 0.7}
    names = ["p", "q"][: len(op.operands)]
    y = op(*[Value(at[name], label=name) for name in names])
    y.label = "out"
    for step in explain(y).backward:
        text = step.formula
        for sign, code in PYTHON.items():
            text = text.replace(sign, code)
        functions = {name: getattr(math, name) for name in dir(math)}
        functions |= {name: getattr(ops, name) for name in ("sigmoid", "softplus", "minimum", "sign")}
        functions["mod"] = math.fmod  # the same for positive numbers
        # numbers such as 1.0507009… are shown rounded
        compare = require_shown if row in ("selu", "hardsigmoid") else require_close
        compare(eval(bars(text), functions | at | {"out": y.data}), step.local)


def bars(text):
    """Replace |x| by Python's abs(x)."""
    parts = text.split("|")
    return "".join(part + ("abs(" if i % 2 == 0 else ")") for i, part in enumerate(parts[:-1])) + parts[-1]


@pytest.mark.parametrize(
    ("op", "operands", "formula"),
    [
        (ops.pow, ["x", 2.0], "2·x"),
        (ops.pow, ["x", 3.0], "3·x²"),
        (ops.pow, ["x", -1.0], "−1·x⁻²"),
        (ops.pow, ["x", 0.5], "0.5·x^(−0.5)"),
        (ops.pow, ["x", 0.0], "0"),
        (ops.mul, ["x", 3.0], "3"),
        (ops.div, ["x", 4.0], "0.25"),
        (ops.leaky_relu, ["x", 0.2], "1 if x > 0 else 0.2"),
    ],
)
def test_constants_are_substituted(op, operands, formula):
    assert as_mathematics(local_derivative(op, 0, "y", operands)) == formula


@given(st.floats(0.1, 3), st.floats(-3, 3))
def test_a_constant_exponent_gives_the_derivative_of_the_power(x, z):
    y = Value(x, label="x") ** z
    step = explain(y).backward[0]
    require_close(step.local, z * x ** (z - 1))


def test_a_factor_has_parentheses_if_necessary():
    assert as_factor(local_derivative(ops.tanh, 0, "out", ["n"])) == "(1 − out²)"
    assert as_factor(local_derivative(ops.mul, 0, "y", ["a", "b"])) == "b"
    assert as_factor(local_derivative(ops.sub, 1, "y", ["a", "b"])) == "(−1)"


@pytest.mark.parametrize("row", ops.TABLE)
def test_the_latex_of_every_row_is_balanced(row):
    op = ops.TABLE[row]
    for i in range(len(op.operands)):
        text = as_latex(local_derivative(op, i, "y", list(op.operands)))
        assert text.count("{") == text.count("}")
        assert text.count(r"\left") == text.count(r"\right")


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (Symbol("*", Symbol("a"), Symbol("+", Symbol("b"), 1)), r"a \cdot \left(b + 1\right)"),
        (Symbol("-", Symbol("a"), Symbol("-", Symbol("b"), Symbol("c"))), r"a - \left(b - c\right)"),
        (Symbol("**", Symbol("neg", Symbol("a")), 2), r"\left(-a\right)^{2}"),
        (Symbol("/", Symbol("+", Symbol("a"), 1), Symbol("b")), r"\frac{a + 1}{b}"),
        (Symbol("exp", Symbol("neg", Symbol("x"))), "e^{-x}"),
        (Symbol("<=", Symbol("x"), 0), r"x \le 0"),
        (-1.5e-7, r"-1.5\cdot 10^{-7}"),
    ],
)
def test_expressions_in_latex(expression, latex):
    assert as_latex(expression) == latex


def test_names_and_text_in_latex_are_escaped():
    assert name_as_latex("a_b{}") == r"\mathrm{a\_b\{\}}"
    assert name_as_latex("\\input") == r"\mathrm{\backslash input}"
    assert text_as_latex("100 % \\ ^") == r"\text{100 \% \textbackslash{} \textasciicircum{}}"
