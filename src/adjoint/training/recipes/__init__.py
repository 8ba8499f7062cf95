"""Recipes: tested networks and training settings for each data set, used by `adjoint train`.

    recipe = recipe_for("moons", epochs=50)
    X, y = recipe.data(seed=1)
    model = recipe.model(X, y, engine="array", seed=1)
    history = recipe.fit(model, X, y)

All engines start with the same weights, so their losses are equal. `RECIPES` lists every recipe; `recipe.py` defines
what a recipe is, `name_generator.py` is the recipe of a language model of names, and `prediction.py` uses a trained
network.
"""

import math
import os
from dataclasses import replace
from typing import Any

from adjoint import data as datasets, optim
from adjoint.data.named_datasets import SUFFIXES
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.scalar import ACTIVATIONS
from adjoint.training.recipes.name_generator import NAMES
from adjoint.training.recipes.prediction import Predictor, Preparation, notes
from adjoint.training.recipes.recipe import ENGINES, FEW_CLASSES, Recipe, task_of

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("xor", (4, 4), "tanh", lr=0.05, epochs=200),
        Recipe("moons", lr=0.1, falls_to=0.1, l2=1e-4),
        Recipe("circles", lr=0.1, falls_to=0.1, l2=1e-4),
        Recipe("blobs", (16,), epochs=60),
        Recipe("spirals", (64, 64), lr=0.01, falls_to=0.1, epochs=200, batch_size=64, wide=False),
        Recipe("digits", (128, 64), lr=2e-3, falls_to=0.1, epochs=30, batch_size=64, wide=False, held_out=0.2),
        NAMES,
    )
}


def recipe_for(name: str | os.PathLike, **changes: Any) -> Recipe:
    """Return the recipe for a data set or a file, with some fields changed; None keeps a field.

    >>> recipe_for("moons", epochs=5).epochs
    5
    """
    found = RECIPES.get(str(name))
    if found is None:
        if os.path.splitext(name)[1].lower() not in SUFFIXES:
            known = [*datasets.DATASETS]
            raise unknown_name_error("data", str(name), known, "; or a .csv, .npz, .txt, .md or .bin file")
        found = Recipe(str(name), (32, 32), falls_to=0.1, batch_size=32, wide=False, scaled=True, held_out=0.2)
    changed = replace(found, **{key: x for key, x in changes.items() if x is not None})
    if changed.header is not None and os.path.splitext(name)[1].lower() != ".csv":
        raise ArgumentError(f"only a .csv file has a header, not {str(name)!r}; leave out header")
    whole(changed.epochs, "epochs")
    if not is_number(changed.lr) or not 0 < changed.lr < math.inf:
        raise ArgumentError(f"the learning rate must be a number above 0, not {describe(changed.lr)}")
    if changed.activation not in ACTIVATIONS:
        raise unknown_name_error("activation", changed.activation, ACTIVATIONS)
    if changed.optimizer not in optim.OPTIMIZERS:
        raise unknown_name_error("optimizer", changed.optimizer, optim.OPTIMIZERS)
    for size in changed.hidden:
        whole(size, "the size of a hidden layer")
    return changed


__all__ = [
    "ENGINES",
    "FEW_CLASSES",
    "RECIPES",
    "Predictor",
    "Preparation",
    "Recipe",
    "notes",
    "recipe_for",
    "task_of",
]
