"""Recipes: for each kind of data, a network and a way to train it that work. What `adjoint train` cooks.

    recipe = recipe_for("moons", epochs=50)
    X, y = recipe.data(seed=1)
    model = recipe.model(X, y, engine="array", seed=1)
    history = recipe.fit(model, X, y)

All engines begin with the same weights, so that their losses are the same.
"""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adjoint import data as datasets, nn, optim
from adjoint.data.files import SUFFIXES
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import described, is_number, whole
from adjoint.errors.suggest import unknown
from adjoint.nn.scalar import ACTIVATIONS
from adjoint.training.history import History
from adjoint.training.loop import fit
from adjoint.training.objectives import plain

ENGINES = ("scalar", "array", "jit")


@dataclass(frozen=True)
class Recipe:
    """A network for some data, and how it is trained."""

    name: str
    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    optimizer: str = "adam"
    lr: float = 0.01
    falls_to: float = 1.0  # the part of the rate that is left at the end: it falls in a line
    epochs: int = 100
    batch_size: int | None = None  # None for all samples at once
    l2: float = 0.0
    wide: bool = (
        True  # weights between -1 and 1, as the tutorials draw them; else smaller for more inputs, as PyTorch does
    )
    scaled: bool = False  # inputs are brought to mean 0 and spread 1
    held_out: float = 0.0  # the part of the samples that is kept to judge by

    def data(self, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs and targets."""
        is_drawn = self.name in datasets.DATASETS and self.name != "digits"
        return datasets.load(self.name, **({"seed": seed} if is_drawn else {}))

    def model(self, X: np.ndarray, y: np.ndarray, engine: str = "array", seed: int = 0) -> Any:
        """Return a network for such data: of single Values, or of arrays with the same weights."""
        if engine not in ENGINES:
            raise unknown("engine", engine, ENGINES)
        outputs = 1 if task_of(y) != "classes" else int(y.max()) + 1
        network = nn.MLP(X.shape[1], [*self.hidden, outputs], self.activation, "linear", seed=seed)
        if not self.wide:
            for layer in network.layers:
                bound = 1 / math.sqrt(len(layer.neurons[0].w))
                for p in layer.parameters():
                    p.data *= bound
        return network if engine == "scalar" else network.to_arrays()

    def fit(
        self, model: Any, X: np.ndarray, y: np.ndarray, engine: str = "array", seed: int = 0, **options: Any
    ) -> History:
        """Train a network; `options` are those of `adjoint.fit`."""
        task = task_of(y)
        falls = self.falls_to - 1
        y = 2 * y - 1 if task == "sides" else y
        if self.held_out:
            X, held_out, y, targets = datasets.train_test_split(X, y, test_size=self.held_out, seed=seed)
            options["validation"] = held_out, targets
        return fit(
            model,
            (X, y),
            loss={"sides": "hinge", "classes": "cross_entropy", "numbers": "mse"}[task],
            metrics=() if task == "numbers" else "accuracy",
            optimizer=self.optimizer,
            lr=self.lr,
            schedule=(lambda done: 1 + falls * done) if falls else None,
            epochs=self.epochs,
            batch_size=self.batch_size,
            l2=self.l2,
            jit=engine == "jit",
            seed=seed,
            **options,
        )


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("xor", (4, 4), "tanh", lr=0.05, epochs=200),
        Recipe("moons", lr=0.1, falls_to=0.1, l2=1e-4),
        Recipe("circles", lr=0.1, falls_to=0.1, l2=1e-4),
        Recipe("blobs", (16,), epochs=60),
        Recipe("spirals", (64, 64), lr=0.01, falls_to=0.1, epochs=200, batch_size=64, wide=False),
        Recipe("digits", (128, 64), lr=2e-3, falls_to=0.1, epochs=30, batch_size=64, wide=False, held_out=0.2),
    )
}


def recipe_for(name: str | os.PathLike, **changes: Any) -> Recipe:
    """Return the recipe for data of that name or in a file, with some of it changed; None leaves things as they are.

    >>> recipe_for("moons", epochs=5).epochs
    5
    """
    found = RECIPES.get(str(name))
    if found is None:
        if os.path.splitext(name)[1].lower() not in SUFFIXES:
            known = [*datasets.DATASETS]
            raise unknown("data", str(name), known, "; or a .csv or .npz file")
        found = Recipe(str(name), (32, 32), falls_to=0.1, batch_size=32, wide=False, scaled=True, held_out=0.2)
    changed = replace(found, **{key: x for key, x in changes.items() if x is not None})
    whole(changed.epochs, "epochs")
    if not is_number(changed.lr) or not 0 < changed.lr < math.inf:
        raise ArgumentError(f"the learning rate must be a number above 0, not {described(changed.lr)}")
    if changed.activation not in ACTIVATIONS:
        raise unknown("activation", changed.activation, ACTIVATIONS)
    if changed.optimizer not in optim.OPTIMIZERS:
        raise unknown("optimiser", changed.optimizer, optim.OPTIMIZERS)
    for size in changed.hidden:
        whole(size, "the size of a hidden layer")
    return changed


def task_of(y: np.ndarray) -> str:
    """Return what is to be learned: on which of two "sides" a point is, one of several "classes", or "numbers"."""
    if y.dtype.kind != "i":
        return "numbers"
    if y.min() < 0:
        raise DataError(f"classes are whole numbers from 0; there is {y.min()} among the targets")
    return "sides" if y.max() <= 1 else "classes"


class Scale:
    """Numbers brought to mean 0 and spread 1, column by column, by what they were in training; and back."""

    def __init__(self, mean: Iterable[float], spread: Iterable[float]):
        self.mean, self.spread = [float(x) for x in mean], [float(x) for x in spread]

    @classmethod
    def of(cls, X: np.ndarray) -> "Scale":
        """Return the scale of the columns of a table; one that is constant stays as wide as it is."""
        spread = X.std(0)
        return cls(X.mean(0), np.where(spread > 0, spread, 1.0))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return (X - self.mean) / self.spread

    def back(self, X: np.ndarray) -> np.ndarray:
        """Return numbers as they were before."""
        return X * self.spread + self.mean


class Preparation:
    """What is done to data before training, and must be done to inputs and outputs ever after."""

    def __init__(self, task: str, inputs: Scale | None, targets: Scale | None):
        self.task, self.inputs, self.targets = task, inputs, targets

    @classmethod
    def of(cls, recipe: Recipe, X: np.ndarray, y: np.ndarray) -> "Preparation":
        """Return the preparation of data: of all that is scaled, inputs, and targets if they are numbers."""
        task = task_of(y)
        if not recipe.scaled:
            return cls(task, None, None)
        return cls(task, Scale.of(X), Scale.of(y[:, None]) if task == "numbers" else None)

    def __call__(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.inputs(X) if self.inputs else X, self.targets(y[:, None])[:, 0] if self.targets else y

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, for a checkpoint."""
        scales = {"inputs": self.inputs, "targets": self.targets}
        return {"task": self.task} | {name: s and [s.mean, s.spread] for name, s in scales.items()}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Preparation":
        """Return what `to_json` wrote."""
        return cls(plain["task"], *(plain[name] and Scale(*plain[name]) for name in ("inputs", "targets")))


def predictions(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the outputs of a network of either kind, a row for each sample."""
    with no_grad():
        if isinstance(model, nn.MLP):
            outputs = plain([model(row) for row in X.tolist()])
        else:
            outputs = model(X).numpy()
    return np.asarray(outputs, float).reshape(len(X), -1)


def notes(recipe: Recipe, preparation: Preparation) -> dict[str, Any]:
    """Return what a checkpoint needs to say, so that its model can be used: see `Predictor`."""
    return {"recipe": asdict(recipe), "preparation": preparation.to_json()}


class Predictor:
    """A trained network together with what its inputs and outputs mean."""

    def __init__(self, model: Any, notes: dict[str, Any]):
        self.model, self.preparation = model, Preparation.from_json(notes["preparation"])
        first = next(iter(model.parameters()))
        self.inputs = len(model.layers[0].neurons[0].w) if isinstance(model, nn.MLP) else first.shape[1]

    def __call__(self, x: Sequence[float]) -> dict[str, Any]:
        """Return what the network says of one sample: a number, or a class and how sure it is of each."""
        if len(x) != self.inputs:
            raise ArgumentError(f"this network takes {self.inputs} numbers, not {len(x)}")
        given = self.preparation
        sample = np.asarray([x], float)
        scores = predictions(self.model, given.inputs(sample) if given.inputs else sample)
        if given.task == "numbers":
            return {"prediction": float((given.targets.back(scores) if given.targets else scores)[0, 0])}
        if given.task == "sides":
            return {"class": int(scores[0, 0] > 0), "score": float(scores[0, 0])}
        e = np.exp(scores[0] - scores[0].max())
        shares = e / e.sum()
        return {"class": int(shares.argmax()), "probabilities": [float(share) for share in shares]}
