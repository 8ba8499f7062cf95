"""What is wrong with a network: units that never fire, gradients that vanish or explode, layer by layer."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.axes import as_operand
from adjoint.arrays.tensor import data_of
from adjoint.engine.graph import backward_order
from adjoint.errors import ArgumentError
from adjoint.errors.given import described
from adjoint.errors.text_table import table
from adjoint.nn.losses import cross_entropy, mse
from adjoint.nn.module import Module
from adjoint.nn.observation import as_plain, observing, own_parameters
from adjoint.nn.scalar import MLP

VANISHING, EXPLODING = 1e-3, 1e3  # times the gradients of the layer nearest to the loss
DEAD = 0.5  # of the units of a layer


class Row(NamedTuple):
    """What was seen of one layer."""

    name: str  # its path in the model, such as "layers.0"
    layer: str  # how it is shown
    dead: float | None  # the share of units that a relu made 0 for the whole batch
    gradient: float | None  # the norm of the gradients of its own parameters
    weight: float | None  # the norm of these parameters
    ratio: float | None  # gradient / weight
    flags: tuple[str, ...]  # "dead", "vanishing", "exploding", "no gradient"


class Diagnosis:
    """What `diagnose` found: `rows` as data, and a table as text."""

    def __init__(self, loss: float, rows: list[Row]):
        self.loss, self.rows = loss, rows

    @property
    def flags(self) -> dict[str, tuple[str, ...]]:
        """The layers that something is wrong with."""
        return {row.name: row.flags for row in self.rows if row.flags}

    def __repr__(self) -> str:
        found = ", ".join(f"{name}: {' '.join(flags)}" for name, flags in self.flags.items())
        return f"Diagnosis({len(self.rows)} layers; {found or 'nothing is wrong'})"

    def __str__(self) -> str:
        rows = [
            [
                row.name,
                row.layer,
                "" if row.dead is None else f"{row.dead:.0%}",
                *("" if x is None else f"{x:.2e}" for x in (row.gradient, row.weight, row.ratio)),
                ", ".join(row.flags),
            ]
            for row in self.rows
        ]
        headings = ["name", "layer", "dead", "gradient", "weight", "ratio", ""]
        return f"{table(headings, rows, '  rrrr')}\nloss {self.loss:.6g}"


def diagnose(
    model: Any, batch: Any, target: Any = None, loss: Callable | None = None, *, show: bool = True
) -> Diagnosis:
    """Run a batch forward and backward, and print what happens in each layer; the model stays as it was.

    The loss is `loss(output, target)`; without one, cross_entropy for labels and mse for other targets; without a
    target the mean square of the output. A layer is flagged "dead" if half of its ReLUs are 0 for every sample,
    "vanishing" or "exploding" if its gradients are a thousandth, or a thousand times, of those nearest to the loss
    (root mean squares), and "no gradient" if it receives none at all.

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
        raise ArgumentError(f"diagnose looks at a Module, not {described(model)}")
    if isinstance(model, MLP):
        model = model.to_arrays()
    made: dict[int, tuple[Any, Module]] = {}  # the outputs, and what made them

    def note(module, inputs, output):
        made.setdefault(id(output), (output, module))  # the innermost comes first

    with observing(model, note):
        value = _loss(model(as_operand(batch)), target, loss)
        value.backward()
        rows = _rows(list(model.named_modules()), _rectified(value, made))
    found = Diagnosis(float(value), rows)
    if show:
        print(found)
    return found


def _loss(output: Any, target: Any, loss: Callable | None) -> Any:
    if isinstance(output, tuple):  # of a recurrent layer: the outputs, and the state
        output = output[0]
    if loss is not None:
        return loss(output) if target is None else loss(output, target)
    if target is None:
        return output.square().mean()
    labels = np.asarray(target) if isinstance(target, (list, tuple)) else data_of(target)
    is_labels = "int" in str(getattr(labels, "dtype", "")) and len(labels.shape) < len(output.shape)
    return cross_entropy(output, labels) if is_labels else mse(output, target)


def _rectified(loss: Any, made: dict[int, tuple[Any, Module]]) -> dict[int, list]:
    """Return all that went through a relu, by the layer that did it, or else by the one before."""
    found: dict[int, list] = {}
    for node in backward_order(loss):
        if node.op == "relu":
            for output in (node, *node.parents):
                if id(output) in made:
                    found.setdefault(id(made[id(output)][1]), []).append(as_plain(node))
                    break
    return found


def _rows(named: list[tuple[str, Module]], outputs: dict[int, list]) -> list[Row]:
    seen: list[tuple[str, Module, Any, Any, Any]] = []
    for name, module in named:
        own = own_parameters(module)
        if own or id(module) in outputs:
            gradient, weight = _norm([p.grad for p in own]), _norm([p.data for p in own])
            count = sum(getattr(p, "size", 1) for p in own)
            seen.append((name, module, gradient if own else None, weight if own else None, count))
    with_gradients = [gradient / math.sqrt(count) for _, _, gradient, _, count in seen if gradient is not None]
    nearest = with_gradients[-1] if with_gradients else 0.0
    rows = []
    for name, module, gradient, weight, count in seen:
        flags = []
        dead = _dead(outputs[id(module)]) if id(module) in outputs else None
        if dead is not None and dead >= DEAD:
            flags.append("dead")
        if gradient is not None:
            size = gradient / math.sqrt(count)
            if not math.isfinite(size) or size > EXPLODING * nearest > 0:
                flags.append("exploding")
            elif size == 0:
                flags.append("no gradient")
            elif size < VANISHING * nearest:
                flags.append("vanishing")
        ratio = gradient / weight if gradient is not None and weight else None
        rows.append(Row(name, module._headline(), dead, gradient, weight, ratio, tuple(flags)))
    return rows


def _dead(outputs: list[np.ndarray]) -> float:
    """Return the share of units, of channels in images, that are 0 for all samples and at all places."""
    never = None
    for output in outputs:
        axes = (0, *range(2, output.ndim)) if output.ndim != 3 else (0, 1)  # channels of images, width of sequences
        is_zero = (output == 0).all(axis=axes if output.ndim > 1 else ())
        never = is_zero if never is None else never & is_zero
    return float(np.mean(never)) if never is not None and np.size(never) else 0.0


def _norm(arrays: list) -> float:
    return math.sqrt(sum(float((np.asarray(as_plain(x), dtype=np.float64) ** 2).sum()) for x in arrays))
