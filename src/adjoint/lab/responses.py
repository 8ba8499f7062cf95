"""How a network responds to every point of the plane: the maps of its neurons, and of what it says, as bytes.

One pass of the network on arrays gives the maps of all neurons. A response is shown by its tanh, which tells its sign
and whether it is small or large: a byte of 128 is 0, 255 is far above and 1 far below.
"""

from base64 import b64encode
from typing import Any

import numpy as np

from adjoint import nn
from adjoint.arrays.backends import NUMPY
from adjoint.engine.modes import no_grad
from adjoint.lab.experiments import Experiment

TILE = 24  # rows and columns of the map of a neuron
MOVING, RESTING = 72, 144  # those of a large map, while training and after: multiples of a tile's
SURE = 31  # the most that five bits say of how sure a network is of a class


class Maps:
    """The responses of all neurons at one moment."""

    def __init__(self, experiment: Experiment, size: int):
        self.size = size
        self.is_score = experiment.configuration.classes == 2
        self.layers = NUMPY.quietly(responses, experiment, experiment.plane(size).places)

    def boundary(self) -> str:
        """Return what the network says of each place: the map of its score, or the class and how sure it is of it."""
        scores = self.layers[-1]
        return encoded(signed(scores[:, 0]) if self.is_score else by_class(scores))

    def neuron(self, layer: int, i: int) -> dict[str, Any]:
        """Return the large map of one neuron, and the bounds of its response; layers are counted from 0, the inputs."""
        response = self.layers[layer][:, i]
        least, most = NUMPY.quietly(lambda: (float(response.min()), float(response.max())))
        return {"size": self.size, "map": encoded(signed(response)), "min": least, "max": most}

    def tiles(self) -> list[list[str]]:
        """Return the small maps of all neurons, layer by layer: the inputs first."""
        every = self.size // TILE
        grids = [
            layer.reshape(self.size, self.size, -1)[every // 2 :: every, every // 2 :: every] for layer in self.layers
        ]
        return [[encoded(signed(grid[:, :, i])) for i in range(grid.shape[2])] for grid in grids]


def responses(experiment: Experiment, places: np.ndarray) -> list[np.ndarray]:
    """Return what each layer gives for places of the plane, a row for each; the inputs of the network come first."""
    x: Any = experiment.as_inputs(places)
    found = [x]
    with no_grad():
        for module in experiment.array_twin():
            x = module(x)
            if isinstance(module, nn.Linear):
                found.append(x)
            else:  # the activation of the layer before
                found[-1] = x
    return [found[0], *(layer.numpy() for layer in found[1:])]


def norms(experiment: Experiment) -> list[float]:
    """Return the length of the gradient of each layer."""
    return NUMPY.quietly(lambda: [layer.norm for layer in experiment.gradients()])


def signed(response: np.ndarray) -> np.ndarray:
    """Return responses as bytes.

    >>> signed(np.array([0.0, 100.0, -100.0, np.nan])).tolist()
    [128, 255, 1, 128]
    """
    shown = np.nan_to_num(np.tanh(response), nan=0.0)
    return (128 + np.rint(127 * shown)).astype(np.uint8)


def by_class(scores: np.ndarray) -> np.ndarray:
    """Return the class with the largest score, times 32, and how far it is ahead of a mere guess, from 0 to 31.

    >>> by_class(np.array([[0.0, 0.0], [0.0, 50.0]])).tolist()
    [0, 63]
    """
    scores = np.nan_to_num(scores, nan=0.0, posinf=1e300, neginf=-1e300)
    e = np.exp(np.maximum(scores - scores.max(1, keepdims=True), -700.0))
    most = (e / e.sum(1, keepdims=True)).max(1)
    guess = 1 / scores.shape[1]
    return (32 * scores.argmax(1) + np.rint(SURE * (most - guess) / (1 - guess))).astype(np.uint8)


def encoded(grid: np.ndarray) -> str:
    """Return bytes, row by row from above, as base64."""
    return b64encode(np.ascontiguousarray(grid).tobytes()).decode()
