"""The messages of the room Train."""

from typing import Annotated, Any, NotRequired, TypedDict

from adjoint_lab.configurations import Configuration
from adjoint_lab.protocol.common import Architecture, Corner, LayerValues, Wire
from adjoint_lab.samples import Point

ConfigurationFields = Annotated[dict[str, Any], Configuration]


class Losses(TypedDict):
    """The losses for two classes, and for more."""

    two: list[str]
    more: list[str]


class Limits(TypedDict):
    """The largest allowed numbers."""

    samples: int
    layers: int
    neurons: int
    classes: int
    steps: int


class Choices(TypedDict):
    """What the settings offer."""

    presets: list[ConfigurationFields]
    thumbnails: dict[str, list[Point]]
    activations: list[str]
    outputs: list[str]
    initializations: list[str]
    losses: Losses
    optimizers: list[str]
    engines: list[str]
    missing_engine: str  # why an engine is not in the list; empty if all are
    paces: list[str]
    most: Limits


class Change(TypedDict):
    """A change during a run: the learning rate, the L2 penalty, the engine, an added point, or the last one removed."""

    step: int
    lr: NotRequired[float]
    l2: NotRequired[float]
    add: NotRequired[Point]
    undo: NotRequired[bool]
    engine: NotRequired[str]


class Sample(TypedDict):
    """A sample: its inputs, its class, its target for the loss, and whether it is a test sample."""

    inputs: list[float]
    label: int
    target: float
    is_test: bool


class State(TypedDict):
    """What does not change from step to step."""

    run: int
    configuration: ConfigurationFields
    changes: list[Annotated[dict[str, Any], Change]]
    lr: float
    l2: float
    engine: str
    step: int
    playing: bool
    pace: str
    sizes: tuple[int, ...]
    network: Architecture
    parameters: int
    steps_in_epoch: int
    low: Corner
    high: Corner
    samples: list[Sample]
    labels: tuple[str, ...]
    cases: int
    is_plane: bool
    is_probability: bool


class Parts(TypedDict):
    """A metric on the training samples and on the test samples."""

    train: Wire
    test: Wire


class Metrics(TypedDict):
    """Loss and accuracy."""

    loss: Parts
    accuracy: Parts


class Speed(TypedDict):
    """The steps per second of an engine, and how many seconds it compiled before."""

    rate: float
    compile_seconds: float


Rates = dict[str, Speed | None]  # by engine; None if the network is too large for it


class Snapshot(Metrics):
    """Everything that a page draws of one moment."""

    run: int
    step: int
    epoch: int
    playing: bool
    restoring: bool
    rate: float | None
    compile_seconds: float
    rates: Rates | None
    weights: list[LayerValues]
    gradients: list[LayerValues]
    gradient_norms: list[Wire]
    warnings: list[str]
    stopped: str


class CurvesEvent(TypedDict):
    """Loss and accuracy at some of the steps."""

    run: int
    steps: list[int]
    train_loss: list[Wire]
    test_loss: list[Wire]
    train_accuracy: list[Wire]
    test_accuracy: list[Wire]
