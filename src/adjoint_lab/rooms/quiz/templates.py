"""Templates, which create a random question of a level, grouped by subject.

A concept is a question about an idea: its options are texts, and each wrong one has its explanation.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from adjoint_lab.rooms.quiz.questions import Question, choice

EASIEST, HARDEST = 1, 5
MAX_SEEDS = 1_000_000
_WRONG_OPTIONS = 3  # of a concept

Maker = Callable[[random.Random, int], Question]


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """Creates questions of some levels; belongs to a subject."""

    name: str
    subject: str
    easiest: int
    hardest: int
    maker: Maker
    is_concept: bool = False

    def make(self, seed: int, level: int) -> Question:
        """Return the question for a seed and a level, always the same one."""
        question = self.maker(random.Random(f"{self.name} {seed} {level}"), level)
        question.id = f"{self.name}.{seed}.{level}"
        return question


class Subject:
    """The templates of one subject; used as a decorator, it adds a template.

    `name` identifies the subject in addresses.
    """

    def __init__(self, name: str, title: str):
        self.name, self.title = name, title
        self.templates: list[QuestionTemplate] = []

    def __call__(self, name: str, easiest: int, hardest: int) -> Callable[[Maker], Maker]:
        def add(maker: Maker) -> Maker:
            self.templates.append(QuestionTemplate(name, self.title, easiest, hardest, maker))
            return maker

        return add

    def concept(
        self, name: str, easiest: int, hardest: int, *, prompt: str, right: str, because: str, wrong: dict[str, str]
    ) -> None:
        """Add a question about an idea: the correct option, and more wrong ones than a question shows."""

        def make(rng: random.Random, level: int) -> Question:
            shown = {text: wrong[text] for text in rng.sample([*wrong], _WRONG_OPTIONS)}
            return choice(rng, right, shown, prompt=prompt, because=because)

        self.templates.append(QuestionTemplate(name, self.title, easiest, hardest, make, is_concept=True))


def numbers(rng: random.Random, count: int, level: int, most: int = 7) -> list[float]:
    """Return numbers for mental arithmetic: different sizes, none 0 or 1, and from level 2 on with both signs."""
    sizes = rng.sample(range(2, most + 1), count)
    return [float(size * rng.choice((1, 1, -1) if level > 1 else (1,))) for size in sizes]
