"""What the room Train can be set to: data, a network, and how it is trained. Read from a message, every field checked.

    configuration = Configuration.read({"dataset": "moons", "hidden": [16, 16], "activation": "relu"})

What a message leaves out is as in the preset of its data. A training follows from its configuration and the changes
that were made while it ran, so that a page that is shared shows the same network.
"""

import inspect
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from adjoint import data
from adjoint.data.files import parse_csv
from adjoint.errors import LabError
from adjoint.errors.given import described
from adjoint.lab.serve import messages
from adjoint.nn.scalar import ACTIVATIONS
from adjoint.optim import OPTIMIZERS
from adjoint.training.recipes import RECIPES, Recipe

DRAWN = ("xor", "circles", "moons", "spirals", "blobs")  # data sets that are made up; the others are the user's own
DATASETS = (*DRAWN, "points", "csv")
ENGINES = ("scalar", "array")
LOSSES = ("hinge", "binary_cross_entropy_with_logits", "mse")  # for two classes
MANY = "cross_entropy"  # for more

MOST_SAMPLES, MOST_LAYERS, MOST_NEURONS, MOST_CLASSES = 500, 6, 16, 8
MOST_CHANGES, MOST_STEPS = 500, 1_000_000
MOST_PRODUCTS = 250_000  # weight times input, in one step of the scalar engine: each is a Value
FARTHEST = 1e6  # of a coordinate of the user's own data

_SEVERAL = {"blobs": "classes", "spirals": "arms"}  # how the data sets call the number of their classes

Row = tuple[float, float, int]  # a sample: its coordinates, and its class


@dataclass(frozen=True)
class Configuration:
    """All that a training begins with."""

    dataset: str = "moons"
    samples: int = 100
    noise: float = 0.1
    classes: int = 2
    held_out: float = 0.25  # the part of the samples that is kept to test with
    seed: int = 0
    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    loss: str = "hinge"
    optimizer: str = "adam"
    lr: float = 0.01
    l2: float = 0.0
    batch_size: int | None = None  # None for all samples at once
    engine: str = "scalar"
    rows: tuple[Row, ...] = ()  # of the dataset "csv"
    labels: tuple[str, ...] = ()  # what its classes are called in the file
    points: tuple[Row, ...] = ()  # that were added by hand; all of them are to train on

    @classmethod
    def read(cls, message: dict[str, Any]) -> "Configuration":
        """Return the configuration that a message describes.

        >>> Configuration.read({"dataset": "blobs", "lr": 0.1}).loss
        'cross_entropy'
        """
        base = PRESETS[messages.one_of(message, "dataset", DATASETS, "moons")]
        rows = _rows(message, "rows", MOST_CLASSES) if base.dataset == "csv" else ()
        classes = base.classes
        if base.dataset in (*_SEVERAL, "points"):
            classes = messages.whole(message, "classes", 2, MOST_CLASSES, base.classes)
        elif rows:
            classes = max(2, 1 + max(label for _, _, label in rows))
        losses = LOSSES if classes == 2 else (MANY,)
        loss = messages.one_of(message, "loss", (*LOSSES, MANY), base.loss if base.loss in losses else losses[0])
        if loss not in losses:
            raise LabError(f"the loss {loss} does not fit {classes} classes; choose {' or '.join(losses)}")
        labels = [messages.text({"label": x}, "label", 40) for x in messages.items(message, "labels", MOST_CLASSES, [])]
        return cls(
            dataset=base.dataset,
            samples=messages.whole(message, "samples", 4, MOST_SAMPLES, base.samples),
            noise=messages.number(message, "noise", 0, 5, base.noise),
            classes=classes,
            held_out=messages.number(message, "held_out", 0, 0.9, base.held_out),
            seed=messages.whole(message, "seed", 0, 999_999, base.seed),
            hidden=_sizes(message, base.hidden),
            activation=messages.one_of(message, "activation", ACTIVATIONS, base.activation),
            loss=loss,
            optimizer=messages.one_of(message, "optimizer", OPTIMIZERS, base.optimizer),
            lr=rate(message, base.lr),
            l2=decay(message, base.l2),
            batch_size=_batch_size(message, base.batch_size),
            engine=messages.one_of(message, "engine", ENGINES, base.engine),
            rows=rows,
            labels=tuple(labels) if len(labels) == classes else tuple(map(str, range(classes))),
            points=_rows(message, "points", classes),
        ).checked()

    def checked(self) -> "Configuration":
        """Return it, or say what is too much."""
        total = (len(self.rows) if self.dataset == "csv" else self.samples) if self.dataset != "points" else 0
        total += len(self.points)
        if total > MOST_SAMPLES:
            raise LabError(f"there are {total} samples; {MOST_SAMPLES} are the most, those added by hand among them")
        sizes = self.sizes
        each = sum(a * b for a, b in pairwise(sizes))
        batch = min(self.batch_size or total, total)
        if self.engine == "scalar" and batch * each > MOST_PRODUCTS:
            raise LabError(
                f"a step with {batch} samples and {each:,} weights is too much for the scalar engine: take batches of "
                f"at most {MOST_PRODUCTS // each} samples, fewer neurons, or the array engine"
            )
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of all layers, inputs and outputs among them."""
        return (2, *self.hidden, 1 if self.classes == 2 else self.classes)

    @property
    def recipe(self) -> Recipe:
        """The recipe whose network this is."""
        return Recipe(self.dataset, self.hidden, self.activation, self.optimizer, self.lr, wide=False)

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of the data set, without those that were added by hand."""
        if self.dataset not in DRAWN:
            return as_arrays(self.rows if self.dataset == "csv" else ())
        options = {_SEVERAL[self.dataset]: self.classes} if self.dataset in _SEVERAL else {}
        return data.load(self.dataset, n=self.samples, noise=self.noise, seed=self.seed, **options)

    def targets(self, y: np.ndarray) -> np.ndarray:
        """Return classes as the loss takes them: from 0, or as -1 and 1."""
        return 2 * y - 1 if self.loss in ("hinge", "mse") else y

    def as_json(self) -> dict[str, Any]:
        """Return it as a message has it."""
        return asdict(self)


