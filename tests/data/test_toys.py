"""The small problems in the plane: shapes, classes, noise and seeds."""

from itertools import pairwise

import numpy as np
import pytest
from closeness import require_close
from sklearn.datasets import make_circles, make_moons

from adjoint import data
from adjoint.errors import ArgumentError

TOYS = ["xor", "moons", "circles", "blobs", "spirals"]


@pytest.mark.parametrize("name", TOYS)
def test_the_same_seed_gives_the_same_points_and_another_seed_different_ones(name):
    make = getattr(data, name)
    X, y = make(40, noise=0.3, seed=1)
    again, other = make(40, noise=0.3, seed=1), make(40, noise=0.3, seed=2)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, other[0])


@pytest.mark.parametrize("name", TOYS)
def test_points_are_rows_of_two_floats_and_classes_are_balanced(name):
    X, y = getattr(data, name)(41)
    assert X.shape == (41, 2)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    counts = np.bincount(y)
    assert counts.max() - counts.min() <= 1


def ordered(X, y):
    rows = np.column_stack([y, X]).round(9) + 0.0
    return rows[np.lexsort(rows.T[::-1])]


def test_moons_without_noise_agree_with_scikit_learn():
    require_close(ordered(*data.moons(100, noise=0.0)), ordered(*make_moons(100, noise=None)))


def test_circles_without_noise_agree_with_scikit_learn():
    reference = make_circles(60, noise=None, factor=0.4)
    require_close(ordered(*data.circles(60, noise=0.0, factor=0.4)), ordered(*reference))


def test_noise_is_the_spread_around_the_curve():
    distance = np.abs(np.hypot(*data.circles(4000, noise=0.1, factor=0.5)[0].T) - np.array([[1.0], [0.5]])).min(axis=0)
    assert 0.05 < distance.mean() < 0.1  # the mean distance of a normal distribution of width 0.1 is 0.08


def test_noise_may_be_a_number_of_numpy_and_points_stay_float64():
    points, _ = data.moons(10, noise=np.float32(0.5), seed=1)
    assert points.dtype == np.float64
    assert (points == data.moons(10, noise=0.5, seed=1)[0]).all()


def test_xor_is_true_where_exactly_one_coordinate_is():
    X, y = data.xor(8)
    np.testing.assert_array_equal(y, X[:, 0] != X[:, 1])


def test_the_arms_of_a_spiral_are_rotated_copies_of_one_another():
    X, y = data.spirals(300, arms=3, noise=0.0)
    turn = 2 * np.pi / 3
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    arms = [X[y == k][np.hypot(*X[y == k].T).argsort()] for k in range(3)]
    for one, following in pairwise(arms):
        require_close(one @ rotation.T, following)


def test_blobs_lie_around_their_centers():
    X, y = data.blobs(4000, classes=4, noise=0.5)
    centers = np.array([X[y == k].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(centers, [[4, 0], [0, 4], [-4, 0], [0, -4]], atol=0.1)
    np.testing.assert_allclose((X - centers[y]).std(), 0.5, atol=0.02)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: data.moons(1), "the number of points n must be an integer of at least 2, not int 1"),
        (lambda: data.moons(10.5), "the number of points n must be an integer"),
        (lambda: data.moons(10, noise=-1), "noise must be a number of at least 0, not int -1"),
        (lambda: data.circles(10, factor=2.0), "factor, the size of the inner circle, must be"),
        (lambda: data.spirals(2, arms=3), "the number of points n must be an integer of at least 3"),
        (lambda: data.spirals(30, arms=0), "arms must be an integer of at least 1"),
        (lambda: data.blobs(30, classes="3"), "classes must be an integer of at least 1, not str '3'"),
    ],
)
def test_invalid_arguments_are_refused(make, message):
    with pytest.raises(ArgumentError) as error:
        make()
    assert message in str(error.value)
