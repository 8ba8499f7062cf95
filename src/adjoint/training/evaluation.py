"""Evaluation of a model on data: in evaluation mode, and without recording a graph."""

from collections.abc import Callable
from typing import Any, Never

from adjoint.errors.suggest import refuse_unknown
from adjoint.files.joint_saves import Processes
from adjoint.nn.training_modes import evaluation_mode
from adjoint.training.batch_sources import BatchSource
from adjoint.training.ingredients import evaluation_source, pair_of, parameters_to_train
from adjoint.training.joint_batches import taken_together
from adjoint.training.measurements import metrics_of
from adjoint.training.metric import Metric
from adjoint.training.objectives import Model, Objective
from adjoint.training.passes import Execution


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
    execution = Execution(jit, precision)
    objective = Objective(model, loss, 0.0, parameters_to_train(model), precision=execution.precision)
    execution.require_possible(objective)
    source = evaluation_source(pair_of(data, y, "evaluate"), batch_size)
    found = metrics_of(metrics, objective.name, source)
    objective.require_predictions(found)
    return Evaluation(objective, found, source, execution)()


class Evaluation:
    """Computes the loss and the metrics of a model on some data whenever it is called."""

    def __init__(self, objective: Objective, metrics: list[Metric], source: BatchSource, execution: Execution):
        objective.require_targets(source)
        objective.require_outputs(source)
        self.model, self.source = objective.model, source
        self.pass_ = execution.pass_of(objective, metrics)

    def __call__(self, processes: Processes | None = None) -> dict[str, float]:
        """Return the numbers. The given processes evaluate together."""
        self.pass_.reset()
        source = self.source if processes is None else taken_together(self.source, processes, "validation")
        with evaluation_mode(self.model):
            for batch in source:
                self.pass_(*batch)
        return self.pass_.results()
