"""Warnings that name the scale of inputs and targets."""

import warnings

import numpy as np
import pandas as pd
import pytest
from closeness import require_close

from adjoint import data, errors, fit, guards, nn

RANDOM = np.random.default_rng(0)
SMALL = RANDOM.normal(size=(40, 3))
INCOMES = SMALL * [1.0, 1e6, 1.0]


def train(model, X, y, **options):
    return fit(model, X, y, **{"loss": "mse", "epochs": 2, "progress": False} | options)


def line():
    return nn.Linear(3, 1, seed=0)


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_a_column_of_large_inputs_is_named_with_its_range(jit):
    frame = pd.DataFrame(INCOMES, columns=["age", "income", "height"])
    low, high = INCOMES[:, 1].min(), INCOMES[:, 1].max()
    for X, name in ((INCOMES, "column 1"), (frame, "column 1 ('income')")):
        with pytest.warns(errors.InputScaleWarning) as caught:
            history = train(line(), X, SMALL[:, 0], jit=jit)
        message = str(caught[0].message)
        assert f"{name} of the inputs ranges from {low:.6g} to {high:.6g}" in message
        assert "scale = adjoint.data.Scale.of(X) and scale(X)" in message
        assert f"the loss of the first epoch is {history['loss'][0]:.3g}" in message
        assert "adjoint.guards(input_scale=False)" in message
        assert len(caught) == 1


@pytest.mark.parametrize(
    ("X", "y", "model", "options"),
    [
        (SMALL, 1e8 * SMALL[:, 0], line(), {}),
        ((1e5 * SMALL, SMALL), SMALL[:, 0], nn.Bilinear(3, 3, 1, seed=0), {}),
        (INCOMES.astype(int), SMALL[:, 0], line(), {}),
        (data.blobs(40)[0] * 1e6, data.blobs(40)[1], nn.Linear(2, 3, seed=0), {"loss": "cross_entropy"}),
    ],
    ids=["targets", "two inputs", "integers", "classes"],
)
def test_targets_several_inputs_integers_and_classes(X, y, model, options):
    what = (
        "the targets range from" if X is SMALL else "of input 0 ranges" if isinstance(X, tuple) else "column 1 of the"
    )
    what = what if options == {} else "of the inputs ranges"
    with pytest.warns(errors.InputScaleWarning, match=what):
        train(model, X, y, **options)


def test_divergence_names_the_scale_instead_of_the_learning_rate():
    with pytest.warns(errors.DivergingLossWarning) as caught, pytest.warns(errors.InputScaleWarning):
        train(line(), INCOMES, SMALL[:, 0], optimizer="sgd", lr=0.1, epochs=200)
    message = next(str(w.message) for w in caught if w.category is errors.DivergingLossWarning)
    assert "Column 1 of the inputs ranges from" in message
    assert "lr" not in message


@pytest.mark.parametrize(
    ("X", "y", "model"),
    [
        (SMALL, SMALL[:, 0], line()),
        (SMALL * 50, 300 * SMALL[:, 0], line()),
        (INCOMES, SMALL[:, 0], nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1, seed=0))),
        (np.full(40, 20000), SMALL[:, :1], nn.Sequential(nn.Embedding(20001, 2, seed=0), nn.Linear(2, 1, seed=0))),
    ],
    ids=["small", "moderate", "normalized", "indices"],
)  # fmt: skip
def test_data_that_train_well_give_no_warning(X, y, model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(model, X, y)


def test_the_guard_can_be_switched_off_and_scaling_removes_the_cause():
    scale = data.Scale.of(INCOMES)
    scaled = scale(INCOMES)
    require_close(scaled.mean(0), np.zeros(scaled.shape[1]), scale=1.0)
    require_close(scaled.std(0), np.ones(scaled.shape[1]))
    require_close(scale.back(scale(INCOMES)), INCOMES)
    y = data.Scale.of(INCOMES[:, 1])
    require_close(y.back(y(INCOMES[:, 1])), INCOMES[:, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(line(), scale(INCOMES), SMALL[:, 0])
        with guards(input_scale=False):
            train(line(), INCOMES, SMALL[:, 0])


def test_the_scale_of_lists_is_that_of_the_same_array():
    rows = [[1.0, 2000.0, 5.0], [4.0, 1000.0, 5.0], [0.5, 1300.0, 5.0]]
    arrays, lists = data.Scale.of(np.array(rows)), data.Scale.of_rows(rows)
    require_close(lists.mean, arrays.mean)
    require_close(lists.spread, arrays.spread)
    assert [lists.row(row) for row in rows] == lists(np.array(rows)).tolist()
