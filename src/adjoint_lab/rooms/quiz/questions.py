"""Questions: the text, the graph, how an answer is read and checked, and the explanation.

The answer to a question is a number, one of several options, a node of the graph, or an order of nodes. A question
knows the usual wrong answers, and what each of them mixes up.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Literal, TypeVar

from adjoint.errors import LabError, describe, nearest
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names

Given = float | Sequence  # a number, the rows of an array, or a shape as a tuple
Answer = TypeVar("Answer")  # the type of a valid answer


@dataclass(frozen=True, slots=True)
class Wrong:
    """A usual wrong answer, and what it mixes up."""

    answer: Any
    confusion: str


@dataclass(frozen=True, slots=True)
class Target:
    """What a question asks for: the value or gradient of a node, the local derivative or contribution of an edge."""

    what: Literal["value", "gradient", "local", "contribution"]
    node: str
    parent: str = ""


@dataclass(kw_only=True)
class Question(ABC, Generic[Answer]):
    """A question about a computation.

    `given` holds the given numbers, rows of arrays and shapes by name. `formulas` are texts in the language of
    `Expression`, optionally with a name and `=` in front. Until the question is answered, the page hides the gradients
    of all nodes except those in `shown`, and the values of the nodes in `hidden`.
    """

    prompt: str
    because: str  # the explanation, in a sentence or two
    steps: list[str] = field(default_factory=list)  # the relevant lines of the computation
    graph: QuestionGraph | None = None
    given: dict[str, Given] = field(default_factory=dict)
    formulas: list[str] = field(default_factory=list)
    target: Target | None = None
    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    wrong: list[Wrong] = field(default_factory=list)
    id: str = ""

    kind: ClassVar[Literal["number", "choice", "node", "order"]]

    def __post_init__(self) -> None:
        if self.graph is not None:
            self.given = {**self.graph.numbers, **self.given}
            self.formulas = self.formulas or self.graph.lines

    @abstractmethod
    def read(self, answer: object) -> Answer:
        """Read an answer from a message; raise a LabError if it is not valid."""

    @abstractmethod
    def is_right(self, answer: Answer) -> bool:
        """Return whether a valid answer is correct."""

    @property
    @abstractmethod
    def right(self) -> Answer:
        """The correct answer, or one of them."""

    @abstractmethod
    def text_of(self, answer: Answer) -> str:
        """Return a valid answer as text."""

    def confusion(self, answer: Answer) -> str:
        """Return what a wrong answer mixes up, or an empty text if that is unknown."""
        return next((wrong.confusion for wrong in self.wrong if wrong.answer == answer), "")


# --- a number -------------------------------------------------------------------------------------------

_DECIMAL = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:/({_DECIMAL}))?", re.ASCII)
_MAX_CHARACTERS = 40
_SPELLINGS = str.maketrans({"−": "-", "–": "-", "⁄": "/", ",": ".", " ": None, "\u00a0": None})


def parse_number(text: object) -> float:
    """Parse a typed number such as 0.5, 1/2, -3, −3 or 2e-3.

    >>> parse_number("−1/2"), parse_number("2e-3"), parse_number(7)
    (-0.5, 0.002, 7.0)
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool) and math.isfinite(text):
        return float(text)
    if not isinstance(text, str) or not text.strip():
        raise LabError(f"the answer must be a number such as 0.5, 1/2 or -3, not {describe(text)}")
    found = _NUMBER.fullmatch(text.strip().lower().translate(_SPELLINGS)) if len(text) <= _MAX_CHARACTERS else None
    if found is None:
        raise LabError(f"{_quote(text)} cannot be read as a number; type one such as 0.5, 1/2, -3 or 2e-3")
    over, under = float(found[1]), float(found[2] or 1)
    if not under or not math.isfinite(over / under):
        raise LabError(f"{_quote(text)} is not a finite number; type one such as 0.5, 1/2, -3 or 2e-3")
    return over / under


def _quote(text: str) -> str:
    return describe(text).removeprefix("str ")  # users of the page do not think in Python types


