"""Diagnose a network of scalar Values without NumPy. `layer_measurements.py` says what is measured."""

import math
from collections.abc import Callable
from typing import Any

from adjoint.engine.value import Value
from adjoint.nn.layer_measurements import DEAD, Diagnosis, Row, gradient_flags
from adjoint.nn.loss_arguments import as_lists
from adjoint.nn.losses import cross_entropy, mse
from adjoint.nn.scalar import MLP, Layer


def diagnose_scalars(model: MLP, batch: Any, target: Any, loss: Callable[..., Value] | None) -> Diagnosis:
    """Return the measurements of the layers of a scalar network; its gradients are restored."""
    samples: Any = as_lists(batch)
    samples = samples if isinstance(samples[0], (list, tuple)) else [samples]
    kept = [(p, p.grad) for p in model.parameters()]
    outputs: list[list[Any]] = [[] for _ in model.layers]  # of each layer, for each sample
    try:
        model.zero_grad()
        for x in samples:
            for layer, found in zip(model.layers, outputs):
                x = layer(x)
                found.append(x)
        value = _loss(outputs[-1], as_lists(target), loss)
        value.backward()
        return Diagnosis(float(value), _rows(model.layers, outputs))
    finally:
        for p, gradient in kept:
            p.grad = gradient


def _loss(outputs: list[Any], target: Any, loss: Callable[..., Value] | None) -> Value:
    if loss is not None:
        return loss(outputs) if target is None else loss(outputs, target)
    if target is None:
        return mse(outputs, [[0.0] * len(x) if isinstance(x, list) else 0.0 for x in outputs])
    is_labels = isinstance(outputs[0], list) and isinstance(target[0], int)
    return cross_entropy(outputs, target) if is_labels else mse(outputs, target)


def _rows(layers: list[Layer], outputs: list[list[Any]]) -> list[Row]:
    sizes = [_norm([p.grad for p in layer.parameters()]) / math.sqrt(len(layer.parameters())) for layer in layers]
    rows = []
    for k, (layer, size, found) in enumerate(zip(layers, sizes, outputs)):
        dead = _dead(found) if layer.neurons[0].activation == "relu" else None
        flags = ["dead"] if dead is not None and dead >= DEAD else []
        gradient, weight = (_norm([getattr(p, name) for p in layer.parameters()]) for name in ("grad", "data"))
        flags += gradient_flags(gradient, size, sizes[-1])
        ratio = gradient / weight if weight else None
        rows.append(Row(f"layers.{k}", layer._headline(), dead, gradient, weight, ratio, tuple(flags)))
    return rows


def _dead(outputs: list[Any]) -> float:
    """Return the share of neurons that are 0 for all samples."""
    columns = list(zip(*[x if isinstance(x, list) else [x] for x in outputs]))
    return sum(all(x.data == 0 for x in column) for column in columns) / len(columns)


def _norm(numbers: list[float]) -> float:
    return math.hypot(*numbers)
