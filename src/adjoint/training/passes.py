"""How the passes over the data run: batch by batch as written, or compiled for some devices, in some precision.

The files of compiled passes, and of sums over several batches, are loaded when a training needs them.
"""

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from adjoint import optim
from adjoint.data.loading import DataLoader
from adjoint.engine.modes import precision_name
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.guard_warnings import is_on
from adjoint.optim import Optimizer
from adjoint.training.batch_sources import BatchSource
from adjoint.training.eager_steps import ClosureStep, EagerPass, EagerStep
from adjoint.training.metric import Metric
from adjoint.training.objectives import Objective

if TYPE_CHECKING:
    from adjoint.compile.shard_rules import Shard
    from adjoint.training.array_steps import CompiledPass, CompiledStep
    from adjoint.training.scalar_steps import ScalarStep


class Execution:
    """How a training or an evaluation runs: `jit`, `precision`, `devices` and `shard`, as `fit` has them."""

    def __init__(self, jit: bool = False, precision: str = "float32", devices: object = None, shard: "Shard" = None):
        self.jit, self.precision, self.devices = jit, precision_name(precision), devices
        self.scaler = optim.LossScaler() if self.precision == "float16" else None  # of the loss
        self.compile = None  # the function that compiles the passes of arrays
        if jit:
            from adjoint.compile.sharing import compile_shared

            self.compile = partial(compile_shared, devices=devices, shard=shard)

    def require_possible(self, objective: Objective) -> None:
        """Raise if there is a precision that nothing would compute in, or devices that nothing would use."""
        if self.jit and not objective.is_scalar:
            return
        is_scalar = objective.is_scalar
        kind = "is for models of arrays, not of scalars" if is_scalar else "needs jit=True: NumPy does not have it"
        if self.precision != "float32":
            raise ArgumentError(f"precision={self.precision!r} {kind}")
        if self.devices is not None:
            raise ArgumentError(f"devices={self.devices!r} {kind.split(':')[0]}")

    def require_divisible(self, source: BatchSource, what: str = "training", batches: float = inf) -> None:
        """Raise if one of the first `batches` cannot be split over the devices, as far as their sizes are known."""
        loader = source.raw
        if self.devices is None or not isinstance(loader, DataLoader):
            return
        if not loader.arrays or loader.batch_sampler is not None:
            return
        from adjoint.compile.xla.devices import Placement

        placement = Placement(self.devices)
        parts, rows, size = placement.local_parts, loader.samples, loader.batch_size
        where = f"{parts} devices" if placement.processes == 1 else f"{parts} devices of each process"
        fewer = f"leave out {rows % parts} rows" if rows > parts else "use fewer devices"
        if rows <= size:
            if rows % parts:
                raise ShapeError(f"the {what} batch of {rows} rows cannot be split over {where}; {fewer}")
        elif size % parts:
            raise ShapeError(
                f"{what} batches of batch_size={size} rows cannot be split over {where}; use a multiple of {parts}"
            )
        elif rows % size % parts and not loader.drop_last and len(loader) <= batches:
            raise ShapeError(
                f"the last {what} batch has {rows % size} of {rows} rows, which cannot be split over {where}; {fewer}, "
                f"or pass a DataLoader with drop_last=True, which leaves out {rows % size}"
            )

    def pass_of(self, objective: Objective, metrics: list[Metric]) -> "EagerPass | CompiledPass":
        """Return the pass of an evaluation."""
        if not self.jit:
            return EagerPass(objective, metrics)
        from adjoint.training.array_steps import CompiledPass
        from adjoint.training.scalar_steps import ScalarPass

        return ScalarPass(objective, metrics) if objective.is_scalar else CompiledPass(objective, metrics, self.compile)

    def step_of(
        self,
        objective: Objective,
        metrics: list[Metric],
        optimizer: Optimizer,
        clip_norm: float | None,
        accumulate: int,
    ) -> "EagerStep | ScalarStep | CompiledStep":
        """Return the step of a training, with an update of the weights for each batch, or for `accumulate` batches."""
        arguments: tuple[Any, ...] = (objective, metrics, optimizer, clip_norm, is_on("not_finite_loss"))
        if optimizer.needs_closure:
            return ClosureStep(*arguments)
        if accumulate == 1 and not self.jit:
            return EagerStep(*arguments)
        from adjoint.training import accumulation, array_steps, scalar_steps

        if self.jit and not objective.is_scalar:
            arguments = (*arguments, self.scaler, self.compile)
        if accumulate == 1:
            return (scalar_steps.ScalarStep if objective.is_scalar else array_steps.CompiledStep)(*arguments)
        if not self.jit:
            return accumulation.EagerAccumulation(accumulate, *arguments)
        kind = accumulation.ScalarAccumulation if objective.is_scalar else accumulation.CompiledAccumulation
        return kind(accumulate, *arguments)


def require_full_batches(optimizer: Optimizer, source: BatchSource, **options: Any) -> None:
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
