"""The room Quiz: questions in a course of rising level, checked, with what the answer was and why.

It keeps nothing between messages. A course is a seed; where somebody stands in it (the number of the question, the
level, the score) goes out with every verdict and comes back with the next message, so that an address can hold it.

    next    {seed, number, level}              → {question, seed, number, level}
    ask     {question: id}                     → {question}
    answer  {question: id, answer, standing?}  → the verdict
    reveal  {question: id, standing?}          → the verdict, with nothing given
"""

from collections.abc import Callable
from typing import Any

from adjoint.errors import LabError
from adjoint.errors.suggest import unknown
from adjoint.lab.rooms.quiz.catalogue import TEMPLATES, next_question, question_of
from adjoint.lab.rooms.quiz.questions import ChoiceQuestion, NodeQuestion, NumberQuestion, OrderQuestion, Question
from adjoint.lab.rooms.quiz.templates import EASIEST, HARDEST, MOST_SEEDS
from adjoint.lab.scenes import Scene, scene_of
from adjoint.lab.serve import messages
from adjoint.see.explanation.mathml import as_mathml, name_as_mathml
from adjoint.see.explanation.narration import number
from adjoint.see.expression import Expression

RISES, FALLS = 3, 2  # right answers in a row for the next level, wrong ones in a row for the last
MOST_QUESTIONS = 1_000_000
_HIDDEN, _ASKED = "·", "?"


class Quiz:
    """The room."""

    NEWEST_WINS = frozenset()

    def __init__(self, push: Callable[[dict, str], None]):
        self._doing = {"next": _next, "ask": _ask, "answer": _answer, "reveal": _reveal}

    def handle(self, do: str, message: dict[str, Any]) -> dict[str, Any]:
        """Do what a message asks for."""
        if do not in self._doing:
            raise unknown("action", do, self._doing)
        return self._doing[do](message)

    def close(self) -> None:
        """There is nothing to end."""


def _next(message: dict[str, Any]) -> dict[str, Any]:
    seed = messages.whole(message, "seed", 0, MOST_SEEDS - 1)
    count = messages.whole(message, "number", 0, MOST_QUESTIONS)
    level = messages.whole(message, "level", EASIEST, HARDEST)
    return {"question": asked(next_question(seed, count, level)), "seed": seed, "number": count, "level": level}


def _ask(message: dict[str, Any]) -> dict[str, Any]:
    return {"question": asked(_question(message))}


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    question = _question(message)
    if "answer" not in message:
        raise LabError("answer is missing: what was answered is expected; to see the answer, send reveal")
    answer = question.read(message["answer"])
    is_right = question.is_right(answer)
    mixes_up = "" if is_right else question.mixes_up(answer)
    return _verdict(question, message, is_right) | {"given": question.text_of(answer), "mixes_up": mixes_up}


def _reveal(message: dict[str, Any]) -> dict[str, Any]:
    return _verdict(_question(message), message, False) | {"given": None, "mixes_up": ""}


def _question(message: dict[str, Any]) -> Question:
    return question_of(messages.text(message, "question", 60))


def _verdict(question: Question, message: dict[str, Any], is_right: bool) -> dict[str, Any]:
    return {
        "question": question.id,
        "right": is_right,
        "answer": {"value": question.right, "text": question.text_of(question.right), "math": _option_math(question)},
        "because": question.because,
        "steps": question.steps,
        "scene": scene_of(question.graph.root) if question.graph else None,
        "standing": _moved(_standing(message), is_right),
    }


def _option_math(question: Question) -> Any:
    if isinstance(question, ChoiceQuestion) and question.in_formulas:
        return formula_mathml(question.options[question.answer - 1])
    return None


# --- where somebody stands ------------------------------------------------------------------------------------


def _standing(message: dict[str, Any]) -> dict[str, int]:
    given = messages.fields(message, "standing", {})

    names = ("right", "asked", "streak", "misses")
    counts = {name: messages.whole(given, name, 0, MOST_QUESTIONS, 0) for name in names}
    return counts | {"level": messages.whole(given, "level", EASIEST, HARDEST, EASIEST)}


