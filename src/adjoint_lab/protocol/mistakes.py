"""The messages of the room Mistakes."""

from typing import TypedDict

from adjoint_lab.protocol.common import Architecture, Corner, LayerValues, Sample, Wire


class Mistake(TypedDict):
    """A mistake: the wrong line, the correct line, and what happens."""

    name: str
    title: str
    wrong: str
    right: str
    explanation: str
    is_in_step: bool


class Networks(TypedDict):
    """The networks of both training runs."""

    healthy: Architecture
    broken: Architecture


class State(TypedDict):
    """What does not change from step to step."""

    run: int
    mistake: str
    seed: int
    on: bool
    playing: bool
    most: int
    networks: Networks
    low: Corner
    high: Corner
    samples: list[Sample]


class RunSummary(TypedDict):
    """One of the two training runs."""

    step: int
    loss: Wire
    accuracy: Wire
    gradient_norms: list[Wire]
    weights: list[LayerValues]
    stopped: str


class LossCurve(TypedDict):
    """The loss of one training run."""

    steps: list[int]
    loss: list[Wire]


class LossCurves(TypedDict):
    """The loss of both training runs."""

    healthy: LossCurve
    broken: LossCurve


class Detection(TypedDict):
    """The warning of a guard, or the result of a check that finds the mistake."""

    by: str  # the guard, or the call that runs the check
    text: str
    is_guard: bool  # whether the warning appears by itself


class Snapshot(TypedDict):
    """Everything that a page draws of one moment."""

    run: int
    step: int
    playing: bool
    on: bool
    healthy: RunSummary
    broken: RunSummary
    curves: LossCurves
    story: str
    finding: Detection | None