def as_arrays(rows: Iterable[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return samples as coordinates and classes."""
    rows = list(rows)
    X = np.array([row[:2] for row in rows], float).reshape(-1, 2)
    return X, np.array([row[2] for row in rows], np.int64)


# --- fields ------------------------------------------------------------------------------------------------


def rate(message: dict[str, Any], default: float | None) -> Any:
    """Return the learning rate in a message."""
    return messages.number(message, "lr", 1e-9, 1e6, default)


def decay(message: dict[str, Any], default: float | None) -> Any:
    """Return by how much squared weights count in the loss."""
    return messages.number(message, "l2", 0, 10, default)


def point(given: Any, classes: int) -> Row:
    """Return a sample, given as a list of its coordinates and its class.

    >>> point([0.5, -1, 1], classes=2)
    (0.5, -1.0, 1)
    """
    if not isinstance(given, list) or len(given) != 3:
        raise LabError(f"a sample is a list [x1, x2, class], not {described(given)}")
    x1, x2 = (messages.finite(x, name, -FARTHEST, FARTHEST) for x, name in zip(given, ("x1", "x2")))
    return x1, x2, messages.whole({"class": given[2]}, "class", 0, classes - 1)


def _rows(message: dict[str, Any], name: str, classes: int) -> tuple[Row, ...]:
    return tuple(point(given, classes) for given in messages.items(message, name, MOST_SAMPLES, []))


def _sizes(message: dict[str, Any], default: tuple[int, ...]) -> tuple[int, ...]:
    given = messages.items(message, "hidden", MOST_LAYERS, list(default))
    return tuple(messages.whole({"neurons": n}, "neurons", 1, MOST_NEURONS) for n in given)


def _batch_size(message: dict[str, Any], default: int | None) -> int | None:
    if message.get("batch_size", default) is None:
        return None
    return messages.whole(message, "batch_size", 1, MOST_SAMPLES, default)


def read_csv(text: str, name: str) -> dict[str, Any]:
    """Return what a table of two inputs and a class holds, as fields of a configuration.

    >>> read_csv("x1,x2,class\\n0,1,5\\n1,0,7", "points.csv")
    {'rows': [[0.0, 1.0, 0], [1.0, 0.0, 1]], 'labels': ['5', '7']}
    """
    X, y = parse_csv(text, name)
    if X.shape[1] != 2:
        raise LabError(
            f"{name} has {X.shape[1]} columns of inputs; to be drawn in the plane there must be two, x1 and x2"
        )
    if len(X) > MOST_SAMPLES:
        raise LabError(f"{name} has {len(X)} samples; {MOST_SAMPLES} are the most")
    if y.dtype.kind != "i":
        raise LabError(
            f"{name}: the last column has numbers such as {y[y != np.round(y)][0]:g}; classes are whole numbers"
        )
    known, places = np.unique(y, return_inverse=True)
    if not 2 <= len(known) <= MOST_CLASSES:
        raise LabError(f"{name} has {len(known)} class{'es' * (len(known) != 1)}; there may be 2 to {MOST_CLASSES}")
    rows = [[x1, x2, label] for (x1, x2), label in zip(X.tolist(), places.tolist())]
    return {"rows": rows, "labels": [str(label) for label in known.tolist()]}


# --- what is there at the beginning ------------------------------------------------------------------------


def _preset(name: str, **changes: Any) -> Configuration:
    """Return a training that works, from the recipe for such data."""
    recipe = RECIPES.get(name, Recipe(name, (8, 8), "tanh", lr=0.03))
    made = Configuration(
        dataset=name,
        noise=_noise(name),
        hidden=recipe.hidden,
        activation=recipe.activation,
        optimizer=recipe.optimizer,
        lr=recipe.lr,
        l2=recipe.l2,
    )
    made = replace(made, **changes)
    return replace(made, labels=tuple(map(str, range(made.classes))))


def _noise(name: str) -> float:
    return inspect.signature(data.DATASETS[name]).parameters["noise"].default if name in DRAWN else 0.0


PRESETS = {
    preset.dataset: preset
    for preset in (
        _preset("xor", samples=4, held_out=0.0, hidden=(4,), lr=0.05),
        _preset("circles", hidden=(8,), activation="tanh", lr=0.05, batch_size=16),
        _preset("moons", hidden=(16, 16), lr=0.01, batch_size=16),
        _preset("spirals", samples=200, hidden=(16, 16), activation="tanh", lr=0.01, batch_size=16),
        _preset("blobs", samples=150, classes=3, hidden=(8,), lr=0.02, batch_size=16, loss=MANY),
        _preset("points", held_out=0.0),
        _preset("csv", batch_size=16),
    )
}


# --- what is changed while it runs -------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """Something that was changed after so many steps: the rate, the decay, a point added or the last one taken back."""

    step: int
    lr: float | None = None
    l2: float | None = None
    add: Row | None = None
    undo: bool = False

    @classmethod
    def read(cls, message: Any, classes: int) -> "Change":
        """Return the change that an object in a message describes.

        >>> Change.read({"step": 10, "lr": 0.1}, classes=2)
        Change(step=10, lr=0.1, l2=None, add=None, undo=False)
        """
        if not isinstance(message, dict):
            raise LabError(f"a change is an object with a step, not {described(message)}")
        return cls(
            messages.whole(message, "step", 0, MOST_STEPS),
            rate(message, None),
            decay(message, None),
            point(message["add"], classes) if message.get("add") is not None else None,
            messages.flag(message, "undo", False),
        )

    def applied(self, configuration: Configuration) -> Configuration:
        """Return a configuration that begins with what this changes."""
        points = configuration.points
        if self.undo:
            if not points:
                raise LabError("there is no added point to take back")
            points = points[:-1]
        if self.add is not None:
            points = (*points, self.add)
        lr = configuration.lr if self.lr is None else self.lr
        l2 = configuration.l2 if self.l2 is None else self.l2
        return replace(configuration, points=points, lr=lr, l2=l2).checked()

    def as_json(self) -> dict[str, Any]:
        """Return it as a message has it: the step, and what is changed."""
        return {name: x for name, x in asdict(self).items() if x is not None and x is not False}


def read_changes(message: dict[str, Any], classes: int) -> list[Change]:
    """Return the changes in a message, each after those before it."""
    found = [Change.read(given, classes) for given in messages.items(message, "changes", MOST_CHANGES, [])]
    if any(a.step > b.step for a, b in pairwise(found)):
        raise LabError("changes are listed in the order of their steps")
    return found
