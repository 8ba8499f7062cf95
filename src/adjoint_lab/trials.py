"""A training run with a mistake: the wrong line is really run, in each step or when the network is created.

`wrong_lines.py` has the wrong lines, `detection.py` finds the mistakes, and `faults.py` lists them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from adjoint import Value, nn
from adjoint.training import NotFinite
from adjoint_lab.batches import Inputs, Targets
from adjoint_lab.configurations import Configuration
from adjoint_lab.engines import Network, move_numbers
from adjoint_lab.experiments import Experiment
from adjoint_lab.protocol.mistakes import Detection, Mistake


@dataclass(frozen=True)
class Fault:
    """A mistake: its lines, how it is made, and how it is found."""

    name: str
    title: str
    wrong: str
    right: str
    explanation: str
    find: Callable[["Trial"], Detection | None]
    base: Configuration
    changes: dict[str, Any] = field(default_factory=dict)  # of the configuration, if the mistake is a setting
    prepare: Callable[[nn.MLP], None] | None = None  # changes a new network in both runs
    begin: Callable[[nn.MLP], None] | None = None  # applies the mistake to a new network
    step: Callable[["Trial", Inputs, Targets], None] | None = None  # takes a step with the mistake

    @property
    def is_in_step(self) -> bool:
        """Whether the wrong line runs in each step, so that fixing it takes effect during training."""
        return self.step is not None or "lr" in self.changes

    def as_json(self) -> Mistake:
        """Return what a page shows of it."""
        return {
            "name": self.name,
            "title": self.title,
            "wrong": self.wrong,
            "right": self.right,
            "explanation": self.explanation,
            "is_in_step": self.is_in_step,
        }


class Trial(Experiment):
    """A training run with a mistake, or the same run without it."""

    def __init__(self, fault: Fault, seed: int, is_broken: bool):
        self.fault, self.is_broken = fault, is_broken
        self.kept_loss: Value | None = None  # a graph that the mistake "kept" uses in every step
        base = replace(fault.base, seed=seed, engine="scalar")  # its steps change single Values
        super().__init__(replace(base, **fault.changes) if is_broken else base)

    def create_network(self) -> Network:
        network = super().create_network()
        assert isinstance(network, nn.MLP)
        if self.fault.prepare:
            self.fault.prepare(network)
        if self.is_broken and self.fault.begin:
            self.fault.begin(network)
        return network

    def initial_network(self) -> nn.MLP:
        """Return the network with the weights of its creation and a label for each."""
        network = self.scalar_network()
        move_numbers(self.create_network(), network)
        return network

    def switch(self, is_broken: bool) -> None:
        """Use the wrong line or the correct one from now on; this does not change an existing network."""
        self.is_broken = is_broken
        self.kept_loss = None
        if "lr" in self.fault.changes:
            self.optimizer.lr = self.fault.changes["lr"] if is_broken else self.fault.base.lr

    def train_on(self, x: Inputs, y: Targets) -> None:
        if self.is_broken and self.fault.step:
            self.fault.step(self, x, y)
        else:
            super().train_on(x, y)

    def loss(self, x: Inputs, y: Targets) -> Value:
        """Return the loss of a batch; a loss that is not finite ends training."""
        loss, prediction = self._step.objective(x, y)
        if not math.isfinite(float(loss)):
            raise NotFinite(float(loss), self._step.steps + 1)
        self._step.add(float(loss), prediction, y, len(y))
        return loss
