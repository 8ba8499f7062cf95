"""Explain a loss that is not finite: the operation that produced it, and what to try."""

import math
from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.modes import detect_anomaly
from adjoint.engine.value import Value
from adjoint.errors import AnomalyError, NotFiniteLossWarning
from adjoint.errors.guard_warnings import warn
from adjoint.training.objectives import Objective, names_of
from adjoint.training.steps import NotFinite

if TYPE_CHECKING:
    from adjoint.training.sources import Source


def warn_of_divergence(
    found: NotFinite,
    objective: Objective,
    source: "Source | None",
    epoch: int,
    rate: float,
    state: str,
) -> None:
    """Warn that training ends: at which step the loss was not finite, and which operation produced it.

    `state` says which weights the model has now.
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
        f"{state}. {_advice(objective, source, rate)}",
    )


def _advice(objective: Objective, source: "Source | None", rate: float) -> str:
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
