import numpy as np

from adjoint import Value, data, nn


def as_list(x):
    return x.tolist() if isinstance(x, np.ndarray) else x


def check(check, learner):
    counts = np.array([[3.0, 1.0], [0.0, 4.0]])
    got = as_list(learner.scores_gradient(np.zeros((2, 2)), counts.copy()))
    check.close("scores_gradient(zeros, [[3, 1], [0, 4]])", got, [[-0.125, 0.125], [0.25, -0.25]])
    rng = np.random.default_rng(check.random.randrange(1000))
    for size in (2, 3, 5):
        scores, counts = rng.normal(size=(size, size)).round(2), rng.integers(0, 5, (size, size)) + np.eye(size)
        got = as_list(learner.scores_gradient(scores.copy(), counts.copy()))
        before, after = pairs(counts)
        value = Value(scores)
        nn.cross_entropy(value[before], after).backward()
        what = f"the gradient of a table of {size} by {size}"
        check.close(what, got, value.grad.tolist(), because="That is adjoint's gradient.")
        check.close(what, got, differences(scores, counts).tolist(), because="That is the central difference.")
    names = data.names()
    inputs, after = data.Characters(names).windows(names, context=1)
    counts = np.zeros((27, 27))
    np.add.at(counts, (inputs[:, 0], after), 1)
    scores = np.log(np.maximum(counts, 1e-30))
    largest = float(np.abs(np.asarray(learner.scores_gradient(scores, counts))).max())
    check.close("the largest gradient at the counted table", largest, 0.0, tolerance=1e-9)
    check.note(f"at the table counted from 3764 pairs, the largest of 729 gradients is {largest:.1e}")


def pairs(counts):
    """Return the first and second tokens of pairs with these counts."""
    before, after = np.indices(counts.shape).reshape(2, -1)
    repeats = counts.reshape(-1).astype(int)
    return before.repeat(repeats), after.repeat(repeats)


def mean_loss(scores, counts):
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return -(counts * logarithms).sum() / counts.sum()


def differences(scores, counts, h=1e-5):
    found = np.zeros(scores.shape)
    for i in np.ndindex(scores.shape):
        nudge = np.zeros(scores.shape)
        nudge[i] = h
        found[i] = (mean_loss(scores + nudge, counts) - mean_loss(scores - nudge, counts)) / (2 * h)
    return found
