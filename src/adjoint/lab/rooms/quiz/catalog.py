"""All templates, and the order of the questions: a seed, a number and a level determine the next question."""

import random
from functools import cache

from adjoint.errors import LabError
from adjoint.errors.given import describe
from adjoint.errors.suggest import nearest
from adjoint.lab.rooms.quiz.questions import Question
from adjoint.lab.rooms.quiz.templates import MAX_SEEDS, QuestionTemplate
from adjoint.lab.rooms.quiz.topics.activations import ACTIVATIONS
from adjoint.lab.rooms.quiz.topics.arrays import ARRAYS
from adjoint.lab.rooms.quiz.topics.chain import CHAIN
from adjoint.lab.rooms.quiz.topics.meaning import MEANING
from adjoint.lab.rooms.quiz.topics.mistakes import MISTAKES
from adjoint.lab.rooms.quiz.topics.networks import NETWORKS
from adjoint.lab.rooms.quiz.topics.nodes import NODES
from adjoint.lab.rooms.quiz.topics.updates import UPDATES

SUBJECTS = (NODES, CHAIN, MEANING, ACTIVATIONS, UPDATES, NETWORKS, MISTAKES, ARRAYS)
TEMPLATES: dict[str, QuestionTemplate] = {
    template.name: template for subject in SUBJECTS for template in subject.templates
}


def question_of(name: str) -> Question:
    """Return the question with an id such as "chain-product.17.2": its template, seed and level.

    >>> question_of("chain-product.17.2").kind
    'number'
    """
    template, _, rest = name.partition(".")
    if template not in TEMPLATES:
        near = nearest(template, TEMPLATES)
        hint = f"; did you mean {near}?" if near else ""
        raise LabError(f"the question {describe(name)} does not exist, because its template is unknown{hint}")
    seed, _, level = rest.partition(".")
    found = TEMPLATES[template]
    if not (_is_whole(seed) and int(seed) < MAX_SEEDS and _is_whole(level)):
        raise LabError(
            f"the id of a question must be template.seed.level, such as {template}.17.{found.easiest}, not "
            f"{describe(name)}"
        )
    if not found.easiest <= int(level) <= found.hardest:
        raise LabError(f"{template} has the levels {found.easiest} to {found.hardest}, not {level}")
    return found.make(int(seed), int(level))


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 6 and str(int(text)) == text


def next_question(seed: int, number: int, level: int) -> Question:
    """Return the question with this number in the course of a seed.

    No template comes twice in a row, even if the level changes in between: even and odd numbers use two different
    decks. Each deck is shuffled by the seed, and used up before it is shuffled again.
    """
    deck = _decks(level)[number % 2]
    turn, place = divmod(number // 2, len(deck))
    order = random.Random(f"{seed} {level} {number % 2} {turn}").sample(deck, len(deck))
    question_seed = random.Random(f"{seed} {number}").randrange(MAX_SEEDS)
    return order[place].make(question_seed, level)


@cache
def _decks(level: int) -> tuple[list[QuestionTemplate], list[QuestionTemplate]]:
    """Return the templates of a level in two halves; a template is in the same half on every level."""
    ordered = sorted(TEMPLATES.values(), key=lambda template: (template.easiest, template.hardest))
    halves = ordered[::2], ordered[1::2]
    return tuple([t for t in half if t.easiest <= level <= t.hardest] for half in halves)  # pyright: ignore
