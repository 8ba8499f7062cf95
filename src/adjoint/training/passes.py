"""The pass over the data of a training or an evaluation: batch by batch as written, or compiled.

The files of the other passes are loaded when a training needs them: compiled ones, sums over several batches, and the
steps of LBFGS.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from adjoint.errors import ArgumentError
from adjoint.optim import Optimizer
from adjoint.training.metric import Metric
from adjoint.training.objectives import Objective
from adjoint.training.sources import Source
from adjoint.training.steps import EagerPass, EagerStep

if TYPE_CHECKING:
    from adjoint.compile.shard_rules import Shard
    from adjoint.optim import LossScaler
    from adjoint.training.array_steps import CompiledPass, CompiledStep
    from adjoint.training.scalar_steps import ScalarStep


def compiler(devices: object = None, shard: "Shard" = None) -> Callable[..., Any]:
    """Return the function that compiles the passes of arrays, for some devices."""
    from adjoint.compile.sharing import compile_shared

    return partial(compile_shared, devices=devices, shard=shard)


def pass_of(
    jit: bool, objective: Objective, metrics: list[Metric], compile: Callable[..., Any] | None
) -> "EagerPass | CompiledPass":
    """Return the pass of an evaluation: compiled or not, of arrays or scalars."""
    if not jit:
        return EagerPass(objective, metrics)
    from adjoint.training.array_steps import CompiledPass
    from adjoint.training.scalar_steps import ScalarPass

    return ScalarPass(objective, metrics) if objective.is_scalar else CompiledPass(objective, metrics, compile)


def step_of(
    jit: bool,
    accumulate: int,
    scaler: "LossScaler | None",
    compile: Callable[..., Any] | None,
    objective: Objective,
    metrics: list[Metric],
    optimizer: Optimizer,
    *options: Any,
) -> "EagerStep | ScalarStep | CompiledStep":
    """Return the step of a training: compiled or not, of arrays or scalars, with an update for each batch or group."""
    arguments = (objective, metrics, optimizer, *options)
    if not jit and accumulate == 1 and not optimizer.needs_closure:
        return EagerStep(*arguments)
    from adjoint.training.accumulation import other_step

    return other_step(jit, accumulate, scaler, compile, *arguments)


def require_full_batches(optimizer: Optimizer, source: Source, **options: Any) -> None:
    """Raise if LBFGS gets batches, or options that it cannot use."""
    if not optimizer.needs_closure:
        return
    if source.steps != 1:
        found = "an unknown number of" if source.steps is None else source.steps
        raise ArgumentError(
            f"LBFGS needs all samples in each step, but there are {found} batches; leave out batch_size, or use 'adam'"
        )
    for name, given in options.items():
        if given:
            raise ArgumentError(f"fit cannot use {name} with LBFGS; leave it out, or use 'adam'")
