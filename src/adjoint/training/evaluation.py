"""How good a model is on data that it is not trained on: in evaluation mode, and with nothing recorded."""

from collections.abc import Callable
from typing import Any

from adjoint.data.loading import DataLoader
from adjoint.training.ingredients import loader_to_judge, parameters_to_train
from adjoint.training.objectives import Metric, Objective, evaluating, metrics_of
from adjoint.training.steps import CompiledPass, EagerPass


def evaluate(
    model: Any,
    data: Any,
    *,
    loss: str | Callable[[Any, Any], Any],
    metrics: Any = (),
    batch_size: int | None = None,
    jit: bool = False,
) -> dict[str, float]:
    """Return the loss and the metrics of a model on data, `(X, y)` or a `DataLoader`; see `fit` for what they may be.

    >>> from adjoint import data, nn
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> numbers = evaluate(model, data.blobs(90, classes=3), loss="cross_entropy", metrics="accuracy")
    >>> list(numbers)
    ['loss', 'accuracy']
    """
    objective = Objective(model, loss, 0.0, parameters_to_train(model))
    loader = loader_to_judge(data, batch_size)
    evaluation = Evaluation(objective, metrics_of(metrics, objective.name, loader), loader, jit)
    return evaluation()


class Evaluation:
    """The loss and the metrics of a model on some data, whenever it is called."""

    def __init__(self, objective: Objective, metrics: list[Metric], loader: DataLoader, jit: bool):
        objective.require_targets(loader)
        objective.require_labels(loader)
        self.model, self.loader = objective.model, loader
        self.pass_ = (CompiledPass if jit else EagerPass)(objective, metrics)

    def __call__(self) -> dict[str, float]:
        self.pass_.reset()
        with evaluating(self.model):
            for x, y in self.loader:
                self.pass_(x, y)
        return self.pass_.means()
