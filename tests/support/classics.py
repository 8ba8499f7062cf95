"""The programs of the micrograd lectures, with labels, and functions that recompute an explained graph in PyTorch."""

import torch
from programs import torch_function

from adjoint import Value, nn, ops
from adjoint.see.explanation.nodes import Node
from adjoint.see.explanation.steps import Explanation

ROWS = {row.name: name for name, row in ops.TABLE.items()}


def labeled(**values):
    for label, value in values.items():
        value.label = label
    return [*values.values()][-1]


def leaves(**numbers):
    return [Value(x, label=label) for label, x in numbers.items()]


def lecture():
    """L = (a*b + c) * f"""
    a, b, c, f = leaves(a=2.0, b=-3.0, c=10.0, f=-2.0)
    e = a * b
    d = e + c
    return labeled(e=e, d=d, L=d * f)


def tanh_neuron():
    x1, x2, w1, w2, b = leaves(x1=2.0, x2=0.0, w1=-3.0, w2=1.0, b=6.8813735870195432)
    x1w1, x2w2 = x1 * w1, x2 * w2
    total = x1w1 + x2w2
    n = total + b
    return labeled(x1w1=x1w1, x2w2=x2w2, total=total, n=n, out=n.tanh())


def sigmoid_neuron():
    x1, x2, w1, w2, b = leaves(x1=2.0, x2=3.0, w1=0.5, w2=-0.5, b=0.1)
    z = w1 * x1 + w2 * x2 + b
    guess = z.sigmoid()
    error = guess - 1
    return labeled(z=z, guess=guess, error=error, loss=0.5 * error**2)


def twice():
    (a,) = leaves(a=3.0)
    return labeled(b=a + a)


def network():
    """Return the squared error of a two-layer MLP on one example."""
    model = nn.MLP(2, [2, 1], seed=0)
    numbers = [0.5, -1.0, 0.25, -0.75, 1.0, 0.0, 2.0, -0.5, 0.1]
    names = ["u1", "u2", "p", "s1", "s2", "q", "w1", "w2", "r"]
    for parameter, x, name in zip(model.parameters(), numbers, names, strict=True):
        parameter.data, parameter.label = x, name
    hidden = model.layers[0]([1.0, 2.0])
    out = model.layers[1](hidden)
    return labeled(h1=hidden[0], h2=hidden[1], out=out, loss=(out - 1) ** 2)


CLASSICS = {"lecture": lecture, "tanh_neuron": tanh_neuron, "sigmoid_neuron": sigmoid_neuron,
            "twice": twice, "network": network}  # fmt: skip


def in_torch(explanation: Explanation) -> list[torch.Tensor]:
    """Recompute every node in PyTorch, in double precision, and call backward on the root."""
    found: list[torch.Tensor] = []
    for node in explanation.nodes:
        if node.is_leaf:
            found.append(torch.tensor(node.data, dtype=torch.float64, requires_grad=True))
        else:
            operands = [found[x.index] if isinstance(x, Node) else constant(x) for x in node.operands]
            found.append(torch_function(ROWS[node.op])(*operands))
            found[-1].retain_grad()
    found[explanation.root.index].backward()
    return found


def local_in_torch(node: Node, i: int) -> float:
    """Return PyTorch's derivative of one operation for one operand; a repeated operand counts separately."""
    inputs = [constant(x.data if isinstance(x, Node) else x).requires_grad_() for x in node.operands]
    (slope,) = torch.autograd.grad(torch_function(ROWS[node.op])(*inputs), inputs[i])
    return slope.item()


def constant(x) -> torch.Tensor:
    return torch.tensor(x, dtype=torch.float64)
