"""The text tree of a graph: one line for each node, compared with trees written by hand."""

import re
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import adjoint
from adjoint import Value, draw, errors


def lines(root):
    return draw(root).splitlines()


def test_an_expression_is_drawn_with_labels_data_and_gradients():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c, f = Value(10.0, label="c"), Value(-2.0, label="f")
    e = a * b
    d = e + c
    L = d * f
    e.label, d.label, L.label = "e", "d", "L"
    L.backward()
    assert lines(L) == [
        "L = d * f  data -8.0000  grad 1.0000",
        "├── d = e + c  data 4.0000  grad -2.0000",
        "│   ├── e = a * b  data -6.0000  grad -2.0000",
        "│   │   ├── a  data 2.0000  grad 6.0000",
        "│   │   └── b  data -3.0000  grad -4.0000",
        "│   └── c  data 10.0000  grad -2.0000",
        "└── f  data -2.0000  grad 4.0000",
    ]


def test_a_leaf_is_one_line():
    assert lines(Value(3.0, label="x")) == ["x  data 3.0000  no gradient yet"]


def test_nodes_without_a_label_are_numbered_in_the_order_of_evaluation():
    assert lines((Value(1.0) + Value(2.0)).tanh()) == [
        "v4 = tanh(v3)  data 0.9951  no gradient yet",
        "└── v3 = v1 + v2  data 3.0000  no gradient yet",
        "    ├── v1  data 1.0000  no gradient yet",
        "    └── v2  data 2.0000  no gradient yet",
    ]


def test_a_node_that_appears_again_is_only_named():
    x, w = Value(3.0, label="x"), Value(2.0, label="w")
    y = x * w
    assert lines(y / x + y) == [
        "v3 = v2 + v1  data 8.0000  no gradient yet",
        "├── v2 = v1 / x  data 2.0000  no gradient yet",
        "│   ├── v1 = x * w  data 6.0000  no gradient yet",
        "│   │   ├── x  data 3.0000  no gradient yet",
        "│   │   └── w  data 2.0000  no gradient yet",
        "│   └── x  (above)",
        "└── v1  (above)",
    ]


def test_an_operand_used_twice_by_one_operation_is_one_branch():
    x = Value(3.0, label="x")
    assert lines(x * x) == ["v1 = x * x  data 9.0000  no gradient yet", "└── x  data 3.0000  no gradient yet"]


def test_constants_are_shown_in_the_operation():
    x = Value(3.0, label="x")
    assert lines(2 - x) == ["v1 = 2 - x  data -1.0000  no gradient yet", "└── x  data 3.0000  no gradient yet"]
    assert lines(x**0.5)[0] == "v1 = x ** 0.5  data 1.7321  no gradient yet"
    assert lines(x.leaky_relu(0.2))[0] == "v1 = leaky_relu(x, 0.2)  data 3.0000  no gradient yet"


def test_a_negation_is_shown_with_a_minus_sign():
    assert lines(-Value(3.0, label="x"))[0] == "v1 = -x  data -3.0000  no gradient yet"


def test_a_user_operation_is_drawn_by_its_name():
    cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert lines(cube(Value(2.0, label="x"))) == [
        "v1 = cube(x)  data 8.0000  no gradient yet",
        "└── x  data 2.0000  no gradient yet",
    ]


def test_a_node_made_by_hand_is_drawn_with_its_children():
    x, y = Value(2.0, label="x"), Value(5.0, label="y")
    assert lines(Value(7.0, (x, y), "plus", label="sum")) == [
        "sum = plus(x, y)  data 7.0000  no gradient yet",
        "├── x  data 2.0000  no gradient yet",
        "└── y  data 5.0000  no gradient yet",
    ]


def test_a_gradient_that_is_a_value_is_drawn_as_its_number():
    x = Value(2.0, label="x")
    y = x**3
    y.backward(create_graph=True)
    assert lines(y)[1] == "└── x  data 2.0000  grad 12.0000"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (1e-7, "1.0000e-07"),
        (-2.5e12, "-2.5000e+12"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-0.5, "-0.5000"),
    ],
)
def test_numbers_of_every_size_are_readable(data, shown):
    assert lines(Value(data, label="x")) == [f"x  data {shown}  no gradient yet"]


def test_a_graph_of_many_thousands_of_nodes_is_cut_off_with_a_note():
    x = Value(1.0, label="x")
    chain = x
    for _ in range(50_000):
        chain = chain + 1
    shown = lines(chain)
    assert len(shown) < 1000
    assert "500 lines are shown; the graph has 50,001 nodes" in shown[-1]
    assert shown[0].startswith("v50000 = v49999 + 1  data 50001.0000")


def test_a_diamond_of_many_levels_is_drawn_once_per_node():
    node = Value(1.0, label="x")
    for _ in range(40):
        node = node + node
    assert len(lines(node)) == 41  # 40 sums and x: not 2⁴⁰ paths


