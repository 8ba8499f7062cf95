"""One seed for everything that draws random numbers."""

import random

import numpy as np
import pytest

import adjoint
from adjoint import Value, data, nn
from adjoint.arrays.random_generators import generator
from adjoint.engine import randomness
from adjoint.errors import ArgumentError, RandomNumbersWarning


def everything() -> list:
    """Draw from everything that takes no seed, in one list of numbers."""
    X, y = data.moons(20)
    loader = data.DataLoader(X, y, batch_size=5, shuffle=True)
    return [
        *nn.Linear(2, 3).weight.data.ravel(),
        *nn.Dropout(0.5)(np.ones(20)).ravel(),
        *(p.data for p in nn.MLP(2, [2, 1]).parameters()),
        *nn.init.normal(Value(np.zeros(3))).data,
        *X.ravel(),
        *np.concatenate([x for x, _ in loader]).ravel(),
        *data.train_test_split(np.arange(20.0))[0],
        *generator().normal(size=3),
    ]


def test_manual_seed_repeats_layers_dropout_data_and_random_arrays():
    adjoint.manual_seed(1)
    first = everything()
    assert everything() != first
    adjoint.manual_seed(1)
    assert everything() == first
    adjoint.manual_seed(2)
    assert everything() != first


def test_an_explicit_seed_wins_and_draws_nothing_from_the_shared_generator():
    adjoint.manual_seed(1)
    after = nn.Linear(2, 3).weight.data
    adjoint.manual_seed(1)
    with_seed = nn.Linear(2, 3, seed=5).weight.data, data.moons(20, seed=5)[0]
    assert np.array_equal(nn.Linear(2, 3).weight.data, after)
    adjoint.manual_seed(2)
    assert np.array_equal(nn.Linear(2, 3, seed=5).weight.data, with_seed[0])
    assert np.array_equal(data.moons(20, seed=5)[0], with_seed[1])


def test_manual_seed_leaves_the_generators_of_python_and_numpy_alone():
    states = random.getstate(), repr(np.random.get_state())
    adjoint.manual_seed(1)
    everything()
    assert (random.getstate(), repr(np.random.get_state())) == states


def test_without_manual_seed_layers_follow_python_and_data_has_the_seed_0():
    random.seed(3)
    first = nn.Linear(2, 3).weight.data
    random.seed(3)
    assert np.array_equal(nn.Linear(2, 3).weight.data, first)
    assert np.array_equal(data.moons(20)[0], data.moons(20, seed=0)[0])


def test_jit_warns_of_numbers_drawn_from_the_shared_generator():
    adjoint.manual_seed(1)
    with pytest.warns(RandomNumbersWarning, match="adjoint.manual_seed"):
        adjoint.jit(lambda x: x * randomness.shared_generator().random())(Value(2.0))


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, True])
def test_manual_seed_rejects_what_is_not_an_integer_from_0(seed):
    with pytest.raises(ArgumentError, match="manual_seed: the seed must be an integer of at least 0"):
        adjoint.manual_seed(seed)
