"""Recipes: each learns its problem, with the same losses on every engine."""

import json

import numpy as np
import pytest
from closeness import require_close

from adjoint import nn
from adjoint.data import names
from adjoint.errors import ArgumentError, DataError
from adjoint.training import recipes
from adjoint.training.recipes import Predictor, Preparation, notes, recipe_for, task_of
from adjoint.training.recipes.name_generator import sample
from adjoint.training.scores import scores_of


@pytest.mark.parametrize(("name", "least"), [("xor", 1.0), ("moons", 1.0), ("circles", 1.0), ("blobs", 0.99)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_small_problems_are_learned(name, least, seed):
    recipe = recipe_for(name)
    X, y = recipe.data(seed)
    history = recipe.fit(recipe.model(X, y, seed=seed), X, y, seed=seed, progress=False)
    assert history["accuracy"][-1] >= least


def test_all_engines_have_the_same_losses():
    recipe = recipe_for("moons", epochs=8)
    X, y = recipe.data(seed=3)
    losses = [
        recipe.fit(recipe.model(X, y, engine, seed=3), X, y, engine, progress=False)["loss"]
        for engine in ("scalar", "array")
    ]
    require_close(losses[0], losses[1])


def test_scaled_weights_are_smaller_for_more_inputs():
    X, y = np.zeros((4, 100)), np.array([0, 1, 2, 0])
    wide, narrow = (recipe_for("blobs", wide=wide).model(X, y) for wide in (True, False))
    assert 0.9 < np.abs(wide[0].weight.data).max() <= 1.0
    assert 0.09 < np.abs(narrow[0].weight.data).max() <= 0.1


def test_the_task_is_determined_by_the_targets():
    assert task_of(np.array([0, 1, 1])) == "sides"
    assert task_of(np.array([0, 1, 2])) == "classes"
    assert task_of(np.array([0.5, 1.5])) == "numbers"
    with pytest.raises(DataError, match="the targets contain -1"):
        task_of(np.array([-1, 1]))


def test_data_from_a_file_is_scaled_and_split(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal([1000.0, 0.001, 5.0], [100.0, 0.0001, 0.0], (80, 3))
    y = X[:, 0] / 100 + 1000 * X[:, 1]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(",".join(map(repr, [*row, target])) for row, target in zip(X.tolist(), y.tolist())))
    recipe = recipe_for(path, epochs=60)
    X, y = recipe.data()
    preparation = Preparation.of(recipe, X, y)
    inputs, targets = preparation(X, y)
    # the large mean of a column is subtracted, ten times its spread
    require_close(inputs.mean(0), np.zeros(3), scale=1.0, condition=10)
    require_close(inputs.std(0), np.array([1.0, 1, 0]), condition=10)
    require_close([targets.mean(), targets.std()], [0.0, 1.0], condition=10)
    model = recipe.model(inputs, targets)
    history = recipe.fit(model, inputs, targets, progress=False)
    assert history["validation_loss"][-1] < 0.02  # relative to the variance
    predictor = Predictor(model, json.loads(json.dumps(notes(recipe, preparation))))
    assert predictor(X[0])["prediction"] == pytest.approx(y[0], abs=0.5)
    with pytest.raises(ArgumentError, match="needs 3 inputs, not 2"):
        predictor([1.0, 2.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs must be an integer of at least 1"),
        ({"lr": -1.0}, "the learning rate must be a number above 0, not"),
        ({"activation": "rellu"}, "did you mean 'relu'"),
        ({"optimizer": "adma"}, "did you mean 'adam'"),
        ({"hidden": (4, 0)}, "the size of a hidden layer must be"),
    ],
)
def test_invalid_changes_of_a_recipe_are_refused(changes, message):
    with pytest.raises(ArgumentError, match=message):
        recipe_for("moons", **changes)


def test_unknown_data_and_engines_are_refused():
    with pytest.raises(ArgumentError, match=r"unknown data 'mons' \(did you mean 'moons'\?\)"):
        recipe_for("mons")
    X, y = recipe_for("xor").data()
    with pytest.raises(ArgumentError, match="unknown engine 'arry'"):
        recipe_for("xor").model(X, y, "arry")
    with pytest.raises(ArgumentError, match="names needs --engine array or jit"):
        recipe_for("names").model(X, y, "scalar")


def test_a_language_model_generates_new_names():
    recipe = recipe_for("names", epochs=2)
    X, y = recipe.data()
    model = recipe.model(X, y)
    history = recipe.fit(model, X, y, progress=False)
    assert history["loss"][-1] < 2.6 < np.log(27)  # better than by chance
    made = sample(model, 5, seed=1, begin="ma")
    assert len(made) == len(set(made)) == 5
    assert all(name.startswith("ma") and name not in names() for name in made)
    assert made == sample(model, 5, seed=1, begin="ma")


def test_predictions_are_the_same_for_both_kinds_of_network():
    model, X = nn.MLP(2, [3, 2], "tanh", seed=0), np.random.default_rng(0).normal(size=(5, 2))
    require_close(scores_of(model, X), scores_of(model.to_arrays(), X))


def test_every_data_set_has_a_recipe():
    assert set(recipes.RECIPES) == set(recipes.datasets.DATASETS)