def _moved(standing: dict[str, int], is_right: bool) -> dict[str, int]:
    """Return where somebody stands after an answer: the level rises and falls with what comes in a row."""
    level = standing["level"]
    streak, misses = (standing["streak"] + 1, 0) if is_right else (0, standing["misses"] + 1)
    if is_right and streak % RISES == 0:
        level = min(level + 1, HARDEST)
    if misses == FALLS:
        level, misses = max(level - 1, EASIEST), 0
    count = standing["right"] + is_right, standing["asked"] + 1
    return {"right": count[0], "asked": count[1], "streak": streak, "misses": misses, "level": level}


# --- a question as the page shows it ----------------------------------------------------------------------------


def asked(question: Question) -> dict[str, Any]:
    """Return a question as a page shows it, without its answer."""
    template = TEMPLATES[question.id.partition(".")[0]]
    shown: dict[str, Any] = {
        "id": question.id,
        "subject": template.subject,
        "level": int(question.id.rpartition(".")[2]),
        "kind": question.kind,
        "prompt": question.prompt,
        "formulas": [{"text": text, "math": formula_mathml(text)} for text in question.formulas if text],
        "given": [{"name": name, "value": _plain(x), "text": given_text(x)} for name, x in question.given.items()],
        "scene": _covered(question),
        "about": None,
    }
    if question.asked:
        about = question.asked
        shown["about"] = {"what": about.what, "node": about.node, "parent": about.parent or None}
    if isinstance(question, NumberQuestion):
        shown["accuracy"] = question.accuracy
    if isinstance(question, ChoiceQuestion):
        in_formulas = question.in_formulas
        shown["options"] = [{"text": x, "math": formula_mathml(x) if in_formulas else None} for x in question.options]
    if isinstance(question, (NodeQuestion, OrderQuestion)):
        shown["nodes"] = question.nodes
    return shown


def _plain(x: Any) -> Any:
    return [_plain(part) for part in x] if isinstance(x, (list, tuple)) else x


def given_text(x: Any) -> str:
    """Return what is given as text: a number, a shape, rows.

    >>> given_text(-2.0), given_text((5, 3)), given_text([[1.0, -2.0], [0.5, 3.0]])
    ('−2', '(5, 3)', '[[1, −2], [0.5, 3]]')
    """
    if isinstance(x, tuple):
        return f"({', '.join(map(str, x))})"
    return f"[{', '.join(map(given_text, x))}]" if isinstance(x, list) else number(x)


def formula_mathml(text: str) -> list[Any]:
    """Return a formula, with or without a name before it, as MathML in plain data.

    >>> formula_mathml("y = a*x")
    ['mrow', ['mi', 'y'], ['mo', '='], ['mrow', ['mi', 'a'], ['mo', '·'], ['mi', 'x']]]
    """
    name, _, formula = text.rpartition(" = ")
    written = as_mathml(Expression(formula).symbol())
    return ["mrow", name_as_mathml(name), ["mo", "="], written] if name else written


def _covered(question: Question) -> Scene | None:
    """Return the scene of a question with all that would tell its answer taken out: the page draws what it is sent."""
    if question.graph is None:
        return None
    scene = scene_of(question.graph.root)
    about = question.asked
    for node in scene["nodes"]:
        if node["name"] in question.hidden:
            is_asked = about is not None and about.what == "value" and about.node == node["name"]
            node["data"] = _ASKED if is_asked else _HIDDEN
        if node["name"] not in question.shown:
            node["grad"] = None
        del node["math"]

    made = [("forward", node["index"]) for node in scene["nodes"] if node["op"]]
    shown = [("seed", node["index"]) for node in scene["nodes"] if node["name"] in question.shown]
    return scene | {"steps": [{"phase": phase, "node": index, "text": ""} for phase, index in made + shown]}
