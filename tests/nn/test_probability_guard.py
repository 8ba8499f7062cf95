"""The guard of `cross_entropy` against probabilities in place of scores, and the programs that it leaves alone."""

import warnings

import numpy as np
import pytest

import adjoint
from adjoint import Value, data, fit, guards, nn
from adjoint.errors import ProbabilitiesAsScoresWarning as Probabilities

X, Y = data.blobs(30, classes=3, seed=0)
SCORES = Value(np.random.default_rng(0).normal(size=(5, 3)))
LABELS = [0, 1, 2, 1, 0]


def by_hand(scores):
    powers = scores.exp()
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        (lambda x: adjoint.softmax(x, 1), "cross_entropy got the result of a softmax in place of scores"),
        (lambda x: nn.Softmax(1)(x), "the result of a softmax"),
        (lambda x: adjoint.softmax(x, 1) * 1.0, "rows of probabilities, which sum to 1, in place of scores"),
        (by_hand, "leave out the softmax, also as the last layer of a model"),
        (lambda x: by_hand(x.astype("float32")), "rows of probabilities"),
    ],
)
def test_probabilities_in_place_of_scores_warn(probabilities, message):
    with pytest.warns(Probabilities, match=message) as seen:
        nn.cross_entropy(probabilities(SCORES), LABELS)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert "adjoint.guards(probabilities_as_scores=False)" in str(seen[0].message)
    with guards(probabilities_as_scores=False):
        nn.cross_entropy(probabilities(SCORES), LABELS)


def test_probabilities_of_images_and_of_a_single_sample_warn():
    image = Value(np.random.default_rng(0).normal(size=(2, 3, 4, 4)))
    for scores, labels in ((image, np.zeros((2, 4, 4), int)), (SCORES[0], 1)):
        with pytest.warns(Probabilities):
            nn.cross_entropy(adjoint.softmax(scores, 1 if scores is image else 0) * 1.0, labels)


@pytest.mark.parametrize("is_batch", [False, True])
def test_probabilities_of_scalar_networks_warn(is_batch):
    scores = [Value(2.0), Value(0.5)]
    total = scores[0].exp() + scores[1].exp()
    row = [x.exp() / total for x in scores]
    with pytest.warns(Probabilities, match="rows of probabilities"):
        nn.cross_entropy([row, row] if is_batch else row, [0, 1] if is_batch else 0)


@pytest.mark.parametrize("jit", [False, True])
def test_a_softmax_as_the_last_layer_warns_once_in_fit(jit):
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Softmax(1))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        fit(model, (X, Y), loss="cross_entropy", epochs=3, batch_size=10, progress=False, jit=jit)
    assert [warning.category for warning in seen] == [Probabilities]


@pytest.mark.parametrize("jit", [False, True])
def test_scores_soft_targets_and_smoothing_give_no_warning(jit):
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 3, seed=1))
    soft = adjoint.softmax(np.random.default_rng(0).normal(size=(30, 3)), 1)
    fit(model, (X, soft), loss="cross_entropy", epochs=2, progress=False, jit=jit)
    fit(model, (X, Y), loss=nn.CrossEntropyLoss(label_smoothing=0.1), epochs=2, progress=False, jit=jit)


@pytest.mark.parametrize(
    "scores",
    [
        lambda: SCORES,
        lambda: Value(np.full((2, 4), 0.25)),  # a leaf, not a result
        lambda: np.full((2, 4), 0.25),
        lambda: Value(np.eye(3)) * 1.0,  # one-hot scores are scores
        lambda: SCORES / SCORES.sum(axis=1, keepdims=True),  # some are negative
        lambda: adjoint.log_softmax(SCORES, 1),
        lambda: adjoint.softmax(SCORES, 0).T @ SCORES,  # attention
        lambda: Value(np.ones((2, 1))) * 1.0,  # a single class
        lambda: Value(np.zeros((2, 3))) * 1.0,  # before training
        lambda: Value(np.full((3, 2), [[0.4, 0.6], [0.3, 0.1], [2.0, 3.0]])) * 1.0,  # one row sums to 1
    ],
)
def test_what_only_looks_like_probabilities_gives_no_warning(scores):
    found = scores()
    nn.cross_entropy(found, [0] * len(found))


def test_the_loss_of_the_logarithms_of_probabilities_gives_no_warning():
    nn.nll(adjoint.softmax(SCORES, 1).log(), LABELS)
