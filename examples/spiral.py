"""A spiral with three arms: a classifier with one score per class, which softmax turns into probabilities.

    python examples/spiral.py

A linear classifier gets 51.3% of the 300 points right, because straight lines cannot separate the arms. With a hidden
layer of 64 units the same program gets 99.3% in a second. The loss is the cross-entropy: minus the logarithm of the
probability of the correct class. A uniform guess has a loss of log 3 = 1.0986.
"""

import argparse

from adjoint import data, nn, optim

parser = argparse.ArgumentParser(description="Classify the points of a spiral by its arms.")
parser.add_argument("--steps", type=int, default=1000, help="steps of each model, on all points (default: 1000)")
steps = parser.parse_args().steps

X, y = data.spirals(300, arms=3, noise=0.1, seed=1)


def train(model: nn.Module) -> float:
    """Train on all points at once, and return the accuracy."""
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    for step in range(steps):
        logits = model(X)  # (300, 3): a score for each point and class
        loss = nn.cross_entropy(logits, y)  # includes the softmax
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % max(1, steps // 5) == 0:
            print(f"  step {step:4}   loss {loss.data:.4f}")
    return float((model(X).data.argmax(1) == y).mean())


print("linear")
print(f"  accuracy {train(nn.Linear(2, 3, seed=1)):.1%}")
print("one hidden layer")
hidden = nn.Sequential(nn.Linear(2, 64, seed=1), nn.ReLU(), nn.Linear(64, 3, seed=2))
print(f"  accuracy {train(hidden):.1%}")
