"""The messages of the room Mistakes."""

from typing import TypedDict

from adjoint.lab.protocol.common import Corner, Sample, Wire


class Mistake(TypedDict):
    """A mistake: the wrong line, the correct line, and what happens."""

    name: str
    title: str
    wrong: str
    right: str
    explanation: str
    is_in_step: bool


class State(TypedDict):
    """What does not change from step to step."""

    run: int
    mistake: str
    seed: int
    on: bool
    playing: bool
    most: int
    sizes: tuple[int, ...]
    low: Corner
    high: Corner
    samples: list[Sample]


class Trial(TypedDict):
    """One of the two training runs."""

    step: int
    loss: Wire
    accuracy: Wire
    gradient_norms: list[Wire]
    boundary: str
    stopped: str


class Curve(TypedDict):
    """The loss of one training run."""

    steps: list[int]
    loss: list[Wire]


class Curves(TypedDict):
    """The loss of both training runs."""

    healthy: Curve
    broken: Curve


class Detection(TypedDict):
    """How the mistake is found: a warning that appears by itself, or a check to run."""

    by: str
    text: str
    is_guard: bool


class Snapshot(TypedDict):
    """Everything that a page draws of one moment."""

    run: int
    step: int
    playing: bool
    on: bool
    size: int
    healthy: Trial
    broken: Trial
    curves: Curves
    story: str
    finding: Detection | None
