"""Diagnose a network layer by layer: dead units, vanishing gradients, exploding gradients."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of
from adjoint.engine import ops
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.layer_measurements import DEAD, Diagnosis, Row, gradient_flags
from adjoint.nn.losses import cross_entropy, mse
from adjoint.nn.module import Module
from adjoint.nn.observation import as_plain, observe, own_parameters
from adjoint.nn.scalar import MLP
from adjoint.nn.scalar_diagnosis import diagnose_scalars

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
        found = diagnose_scalars(model, batch, target, loss)
    else:
        found = _diagnose_arrays(model, batch, target, loss)
    if show:
        print(found)
        found._is_printed = True
    return found


def _diagnose_arrays(
    model: Module, batch: "ArrayLike", target: "ArrayLike | None", loss: Callable[..., Value] | None
) -> Diagnosis:
    made: dict[int, tuple[object, Module]] = {}  # each output by its id, and the module that computed it

    def note(module: Module, inputs: tuple, output: object) -> None:
        made.setdefault(id(output), (output, module))  # hooks of inner modules run first

    with observe(model, note):
        value = _loss(model(array_code("convert").as_operand(batch)), target, loss)
        value.backward()
        rows = _rows(list(model.named_modules()), _relu_outputs(value, made))
    return Diagnosis(float(value), rows)


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


def _rows(named: list[tuple[str, Module]], outputs: "dict[int, list[np.ndarray]]") -> list[Row]:
    owned = [(name, module, own_parameters(module)) for name, module in named]
    sizes = [_norm([p.grad for p in own]) / math.sqrt(_count(own)) for _, _, own in owned if own]
    nearest = sizes[-1] if sizes else 0.0
    rows = []
    for name, module, own in owned:
        if not own and id(module) not in outputs:
            continue
        dead = _dead(outputs[id(module)]) if id(module) in outputs else None
        flags = ["dead"] if dead is not None and dead >= DEAD else []
        gradient = weight = ratio = None
        if own:
            gradient, weight = _norm([p.grad for p in own]), _norm([p.data for p in own])
            ratio = gradient / weight if weight else None
            flags += gradient_flags(gradient, gradient / math.sqrt(_count(own)), nearest)
        rows.append(Row(name, module._headline(), dead, gradient, weight, ratio, tuple(flags)))
    return rows


def _count(parameters: list[Value]) -> int:
    return sum(getattr(p, "size", 1) for p in parameters)


def _dead(outputs: "list[np.ndarray]") -> float:
    """Return the share of units (of channels, in images) that are 0 for all samples and at all positions."""
    import numpy as np

    never = None
    for output in outputs:
        axes = (0, *range(2, output.ndim)) if output.ndim != 3 else (0, 1)  # all but channels, or features
        is_zero = (output == 0).all(axis=axes if output.ndim > 1 else ())
        never = is_zero if never is None else never & is_zero
    return float(np.mean(never)) if never is not None and np.size(never) else 0.0


def _norm(arrays: Sequence[object]) -> float:
    return math.sqrt(sum(float((as_plain(x).astype(float) ** 2).sum()) for x in arrays))
