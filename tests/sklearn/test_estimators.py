"""The estimators pass scikit-learn's checks, and work in its pipelines and searches."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from closeness import require_close
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neural_network import MLPClassifier as TheirClassifier, MLPRegressor as TheirRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from adjoint.errors import AdjointError, ArgumentError
from adjoint.sklearn import MLPClassifier, MLPRegressor

SMALL = {"hidden_layer_sizes": (16,), "learning_rate_init": 0.05}
X, Y = load_iris(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)


def check(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks have data that no network fits
        results = check_estimator(estimator, on_skip=None)
    assert {result["status"] for result in results} <= {"passed", "skipped"}
    assert sum(result["status"] == "passed" for result in results) > 50


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_small_networks_pass_the_checks_of_scikit_learn(kind):
    check(kind(**SMALL, max_iter=25))


@pytest.mark.full
@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_default_networks_pass_the_checks_of_scikit_learn(kind):
    check(kind())


def test_pipelines_grid_searches_and_cross_validation_work():
    network = MLPClassifier(**SMALL, max_iter=30, random_state=0)
    pipeline = make_pipeline(StandardScaler(), network)
    assert cross_val_score(pipeline, X, Y, cv=3).min() > 0.85
    search = GridSearchCV(network, {"hidden_layer_sizes": [(4,), (8, 4)], "alpha": [0.0, 0.1]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.85
    assert len(search.cv_results_["params"]) == 4


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_results_are_as_good_as_those_of_scikit_learn(solver):
    options = {"hidden_layer_sizes": (16,), "solver": solver, "random_state": 0, "learning_rate_init": 0.02}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # their own networks say that 100 epochs are few
        for ours, theirs, y in ((MLPClassifier, TheirClassifier, Y), (MLPRegressor, TheirRegressor, X[:, 3] ** 2)):
            expected = theirs(max_iter=100, **options).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
            found = ours(max_iter=100 if solver == "adam" else 5, **options).fit(X[::2], y[::2])
            assert found.score(X[1::2], y[1::2]) > expected - 0.05


def test_labels_may_be_strings_and_probabilities_belong_to_them():
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    network = MLPClassifier(**SMALL, max_iter=40, random_state=1).fit(X, names)
    assert network.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(network.predict(X)) <= set(network.classes_)
    probabilities = network.predict_proba(X)
    require_close(probabilities.sum(1), np.ones(len(X)))
    np.testing.assert_array_equal(network.classes_[probabilities.argmax(1)], network.predict(X))
    require_close(np.exp(network.predict_log_proba(X)), probabilities)
    assert network.n_iter_ == len(network.loss_curve_) == network.history_.epochs <= 40


def test_the_same_random_state_gives_the_same_network_also_after_clone_and_pickle():
    network = MLPRegressor(**SMALL, max_iter=5, random_state=3).fit(X, X[:, :2])
    again = clone(network).fit(X, X[:, :2])
    copied = pickle.loads(pickle.dumps(network))
    assert network.predict(X).shape == (150, 2)
    np.testing.assert_array_equal(network.predict(X), again.predict(X))
    np.testing.assert_array_equal(network.predict(X), copied.predict(X))
    assert network.model_ is not again.model_


@pytest.mark.parametrize("activation", ["relu", "logistic"])
def test_training_starts_from_the_weights_of_scikit_learn(activation):
    options = {"hidden_layer_sizes": (5, 4), "activation": activation, "random_state": 3, "max_iter": 1}
    ours = MLPClassifier(**options, learning_rate_init=1e-14).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # their own network says that one epoch is not enough
        theirs = TheirClassifier(**options, learning_rate_init=1e-14).fit(X, Y)
    layers = [layer for layer in ours.model_ if hasattr(layer, "weight")]
    for layer, weight, bias in zip(layers, theirs.coefs_, theirs.intercepts_, strict=True):
        require_close(layer.weight.data.T, weight, scale=1.0)
        require_close(layer.bias.data, bias, scale=1.0)


def test_partial_fit_trains_one_epoch_more():
    network = MLPClassifier(**SMALL, random_state=0)
    with pytest.raises(ArgumentError, match="the first call of partial_fit needs all classes"):
        network.partial_fit(X, Y)
    for _ in range(40):
        network.partial_fit(X, Y, classes=[0, 1, 2])
    assert network.n_iter_ == 40
    assert network.score(X, Y) > 0.9
    with pytest.raises(ArgumentError, match=r"y contains 5, which is not one of the classes \[0, 1, 2\]"):
        network.partial_fit(X, Y + 5)


def test_early_stopping_uses_a_part_of_the_data():
    network = MLPClassifier(**SMALL, early_stopping=True, n_iter_no_change=3, random_state=0).fit(X, Y)
    assert network.history_.stopped == "early stopping"
    assert "validation_loss" in network.history_
    assert network.n_iter_ < 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"activation": "rellu"}, "unknown activation 'rellu' (did you mean 'relu'?)"),
        ({"solver": "adm"}, "unknown solver 'adm' (did you mean 'adam'?)"),
        ({"alpha": -1.0}, "alpha must be a number of at least 0, not float -1.0"),
        ({"hidden_layer_sizes": (0,)}, "a size of hidden_layer_sizes must be an integer of at least 1, not int 0"),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1, not int 0"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1, not int 0"),
    ],
)
def test_invalid_parameters_are_refused_by_fit(options, message):
    with pytest.raises(AdjointError) as error:
        MLPClassifier(**options).fit(X, Y)
    assert message in str(error.value)


def test_adjoint_loads_scikit_learn_only_when_an_estimator_is_used():
    program = (
        "import sys, adjoint\n"
        "assert adjoint.sklearn.__name__ == 'adjoint.sklearn'\n"
        "assert dir(adjoint.sklearn) == ['MLPClassifier', 'MLPRegressor']\n"
        "assert not {'sklearn', 'numpy'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
