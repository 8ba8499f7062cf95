"""The settings of the room Train: data, network and training, read from a message and validated.

    configuration = Configuration.read({"dataset": "moons", "hidden": [16, 16], "activation": "relu"})

Fields that a message omits are those of the preset of its data set. A training run is determined by its configuration
and the changes during the run, so that a shared address shows the same network.
"""

import inspect
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, TypedDict, TypeVar

import numpy as np

from adjoint import data
from adjoint.data.files import parse_csv
from adjoint.errors import LabError
from adjoint.errors.given import describe
from adjoint.lab.engines import ENGINES
from adjoint.lab.serve import messages
from adjoint.lab.serve.messages import Message
from adjoint.nn.scalar import ACTIVATIONS
from adjoint.optim import OPTIMIZERS
from adjoint.training.recipes import RECIPES, Recipe

GENERATED = ("xor", "circles", "moons", "spirals", "blobs")  # data sets; in the others the samples are the user's
DATASETS = (*GENERATED, "points", "csv")
LOSSES = ("hinge", "binary_cross_entropy_with_logits", "mse")  # for two classes
MULTICLASS_LOSS = "cross_entropy"  # for more

MAX_SAMPLES, MAX_LAYERS, MAX_NEURONS, MAX_CLASSES = 500, 6, 16, 8
MAX_CHANGES, MAX_STEPS = 500, 1_000_000
MAX_PRODUCTS = 250_000  # of a weight and an input in one step of scalar Values, where each is an operation
MAX_COORDINATE = 1e6  # of the user's own samples

_CLASS_OPTIONS = {"blobs": "classes", "spirals": "arms"}  # the option of each data set for the number of classes

Row = tuple[float, float, int]  # a sample: its coordinates and its class
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
    loss: str = "hinge"
    optimizer: str = "adam"
    lr: float = 0.01
    l2: float = 0.0
    batch_size: int | None = None  # None for all samples
    engine: str = "scalar"
    rows: tuple[Row, ...] = ()  # the samples of the data set "csv"
    labels: tuple[str, ...] = ()  # the names of the classes
    points: tuple[Row, ...] = ()  # training samples that the user added

    @classmethod
    def read(cls, message: Message) -> "Configuration":
        """Read a configuration from a message.

        >>> Configuration.read({"dataset": "blobs", "lr": 0.1}).loss
        'cross_entropy'
        """
        base = PRESETS[messages.one_of(message, "dataset", DATASETS, "moons")]
        rows = _rows(message, "rows", MAX_CLASSES) if base.dataset == "csv" else ()
        classes = base.classes
        if base.dataset in (*_CLASS_OPTIONS, "points"):
            classes = messages.whole(message, "classes", 2, MAX_CLASSES, base.classes)
        elif rows:
            classes = max(2, 1 + max(label for _, _, label in rows))
        losses = LOSSES if classes == 2 else (MULTICLASS_LOSS,)
        loss = messages.one_of(
            message, "loss", (*LOSSES, MULTICLASS_LOSS), base.loss if base.loss in losses else losses[0]
        )
        if loss not in losses:
            raise LabError(f"the loss {loss} does not support {classes} classes; choose {' or '.join(losses)}")
        labels = [messages.text({"label": x}, "label", 40) for x in messages.items(message, "labels", MAX_CLASSES, [])]
        return cls(
            dataset=base.dataset,
            samples=messages.whole(message, "samples", 4, MAX_SAMPLES, base.samples),
            noise=messages.number(message, "noise", 0, 5, base.noise),
            classes=classes,
            held_out=messages.number(message, "held_out", 0, 0.9, base.held_out),
            seed=messages.whole(message, "seed", 0, 999_999, base.seed),
            hidden=_sizes(message, base.hidden),
            activation=messages.one_of(message, "activation", ACTIVATIONS, base.activation),
            loss=loss,
            optimizer=messages.one_of(message, "optimizer", OPTIMIZERS, base.optimizer),
            lr=read_lr(message, base.lr),
            l2=read_l2(message, base.l2),
            batch_size=_batch_size(message, base.batch_size),
            engine=read_engine(message, base.engine),
            rows=rows,
            labels=tuple(labels) if len(labels) == classes else tuple(map(str, range(classes))),
            points=_rows(message, "points", classes),
        ).validate()

    def validate(self) -> "Configuration":
        """Return the configuration; raise an error if it is too large."""
        total = (len(self.rows) if self.dataset == "csv" else self.samples) if self.dataset != "points" else 0
        total += len(self.points)
        if total > MAX_SAMPLES:
            raise LabError(f"there are {total} samples, including added points; use at most {MAX_SAMPLES}")
        sizes = self.sizes
        each = sum(a * b for a, b in pairwise(sizes))
        batch = min(self.batch_size or total, total)
        if self.engine != "array" and batch * each > MAX_PRODUCTS:
            raise LabError(
                f"a step with {batch} samples and {each:,} weights is too large for the {self.engine} engine; use "
                f"batches of at most {MAX_PRODUCTS // each} samples, fewer neurons, or the array engine"
            )
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of all layers, including inputs and outputs."""
        return (2, *self.hidden, 1 if self.classes == 2 else self.classes)

    @property
    def recipe(self) -> Recipe:
        """The recipe that creates the network."""
        return Recipe(self.dataset, self.hidden, self.activation, self.optimizer, self.lr, wide=False)

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of the data set, without the added points."""
        if self.dataset not in GENERATED:
            return as_arrays(self.rows if self.dataset == "csv" else ())
        options = {_CLASS_OPTIONS[self.dataset]: self.classes} if self.dataset in _CLASS_OPTIONS else {}
        return data.load(self.dataset, n=self.samples, noise=self.noise, seed=self.seed, **options)

    def targets(self, y: np.ndarray) -> np.ndarray:
        """Return the targets for the loss: class indices, or -1 and 1."""
        return 2 * y - 1 if self.loss in ("hinge", "mse") else y

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a message."""
        return asdict(self)


def as_arrays(rows: Iterable[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return samples as an array of coordinates and an array of classes."""
    rows = list(rows)
    X = np.array([row[:2] for row in rows], float).reshape(-1, 2)
    return X, np.array([row[2] for row in rows], np.int64)


