"""The expressions of the micrograd lectures, each a whole program, with the gradient of every node."""

import math

import pytest
import torch
from closeness import require_close, require_shown

import adjoint
from adjoint import Value


def test_the_expression_of_the_lecture_has_the_gradients_computed_by_hand():
    a = Value(2.0, label="a")
    b = Value(-3.0, label="b")
    c = Value(10.0, label="c")
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    f = Value(-2.0, label="f")
    L = d * f
    L.label = "L"
    L.backward()
    assert L.data == -8.0
    assert {v.label: v.grad for v in (a, b, c, e, d, f, L)} == {
        "a": 6.0, "b": -4.0, "c": -2.0, "e": -2.0, "d": -2.0, "f": 4.0, "L": 1.0,
    }  # fmt: skip


def tanh_as_a_function(n):
    return n.tanh()


def tanh_spelled_out(n):
    e = (2 * n).exp()
    return (e - 1) / (e + 1)


@pytest.mark.parametrize("tanh", [tanh_as_a_function, tanh_spelled_out, adjoint.tanh])
def test_a_tanh_neuron_has_the_same_gradients_in_every_spelling(tanh):
    x1, x2 = Value(2.0, label="x1"), Value(0.0, label="x2")
    w1, w2 = Value(-3.0, label="w1"), Value(1.0, label="w2")
    b = Value(6.8813735870195432, label="b")
    n = x1 * w1 + x2 * w2 + b
    out = tanh(n)
    out.backward()
    require_close(out.data, 1 / math.sqrt(2))
    grads = [v.grad for v in (x1, w1, x2, w2, b, n)]
    require_close(grads, [-1.5, 1.0, 0.5, 0.0, 0.5, 0.5])


def test_a_sigmoid_neuron_with_a_loss_agrees_with_pytorch_at_every_node():
    def program(x1, x2, w1, w2, b):
        z = w1 * x1 + w2 * x2 + b
        guess = z.sigmoid()
        error = guess - 1
        return z, guess, error, 0.5 * error**2

    at = [2.0, 3.0, 0.5, -0.5, 0.1]
    ours = [Value(x) for x in at]
    ours += program(*ours)
    ours[-1].backward()

    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in at]
    theirs += program(*theirs)
    for node in theirs[5:]:
        node.retain_grad()
    theirs[-1].backward()

    require_shown(0.401, ours[6].data, 3)
    require_shown(0.179, ours[8].data, 3)
    require_close([v.data for v in ours], [t.item() for t in theirs])
    require_close([v.grad for v in ours], [t.grad.item() for t in theirs])


def test_a_squared_sum_has_the_gradients_computed_by_hand():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    out = (a * b + c) ** 2
    out.backward()
    assert (out.data, a.grad, b.grad, c.grad) == (49.0, 42.0, 28.0, 14.0)


def test_a_value_in_a_product_and_a_square_receives_both_contributions():
    a, b = Value(2.0), Value(3.0)
    out = a * b + b**2
    out.backward()
    assert (out.data, a.grad, b.grad) == (15.0, 3.0, 8.0)


def mixed(a, b):
    """Combine augmented assignments, relu, powers, and division with the value on either side."""
    c = a + 2 * b
    d = a * b - b**3
    c += c + 1
    c += 2 + c - a
    d -= d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu() - (a * 5).relu()
    e = c - d / 7
    e *= 1 - a / 3
    f = e**2 + 0.5
    g = f / 2
    g += 10 / f
    g /= 1 + b**-2
    return g - 3 ** (a / 10) + f**0.5


@pytest.mark.parametrize(
    ("at_a", "at_b"), [(-4.0, 2.0), (3.5, -1.25), (0.1, 0.2), (-0.5, -0.75), (12.0, 5.0), (-1e-3, 1e2)]
)
def test_a_mixed_expression_agrees_with_pytorch(at_a, at_b):
    a, b = Value(at_a), Value(at_b)
    ours = mixed(a, b)
    ours.backward()
    x = torch.tensor(at_a, dtype=torch.float64, requires_grad=True)
    y = torch.tensor(at_b, dtype=torch.float64, requires_grad=True)
    theirs = mixed(x, y)
    theirs.backward()
    require_close(ours.data, theirs.item())
    require_close(a.grad, x.grad.item())
    require_close(b.grad, y.grad.item())


def test_an_augmented_assignment_creates_a_new_node_and_keeps_the_old_one():
    a = Value(3.0)
    total = a
    total += 1
    total *= a
    total -= 2
    total /= 5
    total **= 2
    total.backward()
    assert a.data == 3.0
    assert total.data == 4.0  # ((a + 1)·a − 2)² / 25 = 10² / 25
    require_close(a.grad, 2 * 10 / 25 * 7)  # 2·(a² + a − 2)/25 · (2a + 1)


def test_the_builtin_sum_adds_values():
    values = [Value(x) for x in (1.0, 2.0, 4.0)]
    total = sum(v * v for v in values)
    total.backward()
    assert total.data == 21.0
    assert [v.grad for v in values] == [2.0, 4.0, 8.0]


def test_a_softmax_and_its_loss_agree_with_pytorch():
    def loss_of(logits, exp, log):
        counts = [exp(x) for x in logits]
        total = counts[0] + counts[1] + counts[2] + counts[3]
        return -log(counts[3] / total)

    at = [0.0, 3.0, -2.0, 1.0]
    ours = [Value(x) for x in at]
    loss = loss_of(ours, adjoint.exp, adjoint.log)
    loss.backward()
    theirs = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(theirs[None], torch.tensor([3]))
    expected.backward()
    require_close(loss.data, expected.item())
    require_close([v.grad for v in ours], theirs.grad.tolist())
