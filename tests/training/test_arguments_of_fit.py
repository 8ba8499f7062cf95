"""What people type from other libraries: it works, or the error says what to write."""

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import Value, data, errors, evaluate, fit, jit, nn, optim
from adjoint.data import DataLoader

X, Y = data.moons(30, seed=0)


def train(model=None, *given, **options):
    common = {"loss": "cross_entropy", "epochs": 1, "progress": False}
    model = model or nn.Sequential(nn.Linear(2, 2, seed=0))
    return fit(model, *(given or (X, Y)), **common | options)


def test_positions_names_and_kinds_of_arguments_that_work():
    expected = train(optimizer="adam", lr=0.1, metrics="accuracy")
    for options in (
        {"optimizer": "Adam", "metrics": ["accuracy"]},
        {"optimizer": optim.Adam, "metrics": ("accuracy",)},
    ):
        history = train(lr=0.1, **options)
        assert history["loss"] == expected["loss"]
        assert history["accuracy"] == expected["accuracy"]
    model = nn.Sequential(nn.Linear(2, 2, seed=0))
    assert fit(model, X, y=Y, loss="cross_entropy", lr=0.1, epochs=1, progress=False)["loss"] == expected["loss"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 0.1}, "fit has no argument learning_rate; write lr"),
        ({"verbose": 0}, "fit has no argument verbose; write progress=False to hide the progress"),
        ({"validation_split": 0.2}, "write validation=0.2 to split off a fraction"),
        ({"validation_data": (X, Y)}, "write validation=(X, y)"),
        ({"shuffle": False}, "write data=DataLoader(X, y, batch_size=…, shuffle=False)"),
        ({"x": X}, "fit has no argument x; write fit(model, X, y, …), without a name"),
        ({"batchsize": 3}, "unknown argument of fit 'batchsize' (did you mean 'batch_size'?)"),
        ({"loss": "categorical_crossentropy"}, "the loss 'categorical_crossentropy' is called 'cross_entropy' here"),
        ({"loss": "mean_squared_error"}, "the loss 'mean_squared_error' is called 'mse' here"),
        ({"loss": "CrossEntropyLoss"}, "the loss 'CrossEntropyLoss' is called 'cross_entropy' here"),
        ({"loss": nn.CrossEntropyLoss}, "loss got the class CrossEntropyLoss; create an object of it"),
        ({"metrics": ["acc"]}, "unknown metric 'acc'"),
        ({"optimizer": "adamm"}, "unknown optimizer 'adamm' (did you mean 'adam'?)"),
        (
            {"optimizer": torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)},
            "the optimizer is SGD of PyTorch; use adjoint.optim.SGD(model)",
        ),
    ],
)
def test_other_words_are_errors_that_name_ours(options, message):
    with pytest.raises(errors.ArgumentError) as error:
        train(**options)
    assert message in str(error.value)


def test_every_word_of_the_table_is_unknown_to_fit():
    from inspect import signature

    from adjoint.compat.names import FIT_ARGUMENTS, LOSS_WORDS
    from adjoint.training.objectives import LOSSES

    assert not FIT_ARGUMENTS.keys() & signature(fit).parameters.keys()
    assert set(LOSS_WORDS.values()) <= set(LOSSES)


def test_evaluate_and_loaders_name_their_arguments_too():
    with pytest.raises(errors.ArgumentError, match="evaluate has no argument verbose"):
        evaluate(nn.Linear(2, 2, seed=0), X, Y, loss="cross_entropy", verbose=1)
    with pytest.raises(errors.ArgumentError, match="DataLoader has no argument num_workers; it is called workers here"):
        DataLoader(X, Y, num_workers=2)
    with pytest.raises(errors.ArgumentError, match="DataLoader has no argument pin_memory; leave it out"):
        DataLoader(X, Y, pin_memory=True)
    with pytest.raises(
        errors.ArgumentError, match=r"unknown argument of DataLoader 'batchsize' \(did you mean 'batch_"
    ):
        DataLoader(X, Y, batchsize=2)


