"""The table of cases: what the network computes for each of a few samples.

A page shows it for small data sets such as XOR, and for data with more than two inputs, which no plane can show.
"""

import numpy as np

from adjoint.arrays.backends import NUMPY
from adjoint.arrays.functions.reductions import softmax
from adjoint.engine import ops
from adjoint.lab.configurations import BINARY_CROSS_ENTROPY, MULTICLASS_LOSS
from adjoint.lab.experiments import Experiment
from adjoint.lab.protocol.train import Case
from adjoint.lab.responses import layer_outputs

MAX_CASES = 16
PROBABILITY_LOSSES = (BINARY_CROSS_ENTROPY, MULTICLASS_LOSS)


def count_cases(experiment: Experiment) -> int:
    """Return how many samples are listed: all of a small data set; of a large one, some if it has no plane."""
    count = len(experiment.X)
    return 0 if experiment.is_plane and count > MAX_CASES else min(count, MAX_CASES)


def cases_of(experiment: Experiment) -> list[Case]:
    """Return the rows of the table at the current step."""
    count = count_cases(experiment)
    return NUMPY.quietly(_cases, experiment, count) if count else []


def _cases(experiment: Experiment, count: int) -> list[Case]:
    layers = layer_outputs(experiment, experiment.X[:count])
    outputs = _shown(experiment.configuration.loss, layers[-1])
    return [
        {
            "layers": [layer[i].tolist() for layer in layers],
            "output": outputs[i].tolist(),
            "is_correct": predicted_class(layers[-1][i]) == int(experiment.y[i]),
        }
        for i in range(count)
    ]


def _shown(loss: str, scores: np.ndarray) -> np.ndarray:
    """Return scores as probabilities, if the loss is one of probabilities."""
    if loss == BINARY_CROSS_ENTROPY:
        return np.asarray(ops.sigmoid(scores))
    return np.asarray(softmax(scores)) if loss == MULTICLASS_LOSS else scores


def predicted_class(scores: np.ndarray) -> int:
    """Return the class that the scores of one sample predict.

    >>> predicted_class(np.array([-0.5])), predicted_class(np.array([0.1, 0.7, 0.2]))
    (0, 1)
    """
    return int(scores[0] > 0) if len(scores) == 1 else int(scores.argmax())
