"""Scaling of data before training, and predictions of a trained network that undo it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adjoint import data, nn
from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code
from adjoint.errors import ArgumentError, DataError
from adjoint.nn.module import Module
from adjoint.training.recipes.recipe import Recipe, task_of

if TYPE_CHECKING:
    import numpy as np


class Preparation:
    """The scaling of inputs and targets before training, which predictions must apply and undo."""

    def __init__(self, task: str, inputs: "data.Scale | None", targets: "data.Scale | None"):
        self.task, self.inputs, self.targets = task, inputs, targets

    @classmethod
    def of(cls, recipe: Recipe, X: "np.ndarray", y: "np.ndarray") -> "Preparation":
        """Return the preparation of a data set: inputs are scaled, and so are targets that are numbers."""
        task = task_of(y)
        if not recipe.scaled:
            return cls(task, None, None)
        return cls(task, data.Scale.of(X), data.Scale.of(y[:, None]) if task == "numbers" else None)

    def __call__(self, X: "np.ndarray", y: "np.ndarray") -> "tuple[np.ndarray, np.ndarray]":
        return self.inputs(X) if self.inputs else X, self.targets(y[:, None])[:, 0] if self.targets else y

    def to_json(self) -> dict[str, Any]:
        """Return the preparation as JSON, for a checkpoint."""
        scales = {"inputs": self.inputs, "targets": self.targets}
        return {"task": self.task} | {name: s and [s.mean, s.spread] for name, s in scales.items()}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Preparation":
        """Return the preparation that `to_json` wrote."""
        return cls(plain["task"], *(plain[name] and data.Scale(*plain[name]) for name in ("inputs", "targets")))


def notes(recipe: Recipe, preparation: Preparation) -> dict[str, Any]:
    """Return the entries of a checkpoint that `Predictor` needs."""
    return {"recipe": asdict(recipe), "preparation": preparation.to_json()}


class Predictor:
    """A trained network together with the preparation of its inputs and outputs."""

    def __init__(self, model: Module, notes: dict[str, Any]):
        self.model, self.preparation = model, Preparation.from_json(notes["preparation"])
        first = model.parameters()[0]
        self.inputs = len(model.layers[0].neurons[0].w) if isinstance(model, nn.MLP) else shape_of(first)[1]

    def __call__(self, x: Sequence[float]) -> dict[str, Any]:
        """Return the prediction for one sample: a number, or a class with its score or probabilities."""
        if len(x) != self.inputs:
            raise ArgumentError(f"this network needs {self.inputs} inputs, not {len(x)}")
        import numpy as np

        from adjoint.training.scores import scores_of

        given = self.preparation
        sample = np.asarray([x], float)
        scores = scores_of(self.model, given.inputs(sample) if given.inputs else sample)
        if not np.isfinite(scores).all():
            raise DataError(
                f"the output of the network for the inputs {sample[0].tolist()} is {scores[0].tolist()}, which is no "
                "prediction; use inputs near those that it was trained on, or train it again if all outputs are so"
            )
        if given.task == "numbers":
            return {"prediction": float((given.targets.back(scores) if given.targets else scores)[0, 0])}
        if given.task == "sides":
            return {"class": int(scores[0, 0] > 0), "score": float(scores[0, 0])}
        shares = np.asarray(array_code("functions.reductions").softmax(scores[0]))
        return {"class": int(shares.argmax()), "probabilities": [float(share) for share in shares]}
