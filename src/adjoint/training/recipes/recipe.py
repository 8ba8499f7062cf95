"""Recipe: a network for a data set, and how it is trained."""

import itertools
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjoint import data as datasets, nn
from adjoint.errors import ArgumentError, DataError
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    import numpy as np

    from adjoint.nn.module import Module
    from adjoint.training.history import History

TOKEN_SUFFIXES = (".bin", ".npy")
TEXT_SUFFIXES = (".txt", ".md")
ENGINES = ("scalar", "array", "jit")
FEW_CLASSES = 10  # integers up to this many are always taken for classes
MOST_WEIGHTS = 10_000_000  # of a network that is made of scalar Values first


def is_text(name: str) -> bool:
    """Return whether data are a text or a file of tokens, which only language models use."""
    return os.path.splitext(name)[1].lower() in (*TOKEN_SUFFIXES, *TEXT_SUFFIXES)


@dataclass(frozen=True)
class Recipe:
    """A network for a data set, and how it is trained.

    >>> from adjoint.training import RECIPES
    >>> RECIPES["moons"].hidden
    (16, 16)
    """

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
    output: str = "linear"  # the activation of the output
    targets: str | None = None  # "classes" or "numbers"; None decides by the targets of a file
    header: bool | None = None  # whether the first line of a table has names; None decides by its content

    def data(self, seed: int = 0) -> "tuple[np.ndarray, np.ndarray]":
        """Return the inputs and targets."""
        is_drawn = self.name in datasets.DATASETS and self.name != "digits"
        options = {"seed": seed} if is_drawn else {} if self.header is None else {"header": self.header}
        X, y = datasets.load(self.name, **options)
        if X.ndim != 2 or y.ndim != 1:
            raise DataError(
                f"{self.name}: X has shape {X.shape} and y {y.shape}; a table of samples and inputs is needed, and one "
                "target for each sample: reshape X to (samples, inputs)"
            )
        return X, _as_targets(y, self.targets)

    def model(self, X: "np.ndarray", y: "np.ndarray", engine: str = "array", seed: int = 0) -> "nn.MLP | nn.Sequential":
        """Return a network for the data: of scalar Values, or of arrays with the same weights."""
        if engine not in ENGINES:
            raise unknown_name_error("engine", engine, ENGINES)
        network = self.scalar_model(X, y, seed)
        return network if engine == "scalar" else network.to_arrays()

    def scalar_model(self, X: "np.ndarray", y: "np.ndarray", seed: int = 0) -> nn.MLP:
        """Return a network of scalar Values for the data."""
        return self.network(X.shape[1], 1 if task_of(y) != "classes" else int(y.max()) + 1, seed)

    def network(self, inputs: int, outputs: int, seed: int = 0) -> nn.MLP:
        """Return a network of scalar Values with some inputs and outputs."""
        sizes = [inputs, *self.hidden, outputs]
        weights = sum((inputs + 1) * outputs for inputs, outputs in itertools.pairwise(sizes))
        if weights > MOST_WEIGHTS:
            shown = "-".join(map(str, sizes)) if max(sizes) < 10**12 else "of this size"
            raise ArgumentError(
                f"a network {shown} has more than {MOST_WEIGHTS:,} weights, the most that a recipe trains; use smaller "
                "layers, or build the network with adjoint.nn and train it with adjoint.fit"
            )
        network = nn.MLP(inputs, [*self.hidden, outputs], self.activation, self.output, seed=seed)
        if not self.wide:
            for layer in network.layers:
                bound = 1 / math.sqrt(len(layer.neurons[0].w))
                for p in layer.parameters():
                    p.data *= bound
        return network

    def fit(
        self, model: "Module", X: "np.ndarray", y: "np.ndarray", engine: str = "array", seed: int = 0, **options: Any
    ) -> "History":
        """Train a network; `options` are those of `adjoint.fit`. Scalar networks are compiled unless `jit` is False."""
        from adjoint.training.loop import fit  # needs NumPy, which the networks of recipes do not

        options.setdefault("jit", engine != "array")
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
            seed=seed,
            **options,
        )


def _as_targets(y: "np.ndarray", asked: str | None) -> "np.ndarray":
    """Return integers as classes or as numbers to predict: as it was asked, or by how many there are.

    Integers are classes if there are at most `FEW_CLASSES`, or if there are five samples for each on average. House
    prices are not.
    """
    is_integer = y.dtype.kind == "i"
    if asked == "classes" and not is_integer:
        raise DataError("the targets are not integers, so they cannot be classes; train without --classes")
    if asked == "numbers":
        return y.astype(float)
    if asked is None and is_integer:
        classes = int(y.max()) + 1
        if y.min() < 0 or classes > max(FEW_CLASSES, len(y) // 5):
            return y.astype(float)
    return y


def task_of(y: "np.ndarray") -> str:
    """Return the kind of problem: "sides" for two classes, "classes" for more, or "numbers" for regression."""
    if y.dtype.kind != "i":
        return "numbers"
    if y.min() < 0:
        raise DataError(f"classes must be integers from 0, but the targets contain {y.min()}")
    return "sides" if y.max() <= 1 else "classes"
