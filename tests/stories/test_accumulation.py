"""Gradient accumulation: values that are used several times, and several calls of backward."""

import random

import pytest
import torch
from closeness import require_close

from adjoint import Value, guards


def test_a_value_added_to_itself_receives_both_contributions():
    a = Value(3.0)
    b = a + a
    b.backward()
    assert (b.data, a.grad) == (6.0, 2.0)


def test_a_value_multiplied_by_itself_receives_both_contributions():
    a = Value(3.0)
    (a * a).backward()
    assert a.grad == 6.0


def test_the_gradient_of_nested_sums_counts_every_path():
    a = Value(1.5)
    b = a + a
    c = b + b
    c.backward()
    assert (b.grad, a.grad) == (2.0, 4.0)


def test_one_value_through_two_tanh_nodes_receives_the_sum_of_both_paths():
    x = Value(0.5)
    left, right = x.tanh(), (2 * x).tanh()
    (left * 3 + right).backward()
    expected = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    (expected.tanh() * 3 + (2 * expected).tanh()).backward()
    require_close(x.grad, expected.grad.item())
    assert (left.grad, right.grad) == (3.0, 1.0)


def test_a_diamond_reused_three_times_receives_the_sum_of_all_paths():
    x = Value(2.0)
    p, q = x * x, x + 1
    r = p * q  # x³ + x², reached through p and through q
    out = r + r * r + r / 2
    out.backward()
    assert out.data == 12 + 144 + 6
    assert r.grad == 1 + 24 + 0.5
    assert x.grad == 25.5 * 16  # dr/dx = 3x² + 2x


def test_the_gradient_of_a_chain_of_diamonds_counts_every_path():
    a = Value(1.0)
    node = a
    for _ in range(60):
        node = node * 0.5 + node * 0.25 + node * 1.25
    node.backward()
    assert a.grad == 2.0**60  # 3⁶⁰ paths, three at each of 60 levels, but each node is visited once


def test_gradients_of_rebuilt_graphs_accumulate_in_the_leaves():
    a = Value(3.0)
    b = a * 2
    b.backward()
    assert a.grad == 2.0
    b = a * 2
    b.backward()
    assert a.grad == 4.0
    a.zero_grad()
    b = a * 2
    b.backward()
    assert a.grad == 2.0


def test_a_second_backward_doubles_leaf_gradients_and_replaces_inner_ones():
    a, b = Value(2.0), Value(-3.0)
    c = a * b
    loss = c * c + c
    loss.backward()
    assert (a.grad, b.grad, c.grad, loss.grad) == (33.0, -22.0, -11.0, 1.0)
    loss.backward()
    assert (a.grad, b.grad, c.grad, loss.grad) == (66.0, -44.0, -11.0, 1.0)


def random_program(leaves, seed, size=3000):
    """Return the nodes of a random expression in which every leaf and many inner nodes are used often."""
    rng, nodes = random.Random(seed), list(leaves)
    for _ in range(size):
        x, z = rng.choice(nodes), rng.choice(nodes[-200:])
        nodes.append(
            rng.choice(
                [
                    lambda x=x, z=z: (x + z) * 0.5,
                    lambda x=x, z=z: x * z,
                    lambda x=x, z=z: x - z / 3,
                    lambda x=x, z=z: (x * 2 - z).tanh(),
                    lambda x=x, z=z: x.sigmoid() + z * z,
                    lambda x=x, z=z: (x / (1 + z * z)).sin(),
                ]
            )().tanh()
        )
    total = nodes[-1]
    for node in nodes[:-1]:
        total = total + node
    return nodes[len(leaves) :], total


@pytest.mark.parametrize("seed", range(3))
def test_a_second_backward_exactly_doubles_the_leaf_gradients_of_a_large_random_graph(seed):
    leaves = [Value(x / 7 - 1) for x in range(15)]
    inner, loss = random_program(leaves, seed)
    loss.backward()
    once, inner_once = [v.grad for v in leaves], [v.grad for v in inner]
    assert all(once)
    loss.backward()
    assert [v.grad for v in leaves] == [2 * g for g in once]
    loss.backward()
    assert [v.grad for v in leaves] == [3 * g for g in once]
    assert [v.grad for v in inner] == inner_once


def test_a_large_random_graph_agrees_with_pytorch():
    at = [x / 7 - 1 for x in range(15)]
    ours = [Value(x) for x in at]
    _, loss = random_program(ours, seed=4, size=600)
    loss.backward()
    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in at]
    _, expected = random_program(theirs, seed=4, size=600)
    expected.backward()
    require_close(loss.data, expected.item())
    require_close([v.grad for v in ours], [t.grad.item() for t in theirs])


def test_two_losses_accumulate_in_shared_leaves_and_replace_inner_gradients():
    a, b = Value(2.0), Value(5.0)
    shared = a * b
    first, second = shared * 3, shared * shared
    first.backward()
    assert (a.grad, b.grad, shared.grad) == (15.0, 6.0, 3.0)
    second.backward()
    assert (a.grad, b.grad) == (15.0 + 100.0, 6.0 + 40.0)
    assert shared.grad == 20.0  # from the second pass only: inner gradients are assigned, not accumulated


def test_backward_from_a_leaf_accumulates():
    a = Value(3.0)
    with guards(missing_history=False):
        a.backward()
        a.backward()
    assert a.grad == 2.0
