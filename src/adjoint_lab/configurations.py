"""The settings of the room Train: data, network and training, read from a message and validated.

    configuration = Configuration.read({"dataset": "moons", "hidden": [16, 16], "activation": "relu"})

Fields that a message omits are those of the preset of its data set. A training run is determined by its configuration
and the changes during the run, so that a shared address shows the same network.
"""

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

from adjoint import Value, data, nn
from adjoint.errors import LabError, describe
from adjoint.nn import ACTIVATIONS
from adjoint.optim import OPTIMIZERS
from adjoint.training import RECIPES, Recipe
from adjoint_lab.engines import DEFAULT_ENGINE, ENGINES, available_engines
from adjoint_lab.samples import (
    CLASS_OPTIONS,
    DATASETS,
    FOUR_POINTS,
    GATES,
    GENERATED,
    MAX_CLASSES,
    MAX_SAMPLES,
    Lists,
    Point,
    Row,
    as_lists,
    generate,
    read_point,
    read_points,
    read_rows,
)
from adjoint_lab.serve import messages
from adjoint_lab.serve.messages import Message

BINARY_CROSS_ENTROPY = "binary_cross_entropy_with_logits"
SUM_OF_SQUARES = "sse"
LOSSES = ("hinge", BINARY_CROSS_ENTROPY, "mse", SUM_OF_SQUARES)  # for two classes
MULTICLASS_LOSS = "cross_entropy"  # for more
OUTPUTS = ("linear", "tanh")  # the activation of the output
INITIALIZATIONS = ("scaled", "uniform")  # uniform from -1 to 1; "scaled" divides by the root of the number of inputs

MAX_LAYERS, MAX_NEURONS = 6, 16
MAX_CHANGES, MAX_STEPS = 500, 1_000_000
MAX_PRODUCTS = 250_000  # of a weight and an input in one step of scalar Values, where each is an operation

Default = TypeVar("Default")


