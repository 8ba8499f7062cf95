"""Explanations as text, JSON and LaTeX: the classic programs, with every number compared with PyTorch."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from classics import CLASSICS, in_torch, local_in_torch
from closeness import require_close, require_shown

from adjoint import Value, explain
from adjoint.linalg import eigh
from adjoint.see.explanation.narration import backward_text, number

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("name", CLASSICS)
def test_the_explanation_of_a_classic_program_is_the_reviewed_text(name):
    assert f"{explain(CLASSICS[name]())}\n" == (GOLDEN / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", CLASSICS)
def test_every_number_in_a_reviewed_text_agrees_with_pytorch(name):
    explanation = explain(CLASSICS[name]())
    tensors, lines = in_torch(explanation), (GOLDEN / f"{name}.txt").read_text().splitlines()
    said = iter([line for line in lines if ".grad += " in line])
    received = dict.fromkeys(range(len(tensors)), 0.0)
    for step in explanation.backward:
        incoming, local = tensors[step.node.index].grad.item(), local_in_torch(step.node, step.operand)
        before = received[step.parent.index]
        received[step.parent.index] = after = before + incoming * local
        line = next(said)
        assert line.strip().startswith(f"{step.parent.name}.grad += ")
        numbers = re.search(r" = (\S+) · (\S+)(?: = (\S+))? → (\S+) \(was ([^\s;)]+)", line)
        found = [float(x.replace("−", "-")) for x in numbers.groups() if x]
        expected = [incoming, local, *([incoming * local] if before else []), after, before]
        require_shown(found, expected)
    assert next(said, None) is None
    for node, tensor in zip(explanation.nodes, tensors, strict=True):
        (line,) = [x for x in lines[: lines.index("")] + forward(lines) if x.startswith(f"  {node.name} = ")]
        require_shown(float(line.split(" = ")[-1].replace("−", "-")), tensor.item())
        if node.is_leaf:
            (line,) = [x for x in lines if x.startswith("  ∂") and x.split(" = ")[0].endswith(f"/∂{node.name}")]
            require_shown(float(line.split(" = ")[-1].replace("−", "-")), tensor.grad.item())


def forward(lines):
    start = lines.index("Forward pass: each operation in order")
    return lines[start : lines.index("", start)]


def test_a_step_on_arrays_names_the_shapes():
    x, W = Value(np.ones((100, 3)), label="x"), Value(np.ones((3, 16)), label="W")
    out = x @ W
    out.label = "out"
    text = str(explain(out.sum()))
    assert "out = x @ W   (100, 3) @ (3, 16) → (100, 16)   = min 3, mean 3, max 3" in text
    assert "W.grad += xᵀ @ out.grad   (3, 100) @ (100, 16)   now min 100, mean 100, max 100 (was 0)" in text
    assert "x = float64 (100, 3), min 1, mean 1, max 1" in text


def test_the_text_says_that_a_value_is_used_three_times():
    a = Value(2.0, label="a")
    text = str(explain(a * a + a))
    assert text.count("a is used 3 times, so its gradients add up") == 2


def test_a_single_leaf_is_explained():
    assert str(explain(Value(3.0, label="x"))) == "Values\n  x = 3"


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (0.1 + 0.2, "0.3"),
        (-2.5e-9, "−2.5·10⁻⁹"),
        (1e20, "1·10²⁰"),
        (float("inf"), "∞"),
        (float("nan"), "NaN"),
        (-0.0, "−0"),
    ],
)
def test_numbers_are_in_mathematical_notation(x, shown):
    assert number(x) == shown


def test_negative_operands_are_in_parentheses_where_they_could_be_misread():
    a, b = Value(-2.0, label="a"), Value(-3.0, label="b")
    lines = [str(explain(y)).splitlines()[-100:] for y in (a + b, a - b, a * b, a / b, a**b, -b)]
    said = [line for text in lines for line in text if line.startswith("  v1 = ") and line.count(" = ") > 1]
    assert [line.split(" = ")[2] for line in said] == [
        "−2 + (−3)", "−2 − (−3)", "−2 × −3", "−2 / −3", "(−2) ** (−3)", "−(−3)",
    ]  # fmt: skip


def test_a_long_explanation_is_cut_and_says_how_much_is_left_out():
    chain = Value(1.0, label="x")
    for _ in range(1000):
        chain = chain + 1
    text = str(explain(chain))
    assert "… and 800 more" in text
    assert len(text.splitlines()) < 700


def test_inputs_that_have_changed_are_mentioned():
    a = Value(2.0, label="a")
    y = a * 3
    a.data = 5.0
    assert "inputs have changed since it was computed" in str(explain(y))


def test_json_has_a_version_and_the_content_of_the_text():
    explanation = explain(CLASSICS["tanh_neuron"]())
    document = json.loads(explanation.to_json())
    assert (document["schema"], document["version"]) == ("adjoint.explanation", 1)
    names = [node["name"] for node in document["nodes"]]
    assert names[document["root"]] == "out"
    n = next(step for step in document["backward"] if names[step["parent"]] == "n")
    assert n["formula"] == "1 − out²"
    require_close([n["local"], n["incoming"], n["before"]], [0.5, 1.0, 0.0])
    assert n["text"] == backward_text(explanation.backward[0])
    total = next(node for node in document["nodes"] if node["name"] == "total")
    assert [names[x["node"]] for x in total["operands"]] == ["x1w1", "x2w2"]


def test_json_replays_to_the_gradients():
    document = json.loads(explain(CLASSICS["network"]()).to_json())
    received = [0.0] * len(document["nodes"])
    received[document["root"]] = 1.0
    for step in document["backward"]:
        received[step["parent"]] += step["local"] * received[step["node"]]
    assert received == [node["grad"] for node in document["nodes"]]


def test_json_is_valid_for_non_finite_numbers_and_unusual_labels():
    x = Value(float("inf"), label='"</script>\n\u202e\ud800')
    text = (x - x).tanh()
    document = json.loads(explain(text).to_json(), parse_constant=pytest.fail)
    assert document["nodes"][0]["data"] == "Infinity"
    assert document["nodes"][-1]["data"] == "NaN"
    explain(text).to_json().encode()


def test_an_operation_of_several_results_is_explained():
    m = Value([[2.0, 1.0], [1.0, 4.0]], label="m")
    values, _ = eigh(m)
    text = str(explain(values.sum()))
    assert "the vector-Jacobian product of eigh with" in text
    assert "∂v3/∂m = [[1, " in text  # the sum of the eigenvalues is the trace


def test_latex_has_a_line_for_each_node_and_step_and_matplotlib_parses_it():
    from matplotlib.mathtext import MathTextParser

    explanation = explain(CLASSICS["sigmoid_neuron"]())
    source = explanation.latex()
    forward_lines, backward_lines = (part.split("\n")[1:-1] for part in source.split("\n\n"))
    assert len(forward_lines) == len(explanation.nodes)
    assert len(backward_lines) == 1 + len(explanation.backward)
    assert r"\operatorname{sigmoid}\left(z\right)" in source
    assert r"\mathrm{guess} \cdot \left(1 - \mathrm{guess}\right)" in source
    for line in (*forward_lines, *backward_lines):
        formula = line.removesuffix(r" \\").replace("&", "").replace(r"\mathrel{+}", "+")
        MathTextParser("path").parse(f"${formula}$")


def test_latex_of_arrays_has_text_where_there_is_no_formula():
    x, W = Value(np.ones((4, 3)), label="x"), Value(np.ones((3, 2)), label="W_1")
    source = explain((x @ W).tanh().sum()).latex()
    assert r"v_{1} &= x \, \mathrm{W\_1} = \text{array 4×2 of mean 3}" in source
    assert r"\text{xᵀ @ v1.grad}" in source
    assert r"\cdot \left(1 - v_{2}^{2}\right) \\" in source
    assert r"\mathrm{array(4,\ 3)} \," in explain((np.ones((4, 3)) @ W).sum()).latex()


def test_hooks_and_handwritten_backward_functions_are_explained():
    x = Value(3.0, label="x")
    y = x * 2
    y.label = "y"
    y.register_hook(lambda gradient: 10 * gradient)
    out = Value(6.0, (y,), "same", label="out")

    def backward():
        y.grad += out.grad

    out._backward = backward
    explanation = explain(out)
    text = str(explanation)
    assert "    y.grad += what out._backward adds → 1 (was 0)" in text
    assert "  y.grad: a hook changes 1 to 10" in text
    assert "x.grad += y.grad · 2 = 10 · 2 → 20 (was 0)" in text
    kinds = [step["kind"] for step in json.loads(explanation.to_json())["backward"]]
    assert kinds == ["edge", "hook", "edge"]
    assert r"\text{what out.\_backward adds}" in explanation.latex()


def test_the_pass_starts_from_a_given_gradient():
    assert "  v1.grad = 5, the given gradient" in str(explain(Value(3.0, label="x") * 2, 5.0))
