"""The recipe of a language model of names, which predicts the next letter: `adjoint train names`.

recipe = recipe_for("names", hidden=(128,))
X, y = recipe.data()
model = recipe.model(X, y)
recipe.fit(model, X, y)
sample(model, 10, seed=1)
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from adjoint import data, nn
from adjoint.arrays.kinds import array_code
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.module import Module
from adjoint.training.recipes.recipe import ENGINES, Recipe

if TYPE_CHECKING:
    import numpy as np

    from adjoint.data import Characters

LONGEST = 20  # letters of a generated name


@dataclass(frozen=True)
class NamesRecipe(Recipe):
    """A network that predicts the next letter from the previous ones."""

    context: int = 5
    width: int = 16  # the size of the embedding of a letter

    def data(self, seed: int = 0) -> "tuple[np.ndarray, np.ndarray]":
        """Return a sample for each position in each name: the letters before it, and the letter there."""
        return data.Characters(data.names()).windows(data.names(), self.context)

    def model(self, X: "np.ndarray", y: "np.ndarray", engine: str = "array", seed: int = 0) -> "nn.Sequential":
        """Return an array network; letters need an embedding table, which the scalar engine does not support."""
        if engine not in ENGINES:
            raise unknown_name_error("engine", engine, ENGINES)
        if engine == "scalar":
            raise ArgumentError(
                "names needs --engine array or jit; examples/scalar_gpt.py is a language model of scalar Values"
            )
        import numpy as np

        rng, letters = np.random.default_rng(seed), data.Characters(data.names()).vocab_size
        sizes = [self.context * self.width, *self.hidden]
        layers: list[Module] = [nn.Embedding(letters, self.width, seed=rng), nn.Flatten()]
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Linear(inputs, outputs, seed=rng), nn.activation(self.activation)]
        return nn.Sequential(*layers, nn.Linear(sizes[-1], letters, seed=rng))


NAMES = NamesRecipe("names", (128,), "tanh", lr=3e-3, falls_to=0.05, epochs=15, batch_size=64)


def sample(model: Module, count: int, seed: int = 0, begin: str = "", context: int | None = None) -> list[str]:
    """Return new names, drawn letter by letter from the predicted probabilities; all start with `begin`."""
    import numpy as np

    characters, rng = data.Characters(data.names()), np.random.default_rng(seed)
    context = context or NAMES.context
    known, found = set(data.names()), []
    for _ in range(50 * count):
        name = _one(model, characters, rng, begin, context)
        if name not in known and name not in found:
            found.append(name)
        if len(found) == count:
            break
    return found


def _one(model: Module, characters: "Characters", rng: "np.random.Generator", begin: str, context: int) -> str:
    import numpy as np

    letters = [characters.end_of_text] * context + characters.encode(begin).tolist()
    while len(letters) < context + LONGEST:
        with no_grad():
            scores = model(np.array([letters[-context:]])).numpy()[0]
        chances = np.asarray(array_code("functions.reductions").softmax(scores))
        letter = int(rng.choice(len(chances), p=chances / chances.sum()))
        if letter == characters.end_of_text:
            break
        letters.append(letter)
    return characters.decode(letters)
