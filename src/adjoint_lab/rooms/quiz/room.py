"""The room Quiz: asks the questions of a course, checks the answers and explains them.

The room keeps no state between messages. A seed determines a course. The standing of the user (score and level) is sent
with every verdict and returned with the next message, so that an address can hold it.

    list    {}                                 → {topics, lessons}, each with names and titles
    next    {seed, number, level, topics?}     → {question, seed, number, level}; topics may be names of lessons
    ask     {question: id}                     → {question}
    answer  {question: id, answer, standing?}  → the verdict
    reveal  {question: id, standing?}          → the verdict, with nothing given
"""

from collections.abc import Callable, Mapping
from typing import Any

from adjoint.errors import LabError, unknown_name_error
from adjoint.see import Expression, as_mathml, name_as_mathml, number
from adjoint_lab.protocol import quiz as protocol
from adjoint_lab.rooms.quiz.catalog import CHOICES, TEMPLATES, TOPICS, next_question, question_of
from adjoint_lab.rooms.quiz.lessons import LESSONS
from adjoint_lab.rooms.quiz.questions import (
    ChoiceQuestion,
    Given,
    NodeQuestion,
    NumberQuestion,
    OrderQuestion,
    Question,
)
from adjoint_lab.rooms.quiz.templates import EASIEST, HARDEST, MAX_SEEDS
from adjoint_lab.scenes import Scene, scene_of
from adjoint_lab.serve import messages
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message

RISE_AFTER, FALL_AFTER = 3, 2  # correct answers in a row, and wrong answers in a row
MAX_QUESTIONS = 1_000_000
_HIDDEN, _ASKED = "·", "?"


class Quiz:
    """The room of one page."""

    NEWEST_WINS = frozenset()

    def __init__(self, push: Push):
        self._actions: dict[str, Callable[[Message], Mapping[str, object]]] = {
            "list": _list,
            "next": _next,
            "ask": _ask,
            "answer": _answer,
            "reveal": _reveal,
        }

    def handle(self, do: str, message: Message) -> Mapping[str, object]:
        """Carry out a message."""
        if do not in self._actions:
            raise unknown_name_error("action", do, self._actions)
        return self._actions[do](message)

    def close(self) -> None:
        """Do nothing: the room has no threads."""


def _list(message: Message) -> protocol.Catalog:
    return {
        "topics": [{"name": topic.name, "title": topic.title} for topic in TOPICS.values()],
        "lessons": [{"name": lesson.name, "title": lesson.title} for lesson in LESSONS],
    }


def _next(message: Message) -> Mapping[str, object]:
    seed = messages.whole(message, "seed", 0, MAX_SEEDS - 1)
    count = messages.whole(message, "number", 0, MAX_QUESTIONS)
    level = messages.whole(message, "level", EASIEST, HARDEST)
    given = messages.items(message, "topics", len(CHOICES), [])
    topics = [messages.one_of({"topic": name}, "topic", CHOICES) for name in given]
    return {
        "question": question_message(next_question(seed, count, level, topics)),
        "seed": seed,
        "number": count,
        "level": level,
    }


def _ask(message: Message) -> Mapping[str, object]:
    return {"question": question_message(_question(message))}


def _answer(message: Message) -> Mapping[str, object]:
    question = _question(message)
    if "answer" not in message:
        raise LabError("answer is missing; send an answer, or reveal to see the correct one")
    answer = question.read(message["answer"])
    is_right = question.is_right(answer)
    confusion = "" if is_right else question.confusion(answer)
    return _verdict(question, message, is_right, question.text_of(answer), confusion)


def _reveal(message: Message) -> Mapping[str, object]:
    return _verdict(_question(message), message, False, None, "")


def _question(message: Message) -> Question:
    return question_of(messages.text(message, "question", 60))


def _verdict(
    question: Question, message: Message, is_right: bool, given: str | None, confusion: str
) -> protocol.Verdict:
    return {
        "question": question.id,
        "right": is_right,
        "given": given,
        "confusion": confusion,
        "answer": {"value": question.right, "text": question.text_of(question.right), "math": _option_math(question)},
        "because": question.because,
        "steps": question.steps,
        "scene": scene_of(question.graph.root) if question.graph else None,
        "standing": _next_standing(_standing(message), is_right),
    }


def _option_math(question: Question) -> list[Any] | None:
    if isinstance(question, ChoiceQuestion) and question.in_formulas:
        return formula_mathml(question.options[question.answer - 1])
    return None


