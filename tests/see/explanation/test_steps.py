"""Explanations as data: every number is compared with PyTorch, and every step is replayed."""

import numpy as np
import pytest
import torch
from classics import CLASSICS, in_torch, local_in_torch
from closeness import require_close
from fuzzing import examples
from hypothesis import given
from programs import bits, programs, wild

import adjoint
from adjoint import Value, errors, explain
from adjoint.engine.graph import evaluation_order
from adjoint.see.explanation.nodes import BackwardStep, Hooked


@pytest.mark.parametrize("program", CLASSICS.values(), ids=CLASSICS)
def test_every_number_of_a_classic_program_agrees_with_pytorch(program):
    explanation = explain(program())
    tensors = in_torch(explanation)
    for node, tensor in zip(explanation.nodes, tensors, strict=True):
        require_close(node.data, tensor.item())
        require_close(node.grad, tensor.grad.item())
    received = dict.fromkeys(range(len(tensors)), 0.0)
    for step in explanation.backward:
        local = local_in_torch(step.node, step.operand)
        incoming = tensors[step.node.index].grad.item()
        before = received[step.parent.index]
        received[step.parent.index] += incoming * local
        expected = [incoming, local, incoming * local, before, received[step.parent.index]]
        found = [step.incoming, step.local, step.contribution, step.before, step.after]
        require_close(found, expected)


def replay(explanation):
    """Compute the gradients from the steps alone: sums of incoming gradients times local derivatives."""
    received = dict.fromkeys(range(len(explanation.nodes)), 0.0)
    received[explanation.root.index] = 1.0
    for step in explanation.backward:
        received[step.parent.index] += step.local * received[step.node.index]
    return [*received.values()]


@examples(100)
@given(programs(numbers=wild, well_conditioned=False))
def test_the_steps_of_any_graph_replay_to_the_gradients_of_the_engine(program):
    _, results = program.run(Value, lambda row: getattr(adjoint.ops, row))
    root = results[-1] + results[-2] * 0.5
    explanation = explain(root)
    root.backward()
    values = evaluation_order(root)
    assert bits(replay(explanation)) == bits([value.grad for value in values])
    assert bits([node.grad for node in explanation.nodes]) == bits([value.grad for value in values])


def test_nodes_are_in_the_order_of_evaluation_and_steps_in_the_order_of_the_backward_pass():
    explanation = explain(CLASSICS["lecture"]())
    assert [node.name for node in explanation.nodes] == ["a", "b", "e", "c", "d", "f", "L"]
    assert [node.name for node in explanation.forward] == ["e", "d", "L"]
    edges = [(step.node.name, step.parent.name) for step in explanation.backward]
    assert edges == [("L", "d"), ("L", "f"), ("d", "e"), ("d", "c"), ("e", "a"), ("e", "b")]
    assert [step.formula for step in explanation.backward] == ["f", "d", "1", "1", "b", "a"]
    assert explanation.steps_of(explanation.root) == explanation.backward[:2]


def test_explain_does_not_change_gradients():
    x = Value(2.0, label="x")
    y = x * x
    y.backward()
    explanation = explain(y)
    assert (x.grad, y.grad) == (4.0, 1.0)
    assert explanation.nodes[0].grad == 4.0  # the result of one pass that starts from zero
    w = Value([1.0, 2.0], label="w")
    loss = (w * w).sum()
    explain(loss)
    assert w._grad is None
    loss.backward()
    assert w.grad.tolist() == [2.0, 4.0]


def test_the_initial_gradient_can_be_given():
    x = Value(3.0, label="x")
    assert explain(x * 2, 10.0).nodes[0].grad == 20.0
    w = Value([1.0, 2.0], label="w")
    assert explain(w * w, [1.0, 10.0]).nodes[0].grad.values == [2.0, 40.0]
    with pytest.raises(errors.ShapeError, match=r"explain needs a gradient of shape \(2,\)"):
        explain(w * w)
    with pytest.raises(errors.ShapeError, match="shape"):
        explain(w * w, [1.0, 2.0, 3.0])


def residual():
    """x + relu(x @ W1 + b1) @ W2, on arrays."""
    rng = np.random.default_rng(0)
    sizes = {"x": (5, 3), "W1": (3, 4), "b1": (4,), "W2": (4, 3)}
    leaves = {label: Value(rng.normal(size=size), label=label) for label, size in sizes.items()}
    x, W1, b1, W2 = leaves.values()
    loss = ((x + (x @ W1 + b1).relu() @ W2) ** 2).mean()
    return leaves, loss


def test_summaries_of_array_gradients_agree_with_pytorch():
    leaves, loss = residual()
    tensors = {name: torch.tensor(v.data, requires_grad=True) for name, v in leaves.items()}
    x, W1, b1, W2 = tensors.values()
    ((x + torch.relu(x @ W1 + b1) @ W2) ** 2).mean().backward()
    nodes = {node.name: node for node in explain(loss).nodes}
    for name, tensor in tensors.items():
        grad, node = tensor.grad, nodes[name]
        assert node.grad.shape == node.shape == tuple(tensor.shape)
        assert node.grad.dtype == "float64"
        found = [node.grad.min, node.grad.mean, node.grad.max]
        require_close(found, [grad.min().item(), grad.mean().item(), grad.max().item()])
        require_close(node.data.mean, tensor.mean().item())


