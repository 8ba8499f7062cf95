"""Explain a loss that diverges: how it grew, or the operation that produced a number that is not finite."""

import math
from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.modes import detect_anomaly
from adjoint.engine.value import Value
from adjoint.errors import AnomalyError, DivergingLossWarning, NotFiniteLossWarning
from adjoint.errors.guard_warnings import warn
from adjoint.training.eager_steps import NotFinite
from adjoint.training.history import History
from adjoint.training.objectives import Objective, names_of

if TYPE_CHECKING:
    from adjoint.training.batch_sources import BatchSource


def warn_of_divergence(
    found: NotFinite,
    objective: Objective,
    source: "BatchSource | None",
    epoch: int,
    rate: float,
    state: str,
) -> None:
    """Warn that training ends: at which step the loss was not finite, and which operation produced it.

    `state` says which weights the model has now.

    >>> from adjoint import nn
    >>> from adjoint.errors import collect_warnings
    >>> from adjoint.training import NotFinite, Objective, warn_of_divergence
    >>> model = nn.MLP(2, [1], seed=0)
    >>> objective = Objective(model, "mse", 0.0, model.parameters())
    >>> with collect_warnings() as collected:
    ...     warn_of_divergence(NotFinite(float("inf"), 3), objective, None, 1, 0.1, "the weights of this step")
    >>> str(collected[0])[:40]
    'the loss became inf in epoch 1, step 3: '
    """
    broken = _broken_parameters(objective)
    if broken:
        more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
        where = f"these weights were no longer finite: {', '.join(broken[:3])}{more}"
    else:
        batch = found.batch if found.batch is not None or source is None else source.batch_at(found.step)
        where = "train without jit to see the operation" if batch is None else _operation(objective, *batch)
    warn(
        "not_finite_loss",
        NotFiniteLossWarning,
        f"the loss became {found.loss} in epoch {epoch}, step {found.step}: {where}. Training ends; the model has "
        f"{state}. {_advice(objective, source, rate)} adjoint.why(parameter, loss) follows a gradient to its cause.",
    )


def warn_of_growth(history: History, objective: Objective, source: "BatchSource", rate: float, state: str) -> None:
    """Warn that training ends, because the loss of an epoch is so large."""
    first, last = history["loss"][0], history["loss"][-1]
    warn(
        "diverging_loss",
        DivergingLossWarning,
        f"the loss grew from {first:.3g} in epoch 1 to {last:.3g} in epoch {history.epochs}. Training ends; the model "
        f"has {state}. {_advice(objective, source, rate)}",
    )


def _advice(objective: Objective, source: "BatchSource | None", rate: float) -> str:
    """Return what to try: scale inputs that are large, else lower the learning rate."""
    if source is not None:
        from adjoint.training.input_scale import describe_scale

        scale = describe_scale(source, objective.model)
        if scale:
            return scale[0].upper() + scale[1:]
    return f"The learning rate is often too high (lr={rate:g}): try a tenth of it, or clip_norm=1.0."


def _operation(objective: Objective, x: Any, y: Any, share: Any = None) -> str:
    """Run the step again, and return the message of anomaly detection."""
    try:
        with detect_anomaly():
            loss, _ = objective(x, y, share)
            loss.backward()
    except AnomalyError as error:
        return str(error)
    return "when the step is repeated, the loss is finite"


def _broken_parameters(objective: Objective) -> list[str]:
    named = names_of(objective.model, objective.parameters)
    return [name for name, p in named if not _is_finite(p)]


def _is_finite(p: Value) -> bool:
    if not is_tensor(p):
        return math.isfinite(p.data)
    import numpy as np

    return bool(np.isfinite(p.numpy()).all())