# --- the standing of the user ---------------------------------------------------------------------------------


def _standing(message: Message) -> protocol.Standing:
    given = messages.fields(message, "standing", {})

    def count(name: str) -> int:
        return messages.whole(given, name, 0, MAX_QUESTIONS, 0)

    level = messages.whole(given, "level", EASIEST, HARDEST, EASIEST)
    return {
        "right": count("right"),
        "asked": count("asked"),
        "streak": count("streak"),
        "misses": count("misses"),
        "level": level,
    }


def _next_standing(standing: protocol.Standing, is_right: bool) -> protocol.Standing:
    """Return the standing after an answer: several correct or wrong answers in a row change the level."""
    level = standing["level"]
    streak, misses = (standing["streak"] + 1, 0) if is_right else (0, standing["misses"] + 1)
    if is_right and streak % RISE_AFTER == 0:
        level = min(level + 1, HARDEST)
    if misses == FALL_AFTER:
        level, misses = max(level - 1, EASIEST), 0
    right, asked = standing["right"] + is_right, standing["asked"] + 1
    return {"right": right, "asked": asked, "streak": streak, "misses": misses, "level": level}


# --- a question as the page shows it ----------------------------------------------------------------------------


def question_message(question: Question) -> protocol.Question:
    """Return a question as a page shows it, without its answer."""
    template = TEMPLATES[question.id.partition(".")[0]]
    shown: protocol.Question = {
        "id": question.id,
        "subject": template.subject,
        "level": int(question.id.rpartition(".")[2]),
        "kind": question.kind,
        "prompt": question.prompt,
        "formulas": [{"text": text, "math": formula_mathml(text)} for text in question.formulas if text],
        "given": [{"name": name, "value": _plain(x), "text": given_text(x)} for name, x in question.given.items()],
        "scene": _scene_without_answer(question),
        "about": None,
    }
    if question.target:
        target = question.target
        shown["about"] = {"what": target.what, "node": target.node, "parent": target.parent or None}
    if isinstance(question, NumberQuestion):
        shown["accuracy"] = question.accuracy
    if isinstance(question, ChoiceQuestion):
        in_formulas = question.in_formulas
        shown["options"] = [{"text": x, "math": formula_mathml(x) if in_formulas else None} for x in question.options]
    if isinstance(question, (NodeQuestion, OrderQuestion)):
        shown["nodes"] = question.nodes
    return shown


def _plain(x: object) -> object:
    return [_plain(part) for part in x] if isinstance(x, (list, tuple)) else x


def given_text(x: Given) -> str:
    """Return a given number, shape or array as text.

    >>> given_text(-2.0), given_text((5, 3)), given_text([[1.0, -2.0], [0.5, 3.0]])
    ('−2', '(5, 3)', '[[1, −2], [0.5, 3]]')
    """
    if isinstance(x, tuple):
        return f"({', '.join(map(str, x))})"
    return number(x) if isinstance(x, (int, float)) else f"[{', '.join(map(given_text, x))}]"


def formula_mathml(text: str) -> list[Any]:
    """Return a formula, optionally with a name and `=` in front, as MathML in nested lists.

    >>> formula_mathml("y = a*x")
    ['mrow', ['mi', 'y'], ['mo', '='], ['mrow', ['mi', 'a'], ['mo', '·'], ['mi', 'x']]]
    """
    name, _, formula = text.rpartition(" = ")
    mathml = as_mathml(Expression(formula).symbol())
    return ["mrow", name_as_mathml(name), ["mo", "="], mathml] if name else mathml


def _scene_without_answer(question: Question) -> Scene | None:
    """Return the scene of a question without its answer, because a page could show everything that it receives."""
    if question.graph is None:
        return None
    scene = scene_of(question.graph.root)
    target = question.target
    for node in scene["nodes"]:
        if node["name"] in question.hidden:
            is_asked = target is not None and target.what == "value" and target.node == node["name"]
            node["data"] = _ASKED if is_asked else _HIDDEN
        if node["name"] not in question.shown:
            node["grad"] = None
        del node["math"]

    computed = [("forward", node["index"]) for node in scene["nodes"] if node["op"]]
    shown = [("seed", node["index"]) for node in scene["nodes"] if node["name"] in question.shown]
    return scene | {"steps": [{"phase": phase, "node": index, "text": ""} for phase, index in computed + shown]}
