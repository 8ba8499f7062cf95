"""Forward passes in plain numbers: the outputs of a network for all samples, and their loss.

A run is evaluated many times a second. Floats give the same bits as scalar Values, and take a fraction of the time,
most of all where the engine is Python.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adjoint import Value, no_grad, ops
from adjoint.engine.mathematics import floats
from adjoint_lab.engines import LayerNumbers


class PlainNetwork:
    """The numbers of a network: call it on the inputs of all samples, one row each.

    >>> network = PlainNetwork([LayerNumbers([[1.0, 2.0]], [0.5]), LayerNumbers([[-1.0]], [0.0])], ["relu", "linear"])
    >>> network([[1.0, 1.0], [0.0, 0.0]])
    [[-3.5], [-0.5]]
    """

    def __init__(self, layers: Sequence[LayerNumbers], activations: Sequence[str]):
        self._layers = [
            (list(zip(layer.w, layer.b)), _activation(name)) for layer, name in zip(layers, activations, strict=True)
        ]

    def __call__(self, rows: Sequence[Sequence[float]]) -> list[list[float]]:
        """Return the outputs for each sample."""
        columns: list[Sequence[float]] = list(zip(*rows))  # one input of all samples at a time: few calls of functions
        for neurons, activate in self._layers:
            outputs: list[Sequence[float]] = []
            for weights, b in neurons:
                sums = [b] * len(rows)
                for w, column in zip(weights, columns):
                    sums = [a + w * x for a, x in zip(sums, column)]  # in the order of a scalar neuron
                outputs.append(sums if activate is None else [activate(a) for a in sums])
            columns = outputs
        return [list(row) for row in zip(*columns)]


def _activation(name: str) -> Callable[[float], float] | None:
    return None if name == "linear" else partial(getattr(ops, name).forward, floats)


def loss_of(loss: Callable[[Any, Any], Any], outputs: list[list[float]], targets: list[int]) -> float:
    """Return the loss of the outputs for all samples, given a loss of scalar Values.

    >>> from adjoint import nn
    >>> loss_of(nn.mse, [[1.0], [3.0]], [1, -1])
    8.0
    """
    with no_grad():
        values = [[Value(x) for x in row] for row in outputs]
        return float(loss([row[0] for row in values] if len(outputs[0]) == 1 else values, targets))


def predicted_class(outputs: Sequence[float]) -> int:
    """Return the class that the outputs for one sample predict.

    >>> predicted_class([-0.5]), predicted_class([0.1, 0.7, 0.2])
    (0, 1)
    """
    return int(outputs[0] > 0) if len(outputs) == 1 else max(range(len(outputs)), key=outputs.__getitem__)
