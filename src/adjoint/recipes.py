"""Recipes: for each kind of data, a network and a way to train it that work. What `adjoint train` cooks.

    recipe = recipe_for("moons", epochs=50)
    X, y = recipe.data(seed=1)
    model = recipe.model(X, y, engine="array", seed=1)
    history = recipe.fit(model, X, y)

All engines begin with the same weights, so that their losses are the same.
"""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from adjoint import data as datasets
from adjoint import nn, optim
from adjoint.data.files import SUFFIXES
from adjoint.errors import ArgumentError, DataError
from adjoint.floats import described, is_number, whole
from adjoint.history import History
from adjoint.modes import no_grad
from adjoint.nn.scalar import ACTIVATIONS
from adjoint.objectives import plain
from adjoint.suggestions import unknown
from adjoint.train import fit

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
    options: dict[str, Any] = field(default_factory=dict)  # of the data

    def data(self, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs and targets."""
        if self.name in datasets.DATASETS:
            seeded = {"seed": seed} if self.name != "digits" else {}
            return datasets.load(self.name, **self.options, **seeded)
        return datasets.load(self.name)

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
        return fit(
            model,
            (X, 2 * y - 1 if task == "sides" else y),
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
        Recipe("moons", optimizer="sgd", lr=1.0, falls_to=0.1, l2=1e-4),
        Recipe("circles", optimizer="sgd", lr=1.0, falls_to=0.1, l2=1e-4),
        Recipe("blobs", (16,), epochs=60),
        Recipe("spirals", (64, 64), lr=0.01, falls_to=0.1, epochs=200, batch_size=64, wide=False),
        Recipe("digits", (128, 64), lr=2e-3, falls_to=0.1, epochs=30, batch_size=64, wide=False),
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
        found = Recipe(str(name), (32, 32), lr=0.01, falls_to=0.1, epochs=100, batch_size=32, wide=False, scaled=True)
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
    """Inputs brought to mean 0 and spread 1, by what they were in training."""

    def __init__(self, mean: Iterable[float], spread: Iterable[float]):
        self.mean, self.spread = [float(x) for x in mean], [float(x) for x in spread]

    @classmethod
    def of(cls, X: np.ndarray) -> "Scale":
        spread = X.std(0)
        return cls(X.mean(0), np.where(spread > 0, spread, 1.0))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return (X - self.mean) / self.spread


def predictions(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the outputs of a network of either kind, a row for each sample."""
    with no_grad():
        if isinstance(model, nn.MLP):
            outputs = plain([model(row) for row in X.tolist()])
        else:
            outputs = model(X).numpy()
    return np.asarray(outputs, float).reshape(len(X), -1)


def about(recipe: Recipe, task: str, scale: Scale | None) -> dict[str, Any]:
    """Return what a checkpoint needs to say, so that its model can be used: see `Predictor`."""
    return {"recipe": asdict(recipe), "task": task, "scale": [scale.mean, scale.spread] if scale else None}


class Predictor:
    """A trained network together with what its outputs mean."""

    def __init__(self, model: Any, about: dict[str, Any]):
        self.model, self.task = model, about["task"]
        self.scale: Callable = Scale(*about["scale"]) if about["scale"] else np.asarray
        self.name = about["recipe"]["name"]
        first = next(iter(model.parameters()))
        self.inputs = len(model.layers[0].neurons[0].w) if isinstance(model, nn.MLP) else first.shape[1]

    def __call__(self, x: Sequence[float]) -> dict[str, Any]:
        """Return what the network says of one sample: a number, or a class and how sure it is of each."""
        if len(x) != self.inputs:
            raise ArgumentError(f"this network takes {self.inputs} numbers, not {len(x)}")
        scores = predictions(self.model, self.scale(np.asarray([x], float)))[0]
        if self.task == "numbers":
            return {"prediction": float(scores[0])}
        if self.task == "sides":
            return {"class": int(scores[0] > 0), "score": float(scores[0])}
        e = np.exp(scores - scores.max())
        shares = e / e.sum()
        return {"class": int(shares.argmax()), "probabilities": [float(share) for share in shares]}
