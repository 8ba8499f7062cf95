"""Texts of several statements: values as Python computes them, names as labels, and the position of each error."""

import math

import pytest
from closeness import require_close
from hypothesis import given, strategies as st

from adjoint import Value, explain
from adjoint.engine.graph import evaluation_order
from adjoint.errors import ExpressionError
from adjoint.see.expression import Expression

LECTURE = "a = 2; b = -3; c = 10; f = -2; d = a*b; e = d + c; L = e*f"
FUNCTIONS = {"tanh": math.tanh, "exp": math.exp, "cos": math.cos, "maximum": max}


def labels(root):
    return [node.label for node in evaluation_order(root)]


@st.composite
def programs(draw):
    """Draw the lines of a program: inputs with numbers, then statements of earlier names."""
    count = draw(st.integers(1, 4))
    lines = [f"x{i} = {draw(st.floats(-2, 2).map(repr))}" for i in range(count)]
    names = [f"x{i}" for i in range(count)]
    for i in range(draw(st.integers(1, 7))):
        p, q = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        shape = draw(
            st.sampled_from(
                ["{p} + {q}", "{p}*{q} - 0.5", "-{p}**2/(1 + {q}**2)", "tanh({p} -\n  {q})", "cos({p}*pi)", "{p}",
                 "maximum({p}, {q}) % 3", "(exp(-{p}**2) + {q}) // 0.1", "2*pi/3 - +{q}"]
            )
        )  # fmt: skip
        lines.append(f"y{i} = {shape.format(p=p, q=q)}")
        names.append(f"y{i}")
    return lines


@given(programs(), st.data())
def test_every_statement_has_the_value_that_python_computes(lines, data):
    text = lines[0]
    for line in lines[1:]:
        text += data.draw(st.sampled_from(["; ", "\n", ";\n", "  # comment; x = (\n", "\r\n  "])) + line
    known = {**FUNCTIONS, "pi": math.pi}
    exec("\n".join(lines), known)
    values = Expression(text).values({})
    assert [*values] == [line.split(" = ")[0] for line in lines]
    require_close({name: x.data for name, x in values.items()}, {name: known[name] for name in values})


def test_the_expression_of_the_lecture_is_pasted_with_its_numbers():
    L = Expression(LECTURE).value({})
    L.backward()
    assert labels(L) == ["a", "b", "d", "c", "e", "f", "L"]
    assert {node.label: node.grad for node in evaluation_order(L)} == {
        "a": 6.0, "b": -4.0, "c": -2.0, "d": -2.0, "e": -2.0, "f": 4.0, "L": 1.0,
    }  # fmt: skip
    assert "e = d + c = −6 + 10 = 4" in str(explain(L))


def test_a_number_that_is_passed_replaces_the_one_in_the_text():
    expression = Expression("a = 2; tau = 2*pi; a*tau*b")
    assert expression.names == ["a", "tau", "b"]
    assert expression.given == {"a": 2.0, "tau": 2 * math.pi}
    assert expression.value({"b": 1.0}).data == 4 * math.pi
    assert expression.value({"b": 1.0, "a": 3.0, "tau": 1.0}).data == 3.0
    with pytest.raises(ExpressionError, match="b has no value"):
        expression.value({"a": 1.0})


def test_a_target_is_an_input():
    x = dict.fromkeys("wxby", 0.5)
    loss = Expression("out = tanh(w*x + b); loss = (out - y)**2; ").value(x)
    y = next(node for node in evaluation_order(loss) if node.label == "y")
    loss.backward()
    require_close(y.grad, -2 * (math.tanh(0.75) - 0.5))


@pytest.mark.parametrize(
    ("text", "root", "notes"),
    [
        ("L = a", "a", ["L is another name for a."]),
        ("L = 3", "L", []),
        ("a", "a", []),
        ("a = 3\na", "a", []),
        ("d = a*b; L = +d", "d", ["L is another name for d."]),
        ("k = a; k*b", "", ["k is another name for a."]),
        ("d = a*b; L = a + b", "L", ["L does not use d; the graph does not show it."]),
        ("a = 1; d = a*b; k = d; b", "b", ["The result does not use a, d and k; the graph does not show them."]),
    ],
)
def test_the_result_may_be_an_input_and_nothing_is_dropped_silently(text, root, notes):
    expression = Expression(text)
    value = expression.value({"a": 2.0, "b": 3.0})
    value.backward(1)
    assert (value.label, value.grad) == (root, 1.0)
    assert expression.notes == notes


