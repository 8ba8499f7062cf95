"""Data sets and batches: small two-dimensional problems, digits, names, and your own files.

    X, y = moons(200, noise=0.1, seed=1)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, seed=1)
    for x, labels in DataLoader(X_train, y_train, batch_size=32, shuffle=True, seed=1):
        …

Inputs are NumPy arrays of floats with one row per sample; classes are integers from 0. This layer uses everything up to
`nn`. Start with `toys.py` for the data sets and `loading.py` for `DataLoader`.
"""

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
