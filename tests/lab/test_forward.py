"""Forward passes in plain numbers: the bits of scalar Values; batches and test samples from a seed."""

import numpy as np
import pytest

from adjoint import data
from adjoint.data.toys import TOYS, points
from adjoint.training.objectives import LOSSES
from adjoint_lab.batches import Batches, held_out
from adjoint_lab.configurations import ACTIVATIONS, Change, Configuration
from adjoint_lab.engines import LayerNumbers
from adjoint_lab.experiments import Experiment
from adjoint_lab.forward import PlainNetwork, loss_of


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_outputs_in_plain_numbers_have_the_bits_of_scalar_values(activation):
    made = Experiment(Configuration.read({"dataset": "blobs", "hidden": [5, 4], "activation": activation}))
    made.step()
    network, plain = made.network, made.plain_network()
    rows = [*made.inputs[:5], [1e308, -1e308], [float("inf"), 0.0], [-0.0, 1e-320]]
    np.testing.assert_array_equal(plain(rows), [[value.data for value in network(x)] for x in rows])


def test_the_metrics_follow_each_step_and_each_added_point():
    made = Experiment(Configuration.read({"dataset": "moons", "samples": 20, "hidden": [4], "held_out": 0.0}))
    for _ in range(3):
        made.step()
        outputs = [[made.network(x).data] for x in made.inputs]
        assert made.evaluate()["loss"]["train"] == loss_of(LOSSES["hinge"], outputs, made.targets)
        right = sum((output > 0) == (y == 1) for (output,), y in zip(outputs, made.y))
        assert made.evaluate()["accuracy"]["train"] == right / len(made.y)
    before = made.evaluate()
    made.change(Change(3, add=(0.5, 0.25, 1)))
    assert made.evaluate() != before


def test_a_batch_has_each_sample_once_in_an_order_that_the_seed_and_the_epoch_determine():
    x, y = [[float(i)] for i in range(10)], list(range(10))
    first, second = Batches(x, y, 4, seed=3), Batches(x, y, 4, seed=3)
    epochs = [list(first), list(first)]
    assert [len(targets) for _, targets in epochs[0]] == [4, 4, 2]
    assert sorted(label for _, targets in epochs[0] for label in targets) == y
    assert all(inputs == [[float(label)] for label in targets] for inputs, targets in epochs[0])
    assert epochs[0] != epochs[1]
    assert [list(second), list(second)] == epochs
    assert list(Batches(x, y, None, seed=3)) == [(x, y)]


@pytest.mark.parametrize(("count", "fraction", "held"), [(40, 0.25, 10), (2, 0.9, 1), (3, 0.1, 0), (0, 0.5, 0)])
def test_a_fraction_of_the_samples_is_held_out_but_never_all(count, fraction, held):
    found = held_out(count, fraction, seed=1)
    assert (len(found), sum(found)) == (count, held)


@pytest.mark.parametrize("name", TOYS)
def test_the_public_data_sets_are_arrays_of_the_points_of_the_lab(name):
    X, y = points(name, n=30, noise=0.2, seed=4)
    arrays = getattr(data, name)(30, noise=0.2, seed=4)
    assert (arrays[0].tolist(), arrays[1].tolist()) == (X, y)


def test_a_network_without_hidden_layers_is_linear():
    network = PlainNetwork([LayerNumbers([[2.0, -1.0]], [0.5])], ["linear"])
    assert network([[1.0, 3.0]]) == [[-0.5]]
