"""The metrics of `fit` and `evaluate`: over all samples, by name or as functions."""

from functools import partial

import numpy as np
import pytest
import sklearn.metrics as reference
from closeness import require_close

from adjoint import EarlyStopping, data, evaluate, fit, metrics, nn
from adjoint.errors import AdjointError

X, Y = data.blobs(70, classes=3, noise=2.0, seed=0)
SIGNS = (Y > 0).astype(int)


def network(outputs, seed=0):
    return nn.Sequential(nn.Linear(2, outputs, seed=seed))


def test_metrics_are_those_of_all_samples_and_not_means_of_batches():
    model = network(3)
    names = ["accuracy", "precision", "recall", "f1", "auc", "top_k"]
    found = evaluate(model, data.DataLoader(X, Y, batch_size=16), loss="cross_entropy", metrics=names)
    scores = model(X).numpy()
    labels = scores.argmax(1)
    expected = {
        "accuracy": reference.accuracy_score(Y, labels),
        "precision": reference.precision_score(Y, labels, average="macro"),
        "recall": reference.recall_score(Y, labels, average="macro"),
        "f1": reference.f1_score(Y, labels, average="macro"),
        "auc": reference.roc_auc_score(Y, np.exp(scores) / np.exp(scores).sum(1, keepdims=True), multi_class="ovr"),
        "top_k": 1.0,
    }
    require_close({name: x for name, x in found.items() if name != "loss"}, expected)


def test_metrics_of_numbers_are_those_of_all_samples():
    model, y = network(1), X @ [1.0, -2.0] + 0.5
    loader = data.DataLoader(X, y, batch_size=16)
    found = evaluate(model, loader, loss="mse", metrics=["mae", "rmse", metrics.r2])
    p = model(X).numpy()[:, 0]
    require_close(
        found,
        {
            "loss": reference.mean_squared_error(y, p),
            "mae": reference.mean_absolute_error(y, p),
            "rmse": reference.root_mean_squared_error(y, p),
            "r2": reference.r2_score(y, p),
        },
    )


@pytest.mark.parametrize(
    ("loss", "targets", "threshold"),
    [
        ("binary_cross_entropy_with_logits", SIGNS, 0.0),
        ("hinge", 2 * SIGNS - 1, 0.0),
        ("mse", SIGNS, 0.5),
    ],
)
def test_a_score_is_positive_above_the_threshold_of_the_loss(loss, targets, threshold):
    model = network(1)
    expected = reference.f1_score(SIGNS, model(X).numpy()[:, 0] > threshold)
    for f1 in ("f1", metrics.f1, partial(metrics.f1, average="binary")):
        require_close(evaluate(model, (X, targets), loss=loss, metrics=f1)["f1"], expected)
    above = partial(metrics.f1, threshold=0.9)
    require_close(
        evaluate(model, (X, targets), loss=loss, metrics=above)["f1"],
        reference.f1_score(SIGNS, model(X).numpy()[:, 0] > 0.9),
    )


@pytest.mark.parametrize("engine", ["scalar", "array", "compiled"])
def test_every_engine_computes_metrics_over_all_samples(engine):
    """With batches of 16 and a learning rate of nearly 0, training and validation see the same predictions."""
    model = nn.MLP(2, [1], "tanh", "linear", seed=0) if engine == "scalar" else network(1)
    row = fit(
        model, (X, SIGNS), loss="binary_cross_entropy_with_logits", lr=1e-300, epochs=1, batch_size=16,
        validation=(X, SIGNS), metrics=["f1", "auc", "accuracy"], jit=engine != "array", progress=False,
    ).rows[0]  # fmt: skip
    scores = np.ravel([float(model(x)) for x in X.tolist()] if engine == "scalar" else model(X).numpy())
    for prefix in ("", "validation_"):
        require_close(row[f"{prefix}f1"], reference.f1_score(SIGNS, scores > 0))
        require_close(row[f"{prefix}auc"], reference.roc_auc_score(SIGNS, scores))
        require_close(row[f"{prefix}accuracy"], np.mean((scores > 0) == SIGNS))


def test_functions_get_all_samples_and_are_named_after_themselves():
    sizes = []

    def spread(prediction, target):
        sizes.append(len(target))
        return prediction.std()

    @metrics.mean_of_batches
    def largest(prediction, target):
        return len(target)

    chosen = [spread, largest, partial(metrics.top_k, k=1)]
    found = evaluate(network(3), data.DataLoader(X, Y, batch_size=16), loss="cross_entropy", metrics=chosen)
    assert list(found) == ["loss", "spread", "largest", "top_k"]
    assert sizes == [70]
    require_close(found["largest"], (4 * 16 * 16 + 6 * 6) / 70)
    chosen = {"first": partial(metrics.top_k, k=1), "second": partial(metrics.top_k, k=2)}
    found = evaluate(network(3), (X, Y), loss="cross_entropy", metrics=chosen)
    assert list(found) == ["loss", "first", "second"]
    assert found["first"] < found["second"] < 1


def test_early_stopping_knows_which_metrics_are_best_when_large():
    options = {"loss": "cross_entropy", "epochs": 3, "progress": False, "metrics": ["f1", "rmse"]}
    for monitor, largest_is_best in (("f1", True), ("rmse", False)):
        targets = np.eye(3)[Y] if monitor == "rmse" else Y
        chosen = options | {"metrics": monitor, "loss": "mse" if monitor == "rmse" else "cross_entropy"}
        history = fit(network(3), (X, targets), early_stopping=EarlyStopping(2, monitor=monitor), **chosen)
        assert history.largest_is_best is largest_is_best


def test_predictions_that_are_not_finite_give_nan():
    model = network(3)
    model[0].bias.data[0] = np.inf
    assert np.isnan(evaluate(model, (X, Y), loss="cross_entropy", metrics="f1")["f1"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("precison", "unknown metric 'precison' (did you mean 'precision'?)"),
        (metrics.confusion_matrix, "the metric 'confusion_matrix' must return one number, not ndarray array([["),
        ({"lr": metrics.accuracy}, "two columns have the name 'lr'; give each metric another name"),
        ([partial(metrics.top_k, k=1), "top_k"], "two columns have the name 'top_k'; give each metric another name"),
    ],
)
def test_invalid_metrics_are_refused(given, message):
    with pytest.raises(AdjointError) as error:
        evaluate(network(3), (X, Y), loss="cross_entropy", metrics=given)
    assert message in str(error.value)