def test_a_drawing_does_not_change_the_graph():
    x = Value(2.0)
    y = x * 3
    y.backward()
    draw(y)
    assert (x.grad, y.grad, x.label, y.label) == (3.0, 1.0, "", "")
    y.backward()
    assert x.grad == 6.0


@pytest.mark.parametrize("given", ["x", 3.0, None, [Value(1.0)]])
def test_draw_refuses_anything_but_a_value(given):
    with pytest.raises(errors.ArgumentError, match="draw needs a Value or another node with") as raised:
        draw(given)
    assert isinstance(raised.value, ValueError)


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(errors.ArgumentError, match=r"unknown format 'jpeg'.*text"):
        draw(Value(1.0), "jpeg")


def test_automatic_names_and_labels_do_not_clash():
    a, b, other = Value(1.0, label="v1"), Value(2.0), Value(3.0, label="v1")
    lines = draw(a * b + other).splitlines()
    names = [line.split(" data")[0].strip("│├└─ ") for line in lines]
    assert names == ["v4 = v3 + v1#2", "v3 = v1 * v2", "v1", "v2", "v1#2"]


def test_arrays_are_drawn_by_shape_and_mean_with_the_gradients_that_backward_did_not_keep():
    w, b = Value([[1.0, 2.0], [3.0, 4.0]], label="w"), Value(2.0, label="b")
    h = np.ones((3, 2)) @ w
    y = (h * b + np.array([1.0, 3.0])).sum()
    y.label, h.label = "y", "h"
    y.backward()
    assert lines(y) == [
        "y = sum(v2)  data 72.0000  grad 1.0000",
        "└── v2 = v1 + array 2  data array 3×2 of mean 12.0000  grad array 3×2 of mean 1.0000",
        "    └── v1 = h * b  data array 3×2 of mean 10.0000  grad array 3×2 of mean 1.0000",
        "        ├── h = array 3×2 @ w  data array 3×2 of mean 5.0000  grad array 3×2 of mean 2.0000",
        "        │   └── w  data array 2×2 of mean 2.5000  grad array 2×2 of mean 6.0000",
        "        └── b  data 2.0000  grad 30.0000",
    ]


def test_an_array_without_elements_and_an_operation_of_several_results_are_drawn():
    assert lines(Value(np.zeros((0, 2)), label="e")) == ["e  data array 0×2  no gradient yet"]
    values = adjoint.linalg.eigh(Value([[2.0, 0.0], [0.0, 4.0]], label="m"))[0]
    assert lines(values) == [
        "v2 = part(v1)  data array 2 of mean 3.0000  no gradient yet",
        "└── v1 = eigh(m)  data 2 results  no gradient yet",
        "    └── m  data array 2×2 of mean 1.5000  no gradient yet",
    ]


def render(drawing, **options):
    console = Console(file=StringIO(), force_terminal=True, color_system="standard", **options)
    console.print(drawing)
    return console.file.getvalue()


def test_in_a_terminal_names_are_bold_and_gradients_colored_by_sign(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c = a * b
    c.backward()
    shown = render(draw(c), width=100)
    assert "\x1b[1mv1\x1b[0m = a * b" in shown
    assert "grad \x1b[34m-3.0000\x1b[0m" in shown  # blue
    assert "grad \x1b[33m2.0000\x1b[0m" in shown


def test_no_color_is_respected_and_the_text_is_the_same(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    drawing = draw(Value(2.0, label="a") * 3)
    shown = render(drawing, width=100)
    assert "\x1b[3" not in shown
    assert re.sub(r"\x1b\[\d*m", "", shown).rstrip("\n") == drawing


def test_lines_are_cut_at_the_width():
    x = Value(1.0, label="x")
    for _ in range(30):
        x = x + 1
    assert max(map(len, draw(x).splitlines())) > 80
    cut = draw(x, width=60).splitlines()
    assert len(cut) == 31
    assert max(map(len, cut)) == 60
    assert cut[-1].endswith("…")
    assert len(render(draw(x), width=60).splitlines()) == 31  # rich also cuts lines instead of wrapping them
    with pytest.raises(errors.ArgumentError, match="width must be an integer of at least 10"):
        draw(x, width=3)


def test_fields_and_number_format_can_be_chosen():
    x = Value(1 / 3, label="x")
    assert draw(x * 2, fields=["data"], numbers=".2g").splitlines() == ["v1 = x * 2  data 0.67", "└── x  data 0.33"]


def test_a_chain_of_a_hundred_diamonds_is_drawn_once_per_node():
    node = Value(1.0, label="x")
    for _ in range(100):
        node = node + node
    assert len(lines(node)) == 101


@pytest.mark.parametrize("label", ["two\nlines", "\x1b[31mred", "\u202eback", "x" * 10_000])
def test_a_label_stays_on_its_line(label):
    (line,) = lines(Value(1.0, label=label))
    assert line.isprintable()
    assert len(line) < 100
