"""The handwritten digits of scikit-learn: 1797 images of 8 by 8 pixels."""

import importlib.util

import numpy as np

from adjoint.errors import MissingExtraError
from adjoint.errors.optional import install_command


def digits(images: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return images of handwritten digits, with brightness from 0 to 1, and the digit of each.

    An image is a row of 64 numbers; with `images=True`, an array of shape (1, 8, 8), the input of a convolution.

    >>> from adjoint import data
    >>> X, y = data.digits()
    >>> X.shape, y[:10]
    ((1797, 64), array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError(f"the digits need scikit-learn, which is not installed: {install_command('data')}")
    from sklearn.datasets import load_digits

    brightness, digit = load_digits(return_X_y=True)
    X = np.asarray(brightness) / 16.0
    return X.reshape(-1, 1, 8, 8) if images else X, np.asarray(digit, dtype=np.int64)
