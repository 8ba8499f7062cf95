"""Templates, which create a random question of a level, grouped by subject."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from adjoint.lab.rooms.quiz.questions import Question

EASIEST, HARDEST = 1, 5
MAX_SEEDS = 1_000_000

Maker = Callable[[random.Random, int], Question]


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """Creates questions of some levels; belongs to a subject."""

    name: str
    subject: str
    easiest: int
    hardest: int
    maker: Maker

    def make(self, seed: int, level: int) -> Question:
        """Return the question for a seed and a level, always the same one."""
        question = self.maker(random.Random(f"{self.name} {seed} {level}"), level)
        question.id = f"{self.name}.{seed}.{level}"
        return question


class Subject:
    """The templates of one subject; used as a decorator, it adds a template."""

    def __init__(self, title: str):
        self.title = title
        self.templates: list[QuestionTemplate] = []

    def __call__(self, name: str, easiest: int, hardest: int) -> Callable[[Maker], Maker]:
        def add(maker: Maker) -> Maker:
            self.templates.append(QuestionTemplate(name, self.title, easiest, hardest, maker))
            return maker

        return add


def numbers(rng: random.Random, count: int, level: int, most: int = 7) -> list[float]:
    """Return numbers for mental arithmetic: different sizes, none 0 or 1, and from level 2 on with both signs."""
    sizes = rng.sample(range(2, most + 1), count)
    return [float(size * rng.choice((1, 1, -1) if level > 1 else (1,))) for size in sizes]
