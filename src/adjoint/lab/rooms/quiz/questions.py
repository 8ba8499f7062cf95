"""What a question is: its text, its live graph, how an answer is read and checked, and why the right one is right.

There are four kinds by what is answered: a number, one of some options, a node of the graph, or nodes in their order.
Wrong answers that people give are known to a question, each with what it mixes up.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from adjoint.errors import LabError
from adjoint.errors.given import described, is_number
from adjoint.errors.suggest import nearest
from adjoint.lab.rooms.quiz.graphs import Graph, listed
from adjoint.see.explanation.narration import number

Given = float | Sequence  # a number, the rows of an array, or a shape as a tuple


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer that people give, and what it mixes up."""

    answer: Any
    mixes_up: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a graph is asked for: the "value" or "gradient" of a node, the "local" or "contribution" of an edge."""

    what: str
    node: str
    parent: str = ""


@dataclass(kw_only=True)
class Question(ABC):
    """A question about a computation.

    `given` has what is known by name: numbers, rows of arrays, shapes. `formulas` are texts in the language of
    `Expression`, with or without a name and `=` before. Of the graph, all gradients are hidden until the answer but
    those of the nodes in `shown`, and so are the values of the nodes in `hidden`.
    """

    prompt: str
    because: str  # the idea, in a sentence or two
    steps: list[str] = field(default_factory=list)  # the lines of the computation that matter
    graph: Graph | None = None
    given: dict[str, Given] = field(default_factory=dict)
    formulas: list[str] = field(default_factory=list)
    asked: Asked | None = None
    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    wrong: list[Wrong] = field(default_factory=list)
    id: str = ""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        if self.graph is not None:
            self.given = {**self.graph.numbers, **self.given}
            self.formulas = self.formulas or self.graph.lines

    @abstractmethod
    def read(self, answer: Any) -> Any:
        """Return an answer as it came in a message, read and checked; raise LabError where it is none."""

    @abstractmethod
    def is_right(self, answer: Any) -> bool:
        """Return whether an answer that was read is right."""

    @property
    @abstractmethod
    def right(self) -> Any:
        """The right answer, or one of them, as a message would have it."""

    @abstractmethod
    def text_of(self, answer: Any) -> str:
        """Return an answer that was read in words."""

    def mixes_up(self, answer: Any) -> str:
        """Return what a wrong answer mixes up; empty where that cannot be told."""
        return next((wrong.mixes_up for wrong in self.wrong if wrong.answer == answer), "")


# --- a number -------------------------------------------------------------------------------------------

_DECIMAL = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:/({_DECIMAL}))?", re.ASCII)
_MOST_CHARACTERS = 40
_SPELLINGS = str.maketrans({"−": "-", "–": "-", "⁄": "/", ",": ".", " ": None, "\u00a0": None})


def read_number(text: Any) -> float:
    """Return the number that somebody typed: 0.5, 1/2, -3, −3, 2e-3.

    >>> read_number("−1/2"), read_number("2e-3"), read_number(7)
    (-0.5, 0.002, 7.0)
    """
    if is_number(text) and not isinstance(text, bool) and math.isfinite(text):
        return float(text)
    if not isinstance(text, str) or not text.strip():
        raise LabError(f"the answer is a number such as 0.5, 1/2 or -3, not {described(text)}")
    found = _NUMBER.fullmatch(text.strip().lower().translate(_SPELLINGS)) if len(text) <= _MOST_CHARACTERS else None
    if found is None:
        raise LabError(f"{_quoted(text)} cannot be read as a number; type one such as 0.5, 1/2, -3 or 2e-3")
    over, under = float(found[1]), float(found[2] or 1)
    if not under or not math.isfinite(over / under):
        raise LabError(f"{_quoted(text)} is no finite number; type one such as 0.5, 1/2, -3 or 2e-3")
    return over / under


def _quoted(text: str) -> str:
    return described(text).removeprefix("str ")  # the page shows it to who has typed it


@dataclass(kw_only=True)
class NumberQuestion(Question):
    """A question whose answer is typed: a number, exact or to some decimals."""

    answer: float
    decimals: int | None = None  # None where it has to be exact

    kind: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.answer = _tidy(self.answer)
        known: list[Wrong] = []
        for wrong in self.wrong:  # what is right by chance, or near another one, is not told as a mistake
            answer = _tidy(wrong.answer)
            if not any(self._is_near(answer, x) for x in (self.answer, *(other.answer for other in known))):
                known.append(Wrong(answer, wrong.mixes_up))
        self.wrong = known

    @property
    def tolerance(self) -> float:
        """How far from the right number an answer may be."""
        slack = 1e-6 * max(1.0, abs(self.answer))
        return slack if self.decimals is None else 0.5 * 10**-self.decimals + slack

    @property
    def accuracy(self) -> str:
        """How exact an answer has to be, in words."""
        if self.decimals is None:
            return "Exact; 1/4 is as good as 0.25."
        return f"{('One decimal is', 'Two decimals are', 'Three decimals are')[self.decimals - 1]} enough."

    def _is_near(self, x: float, y: float) -> bool:
        return abs(x - y) <= self.tolerance

    def read(self, answer: Any) -> float:
        return read_number(answer)

    def is_right(self, answer: float) -> bool:
        return self._is_near(answer, self.answer)

    def text_of(self, answer: float) -> str:
        return number(answer)

    def mixes_up(self, answer: float) -> str:
        return next((wrong.mixes_up for wrong in self.wrong if self._is_near(wrong.answer, answer)), "")

    @property
    def right(self) -> float:
        return self.answer if self.decimals is None else _tidy(round(self.answer, self.decimals))


def _tidy(x: float) -> float:
    """Return a number without what rounding left in its last digits, and without the sign of a zero."""
    return round(float(x), 10) + 0.0


# --- one of some options --------------------------------------------------------------------------------


@dataclass(kw_only=True)
class ChoiceQuestion(Question):
    """A question with two to five options; the answer is the number of one, counted from 1."""

    options: list[str]
    answer: int
    in_formulas: bool = False  # whether the options are texts in the language of Expression

    kind: ClassVar[str] = "choice"

    def read(self, answer: Any) -> int:
        if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= len(self.options):
            raise LabError(f"the answer is the number of an option, 1 to {len(self.options)}, not {described(answer)}")
        return answer

    def is_right(self, answer: int) -> bool:
        return answer == self.answer

    def text_of(self, answer: int) -> str:
        return self.options[answer - 1]

    @property
    def right(self) -> int:
        return self.answer


def choice(rng: Any, right: str, wrong: dict[str, str], **question: Any) -> ChoiceQuestion:
    """Return a question with the right option among wrong ones, each with what it mixes up, in an order by chance."""
    texts = [right, *(text for text in wrong if text != right)]
    rng.shuffle(texts)
    explained = [Wrong(i, wrong[text]) for i, text in enumerate(texts, 1) if text != right]
    return ChoiceQuestion(options=texts, answer=texts.index(right) + 1, wrong=explained, **question)


# --- a node, and nodes in their order -------------------------------------------------------------------


def _node_among(names: Sequence[str], answer: Any) -> str:
    if isinstance(answer, str) and answer in names:
        return answer
    near = nearest(answer, names) if isinstance(answer, str) else None
    hint = f"; did you mean {near}?" if near else ""
    raise LabError(f"the answer is one of the nodes {listed([*names], 'or')}, not {described(answer)}{hint}")


@dataclass(kw_only=True)
class NodeQuestion(Question):
    """A question whose answer is the name of a node; there may be several right ones."""

    nodes: list[str]
    answers: list[str]

    kind: ClassVar[str] = "node"

    def read(self, answer: Any) -> str:
        return _node_among(self.nodes, answer)

    def is_right(self, answer: str) -> bool:
        return answer in self.answers

    def text_of(self, answer: str) -> str:
        return answer

    @property
    def right(self) -> str:
        return self.answers[0]


@dataclass(kw_only=True)
class OrderQuestion(Question):
    """A question whose answer is an order of nodes; every order is right in which no node comes too early.

    `after` has for each node those that have to be before it, and `too_early` the sentence for a node that is not.
    """

    nodes: list[str]
    answer: list[str]
    after: dict[str, list[str]]
    too_early: str

    kind: ClassVar[str] = "order"

    def read(self, answer: Any) -> list[str]:
        if not isinstance(answer, list):
            raise LabError(f"the answer is a list of the nodes {listed(self.nodes)}, not {described(answer)}")
        names = [_node_among(self.nodes, name) for name in answer]
        if sorted(names) != sorted(self.nodes):
            raise LabError(f"the answer has each of the nodes {listed(self.nodes)} once, not {' '.join(names)}")
        return names

    def is_right(self, answer: list[str]) -> bool:
        return self._first_mistake(answer) is None

    def text_of(self, answer: list[str]) -> str:
        return ", ".join(answer)

    def mixes_up(self, answer: list[str]) -> str:
        mistake = self._first_mistake(answer)
        return self.too_early.format(*mistake) if mistake else ""

    def _first_mistake(self, answer: list[str]) -> tuple[str, str] | None:
        """Return the first node that comes too early, and one that has to be before it."""
        for i, name in enumerate(answer):
            for other in self.after[name]:
                if other not in answer[:i]:
                    return name, other
        return None

    @property
    def right(self) -> list[str]:
        return self.answer
