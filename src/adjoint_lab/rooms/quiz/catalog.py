"""All templates, the topics that can be chosen, and the order of the questions.

A seed, a number, a level and the chosen topics determine the next question.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from adjoint.errors import LabError, describe, nearest
from adjoint_lab.rooms.quiz.lessons import LESSONS
from adjoint_lab.rooms.quiz.questions import Question
from adjoint_lab.rooms.quiz.templates import MAX_SEEDS, QuestionTemplate
from adjoint_lab.rooms.quiz.topics import why_arrays, why_graphs, why_training  # noqa: F401, they add to subjects
from adjoint_lab.rooms.quiz.topics.activations import ACTIVATIONS
from adjoint_lab.rooms.quiz.topics.arrays import ARRAYS
from adjoint_lab.rooms.quiz.topics.chain import CHAIN
from adjoint_lab.rooms.quiz.topics.language import LANGUAGE
from adjoint_lab.rooms.quiz.topics.meaning import MEANING
from adjoint_lab.rooms.quiz.topics.mistakes import MISTAKES
from adjoint_lab.rooms.quiz.topics.networks import NETWORKS
from adjoint_lab.rooms.quiz.topics.nodes import NODES
from adjoint_lab.rooms.quiz.topics.updates import UPDATES

SUBJECTS = (NODES, CHAIN, MEANING, ACTIVATIONS, UPDATES, NETWORKS, MISTAKES, ARRAYS, LANGUAGE)
TEMPLATES: dict[str, QuestionTemplate] = {
    template.name: template for subject in SUBJECTS for template in subject.templates
}


@dataclass(frozen=True, slots=True)
class Topic:
    """Questions that can be chosen together: those of a subject, those on ideas, or those of a lesson."""

    name: str
    title: str
    templates: tuple[QuestionTemplate, ...]


TOPICS = {
    topic.name: topic
    for topic in (
        *(Topic(subject.name, subject.title, tuple(subject.templates)) for subject in SUBJECTS),
        Topic("ideas", "Ideas (no numbers)", tuple(t for t in TEMPLATES.values() if t.is_concept)),
    )
}
# The lesson "mistakes" has the questions of the topic "mistakes", so that a name has one meaning.
LESSON_TOPICS = {
    lesson.name: TOPICS.get(lesson.name)
    or Topic(lesson.name, lesson.title, tuple(TEMPLATES[name] for name in lesson.templates))
    for lesson in LESSONS
}
CHOICES = TOPICS | LESSON_TOPICS


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


def next_question(seed: int, number: int, level: int, topics: Sequence[str] = ()) -> Question:
    """Return the question with this number in the course of a seed; without topics, from all of them.

    No template comes twice in a row, even if the level changes in between: even and odd numbers use two different
    decks. Each deck is shuffled by the seed, and used up before it is shuffled again.
    """
    names = tuple(sorted(set(topics)))
    deck = _decks(level, names)[number % 2]
    turn, place = divmod(number // 2, len(deck))
    order = random.Random(" ".join(map(str, (seed, level, number % 2, turn, *names)))).sample(deck, len(deck))
    question_seed = random.Random(f"{seed} {number}").randrange(MAX_SEEDS)
    template = order[place]
    return template.make(question_seed, min(max(level, template.easiest), template.hardest))


_FEW = 2  # with fewer templates of a level, a deck has those of all levels


@cache
def _decks(level: int, topics: tuple[str, ...]) -> tuple[list[QuestionTemplate], list[QuestionTemplate]]:
    """Return the templates of a level in two halves; a template is in the same half on every level."""
    chosen = {t.name: t for name in topics for t in CHOICES[name].templates} if topics else TEMPLATES
    ordered = sorted(chosen.values(), key=lambda template: (template.easiest, template.hardest))
    halves = ordered[::2], ordered[1::2]
    return _of_level(halves[0], level), _of_level(halves[1], level)


def _of_level(half: list[QuestionTemplate], level: int) -> list[QuestionTemplate]:
    fitting = [t for t in half if t.easiest <= level <= t.hardest]
    return fitting if len(fitting) >= min(_FEW, len(half)) else half
