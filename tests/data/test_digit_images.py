"""The digits of scikit-learn."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from adjoint import data
from adjoint.errors import MissingExtraError


def test_the_digits_agree_with_scikit_learn_with_brightness_from_0_to_1():
    X, y = data.digits()
    reference = load_digits()
    np.testing.assert_array_equal(X * 16, reference.data)
    np.testing.assert_array_equal(y, reference.target)
    assert X.max() == 1.0
    assert y.dtype == np.int64


def test_digits_as_images_are_the_input_of_a_convolution():
    X, _ = data.digits(images=True)
    assert X.shape == (1797, 1, 8, 8)
    np.testing.assert_array_equal(X[:, 0] * 16, load_digits().images)


def test_without_scikit_learn_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'adjoint-autograd\[data\]'"):
        data.digits()
