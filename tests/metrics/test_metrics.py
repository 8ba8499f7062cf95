"""Metrics agree with scikit-learn, for labels and for the scores of models."""

import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sklearn.metrics as reference
import torch
from closeness import require_close

from adjoint import Value, metrics
from adjoint.errors import AdjointError

random = np.random.default_rng(0)
N = 60
LABELS = random.integers(0, 2, N)
CLASSES = random.integers(0, 4, N)
SCORES = (random.normal(size=N) + LABELS).round(1)  # rounded, so that there are ties
LOGITS = random.normal(size=(N, 4)) + 2 * np.eye(4)[CLASSES]
PROBABILITIES = torch.softmax(torch.tensor(LOGITS), 1).numpy()
OF_COUNTS = {
    metrics.precision: reference.precision_score,
    metrics.recall: reference.recall_score,
    metrics.f1: reference.f1_score,
}


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns where a number is undefined
        return function(*arguments, **options)


@pytest.mark.parametrize("ours", OF_COUNTS, ids=lambda f: f.__name__)
def test_precision_recall_and_f1_agree_with_scikit_learn(ours):
    theirs = OF_COUNTS[ours]
    for average in ("macro", "micro", "weighted", None):
        for y, p in (
            (CLASSES, LOGITS.argmax(1)),
            (CLASSES, np.where(CLASSES == 2, 1, LOGITS.argmax(1))),  # a class that is never predicted right
            (LABELS, SCORES > 0.5),
            (LABELS, np.full(N, 7)),  # a label without targets
            (np.array(list("abc"))[CLASSES % 3], np.array(list("abd"))[CLASSES // 2]),
        ):
            expected = quietly(theirs, y, p, average=average)
            require_close(ours(p, y, average=average), expected)
    for y, p in ((LABELS, SCORES > 0.5), (LABELS, LABELS * 0), (LABELS * 0, LABELS), (LABELS * 2 - 1, LABELS * 2 - 1)):
        require_close(ours(p.astype(int), y), quietly(theirs, y, p))
    require_close(ours(LOGITS, CLASSES), theirs(CLASSES, LOGITS.argmax(1), average="macro"))


def test_scores_become_labels_by_the_threshold_and_the_largest_class():
    expected = reference.f1_score(LABELS, SCORES > 0.5)
    assert metrics.f1(SCORES, LABELS) == metrics.f1(SCORES[:, None], LABELS.astype(float)) == expected
    assert metrics.f1(Value(SCORES), LABELS[:, None]) == metrics.f1(torch.tensor(SCORES), LABELS.tolist()) == expected
    assert metrics.f1([Value(x) for x in SCORES], LABELS) == expected
    assert metrics.f1(SCORES, LABELS, threshold=0.9) == reference.f1_score(LABELS, SCORES > 0.9)
    assert metrics.f1(SCORES, 2 * LABELS - 1) == reference.f1_score(LABELS, SCORES > 0)
    pair = np.stack([np.zeros(N), SCORES - 0.5], 1)
    assert metrics.f1(pair, LABELS) == metrics.f1(pair, np.eye(2)[LABELS]) == expected
    # Scores of three classes of which one does not occur are not binary.
    three = np.stack([np.zeros(N), SCORES, np.full(N, -9.0)], 1)
    assert metrics.f1(three, LABELS) == reference.f1_score(LABELS, SCORES > 0, average="macro")


def test_accuracy_and_the_confusion_matrix_agree_with_scikit_learn():
    p = LOGITS.argmax(1)
    assert metrics.accuracy(LOGITS, CLASSES) == metrics.accuracy(p, CLASSES) == reference.accuracy_score(CLASSES, p)
    grid = LOGITS.reshape(N // 6, 6, 4), CLASSES.reshape(N // 6, 6)
    assert metrics.accuracy(*grid) == metrics.accuracy(np.moveaxis(grid[0], -1, 1), grid[1]) == np.mean(p == CLASSES)
    for labels in (None, [0, 1, 2, 3], [3, 1], [0, 1, 2, 3, 9]):
        expected = reference.confusion_matrix(CLASSES, p, labels=labels)
        np.testing.assert_array_equal(metrics.confusion_matrix(p, CLASSES, labels=labels), expected)
    assert metrics.confusion_matrix(LOGITS[:2], CLASSES[:2]).shape == (4, 4)


def test_auc_agrees_with_scikit_learn_also_with_ties():
    assert len(np.unique(SCORES)) < N
    expected = reference.roc_auc_score(LABELS, SCORES)
    require_close(metrics.auc(SCORES, LABELS), expected)
    require_close(metrics.auc(SCORES[:, None], 2 * LABELS - 1), expected)
    require_close(metrics.auc(np.stack([-SCORES, SCORES], 1), LABELS), expected)
    assert metrics.auc(np.zeros(N), LABELS) == 0.5
    for average in ("macro", "weighted"):
        expected = reference.roc_auc_score(CLASSES, PROBABILITIES, multi_class="ovr", average=average)
        require_close(metrics.auc(LOGITS, CLASSES, average=average), expected)
        require_close(metrics.auc(PROBABILITIES, CLASSES, average=average), expected)
    for only in (LABELS * 0, LABELS * 0 + 1):
        assert np.isnan(metrics.auc(SCORES, only))
        assert np.isnan(quietly(reference.roc_auc_score, only, SCORES))


def test_auc_orders_scores_of_two_classes_by_their_exact_differences():
    assert metrics.auc([[1, 1e-20], [1, 1e-18]], [0, 1]) == 1.0
    assert metrics.auc([[1e-20, 1], [1e-18, 1]], [1, 0]) == 1.0
    assert metrics.auc([[-1e308, 1e308], [-1.5e308, 1e308]], [0, 1]) == 1.0
    special = [0.0, -0.0, 1.0, 1e-20, -1e-18, 0.1, 0.3, 1 / 3, 1 + 2**-52, 1e30, 1e-300]
    for scores in np.random.default_rng(0).choice(special, (300, 8, 2)):
        exact = [Fraction(b) - Fraction(a) for a, b in scores]
        ranks = np.array([sorted(exact).index(x) for x in exact])
        labels = np.arange(8) % 2
        require_close(metrics.auc(scores, labels), reference.roc_auc_score(labels, ranks))


def test_auc_of_many_classes_orders_scores_whose_softmax_rounds_to_one():
    scores = np.array([[0.0, -50.0, -60.0], [0.0, -40.0, -60.0], [-50.0, 0.0, -60.0], [-45.0, -60.0, 0.0]])
    with mpmath.workdps(60):
        powers = [[mpmath.exp(x) for x in row] for row in scores.tolist()]
        shares = [[p / sum(row) for p in row] for row in powers]
    ranks = np.array([[sorted(column).index(p) for p in column] for column in zip(*shares)]).T
    labels = np.array([0, 1, 1, 2])
    expected = np.mean([reference.roc_auc_score(labels == i, ranks[:, i]) for i in range(3)])
    require_close(metrics.auc(scores, labels), expected)
    require_close(metrics.auc(scores * 1e300, labels), expected)


def test_top_k_agrees_with_scikit_learn_also_with_ties():
    for k in (1, 2, 3, 4):
        for scores in (LOGITS, LOGITS.round()):
            expected = quietly(reference.top_k_accuracy_score, CLASSES, scores, k=k)
            require_close(metrics.top_k(scores, CLASSES, k=k), expected)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (metrics.mae, reference.mean_absolute_error),
        (metrics.mse, reference.mean_squared_error),
        (metrics.rmse, reference.root_mean_squared_error),
        (metrics.r2, reference.r2_score),
    ],
    ids=lambda f: f.__name__,
)
def test_metrics_of_numbers_agree_with_scikit_learn(ours, theirs):
    y, p = LOGITS[:, 0], SCORES
    require_close(ours(p, y), theirs(y, p))
    require_close(ours(Value(p[:, None]), y), theirs(y, p))
    require_close(ours(LOGITS, LOGITS[::-1]), theirs(LOGITS[::-1], LOGITS))
    constant = np.stack([np.ones(N), np.ones(N), y], 1), np.stack([np.ones(N), p, p], 1)
    require_close(ours(constant[1], constant[0]), theirs(*constant))
    np.testing.assert_equal(ours(p[:1], y[:1]), quietly(theirs, y[:1], p[:1]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.f1([0.1, 0.9], [0, 1, 1]), "the predictions have shape (2,), but the targets have (3,)"),
        (lambda: metrics.f1([], []), "the predictions have no samples: their shape is (0,)"),
        (lambda: metrics.f1(0.5, 1), "the predictions must be an array with one row per sample, not float 0.5"),
        (lambda: metrics.f1([[0.1], [0.2, 0.3]], [0, 1]), "have rows of different lengths: list [[0.1]"),
        (lambda: metrics.f1([0.1, np.nan], [0, 1]), "the predictions contain nan"),
        (lambda: metrics.f1([0.1, 0.2], [0, 2]), "but the targets contain 2; give scores of shape (samples, classes)"),
        (lambda: metrics.f1(LOGITS, CLASSES + 1), "4 scores need labels from 0 to 3, but the targets contain 4"),
        (lambda: metrics.f1([1, 2], [0, 1], average="binary"), "is for the labels 0 and 1, or -1 and 1, not [0, 1, 2]"),
        (lambda: metrics.f1([1], [1], average="mean"), "average must be one of 'auto', 'binary', 'macro'"),
        (lambda: metrics.accuracy([0.2, 0.7], [0.5, 1]), "the targets must be labels, but they contain 0.5"),
        (lambda: metrics.accuracy([0.2], [1], threshold="0"), "threshold must be a number, not str '0'"),
        (lambda: metrics.auc([0.2, 0.1, 0.3], [0, 1, 2]), "for two classes, but the targets have 3"),
        (lambda: metrics.auc(LOGITS, CLASSES, average="micro"), "must be 'macro' or 'weighted', not str 'micro'"),
        (lambda: metrics.top_k([1.0, 2.0], [0, 1]), "top_k needs scores of shape (samples, classes), not (2,)"),
        (lambda: metrics.top_k(LOGITS, CLASSES, k=0), "k must be an integer of at least 1, not int 0"),
        (lambda: metrics.r2(["a"], [1.0]), "the predictions must be numbers, not <U1"),
        (lambda: metrics.mse([1.0], [np.inf]), "the targets contain inf"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(AdjointError) as error:
        call()
    assert message in str(error.value)
