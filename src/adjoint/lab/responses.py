"""Maps of a network over the plane: the response of each neuron and the prediction at every point, as bytes.

One forward pass of the network on arrays gives the maps of all neurons. A map shows the tanh of a response, from which
its sign and size can be read: the byte 128 is 0, 255 is a large positive number and 1 a large negative one.
"""

from base64 import b64encode
from typing import TypedDict

import numpy as np

from adjoint import nn
from adjoint.arrays.backends import NUMPY
from adjoint.arrays.tensor import Tensor
from adjoint.engine.modes import no_grad
from adjoint.lab.experiments import Experiment

TILE = 24  # rows and columns of the small map of a neuron
PLAYING, PAUSED = 72, 144  # rows and columns of a large map, during training and after; multiples of TILE
MAX_CONFIDENCE = 31  # five bits hold the confidence of a prediction


class NeuronMap(TypedDict):
    """The large map of one neuron, and the bounds of its response."""

    size: int
    map: str
    min: float
    max: float


class Maps:
    """The responses of all neurons at one moment."""

    def __init__(self, experiment: Experiment, size: int):
        self.size = size
        self.is_score = experiment.configuration.classes == 2
        self.layers = NUMPY.quietly(layer_outputs, experiment, experiment.plane(size).places)

    def boundary(self) -> str:
        """Return the prediction at each point: the map of the score, or the class and its confidence."""
        scores = self.layers[-1]
        return encode(signed_map(scores[:, 0]) if self.is_score else class_map(scores))

    def neuron(self, layer: int, i: int) -> NeuronMap:
        """Return the large map of one neuron; layer 0 is the inputs."""
        response = self.layers[layer][:, i]
        least, most = NUMPY.quietly(lambda: (float(response.min()), float(response.max())))
        return {"size": self.size, "map": encode(signed_map(response)), "min": least, "max": most}

    def tiles(self) -> list[list[str]]:
        """Return the small maps of all neurons, layer by layer, starting with the inputs."""
        every = self.size // TILE
        grids = [
            layer.reshape(self.size, self.size, -1)[every // 2 :: every, every // 2 :: every] for layer in self.layers
        ]
        return [[encode(signed_map(grid[:, :, i])) for i in range(grid.shape[2])] for grid in grids]


def layer_outputs(experiment: Experiment, places: np.ndarray) -> list[np.ndarray]:
    """Return the inputs of the network and the output of each layer at points of the plane, one row per point."""
    x = inputs = experiment.as_inputs(places)
    found: list[Tensor] = []
    with no_grad():
        for module in experiment.array_network():
            x = module(x)
            if isinstance(module, nn.Linear):
                found.append(x)
            else:  # the activation of the layer before
                found[-1] = x
    return [inputs, *(layer.numpy() for layer in found)]


def gradient_norms(experiment: Experiment) -> list[float]:
    """Return the gradient norm of each layer."""
    return NUMPY.quietly(lambda: [layer.norm for layer in experiment.gradients()])


def signed_map(response: np.ndarray) -> np.ndarray:
    """Return responses as bytes.

    >>> signed_map(np.array([0.0, 100.0, -100.0, np.nan])).tolist()
    [128, 255, 1, 128]
    """
    shown = np.nan_to_num(np.tanh(response), nan=0.0)
    return (128 + np.rint(127 * shown)).astype(np.uint8)


def class_map(scores: np.ndarray) -> np.ndarray:
    """Return 32 times the class with the largest score, plus the confidence from 0 (a guess) to 31 (certain).

    >>> class_map(np.array([[0.0, 0.0], [0.0, 50.0]])).tolist()
    [0, 63]
    """
    scores = np.nan_to_num(scores, nan=0.0, posinf=1e300, neginf=-1e300)
    e = np.exp(np.maximum(scores - scores.max(1, keepdims=True), -700.0))
    most = (e / e.sum(1, keepdims=True)).max(1)
    guess = 1 / scores.shape[1]
    return (32 * scores.argmax(1) + np.rint(MAX_CONFIDENCE * (most - guess) / (1 - guess))).astype(np.uint8)


def encode(grid: np.ndarray) -> str:
    """Return bytes as base64, row by row from the top."""
    return b64encode(np.ascontiguousarray(grid).tobytes()).decode()