@dataclass(frozen=True)
class Configuration:
    """The settings at the start of a training run."""

    dataset: str = "moons"
    samples: int = 100
    noise: float = 0.1
    classes: int = 2
    held_out: float = 0.25  # the fraction of test samples
    seed: int = 0
    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    output: str = "linear"  # the activation of the output
    init: str = "scaled"  # how the initial weights are drawn
    loss: str = "hinge"
    optimizer: str = "adam"
    lr: float = 0.01
    l2: float = 0.0
    batch_size: int | None = None  # None for all samples
    engine: str = DEFAULT_ENGINE
    rows: tuple[Row, ...] = ()  # the samples of the data set "csv"
    labels: tuple[str, ...] = ()  # the names of the classes
    points: tuple[Point, ...] = ()  # training samples that the user added

    @classmethod
    def read(cls, message: Message) -> "Configuration":
        """Read a configuration from a message.

        >>> Configuration.read({"dataset": "blobs", "lr": 0.1}).loss
        'cross_entropy'
        """
        base = PRESETS[messages.one_of(message, "dataset", DATASETS, "moons")]
        rows = read_rows(message, "rows") if base.dataset == "csv" else ()
        classes, is_fixed = base.classes, base.dataset == "four_points"
        if base.dataset in (*CLASS_OPTIONS, "points"):
            classes = messages.whole(message, "classes", 2, MAX_CLASSES, base.classes)
        elif rows:
            classes = max(2, 1 + max(int(row[-1]) for row in rows))
        losses = LOSSES if classes == 2 else (MULTICLASS_LOSS,)
        loss = messages.one_of(
            message, "loss", (*LOSSES, MULTICLASS_LOSS), base.loss if base.loss in losses else losses[0]
        )
        if loss not in losses:
            raise LabError(f"the loss {loss} does not support {classes} classes; choose {' or '.join(losses)}")
        labels = [messages.text({"label": x}, "label", 40) for x in messages.items(message, "labels", MAX_CLASSES, [])]
        return cls(
            dataset=base.dataset,
            samples=messages.whole(message, "samples", 4, 4 if is_fixed else MAX_SAMPLES, base.samples),
            noise=messages.number(message, "noise", 0, 0 if is_fixed else 5, base.noise),
            classes=classes,
            held_out=messages.number(message, "held_out", 0, 0.9, base.held_out),
            seed=messages.whole(message, "seed", 0, 999_999, base.seed),
            hidden=_sizes(message, base.hidden),
            activation=messages.one_of(message, "activation", ACTIVATIONS, base.activation),
            output=messages.one_of(message, "output", OUTPUTS, base.output),
            init=messages.one_of(message, "init", INITIALIZATIONS, base.init),
            loss=loss,
            optimizer=messages.one_of(message, "optimizer", OPTIMIZERS, base.optimizer),
            lr=read_lr(message, base.lr),
            l2=read_l2(message, base.l2),
            batch_size=_batch_size(message, base.batch_size),
            engine=read_engine(message, base.engine),
            rows=rows,
            labels=tuple(labels) if len(labels) == classes else base.labels if is_fixed else _labels(classes),
            points=read_points(message, "points", classes),
        ).validate()

    def validate(self) -> "Configuration":
        """Return the configuration; raise an error if it is too large, or if it has points outside of a plane."""
        if self.points and self.inputs != 2:
            raise LabError(f"points can be added to data with two inputs; these samples have {self.inputs} inputs")
        total = (len(self.rows) if self.dataset == "csv" else self.samples) if self.dataset != "points" else 0
        total += len(self.points)
        if total > MAX_SAMPLES:
            raise LabError(f"there are {total} samples, including added points; use at most {MAX_SAMPLES}")
        sizes = self.sizes
        each = sum(a * b for a, b in pairwise(sizes))
        batch = min(self.batch_size or total, total)
        if self.engine != "array" and batch * each > MAX_PRODUCTS:
            other = "fewer neurons, or the array engine" if "array" in available_engines() else "or fewer neurons"
            raise LabError(
                f"a step with {batch} samples and {each:,} weights is too large for the {self.engine} engine; use "
                f"batches of at most {MAX_PRODUCTS // each} samples, {other}"
            )
        return self

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        rows = FOUR_POINTS if self.dataset == "four_points" else self.rows
        return len(rows[0]) - 1 if rows else 2

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of all layers, including inputs and outputs."""
        return (self.inputs, *self.hidden, 1 if self.classes == 2 else self.classes)

    def network(self) -> nn.MLP:
        """Return the initial network of scalar Values."""
        recipe = Recipe(self.dataset, self.hidden, self.activation, output=self.output, wide=self.init == "uniform")
        return recipe.network(self.inputs, self.sizes[-1], self.seed)

    @property
    def loss_function(self) -> str | Callable[[Any, Any], Any]:
        """The loss as `adjoint.fit` takes it."""
        return sum_of_squares if self.loss == SUM_OF_SQUARES else self.loss

    def data(self) -> Lists:
        """Return the samples of the data set, without the added points."""
        if self.dataset in GENERATED:
            return generate(self.dataset, self.samples, self.noise, self.seed, self.classes)
        return as_lists(FOUR_POINTS if self.dataset == "four_points" else self.rows)

    def targets(self, y: list[int]) -> list[int]:
        """Return the targets for the loss: class indices, or -1 and 1."""
        return [2 * label - 1 for label in y] if self.loss in ("hinge", "mse", SUM_OF_SQUARES) else y

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a message."""
        return asdict(self)


def sum_of_squares(prediction: Any, target: Any) -> Value:
    """Return the sum of squared errors; predictions on arrays have one column."""
    is_column = getattr(prediction, "ndim", 0) > 0 and prediction.shape != target.shape
    return nn.mse(prediction, target.reshape(prediction.shape) if is_column else target, reduction="sum")


# --- fields ------------------------------------------------------------------------------------------------


def read_lr(message: Message, default: Default) -> float | Default:
    """Read the learning rate from a message."""
    return messages.number(message, "lr", 1e-9, 1e6, default)


def read_l2(message: Message, default: Default) -> float | Default:
    """Read the L2 penalty from a message."""
    return messages.number(message, "l2", 0, 10, default)


def read_engine(message: Message, default: Default) -> str | Default:
    """Read the name of an engine from a message; "compiled" replaces an engine that is not available here."""
    engine = messages.one_of(message, "engine", ENGINES, default)
    return engine if engine in (*available_engines(), default) else "compiled"


def _sizes(message: Message, default: tuple[int, ...]) -> tuple[int, ...]:
    given = messages.items(message, "hidden", MAX_LAYERS, list(default))
    return tuple(messages.whole({"neurons": n}, "neurons", 1, MAX_NEURONS) for n in given)


