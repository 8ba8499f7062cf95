"""Steps of LBFGS, which computes the loss of all samples several times in each step."""

from typing import Any

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
