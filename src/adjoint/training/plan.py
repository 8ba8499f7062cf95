"""How long a training lasts: a number of epochs, or a number of updates of the weights."""

from math import inf
from typing import NamedTuple

from adjoint.errors import ArgumentError
from adjoint.errors.given import whole
from adjoint.files.joint_saves import Processes
from adjoint.training.batch_sources import BatchSource


class Plan(NamedTuple):
    """The number of epochs of a training and of the batches in each, or the number of its steps."""

    epochs: float  # infinite if training counts steps, and the number of batches is not known
    batches: int | None  # per epoch; None if it is not known
    accumulate: int  # batches per update
    steps: int | None  # updates of the weights, if training counts them
    tokens: int  # targets of one batch, of all processes, if they are sequences of integers, else 0

    @property
    def updates(self) -> int | None:
        """The number of updates of the weights; None if it is not known."""
        if self.steps is not None or self.batches is None:
            return self.steps
        return int(self.epochs) * -(-self.batches // self.accumulate)

    def is_over(self, epochs: int, updates: int) -> bool:
        """Return whether training is complete after so many epochs and updates."""
        return epochs >= self.epochs if self.steps is None else updates >= self.steps


def plan_of(source: BatchSource, epochs: int, steps: int | None, accumulate: int) -> Plan:
    """Return the plan of a training with these data."""
    y = source.sample().y
    tokens = len(y[0]) * (source.batch_size or len(y)) if y.ndim == 2 and y.dtype.kind in "iu" else 0
    tokens *= Processes().count
    if steps is None:
        return Plan(epochs, source.steps, accumulate, None, tokens)
    if source.steps is None:
        return Plan(inf, None, accumulate, steps, tokens)
    updates = -(-source.steps // accumulate)  # per epoch
    return Plan(-(-steps // updates), source.steps, accumulate, steps, tokens)


def length_of(epochs: int | None, steps: int | None) -> tuple[int, int | None]:
    """Return the number of epochs, 10 by default, and of steps; raise if both are given."""
    if epochs is not None and steps is not None:
        raise ArgumentError(f"got epochs={epochs} and steps={steps}; give only one of them")
    return whole(10 if epochs is None else epochs, "epochs"), None if steps is None else whole(steps, "steps")
