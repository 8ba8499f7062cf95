"""Evaluation of a model on data: in evaluation mode, and without recording a graph."""

from collections.abc import Callable
from typing import Any, Never

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.compile.sharing import compile_shared
from adjoint.engine.modes import no_grad, precision_name
from adjoint.files.processes import Processes
from adjoint.nn.descriptions import describe_model
from adjoint.nn.modes import evaluation_mode
from adjoint.nn.scalar import MLP
from adjoint.training.array_steps import CompiledPass
from adjoint.training.ingredients import evaluation_source, pair_of, parameters_to_train
from adjoint.training.joint_batches import taken_together
from adjoint.training.measurements import metrics_of
from adjoint.training.metric import Metric
from adjoint.training.objectives import Model, Objective, plain
from adjoint.training.scalar_steps import ScalarPass
from adjoint.training.sources import Source
from adjoint.training.steps import EagerPass
from adjoint.training.words import refuse_unknown


def evaluate(
    model: Model,
    data: Any,
    y: Any = None,
    *,
    loss: str | Callable[[Any, Any], Any],
    metrics: Any = (),
    batch_size: int | None = None,
    jit: bool = False,
    precision: str = "float32",
    **words: Never,
) -> dict[str, float]:
    """Return the loss and the metrics of a model on data: `X, y`, a `DataLoader` or batches; see `fit`.

    >>> from adjoint import data, evaluate, nn
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> numbers = evaluate(model, data.blobs(90, classes=3), loss="cross_entropy", metrics="accuracy")
    >>> list(numbers)
    ['loss', 'accuracy']
    """
    refuse_unknown(words, evaluate)
    objective = Objective(model, loss, 0.0, parameters_to_train(model), precision=precision_name(precision))
    objective.require_compiled(jit, devices=None)
    source = evaluation_source(pair_of(data, y, "evaluate"), batch_size)
    judged = metrics_of(metrics, objective.name, source)
    objective.require_predictions(judged)
    return Evaluation(objective, judged, source, jit)()


class Evaluation:
    """Computes the loss and the metrics of a model on some data whenever it is called."""

    def __init__(
        self,
        objective: Objective,
        metrics: list[Metric],
        source: Source,
        jit: bool,
        compile: Callable[..., Any] = compile_shared,
    ):
        objective.require_targets(source)
        objective.require_outputs(source)
        self.model, self.source = objective.model, source
        self.pass_: EagerPass | CompiledPass
        if jit and not objective.is_scalar:
            self.pass_ = CompiledPass(objective, metrics, compile)
        else:
            self.pass_ = (ScalarPass if jit else EagerPass)(objective, metrics)

    def __call__(self, processes: Processes | None = None) -> dict[str, float]:
        """Return the numbers. The given processes evaluate together."""
        self.pass_.reset()
        source = self.source if processes is None else taken_together(self.source, processes, "validation")
        with evaluation_mode(self.model):
            for batch in source:
                self.pass_(*batch)
        return self.pass_.results()


def as_batch_model(model: Model) -> Model | None:
    """Return a model that takes all samples at once: the model itself, or a scalar MLP on arrays; None for others."""
    if (
        isinstance(model, MLP) and describe_model(model) is not None
    ):  # its activations are adjoint's, so they accept arrays
        return model.to_arrays()
    return model if any(isinstance(p, Tensor) for p in model.parameters()) else None


def scores_of(model: Model, X: np.ndarray) -> np.ndarray:
    """Return the outputs of an array network or a scalar network, one row per sample."""
    arrays = as_batch_model(model)
    with evaluation_mode(model), no_grad():
        if arrays is None:
            scores = plain([model(row) for row in X.tolist()])
        else:
            dtype = next(p.dtype for p in arrays.parameters() if isinstance(p, Tensor))
            scores = np.asarray(arrays(X.astype(dtype)).numpy(), float)
    return scores.reshape(len(X), -1)
