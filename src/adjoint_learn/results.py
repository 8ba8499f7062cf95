"""The result of a check: what was right, or what is wrong, where, and what to do about it."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Status = Literal["passed", "failed", "error", "stopped"]


@dataclass
class Place:
    """A line of the learner's program."""

    file: str
    line: int
    code: str


@dataclass
class Graph:
    """The graph of the learner's Values as text and as SVG. The first wrong node is marked."""

    text: str
    svg: str


@dataclass
class Result:
    """What a check found.

    `status` is "passed", "failed" (a claim of the check does not hold), "error" (the program raised an exception) or
    "stopped" (it ran too long, needed too much memory, or ended the process). Texts are Markdown of one paragraph.
    """

    status: Status
    message: str = ""  # what is wrong
    wrong_answer: str = ""  # the name of the known wrong answer that behaves in the same way
    advice: str = ""  # what this wrong answer's author says about it
    places: list[Place] = field(default_factory=list)  # the learner's part of a traceback, the innermost last
    graph: Graph | None = None
    notes: list[str] = field(default_factory=list)  # what the check measured
    output: str = ""  # what the program printed

    @property
    def passed(self) -> bool:
        """Return True if the exercise is solved."""
        return self.status == "passed"

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object.

        >>> Result("failed", "`a.grad` is 6").as_json()["status"]
        'failed'
        """
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Result":
        """Return the result that `as_json` wrote; raise `TypeError` if it is something else."""
        found = dict(found)
        found["places"] = [Place(**place) for place in found.get("places", [])]
        found["graph"] = Graph(**found["graph"]) if found.get("graph") else None
        result = cls(**found)
        texts = [result.message, result.wrong_answer, result.advice, result.output, *result.notes]
        texts += [text for place in result.places for text in (place.file, place.code)]
        texts += [result.graph.text, result.graph.svg] if result.graph else []
        if (
            result.status not in get_args(Status)
            or not isinstance(result.notes, list)
            or not all(isinstance(text, str) for text in texts)
            or not all(isinstance(place.line, int) for place in result.places)
        ):
            raise TypeError("not a result")
        return result
