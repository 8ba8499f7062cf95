"""Diagnose a network layer by layer: dead units, vanishing gradients, exploding gradients."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import data_of
from adjoint.engine import ops
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.text_table import html_table, table
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.losses import cross_entropy, mse
from adjoint.nn.module import Module
from adjoint.nn.scalar import MLP

if TYPE_CHECKING:
    import numpy as np

VANISHING, EXPLODING = 1e-3, 1e3  # relative to the gradients of the layer nearest to the loss, root mean squares
LARGE = 100.0  # a gradient norm that counts as exploding whatever the other layers have: clipping uses about 1
DEAD = 0.5  # share of the units of a layer
_HEADINGS, _SIDES = ("name", "layer", "dead", "gradient", "weight", "ratio", ""), "  rrrr"  # of the table


class Row(NamedTuple):
    """The measurements of one layer."""

    name: str  # its path in the model, such as "layers.0"
    layer: str  # its constructor call
    dead: float | None  # the share of units whose ReLU is 0 for the whole batch
    gradient: float | None  # the gradient norm of its own parameters
    weight: float | None  # the norm of its own parameters
    ratio: float | None  # gradient / weight
    flags: tuple[str, ...]  # "dead", "vanishing", "exploding", "no gradient"


class Diagnosis:
    """The result of `diagnose`: `rows` as data, and a table as text. A notebook displays the table."""

    def __init__(self, loss: float, rows: list[Row]):
        self.loss, self.rows = loss, rows
        self._is_printed = False  # by `diagnose`: a notebook does not display the same table below

    @property
    def flags(self) -> dict[str, tuple[str, ...]]:
        """The flags of each layer that has any."""
        return {row.name: row.flags for row in self.rows if row.flags}

    def __repr__(self) -> str:
        found = ", ".join(f"{name}: {' '.join(flags)}" for name, flags in self.flags.items())
        return f"Diagnosis({len(self.rows)} layers; {found or 'no problems found'})"

    def __str__(self) -> str:
        return f"{table(_HEADINGS, self._cells(), _SIDES)}\nloss {self.loss:.6g}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        if self._is_printed:
            return {"text/plain": repr(self)}
        html = f"{html_table(_HEADINGS, self._cells(), _SIDES)}\n<p>loss {self.loss:.6g}</p>"
        return {"text/plain": str(self), "text/html": html}

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.name,
                row.layer,
                "" if row.dead is None else f"{row.dead:.0%}",
                *("" if x is None else f"{x:.2e}" for x in (row.gradient, row.weight, row.ratio)),
                ", ".join(row.flags),
            ]
            for row in self.rows
        ]


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
        from adjoint.nn.scalar_diagnosis import diagnose_scalars

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
    from adjoint.arrays.convert import as_operand
    from adjoint.nn.observation import observe

    made: dict[int, tuple[object, Module]] = {}  # each output by its id, and the module that computed it

    def note(module: Module, inputs: tuple, output: object) -> None:
        made.setdefault(id(output), (output, module))  # hooks of inner modules run first

    with observe(model, note):
        value = _loss(model(as_operand(batch)), target, loss)
        value.backward()
        rows = _rows(list(model.named_modules()), _relu_outputs(value, made))
    return Diagnosis(float(value), rows)


def _loss(output: Any, target: "ArrayLike | None", loss: Callable[..., Value] | None) -> Value:
    if isinstance(output, tuple):  # a recurrent layer returns its outputs and its state
        output = output[0]
    if loss is not None:
        return loss(output) if target is None else loss(output, target)
    if target is None:
        from adjoint.arrays.functions import reductions

        return reductions.mean(ops.square(output))
    import numpy as np

    labels = np.asarray(target) if isinstance(target, (list, tuple)) else data_of(target)
    is_labels = "int" in str(getattr(labels, "dtype", "")) and len(labels.shape) < len(shape_of(output))
    return cross_entropy(output, labels) if is_labels else mse(output, target)


def _relu_outputs(loss: Value, made: dict[int, tuple[object, Module]]) -> "dict[int, list[np.ndarray]]":
    """Return the outputs of all ReLUs by the id of the module that applied them, or else of the one before."""
    from adjoint.nn.observation import as_plain

    found: dict[int, list[np.ndarray]] = {}
    for node in backward_order(loss):
        if node.op == "relu":
            for output in (node, *node.parents):
                if id(output) in made:
                    found.setdefault(id(made[id(output)][1]), []).append(as_plain(node))
                    break
    return found


def _rows(named: list[tuple[str, Module]], outputs: "dict[int, list[np.ndarray]]") -> list[Row]:
    from adjoint.nn.observation import own_parameters

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


def gradient_flags(norm: float, size: float, nearest: float) -> list[str]:
    """Return the flags of a layer, given its gradient norm and the root mean squares of it and of the last layer."""
    if not math.isfinite(norm) or norm > LARGE or size > EXPLODING * nearest > 0:
        return ["exploding"]
    if norm == 0:
        return ["no gradient"]
    return ["vanishing"] if size < VANISHING * nearest else []


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
    from adjoint.nn.observation import as_plain

    return math.sqrt(sum(float((as_plain(x).astype(float) ** 2).sum()) for x in arrays))
