"""Recipe: a network for a data set, and how it is trained."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjoint import data as datasets, nn
from adjoint.errors import DataError
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.module import Module
from adjoint.training.history import History
from adjoint.training.loop import fit

ENGINES = ("scalar", "array", "jit")


@dataclass(frozen=True)
class Recipe:
    """A network for a data set, and how it is trained."""

    name: str
    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    optimizer: str = "adam"
    lr: float = 0.01
    falls_to: float = 1.0  # the learning rate falls linearly to this fraction
    epochs: int = 100
    batch_size: int | None = None  # None for all samples at once
    l2: float = 0.0
    wide: bool = True  # weights between -1 and 1, as in the tutorials; False scales them by the inputs, as in PyTorch
    scaled: bool = False  # inputs are scaled to mean 0 and standard deviation 1
    held_out: float = 0.0  # the fraction of the samples used for validation

    def data(self, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs and targets."""
        is_drawn = self.name in datasets.DATASETS and self.name != "digits"
        return datasets.load(self.name, **({"seed": seed} if is_drawn else {}))

    def model(self, X: np.ndarray, y: np.ndarray, engine: str = "array", seed: int = 0) -> nn.MLP | nn.Sequential:
        """Return a network for the data: of scalar Values, or of arrays with the same weights."""
        if engine not in ENGINES:
            raise unknown_name_error("engine", engine, ENGINES)
        network = self.scalar_model(X, y, seed)
        return network if engine == "scalar" else network.to_arrays()

    def scalar_model(self, X: np.ndarray, y: np.ndarray, seed: int = 0) -> nn.MLP:
        """Return a network of scalar Values for the data."""
        outputs = 1 if task_of(y) != "classes" else int(y.max()) + 1
        network = nn.MLP(X.shape[1], [*self.hidden, outputs], self.activation, "linear", seed=seed)
        if not self.wide:
            for layer in network.layers:
                bound = 1 / math.sqrt(len(layer.neurons[0].w))
                for p in layer.parameters():
                    p.data *= bound
        return network

    def fit(
        self, model: Module, X: np.ndarray, y: np.ndarray, engine: str = "array", seed: int = 0, **options: Any
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


def task_of(y: np.ndarray) -> str:
    """Return the kind of problem: "sides" for two classes, "classes" for more, or "numbers" for regression."""
    if y.dtype.kind != "i":
        return "numbers"
    if y.min() < 0:
        raise DataError(f"classes must be integers from 0, but the targets contain {y.min()}")
    return "sides" if y.max() <= 1 else "classes"
