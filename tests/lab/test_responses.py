"""Maps of neurons: the responses of the network over the plane, as bytes."""

from base64 import b64decode

import numpy as np
import pytest

from adjoint.lab.configurations import Configuration
from adjoint.lab.engines import ENGINES
from adjoint.lab.experiments import Experiment
from adjoint.lab.responses import TILE, Maps, class_map, layer_outputs


def train(**given):
    experiment = Experiment(Configuration.read(given))
    for _ in range(10):
        experiment.step()
    return experiment


def as_grid(text, size):
    return np.frombuffer(b64decode(text), np.uint8).reshape(size, size)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("activation", ["tanh", "linear"])
def test_a_map_shows_the_responses_of_the_scalar_network(engine, activation):
    experiment = train(dataset="moons", hidden=[3, 2], activation=activation, engine=engine)
    maps, plane = Maps(experiment, 24), experiment.plane(24)
    network = experiment.scalar_network()
    for row, column in ((0, 0), (3, 20), (23, 11)):
        place = [float(plane.xs[column]), float(plane.ys[row])]
        hidden = network.layers[0](place)
        score = network(place).data
        assert as_grid(maps.boundary(), 24)[row, column] == 128 + round(127 * np.tanh(score))
        assert as_grid(maps.neuron(1, 2)["map"], 24)[row, column] == 128 + round(127 * np.tanh(hidden[2].data))
        assert as_grid(maps.neuron(0, 1)["map"], 24)[row, column] == 128 + round(127 * np.tanh(place[1]))


def test_each_neuron_and_each_input_has_a_tile():
    tiles = Maps(train(dataset="blobs", hidden=[4]), 72).tiles()
    assert [len(layer) for layer in tiles] == [2, 4, 3]
    assert all(len(b64decode(tile)) == TILE * TILE for layer in tiles for tile in layer)


def test_a_class_map_has_the_class_and_the_confidence():
    scores = np.array([[5.0, -5.0, -5.0], [1.0, 1.0, 1.0], [-50.0, -50.0, 50.0]])
    found = class_map(scores)
    assert (found // 32).tolist() == [0, 0, 2]
    assert (found % 32).tolist() == [31, 0, 31]


def test_responses_that_are_not_finite_can_be_shown():
    experiment = train(dataset="xor", engine="array")
    experiment.network[0].weight.data = np.full((4, 2), np.inf)
    maps = Maps(experiment, 24)
    assert len(b64decode(maps.boundary())) == 24 * 24
    assert class_map(np.array([[np.nan, np.inf], [-np.inf, 1e308]])).tolist() == [63, 63]


def test_a_network_without_hidden_layers_is_linear():
    experiment = train(dataset="xor", hidden=[])
    (inputs, scores) = layer_outputs(experiment, np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]]))
    assert inputs.shape == (3, 2)
    assert scores[0] + scores[2] == pytest.approx(2 * scores[1])
