"""Steps of LBFGS, which computes the loss of all samples several times in each step."""

from typing import Any

from adjoint.errors import ArgumentError
from adjoint.optim import LBFGS, Optimizer
from adjoint.training.sources import Source
from adjoint.training.steps import EagerStep, shares_of


class ClosureStep(EagerStep):
    """A training step that passes the computation of the loss to the optimizer; the metrics are those before it."""

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        share, _ = shares_of(y, weight)
        before = self.steps

        def closure() -> float:
            loss, _ = self.forward(x, y, weight) if self.steps == before else self.objective(x, y, share)
            self.optimizer.zero_grad()
            loss.backward(retain_graph=False)
            return float(loss)

        self.optimizer.step(closure)
        return True


def require_full_batches(optimizer: Optimizer, source: Source, **options: Any) -> None:
    """Raise if LBFGS gets batches, or options that it cannot use."""
    if not isinstance(optimizer, LBFGS):
        return
    if source.steps != 1:
        found = "an unknown number of" if source.steps is None else source.steps
        raise ArgumentError(
            f"LBFGS needs all samples in each step, but there are {found} batches; leave out batch_size, or use 'adam'"
        )
    for name, given in options.items():
        if given:
            raise ArgumentError(f"fit cannot use {name} with LBFGS; leave it out, or use 'adam'")
