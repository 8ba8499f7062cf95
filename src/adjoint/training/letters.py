"""A language model of names: which letter follows the last few. What `adjoint train names` trains.

recipe = NamesRecipe("names", hidden=(128,))
X, y = recipe.data()
model = recipe.model(X, y)
recipe.fit(model, X, y)
sample(model, 10, seed=1)
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from adjoint import nn
from adjoint.data import Characters, names
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown
from adjoint.training.recipes import ENGINES, RECIPES, Recipe

LONGEST = 20  # letters of a name that is made up


@dataclass(frozen=True)
class NamesRecipe(Recipe):
    """A network that sees the last letters and says which one is next."""

    context: int = 5
    width: int = 16  # numbers that stand for a letter

    def data(self, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return each place in each name: the letters before it, and the letter there."""
        return Characters(names()).windows(names(), self.context)

    def model(self, X: np.ndarray, y: np.ndarray, engine: str = "array", seed: int = 0) -> Any:
        """Return a network of arrays; letters are looked up in a table, which single Values have not."""
        if engine not in ENGINES:
            raise unknown("engine", engine, ENGINES)
        if engine == "scalar":
            raise ArgumentError(
                "names are learned by arrays: --engine array or jit (examples/scalar_gpt.py uses Values)"
            )
        rng, letters = np.random.default_rng(seed), len(Characters(names()))
        sizes = [self.context * self.width, *self.hidden]
        layers: list[Any] = [nn.Embedding(letters, self.width, seed=rng), nn.Flatten()]
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Linear(inputs, outputs, seed=rng), nn.activation(self.activation)]
        return nn.Sequential(*layers, nn.Linear(sizes[-1], letters, seed=rng))


RECIPES["names"] = NamesRecipe("names", (128,), "tanh", lr=3e-3, falls_to=0.05, epochs=15, batch_size=64)


def sample(model: Any, count: int, seed: int = 0, begin: str = "", context: int | None = None) -> list[str]:
    """Return new names, letter by letter as the model finds them likely; they may `begin` with some letters."""
    characters, rng = Characters(names()), np.random.default_rng(seed)
    context = context or RECIPES["names"].context  # pyright: ignore[reportAttributeAccessIssue]
    known, found = set(names()), []
    for _ in range(50 * count):
        name = _one(model, characters, rng, begin, context)
        if name not in known and name not in found:
            found.append(name)
        if len(found) == count:
            break
    return found


def _one(model: Any, characters: Characters, rng: np.random.Generator, begin: str, context: int) -> str:
    letters = [characters.boundary] * context + characters.encode(begin).tolist()
    while len(letters) < context + LONGEST:
        with no_grad():
            scores = model(np.array([letters[-context:]])).numpy()[0]
        chances = np.exp(scores - scores.max())
        letter = int(rng.choice(len(chances), p=chances / chances.sum()))
        if letter == characters.boundary:
            break
        letters.append(letter)
    return characters.decode(letters)
