"""Random choices from a seed."""

import random
from typing import Any


class Choices:
    """Draws numbers and decisions: the same ones for the same seed."""

    def __init__(self, seed: int | str):
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def float(self, low: float = -2.0, high: float = 2.0) -> float:
        return round(self.random.uniform(low, high), 2) or 0.5  # 0 is special: a slope of celu, say, must not be 0
