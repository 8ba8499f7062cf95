"""Templates: what makes a question of a level from chance, gathered by subject."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from adjoint.lab.rooms.quiz.questions import Question

EASIEST, HARDEST = 1, 5
MOST_SEEDS = 1_000_000

Maker = Callable[[random.Random, int], Question]


@dataclass(frozen=True, slots=True)
class Template:
    """A way to make questions: its name, the subject it belongs to, and the levels that it has questions for."""

    name: str
    subject: str
    easiest: int
    hardest: int
    maker: Maker

    def make(self, seed: int, level: int) -> Question:
        """Return the question of a seed and a level; the same ones make the same question."""
        question = self.maker(random.Random(f"{self.name} {seed} {level}"), level)
        question.id = f"{self.name}.{seed}.{level}"
        return question


class Subject:
    """The templates of one subject; as a decorator, it adds one."""

    def __init__(self, title: str):
        self.title, self.templates = title, []

    def __call__(self, name: str, easiest: int, hardest: int) -> Callable[[Maker], Maker]:
        def add(maker: Maker) -> Maker:
            self.templates.append(Template(name, self.title, easiest, hardest, maker))
            return maker

        return add


def numbers(rng: random.Random, count: int, level: int, most: int = 7) -> list[float]:
    """Return numbers to calculate with by hand: no two of one size, none 0 or 1, and from level 2 on of both signs."""
    sizes = rng.sample(range(2, most + 1), count)
    return [float(size * rng.choice((1, 1, -1) if level > 1 else (1,))) for size in sizes]