# --- fields ------------------------------------------------------------------------------------------------


def read_lr(message: Message, default: Default) -> float | Default:
    """Read the learning rate from a message."""
    return messages.number(message, "lr", 1e-9, 1e6, default)


def read_l2(message: Message, default: Default) -> float | Default:
    """Read the L2 penalty from a message."""
    return messages.number(message, "l2", 0, 10, default)


def read_engine(message: Message, default: Default) -> str | Default:
    """Read the name of an engine from a message."""
    return messages.one_of(message, "engine", ENGINES, default)


def read_point(given: object, classes: int) -> Row:
    """Read a sample from a list of its coordinates and its class.

    >>> read_point([0.5, -1, 1], classes=2)
    (0.5, -1.0, 1)
    """
    if not isinstance(given, list) or len(given) != 3:
        raise LabError(f"a sample must be a list [x1, x2, class], not {describe(given)}")
    x1, x2 = (messages.finite(x, name, -MAX_COORDINATE, MAX_COORDINATE) for x, name in zip(given, ("x1", "x2")))
    return x1, x2, messages.whole({"class": given[2]}, "class", 0, classes - 1)


def _rows(message: Message, name: str, classes: int) -> tuple[Row, ...]:
    return tuple(read_point(given, classes) for given in messages.items(message, name, MAX_SAMPLES, []))


def _sizes(message: Message, default: tuple[int, ...]) -> tuple[int, ...]:
    given = messages.items(message, "hidden", MAX_LAYERS, list(default))
    return tuple(messages.whole({"neurons": n}, "neurons", 1, MAX_NEURONS) for n in given)


def _batch_size(message: Message, default: int | None) -> int | None:
    if message.get("batch_size", default) is None:
        return None
    return messages.whole(message, "batch_size", 1, MAX_SAMPLES, default)


class Table(TypedDict):
    """The samples of a CSV file, as fields of a configuration."""

    rows: list[list[float]]
    labels: list[str]


def read_csv(text: str, name: str) -> Table:
    """Read a CSV file with two inputs and a class.

    >>> read_csv("x1,x2,class\\n0,1,5\\n1,0,7", "points.csv")
    {'rows': [[0.0, 1.0, 0], [1.0, 0.0, 1]], 'labels': ['5', '7']}
    """
    X, y = parse_csv(text, name)
    if X.shape[1] != 2:
        raise LabError(f"{name} has {X.shape[1]} input columns; the plane needs exactly two, x1 and x2")
    if len(X) > MAX_SAMPLES:
        raise LabError(f"{name} has {len(X)} samples; the limit is {MAX_SAMPLES}")
    if y.dtype.kind != "i":
        raise LabError(f"{name}: the last column contains {y[y != np.round(y)][0]:g}; classes must be whole numbers")
    known, places = np.unique(y, return_inverse=True)
    if not 2 <= len(known) <= MAX_CLASSES:
        raise LabError(f"{name} has {len(known)} class{'es' * (len(known) != 1)}; use 2 to {MAX_CLASSES}")
    rows = [[x1, x2, label] for (x1, x2), label in zip(X.tolist(), places.tolist())]
    return {"rows": rows, "labels": [str(label) for label in known.tolist()]}


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
    return replace(preset, labels=tuple(map(str, range(preset.classes))))


def _noise(name: str) -> float:
    return inspect.signature(data.DATASETS[name]).parameters["noise"].default if name in GENERATED else 0.0


PRESETS = {
    preset.dataset: preset
    for preset in (
        _preset("xor", samples=4, held_out=0.0, hidden=(4,), lr=0.05),
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
    add: Row | None = None
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
