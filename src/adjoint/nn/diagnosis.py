"""Diagnose a network layer by layer: dead units, vanishing gradients, exploding gradients.

Networks of scalar Values are measured without NumPy. `layer_measurements.py` says what is measured.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of
from adjoint.engine import ops
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.layer_measurements import DEAD, Diagnosis, Row, gradient_flags
from adjoint.nn.loss_arguments import as_lists
from adjoint.nn.losses import cross_entropy, mse
from adjoint.nn.module import Module
from adjoint.nn.observation import as_plain, observe, own_parameters
from adjoint.nn.scalar import MLP

if TYPE_CHECKING:
    import numpy as np


def diagnose(
    model: Module,
    batch: "ArrayLike",
    target: "ArrayLike | None" = None,
    loss: Callable[..., Value] | None = None,
    *,
    show: bool = True,
) -> Diagnosis:
    """Run one batch forward and backward, print a table of all layers, and return it; the model is not changed.

    With `show=False` the table is returned and not printed.

    The loss is `loss(output, target)`. The default is `cross_entropy` for labels and `mse` for other targets; without
    a target, it is the mean square of the output. The flags of a layer are:

    - "dead": half of its ReLUs are 0 for every sample.
    - "vanishing": its gradients are less than a thousandth of those of the layer nearest to the loss, as root mean
      squares.
    - "exploding": its gradients are more than a thousand times those of the layer nearest to the loss, or their norm
      is above 100, or they are not finite.
    - "no gradient": all of its gradients are 0.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.ReLU(), nn.Linear(4, 1, seed=1))
    >>> nn.init.constant(model[0].bias, -100.0).shape
    (4,)
    >>> found = nn.diagnose(model, np.ones((8, 2)), show=False)
    >>> found.flags
    {'0': ('no gradient',), '1': ('dead',)}
    """
    if not isinstance(model, Module):
        raise ArgumentError(f"diagnose needs a Module, not {describe(model)}")
    if isinstance(model, MLP):
        number, layers = _run_scalars(model, batch, target, loss)
    else:
        number, layers = _run_arrays(model, batch, target, loss)
    found = Diagnosis(number, _rows(layers))
    if show:
        print(found)
        found._is_printed = True
    return found


class _Measured(NamedTuple):
    """A layer after a pass: the data and the gradient of each of its parameters, and the share of dead units."""

    name: str
    headline: str
    data: list[Any]
    gradients: list[Any]
    dead: float | None


def _run_arrays(
    model: Module, batch: "ArrayLike", target: "ArrayLike | None", loss: Callable[..., Value] | None
) -> tuple[float, list[_Measured]]:
    made: dict[int, tuple[object, Module]] = {}  # each output by its id, and the module that computed it

    def note(module: Module, inputs: tuple, output: object) -> None:
        made.setdefault(id(output), (output, module))  # hooks of inner modules run first

    with observe(model, note):
        value = _loss(model(array_code("convert").as_operand(batch)), target, loss)
        value.backward()
        outputs, layers = _relu_outputs(value, made), []
        for name, module in model.named_modules():
            own = own_parameters(module)
            dead = _share_of_zeros(outputs[id(module)]) if id(module) in outputs else None
            if own or dead is not None:
                data, gradients = [as_plain(p.data) for p in own], [as_plain(p.grad) for p in own]
                layers.append(_Measured(name, module._headline(), data, gradients, dead))
    return float(value), layers


def _run_scalars(
    model: MLP, batch: Any, target: Any, loss: Callable[..., Value] | None
) -> tuple[float, list[_Measured]]:
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
        value = _loss_of_lists(outputs[-1], as_lists(target), loss)
        value.backward()
        layers = []
        for k, (layer, found) in enumerate(zip(model.layers, outputs)):
            columns = list(zip(*[x if isinstance(x, list) else [x] for x in found]))
            dead = sum(all(x.data == 0 for x in column) for column in columns) / len(columns)
            data, gradients = [p.data for p in layer.parameters()], [p.grad for p in layer.parameters()]
            is_relu = layer.neurons[0].activation == "relu"
            layers.append(_Measured(f"layers.{k}", layer._headline(), data, gradients, dead if is_relu else None))
        return float(value), layers
    finally:
        for p, gradient in kept:
            p.grad = gradient


def _loss(output: Any, target: "ArrayLike | None", loss: Callable[..., Value] | None) -> Value:
    if isinstance(output, tuple):  # a recurrent layer returns its outputs and its state
        output = output[0]
    if loss is not None:
        return loss(output) if target is None else loss(output, target)
    if target is None:
        return array_code("functions.reductions").mean(ops.square(output))
    import numpy as np

    labels = np.asarray(target) if isinstance(target, (list, tuple)) else data_of(target)
    is_labels = "int" in str(getattr(labels, "dtype", "")) and len(labels.shape) < len(shape_of(output))
    return cross_entropy(output, labels) if is_labels else mse(output, target)


def _loss_of_lists(outputs: list[Any], target: Any, loss: Callable[..., Value] | None) -> Value:
    if loss is not None:
        return loss(outputs) if target is None else loss(outputs, target)
    if target is None:
        return mse(outputs, [[0.0] * len(x) if isinstance(x, list) else 0.0 for x in outputs])
    is_labels = isinstance(outputs[0], list) and isinstance(target[0], int)
    return cross_entropy(outputs, target) if is_labels else mse(outputs, target)


def _relu_outputs(loss: Value, made: dict[int, tuple[object, Module]]) -> "dict[int, list[np.ndarray]]":
    """Return the outputs of all ReLUs by the id of the module that applied them, or else of the one before."""
    found: dict[int, list[np.ndarray]] = {}
    for node in backward_order(loss):
        if node.op == "relu":
            for output in (node, *node.parents):
                if id(output) in made:
                    found.setdefault(id(made[id(output)][1]), []).append(as_plain(node))
                    break
    return found


def _share_of_zeros(outputs: "list[np.ndarray]") -> float:
    """Return the share of units (of channels, in images) that are 0 for all samples and at all positions."""
    import numpy as np

    never = None
    for output in outputs:
        axes = (0, *range(2, output.ndim)) if output.ndim != 3 else (0, 1)  # all but channels, or features
        is_zero = (output == 0).all(axis=axes if output.ndim > 1 else ())
        never = is_zero if never is None else never & is_zero
    return float(np.mean(never)) if never is not None and np.size(never) else 0.0


def _rows(layers: list[_Measured]) -> list[Row]:
    sizes = {layer.name: _norm(layer.gradients) / math.sqrt(_count(layer.data)) for layer in layers if layer.data}
    nearest = next(reversed(sizes.values()), 0.0)
    rows = []
    for name, headline, data, gradients, dead in layers:
        flags = ["dead"] if dead is not None and dead >= DEAD else []
        gradient = weight = ratio = None
        if data:
            gradient, weight = _norm(gradients), _norm(data)
            ratio = gradient / weight if weight else None
            flags += gradient_flags(gradient, sizes[name], nearest)
        rows.append(Row(name, headline, dead, gradient, weight, ratio, tuple(flags)))
    return rows


def _count(data: list[Any]) -> int:
    return sum(1 if is_number(x) else x.size for x in data)


def _norm(parts: Sequence[Any]) -> float:
    return math.hypot(*[x if is_number(x) else math.sqrt((x.astype(float) ** 2).sum()) for x in parts])
