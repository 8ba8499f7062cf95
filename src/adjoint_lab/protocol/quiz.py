"""The messages of the room Quiz."""

from typing import Literal, NotRequired, TypedDict

from adjoint_lab.protocol.common import Math, Scene


class Topic(TypedDict):
    """Questions that can be chosen: those of a topic, or those of a lesson."""

    name: str
    title: str


class Catalog(TypedDict):
    """All topics and lessons."""

    topics: list[Topic]
    lessons: list[Topic]


class Statement(TypedDict):
    """A text, and the same as a formula if it is one."""

    text: str
    math: Math | None


class Given(TypedDict):
    """A given number, shape or array."""

    name: str
    value: object
    text: str


class About(TypedDict):
    """The part of the graph that is asked for."""

    what: Literal["value", "gradient", "local", "contribution"]
    node: str
    parent: str | None


class Question(TypedDict):
    """A question, without its answer."""

    id: str
    subject: str
    level: int
    kind: Literal["number", "choice", "node", "order"]
    prompt: str
    formulas: list[Statement]
    given: list[Given]
    scene: Scene | None
    about: About | None
    accuracy: NotRequired[str]
    options: NotRequired[list[Statement]]
    nodes: NotRequired[list[str]]


class Standing(TypedDict):
    """The score and the level of the user."""

    right: int
    asked: int
    streak: int
    misses: int
    level: int


class Answer(TypedDict):
    """The correct answer."""

    value: object
    text: str
    math: Math | None


class Verdict(TypedDict):
    """Whether an answer is correct, what a wrong one mixes up, the correct answer, and why."""

    question: str
    right: bool
    given: str | None
    confusion: str
    answer: Answer
    because: str
    steps: list[str]
    scene: Scene | None
    standing: Standing