@pytest.mark.parametrize("name", ["fit", "compile", "evaluate", "predict"])
def test_methods_of_keras_models_are_named_by_the_error(name):
    for model in (nn.Linear(2, 2, seed=0), nn.MLP(2, [1], seed=0)):
        with pytest.raises(AttributeError, match=rf"object has no attribute '{name}'; .*model"):
            getattr(model, name)
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=r"'Linear' object has no attribute 'wieght'$"):
        _ = nn.Linear(2, 2, seed=0).wieght


# --- outputs that do not fit the loss ---


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("model", "labels", "loss", "message"),
    [
        (nn.MLP(2, [4, 1], seed=0), Y, "cross_entropy", "give the last layer 2 outputs, or use loss='binary_cross_"),
        (
            nn.Linear(2, 1, seed=0),
            Y,
            "cross_entropy",
            "cross_entropy needs one output per class, but the model has one",
        ),
        (nn.Linear(2, 1, seed=0), Y[:, None], "cross_entropy", "give the last layer 2 outputs"),
        (nn.Linear(2, 1, seed=0), Y + 3, "nll", "nll needs one output per class, but the model has one output; give"),
        (nn.Linear(2, 1, seed=0), 2.5 * Y, "cross_entropy", "or use loss='mse' to predict numbers"),
        (nn.Linear(2, 2, seed=0), Y, "binary_cross_entropy_with_logits", "the model has 2 outputs per sample and the"),
        (nn.Linear(2, 2, seed=0), Y, "mse", "give the last layer one output, or use loss='cross_entropy' for classes"),
        (nn.MLP(2, [2], seed=0), 2 * Y - 1, "hinge", "hinge needs one output for each target, but the model has 2"),
    ],
)
def test_outputs_that_do_not_fit_the_loss_are_refused(model, labels, loss, message, compiled):
    with pytest.raises(errors.ShapeError) as error:
        train(model, X, labels, loss=loss, jit=compiled)
    assert message in str(error.value)


SCORES = np.random.default_rng(0).normal(size=30)


@pytest.mark.parametrize(
    ("scores", "labels", "kind", "message"),
    [
        (Value(SCORES), Y, errors.ShapeError, "the scores and the integer targets both have shape (30,). For labels"),
        (
            Value(SCORES),
            Y.tolist(),
            errors.ShapeError,
            "with one score per sample, use binary_cross_entropy_with_logits",
        ),
        ([Value(x) for x in SCORES], Y.tolist(), errors.ShapeError, "both have shape (30,)"),
        (Value(SCORES[:, None]), Y[:, None], errors.ShapeError, "both have shape (30, 1)"),
        (
            Value(SCORES[:, None]),
            Y,
            errors.ArrayIndexError,
            "cross_entropy needs one score per class; with one score per",
        ),
        (Value(SCORES.reshape(15, 2)), np.ones((15, 2), int), errors.ShapeError, "must add up to 1"),
    ],
)
def test_labels_are_not_taken_for_probabilities(scores, labels, kind, message):
    with pytest.raises(kind) as error:
        nn.cross_entropy(scores, labels)
    assert message in str(error.value)
    if isinstance(scores, Value) and scores.ndim == 1:
        with pytest.raises(errors.ShapeError, match="both have shape"):
            jit(nn.cross_entropy)(scores, np.asarray(labels))


def test_one_hot_integers_and_probabilities_are_targets():
    scores, labels = SCORES.reshape(10, 3), Y[:10]
    expected = torch.nn.functional.cross_entropy(torch.from_numpy(scores), torch.from_numpy(labels)).item()
    for one_hot in (np.eye(3)[labels], np.eye(3, dtype=int)[labels]):
        require_close(float(nn.cross_entropy(Value(scores), one_hot)), expected)
    require_close(
        float(nn.cross_entropy(Value(scores[0]), [0, 1, 0])),
        torch.nn.functional.cross_entropy(torch.from_numpy(scores[0]), torch.tensor(1)).item(),
    )
