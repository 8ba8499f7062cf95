"""Classify handwritten digits with two hidden layers: 98.89% accuracy on unseen images.

    python examples/digits_mlp.py

The data are 1797 images of 8 by 8 pixels, a fifth of which are held out for the test. Training uses Adam and batches
of 64. Dropout and label smoothing reduce overfitting. Seeds 0 to 4 give 98.89, 98.05, 97.77, 98.61 and 98.05%;
without dropout and label smoothing they give 97.77, 96.38, 95.82, 97.49 and 97.77%. A run takes 4 s. The images come
with scikit-learn (the extra `data`).
"""

import argparse

import numpy as np

from adjoint import data, fit, nn

parser = argparse.ArgumentParser(description="Train a network on handwritten digits, and test it.")
parser.add_argument("--epochs", type=int, default=40, help="passes over the images (default: 40)")
parser.add_argument("--seed", type=int, default=0, help="of the split, the weights and the order (default: 0)")
options = parser.parse_args()

X, y = data.digits()
X_train, X_test, y_train, y_test = data.train_test_split(X, y, test_size=0.2, seed=options.seed)

rng = np.random.default_rng(options.seed)
model = nn.Sequential(
    nn.Linear(64, 256, seed=rng),
    nn.ReLU(),
    nn.Dropout(0.3, seed=rng),
    nn.Linear(256, 128, seed=rng),
    nn.ReLU(),
    nn.Dropout(0.3, seed=rng),
    nn.Linear(128, 10, seed=rng),
)
model.astype("float32")
print(model)

fit(
    model,
    (X_train, y_train),
    loss=nn.CrossEntropyLoss(label_smoothing=0.1),
    lr=0.001,
    epochs=options.epochs,
    batch_size=64,
    metrics="accuracy",
    seed=options.seed,
)

predicted = model.eval()(X_test).data.argmax(axis=1)  # without dropout
print(f"test accuracy {(predicted == y_test).mean():.2%}: {(predicted != y_test).sum()} of {len(y_test)} wrong")
