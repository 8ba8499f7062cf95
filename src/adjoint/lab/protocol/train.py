"""The messages of the room Train."""

from typing import Annotated, Any, NotRequired, TypedDict

from adjoint.lab.configurations import Configuration
from adjoint.lab.protocol.common import Corner, Wire
from adjoint.lab.samples import Point

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
    parameters: int
    steps_in_epoch: int
    low: Corner
    high: Corner
    samples: list[Sample]
    labels: tuple[str, ...]
    cases: int
    is_plane: bool
    is_probability: bool
    tile: int


class LayerValues(TypedDict):
    """The weights or the gradients of one layer."""

    w: list[list[Wire]]
    b: list[Wire]


class Case(TypedDict):
    """A row of the table of cases: the output of every layer for a sample, what the table shows, and if it is correct.

    The first layer is the inputs. The output is a probability of each class, or of class 1, if the loss is one of
    probabilities; otherwise it is the raw output.
    """

    layers: list[list[Wire]]
    output: list[Wire]
    is_correct: bool


class Focus(TypedDict):
    """The response of one neuron over the plane, as the bytes of a map, and its bounds."""

    layer: int
    neuron: int
    size: int
    map: str
    min: Wire
    max: Wire


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
    cases: list[Case]
    size: int
    boundary: str
    tiles: list[list[str]]
    focus: Focus | None
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


# "class" is a keyword of Python.
ProbeAnswer = TypedDict("ProbeAnswer", {"layers": list[list[Wire]], "class": int})
ProbeAnswer.__doc__ = "The response of every neuron at one point, and the predicted class."
