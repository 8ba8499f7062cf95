"""Drawings say "no gradient yet" before a backward pass, and show the gradients of PyTorch after it."""

import re

import numpy as np
import pytest
import torch

from adjoint import Value, draw, grouping, nn


def lecture():
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(-1.0, label="c")
    return a * b + c * a


@pytest.mark.parametrize("format", ["text", "svg", "dot"])
def test_a_graph_without_a_backward_pass_shows_no_gradient(format):
    picture = draw(lecture(), format)
    assert picture.count("no gradient yet") == 6
    assert not re.search(r"grad -?\d", picture)


def test_a_notebook_shows_no_gradient_before_backward_and_gradients_after_it():
    root = lecture()
    assert "no gradient yet" in root._repr_mimebundle_()["image/svg+xml"]
    root.backward()
    shown = root._repr_mimebundle_()["image/svg+xml"]
    assert "no gradient yet" not in shown
    assert ">grad 1.0000<" in shown


def test_a_gradient_of_zero_is_shown_as_zero_after_backward():
    x = torch.tensor(-2.0, requires_grad=True)
    (3 * x.relu()).backward()
    ours = Value(-2.0, label="x")
    root = 3 * ours.relu()
    assert str(draw(root)).count("no gradient yet") == 3
    root.backward()
    assert [line.split("grad ")[1] for line in draw(root).splitlines()] == ["1.0000", "3.0000", f"{x.grad.item():.4f}"]


def test_a_leaf_with_a_gradient_of_an_earlier_pass_shows_it_in_a_new_graph():
    w = Value(3.0, label="w")
    (w * w).backward()
    rows = draw(w * 2).splitlines()
    assert [row.split("  ")[-1] for row in rows] == ["no gradient yet", "grad 6.0000"]


def test_a_leaf_whose_gradient_was_reset_shows_zero_as_long_as_the_result_has_a_gradient():
    w = Value(3.0, label="w")
    root = w * w
    root.backward()
    w.zero_grad()
    assert [row.split("  ")[-1] for row in draw(root).splitlines()] == ["grad 1.0000", "grad 0.0000"]


def means_in_torch(*tensors):
    return [f"{tensor.grad.mean().item():.4f}" for tensor in tensors]


def test_intermediate_arrays_show_the_gradients_of_pytorch_although_backward_did_not_keep_them():
    x, w = np.arange(6.0).reshape(2, 3) / 6, np.arange(12.0).reshape(3, 4) / 12
    tensor = torch.tensor(w, requires_grad=True)
    product = torch.tensor(x) @ tensor
    activation = product.tanh()
    square = activation * activation
    for inner in (product, activation, square):
        inner.retain_grad()
    square.sum().backward()

    root = ((lambda y: y * y)((x @ Value(w, label="w")).tanh())).sum()
    assert draw(root).count("no gradient yet") == 5
    root.backward()
    found = [line.rsplit("of mean ")[-1] for line in draw(root).splitlines()[1:]]
    assert found == means_in_torch(square, activation, product, tensor)
    svg = draw(root, "svg")
    assert all(f"mean {mean}<" in svg for mean in found)


def test_reading_the_gradient_of_an_array_does_not_count_as_a_backward_pass():
    x = Value([1.0, 2.0], label="x")
    y = x * 3
    assert (y.grad.tolist(), x.grad.tolist()) == ([0.0, 0.0], [0.0, 0.0])
    assert draw(y).count("no gradient yet") == 2


def test_groups_show_no_gradient_before_backward_and_its_range_after_it():
    model = nn.MLP(2, [2, 1], seed=0)
    with grouping(model) as groups:
        loss = (model([1.0, -2.0]) - 1) ** 2
    before = draw(loss, "svg", groups=groups, opened=[])
    assert before.count(">no gradient yet<") == len(re.findall('class="box', before))
    loss.backward()
    assert "no gradient yet" not in draw(loss, "svg", groups=groups, opened=[])


def test_a_drawing_leaves_all_gradients_as_they_were():
    x, w = Value([[1.0, 2.0]], label="x"), Value([[3.0], [4.0]], label="w")
    root = (x @ w).tanh().sum()
    draw(root)
    root.backward()
    before = x.grad.copy(), w.grad.copy()
    draw(root, "svg")
    assert np.array_equal(before[0], x.grad)
    assert np.array_equal(before[1], w.grad)
