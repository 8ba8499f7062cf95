"""XOR: no straight line parts its two classes, so that a neuron alone fails; one hidden layer is enough.

    python examples/xor.py

The same loop, on the same four points, twice. The single neuron ends with a loss of A and says 0.5 whatever it is
asked; the network of 17 Values ends with B and has all four cases right.
"""

from adjoint import data
from adjoint.nn import MLP

X, y = data.xor()


def train(model: MLP, steps: int = 2000, rate: float = 0.1) -> float:
    """Lower the sum of squared errors, and return what is left of it."""
    for _ in range(steps):
        loss = sum((model(x) - target) ** 2 for x, target in zip(X, y))
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
    return loss.data


for model in (MLP(2, [1], output_activation="linear", seed=1), MLP(2, [4, 1], output_activation="linear", seed=1)):
    print(f"{model}\nloss {train(model):.4f}")
    for x, target in zip(X, y):
        print(f"  {x[0]:.0f} xor {x[1]:.0f} = {target}   the model says {model(x).data:+.3f}")
    print()
