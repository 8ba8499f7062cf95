"""`draw` shows PyTorch's own graph: grad_fn, next_functions and the leaves."""

import subprocess
import sys
import warnings

import pytest

from adjoint import draw, errors

torch = pytest.importorskip("torch")


def leaf(x, label=None):
    tensor = torch.tensor(x, requires_grad=True)
    if label:
        tensor.label = label
    return tensor


def neuron():
    x, w, b = leaf(2.0, "x"), leaf(-3.0, "w"), leaf(6.5)
    return torch.tanh(x * w + b), (x, w, b)


def test_the_nodes_are_those_of_pytorch_with_what_they_save():
    out, _ = neuron()
    assert draw(out).splitlines() == [
        "tensor  data 0.4621  grad not kept",
        "└── TanhBackward0  saved result 0.4621",
        "    └── AddBackward0",
        "        ├── MulBackward0  saved other -3.0000  saved self 2.0000",
        "        │   ├── x  data 2.0000  no gradient yet  AccumulateGrad",
        "        │   └── w  data -3.0000  no gradient yet  AccumulateGrad",
        "        └── AccumulateGrad  data 6.5000  no gradient yet",
    ]


def test_after_backward_leaves_have_gradients_and_saved_tensors_are_freed():
    out, leaves = neuron()
    out.backward()
    shown = draw(out)
    for each in leaves:
        assert f"data {each.item():.4f}  grad {each.grad.item():.4f}" in shown
    assert "MulBackward0  saved other freed  saved self freed" in shown


def test_every_node_of_the_graph_is_drawn_once_and_every_edge():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    h = model(torch.ones(5, 2))
    loss = (h * h).mean()
    nodes, edges, waiting = set(), 0, [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes.add(node)
            below = [function for function, _ in node.next_functions if function is not None]
            edges += len(below)
            waiting += below
    source = draw(loss, "dot")
    assert source.count("shape=record") == len(nodes) + 1  # and the tensor itself
    assert source.count(" -> ") == edges + 1
    assert draw(loss.grad_fn, "dot").count("shape=record") == len(nodes)
    assert "data 3×2 mean" in source


@pytest.mark.parametrize("form", ["text", "svg", "dot", "mermaid"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(2, 3),
        lambda: leaf(1.0),
        lambda: torch.ones(2, 2, dtype=torch.complex64, requires_grad=True) * 2,
        lambda: torch.ones(2, dtype=torch.bfloat16, requires_grad=True).sum(),
        lambda: torch.ones(0, 2, requires_grad=True).sum(),
        lambda: torch.ones(3, device="meta", requires_grad=True).sum(),
        lambda: torch.nn.Parameter(torch.ones(2)).max(dim=0).values,
        lambda: torch.ones(3, requires_grad=True).unbind()[1],
    ],
    ids=["constant", "leaf", "complex", "bfloat16", "empty", "meta", "parameter", "view"],
)
def test_tensors_of_every_kind_are_drawn_without_a_warning(make, form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "data" in draw(make(), form)


def test_a_tensor_without_a_graph_says_so():
    assert "this tensor does not require a gradient" in draw(torch.ones(2))


def test_a_tensor_changed_in_place_is_named():
    y = leaf([1.0, 2.0]).exp()
    z = y * 2
    with torch.no_grad():
        y.add_(1.0)
    assert "ExpBackward0  saved result changed in place" in draw(z)


def test_a_long_chain_is_drawn_without_recursion():
    x = leaf(1.0)
    for _ in range(3000):
        x = x + 1
    assert "nodes are not shown" in draw(x)


def test_options_of_groups_are_refused():
    with pytest.raises(errors.ArgumentError, match="opened is not an option for a graph of PyTorch"):
        draw(leaf(1.0), opened=["x"])


def test_drawing_a_value_does_not_import_torch():
    program = "import sys, adjoint; adjoint.draw(adjoint.Value(1.0), 'svg'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