def test_a_value_that_is_passed_keeps_its_label():
    a = Value(2.0)
    assert Expression("L = a").value({"a": a}) is a
    assert a.label == ""


def test_the_title_is_one_line_without_comments():
    text = "\n d = (a +  # first\n   b)  # then\n\nL = d*c;"
    assert Expression(text).title == "d = (a + b); L = d*c"
    assert [statement.text for statement in Expression(text).statements] == ["d = (a + b)", "L = d*c"]


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("d = e + 1; e = a*b; d*e", "e is used before it is assigned; move its statement up", 1, 4),
        ("L = a*b; a = 2", "a is used before it is assigned", 1, 4),
        ("d = e*2\nf = d\ne = f + 1", "d depends on itself: d → e → f → d", 1, 4),
        ("a = a + 1", "a depends on itself: a → a", 1, 4),
        ("d = a*b\n  d = a + b", "d is assigned twice; use another name", 2, 2),
        ("a = 2; a = a*3", "a is assigned twice", 1, 7),
        ("d = a\ntanh = 2", "tanh is a function; choose another name", 2, 0),
        ("pi = 3", "pi is a constant; choose another name", 1, 0),
        ("a*b; a + b", "this statement has no name; write name = …", 1, 0),
        ("d = e = 2", "a statement assigns one name", 1, 4),
        ("a, b = 1, 2", "only a name can be assigned", 1, 0),
        ("e.label = 'e'", "only a name can be assigned", 1, 0),
        ("d += 1", "only statements such as d = a*b", 1, 0),
        ("d: float = 1", "only statements such as d = a*b", 1, 0),
        ("d = a\nimport os", "only statements such as d = a*b", 2, 0),
        ("while a: b", "only statements such as d = a*b", 1, 0),
        ("d == a*b", "write = to name a value", 1, 0),
        ("d = a*b\n\n  L = d +", "syntax error", 3, 9),
        ("d = (a*b\nL = d", "", 1, 4),
        ("d = a*b;; L = d", "syntax error", 1, 8),
        ("d = a*b\nL = d × 2", "× (MULTIPLICATION SIGN) is not supported; write *", 2, 6),
        ("a = Value(2.0, label='a')", "write the number itself, as in a = 2", 1, 4),
        ("o = n.tanh()", "write tanh(…)", 1, 4),
        ("a = 1" + "0" * 400, "too large", 1, 4),
    ],
)
def test_an_error_shows_its_line_and_marks_its_position(text, message, line, column):
    with pytest.raises(ExpressionError) as caught:
        Expression(text)
    said, shown, pointer = str(caught.value).split("\n")
    lines = text.split("\n")
    assert message in said
    assert said.startswith(f"line {line}: ") is (len(lines) > 1)
    assert shown == f"  {lines[line - 1]}"
    assert pointer.index("^") == column + 2


@given(st.text("ab=;\n()+*# \t2\\'", max_size=40))
def test_any_statements_are_either_computed_or_rejected_with_an_expression_error(text):
    try:
        expression = Expression(text)
    except ExpressionError:
        return
    value = expression.value(dict.fromkeys(expression.names, 0.5))
    assert not value.label or value.label in expression.used


@pytest.mark.parametrize("text", ["", " \n\t", "# only a comment", "\n#\n"])
def test_a_text_without_statements_is_empty(text):
    with pytest.raises(ExpressionError, match="expression is empty"):
        Expression(text)


def test_a_chain_of_doublings_has_one_node_for_each_statement():
    text = "; ".join(["d0 = a + a", *(f"d{i} = d{i - 1} + d{i - 1}" for i in range(1, 30))])
    root = Expression(text).value({"a": 1.0})
    assert root.data == 2.0**30
    assert len(list(evaluation_order(root))) == 31