def test_contributions_of_arrays_add_up_and_small_arrays_are_shown_in_full():
    w = Value([1.0, 2.0], label="w")
    explanation = explain((w * w + w).sum())
    steps = [step for step in explanation.backward if step.parent.name == "w"]
    assert [step.after.values for step in steps] == [[1.0, 1.0], [2.0, 3.0], [3.0, 5.0]]  # 1, then w twice
    assert [step.nth for step in steps] == [1, 2, 3]


def test_a_number_among_arrays_receives_a_number():
    w, s = Value([1.0, 2.0], label="w"), Value(3.0, label="s")
    explanation = explain((w * s).sum())
    assert {node.name: node.grad for node in explanation.leaves}["s"] == 3.0


def test_an_array_without_axes_is_shown_as_a_number():
    x = Value(np.array(0.5), label="x")
    explanation = explain(x.tanh())
    require_close(explanation.root.data, np.tanh(0.5))
    require_close(explanation.backward[0].local, 1 - np.tanh(0.5) ** 2)


def test_a_hook_is_a_step_and_its_change_is_propagated():
    x = Value(3.0, label="x")
    y = x * 2
    y.register_hook(lambda gradient: 10 * gradient)
    explanation = explain(y * 1)
    assert [type(step) for step in explanation.backward] == [BackwardStep, Hooked, BackwardStep]
    assert (explanation.backward[1].before, explanation.backward[1].after) == (1.0, 10.0)
    assert explanation.nodes[0].grad == 20.0


def test_a_handwritten_backward_runs_and_is_named():
    x = Value(3.0, label="x")
    out = Value(9.0, (x,), "square", label="out")

    def backward():
        x.grad += 2 * x.data * out.grad

    out._backward = backward
    (step,) = explain(out).backward
    assert (step.contribution, step.local, x.grad) == (6.0, None, 0.0)
    assert step.formula == "what out._backward adds"
    with pytest.raises(errors.GraphError, match="made by hand"):
        explain(Value(9.0, (x,), "square"))


def test_a_user_operation_is_explained_by_its_rule_or_its_name():
    cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert explain(cube(Value(2.0, label="x"))).backward[0].formula == "3·x·x"
    odd = adjoint.op("odd", lambda m, x: float(x) * 2, lambda m, y, x: float(2))
    assert explain(odd(Value(2.0, label="x"))).backward[0].local == 2.0


def test_inputs_that_have_changed_are_detected():
    a = Value(2.0, label="a")
    y = a * 3
    assert not explain(y).root.changed
    a.data = 5.0
    assert explain(y).root.changed


@pytest.mark.parametrize("given", [3.0, None, "x", [Value(1.0)]])
def test_explain_refuses_anything_but_a_value(given):
    with pytest.raises(errors.ArgumentError, match="explain needs a Value, not"):
        explain(given)


def test_invalid_groups_are_refused():
    with pytest.raises(errors.ArgumentError, match="grouping"):
        explain(Value(1.0), groups={"a": 1})


def test_a_freed_graph_is_refused():
    y = Value(2.0) * 3
    y.backward(retain_graph=False)
    with pytest.raises(errors.GraphError, match="freed"):
        explain(y)


def test_numpy_is_not_loaded_for_a_graph_of_numbers():
    import subprocess
    import sys

    program = (
        "import sys; from adjoint import Value, draw, explain; y = Value(2.0) * 3; str(explain(y)); draw(y, 'svg'); "
        "print('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


def test_the_repr_of_a_deep_graph_with_shared_nodes_is_short():
    node = Value(1.0, label="x")
    for _ in range(5_000):
        node = node + node
    explanation = explain(node)
    assert repr(explanation) == "<explanation of v5000: 5,001 nodes, 10,000 backward steps>"
    assert repr(explanation.root) == "<node v5000 = v4999 + v4999>"
    assert repr(explanation.nodes[0]) == "<node x>"
    assert repr(explanation.backward[0]) == "<step from v5000 to v4999>"
    assert explanation.backward[0] != explanation.backward[1]


def test_rounding_does_not_mark_arrays_without_axes_as_changed():
    x = Value(np.array(0.3, dtype=np.float32), label="x")
    explanation = explain((x.tanh() * 0.1).exp())
    assert not any(node.changed for node in explanation.nodes)


def test_drawing_and_explaining_do_not_run_a_user_rule_again():
    runs = []
    counted = adjoint.op("counted", lambda m, x: runs.append(x) or x * 2, lambda m, y, x: 2.0)
    y = counted(Value(3.0, label="x"))
    count = len(runs)
    adjoint.draw(y)
    explain(y)
    assert len(runs) == count
