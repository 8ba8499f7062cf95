"""Classify handwritten digits with a convolutional network: 99.44% accuracy on unseen images.

    python examples/digits_cnn.py

A convolution applies the same weights to every 3 by 3 patch of pixels, so it detects a stroke wherever it is. Training
also uses copies of each image shifted by one pixel up, down, left and right, which gives five times the data. The
whole step (forward, backward and update) is compiled with `jit=True`, which needs the extras `data` and `jax`. Seeds 0
to 4 give 99.44, 99.16, 98.89, 99.72 and 100%. A run takes 20 s on one core.
"""

import argparse
import math

import numpy as np

from adjoint import data, fit, nn

parser = argparse.ArgumentParser(description="Train a convolutional network on handwritten digits, and test it.")
parser.add_argument("--epochs", type=int, default=10, help="passes over the images (default: 10)")
parser.add_argument("--seed", type=int, default=0, help="of the split, the weights and the order (default: 0)")
options = parser.parse_args()

X, y = data.digits(images=True)  # (1797, 1, 8, 8)
X_train, X_test, y_train, y_test = data.train_test_split(X, y, test_size=0.2, seed=options.seed)
wide = np.pad(X_train, [(0, 0), (0, 0), (1, 1), (1, 1)])
shifts = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
X_train = np.concatenate([wide[:, :, i : i + 8, j : j + 8] for i, j in shifts])
y_train = np.tile(y_train, len(shifts))

rng = np.random.default_rng(options.seed)
model = nn.Sequential(
    nn.Conv2d(1, 32, 3, padding=1, seed=rng),
    nn.ReLU(),
    nn.Conv2d(32, 32, 3, padding=1, seed=rng),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(32 * 4 * 4, 64, seed=rng),
    nn.ReLU(),
    nn.Dropout(0.2, seed=rng),
    nn.Linear(64, 10, seed=rng),
)
model.astype("float32")
print(model)

fit(
    model,
    (X_train, y_train),
    loss="cross_entropy",
    lr=0.003,
    schedule=lambda done: (1 + math.cos(math.pi * done)) / 2,
    epochs=options.epochs,
    batch_size=64,
    metrics="accuracy",
    jit=True,
    seed=options.seed,
)

predicted = model.eval()(X_test).data.argmax(axis=1)
print(f"test accuracy {(predicted == y_test).mean():.2%}: {(predicted != y_test).sum()} of {len(y_test)} wrong")
