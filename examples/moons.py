"""Two moons: a network with 337 weights separates two classes, and a picture shows its decision boundary.

    python examples/moons.py

A classic demonstration: 100 points, the hinge loss (a point contributes until it is on the correct side by a margin of
1), a small penalty on the weights, and a learning rate that falls from 1 to 0.1. After 100 steps the loss is 0.0127,
all points are classified correctly (accuracy 100.0%), and moons.png shows the decision regions.

`fit` runs the loop of four_points.py. There each weight is a Value; `.to_arrays()` gives each layer one Value for all
of its weights. Without it the losses are the same, and the run takes 1 s instead of 0.03 s.
"""

import argparse

from adjoint import data, fit, plots
from adjoint.nn import MLP

parser = argparse.ArgumentParser(description="Separate two moons, and plot the decision boundary.")
parser.add_argument("--epochs", type=int, default=100, help="steps, each on all points (default: 100)")
parser.add_argument("--seed", type=int, default=1, help="of the points and of the first weights (default: 1)")
parser.add_argument("--plot", default="moons.png", help="the file of the plot (default: moons.png)")
options = parser.parse_args()

X, y = data.moons(100, noise=0.1, seed=options.seed)
y = 2 * y - 1  # the hinge loss needs the classes -1 and 1
model = MLP(2, [16, 16, 1], "relu", output_activation="linear", seed=options.seed).to_arrays()

history = fit(
    model,
    (X, y),
    loss="hinge",
    l2=1e-4,
    optimizer="sgd",
    lr=1.0,
    schedule=lambda done: 1 - 0.9 * done,
    epochs=options.epochs,
    metrics="accuracy",
)
print(f"loss {history['loss'][-1]:.4f}, accuracy {history['accuracy'][-1]:.1%}")

picture, (left, right) = plots.figure(columns=2)
plots.plot_boundary(model, X, y, left)
plots.plot_loss(history, right)
picture.savefig(options.plot, dpi=150)
print(f"wrote {options.plot}")