@dataclass(kw_only=True)
class NumberQuestion(Question[float]):
    """A question whose answer is a number, exact or rounded to some decimals."""

    answer: float
    decimals: int | None = None  # None if the answer must be exact

    kind: ClassVar = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.answer = _tidy(self.answer)
        known: list[Wrong] = []
        for wrong in self.wrong:  # drop those that happen to be correct, or are near another one
            answer = _tidy(wrong.answer)
            if not any(self._is_near(answer, x) for x in (self.answer, *(other.answer for other in known))):
                known.append(Wrong(answer, wrong.confusion))
        self.wrong = known

    @property
    def tolerance(self) -> float:
        """The largest accepted distance from the correct number."""
        slack = 1e-6 * max(1.0, abs(self.answer))
        return slack if self.decimals is None else 0.5 * 10**-self.decimals + slack

    @property
    def accuracy(self) -> str:
        """How accurate an answer must be, as text."""
        if self.decimals is None:
            return "Give the exact number; 1/4 and 0.25 are the same."
        return f"{('One decimal is', 'Two decimals are', 'Three decimals are')[self.decimals - 1]} enough."

    def _is_near(self, x: float, y: float) -> bool:
        return abs(x - y) <= self.tolerance

    def read(self, answer: object) -> float:
        return parse_number(answer)

    def is_right(self, answer: float) -> bool:
        return self._is_near(answer, self.answer)

    def text_of(self, answer: float) -> str:
        return number(answer)

    def confusion(self, answer: float) -> str:
        return next((wrong.confusion for wrong in self.wrong if self._is_near(wrong.answer, answer)), "")

    @property
    def right(self) -> float:
        return self.answer if self.decimals is None else _tidy(round(self.answer, self.decimals))


def _tidy(x: float) -> float:
    """Return a number without rounding errors in its last digits, and without the sign of a zero."""
    return round(float(x), 10) + 0.0


# --- an option ------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class ChoiceQuestion(Question[int]):
    """A question with two to five options; the answer is the number of an option, counted from 1."""

    options: list[str]
    answer: int
    in_formulas: bool = False  # whether the options are texts in the language of Expression

    kind: ClassVar = "choice"

    def read(self, answer: object) -> int:
        if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= len(self.options):
            raise LabError(
                f"the answer must be the number of an option, 1 to {len(self.options)}, not {describe(answer)}"
            )
        return answer

    def is_right(self, answer: int) -> bool:
        return answer == self.answer

    def text_of(self, answer: int) -> str:
        return self.options[answer - 1]

    @property
    def right(self) -> int:
        return self.answer


def choice(rng: Random, right: str, wrong: dict[str, str], **question: Any) -> ChoiceQuestion:
    """Return a question with the correct option and wrong ones in random order; `wrong` has what each mixes up."""
    texts = [right, *(text for text in wrong if text != right)]
    rng.shuffle(texts)
    mixups = [Wrong(i, wrong[text]) for i, text in enumerate(texts, 1) if text != right]
    return ChoiceQuestion(options=texts, answer=texts.index(right) + 1, wrong=mixups, **question)


# --- a node, or an order of nodes -----------------------------------------------------------------------


def _read_node(names: Sequence[str], answer: object) -> str:
    if isinstance(answer, str) and answer in names:
        return answer
    near = nearest(answer, names) if isinstance(answer, str) else None
    hint = f"; did you mean {near}?" if near else ""
    raise LabError(f"the answer must be one of the nodes {join_names([*names], 'or')}, not {describe(answer)}{hint}")


@dataclass(kw_only=True)
class NodeQuestion(Question[str]):
    """A question whose answer is the name of a node; several may be correct."""

    nodes: list[str]
    answers: list[str]

    kind: ClassVar = "node"

    def read(self, answer: object) -> str:
        return _read_node(self.nodes, answer)

    def is_right(self, answer: str) -> bool:
        return answer in self.answers

    def text_of(self, answer: str) -> str:
        return answer

    @property
    def right(self) -> str:
        return self.answers[0]


@dataclass(kw_only=True)
class OrderQuestion(Question[list[str]]):
    """A question whose answer is an order of nodes; every order is correct in which no node comes too early.

    `after` holds for each node those that must come before it. `too_early` is the sentence for a violation.
    """

    nodes: list[str]
    answer: list[str]
    after: dict[str, list[str]]
    too_early: str

    kind: ClassVar = "order"

    def read(self, answer: object) -> list[str]:
        if not isinstance(answer, list):
            raise LabError(f"the answer must be a list of the nodes {join_names(self.nodes)}, not {describe(answer)}")
        names = [_read_node(self.nodes, name) for name in answer]
        if sorted(names) != sorted(self.nodes):
            raise LabError(
                f"the answer must contain each of the nodes {join_names(self.nodes)} once, not {' '.join(names)}"
            )
        return names

    def is_right(self, answer: list[str]) -> bool:
        return self._first_mistake(answer) is None

    def text_of(self, answer: list[str]) -> str:
        return ", ".join(answer)

    def confusion(self, answer: list[str]) -> str:
        mistake = self._first_mistake(answer)
        return self.too_early.format(*mistake) if mistake else ""

    def _first_mistake(self, answer: list[str]) -> tuple[str, str] | None:
        """Return the first node that comes too early, and a node that must come before it."""
        for i, name in enumerate(answer):
            for other in self.after[name]:
                if other not in answer[:i]:
                    return name, other
        return None

    @property
    def right(self) -> list[str]:
        return self.answer