def _batch_size(message: Message, default: int | None) -> int | None:
    if message.get("batch_size", default) is None:
        return None
    return messages.whole(message, "batch_size", 1, MAX_SAMPLES, default)


# --- presets -----------------------------------------------------------------------------------------------


def _preset(name: str, **changes: Any) -> Configuration:
    """Return settings that train well, from the recipe for the data set."""
    recipe = RECIPES.get(name, Recipe(name, (8, 8), "tanh", lr=0.03))
    preset = Configuration(
        dataset=name,
        noise=_noise(name),
        hidden=recipe.hidden,
        activation=recipe.activation,
        optimizer=recipe.optimizer,
        lr=recipe.lr,
        l2=recipe.l2,
    )
    preset = replace(preset, **changes)
    return preset if preset.labels else replace(preset, labels=_labels(preset.classes))


def _labels(classes: int) -> tuple[str, ...]:
    return tuple(map(str, range(classes)))


def _gate(name: str) -> Configuration:
    """Return settings for a truth table; with this loss, the output is a probability."""
    return _preset(name, samples=4, held_out=0.0, hidden=(4,), activation="tanh", loss=BINARY_CROSS_ENTROPY, lr=0.05)


def _noise(name: str) -> float:
    is_drawn = name in GENERATED and name not in ("and", "or")  # which have the points of "xor"
    return inspect.signature(getattr(data, name)).parameters["noise"].default if is_drawn else 0.0


PRESETS = {
    preset.dataset: preset
    for preset in (
        *map(_gate, GATES),
        _preset(
            "four_points",  # as in examples/four_points.py
            samples=4,
            held_out=0.0,
            hidden=(4, 4),
            activation="tanh",
            output="tanh",
            init="uniform",
            loss=SUM_OF_SQUARES,
            optimizer="sgd",
            lr=0.05,
            seed=1,
            labels=("-1", "1"),
        ),
        _preset("circles", hidden=(8,), activation="tanh", lr=0.05, batch_size=16),
        _preset("moons", hidden=(16, 16), lr=0.01, batch_size=16),
        _preset("spirals", samples=200, hidden=(16, 16), activation="tanh", lr=0.01, batch_size=16),
        _preset("blobs", samples=150, classes=3, hidden=(8,), lr=0.02, batch_size=16, loss=MULTICLASS_LOSS),
        _preset("points", held_out=0.0),
        _preset("csv", batch_size=16),
    )
}


# --- changes during a run ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A change after a number of steps: another learning rate, L2 penalty or engine, a new point, or one removed."""

    step: int
    lr: float | None = None
    l2: float | None = None
    add: Point | None = None
    undo: bool = False
    engine: str | None = None

    @classmethod
    def read(cls, message: object, classes: int) -> "Change":
        """Read a change from an object in a message.

        >>> Change.read({"step": 10, "lr": 0.1}, classes=2)
        Change(step=10, lr=0.1, l2=None, add=None, undo=False, engine=None)
        """
        if not isinstance(message, dict):
            raise LabError(f"a change must be an object with a step, not {describe(message)}")
        return cls(
            messages.whole(message, "step", 0, MAX_STEPS),
            read_lr(message, None),
            read_l2(message, None),
            read_point(message["add"], classes) if message.get("add") is not None else None,
            messages.flag(message, "undo", False),
            read_engine(message, None),
        )

    def apply_to(self, configuration: Configuration) -> Configuration:
        """Return the configuration with this change."""
        points = configuration.points
        if self.undo:
            if not points:
                raise LabError("no point has been added, so there is nothing to undo")
            points = points[:-1]
        if self.add is not None:
            points = (*points, self.add)
        lr = configuration.lr if self.lr is None else self.lr
        l2 = configuration.l2 if self.l2 is None else self.l2
        engine = configuration.engine if self.engine is None else self.engine
        return replace(configuration, points=points, lr=lr, l2=l2, engine=engine).validate()

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a message: the step, and what changes."""
        return {name: x for name, x in asdict(self).items() if x is not None and x is not False}


def read_changes(message: Message, classes: int) -> list[Change]:
    """Read the changes in a message, ordered by step."""
    found = [Change.read(given, classes) for given in messages.items(message, "changes", MAX_CHANGES, [])]
    if any(a.step > b.step for a, b in pairwise(found)):
        raise LabError("the changes are not in the order of their steps; sort them by step")
    return found
