"""The messages of the room Learn."""

from typing import Literal, TypedDict

from adjoint_lab.protocol.common import Scene
from adjoint_learn.results import Graph, Place, Result

__all__ = ["Block", "Course", "Exercise", "Graph", "Heading", "Lesson", "LiveGraph", "Outcome", "Place", "Result"]


class ExerciseTitle(TypedDict):
    """An exercise in the overview."""

    name: str
    title: str
    file: str


class Heading(TypedDict):
    """A lesson in the overview."""

    name: str
    number: int
    title: str
    exercises: list[ExerciseTitle]


class Course(TypedDict):
    """The overview of the course. `refusal` says why programs do not run; it is empty if they do."""

    title: str
    introduction: str
    lessons: list[Heading]
    refusal: str


class LiveGraph(TypedDict):
    """A graph in the text, whose inputs can be moved."""

    expression: str
    numbers: dict[str, float]
    gradients: bool
    scene: Scene


class Block(TypedDict):
    """A part of the text: Markdown, a program, a picture, a graph, or the place of an exercise.

    `text` is the Markdown, the program, the caption, or the name of the exercise.
    """

    kind: Literal["markdown", "program", "figure", "graph", "exercise"]
    text: str
    svg: str
    graph: LiveGraph | None


class Exercise(TypedDict):
    """What a page shows of an exercise."""

    name: str
    title: str
    task: str
    file: str
    uses: tuple[str, ...]
    hints: tuple[str, ...]
    stub: str
    added: str  # the lines to add if the file comes from an earlier exercise
    missing: str  # Markdown about a library that it needs and that is not there; empty if there is none


class Lesson(TypedDict):
    """A lesson: its text and its exercises."""

    name: str
    number: int
    title: str
    blocks: list[Block]
    exercises: list[Exercise]


class Outcome(TypedDict):
    """The event at the end of a check. `ours` names the files for which the solution of the course was used."""

    room: Literal["learn"]
    event: Literal["outcome"]
    run: int
    exercise: str
    result: Result
    why: str
    ours: list[str]
