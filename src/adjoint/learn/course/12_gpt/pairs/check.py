import numpy as np

from adjoint import data

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def check(check, learner):
    for names in (["ab"], ["aa", "b"], ["anna"]):
        got = learner.count_pairs(list(names))
        check.equal(f"the pairs of {names}", pairs(check, got), pairs(check, reference(names)))
    names = data.names()
    counts = reference(names)
    got = learner.count_pairs(list(names))
    check.equal("the pairs of all 558 names", pairs(check, got), pairs(check, counts))
    probabilities = learner.to_probabilities(counts.astype(int).tolist())
    pairs(check, probabilities, "the result of to_probabilities")
    sums = [round(float(x), 6) for x in np.asarray(probabilities, float).sum(axis=1)]
    check.close("the sums of the rows", sums[:5], [1.0] * 5, because="Those are the rows of . a b c d.")
    expected = counts / counts.sum(axis=1, keepdims=True)
    check.close("to_probabilities(count_pairs(names))", np.asarray(probabilities, float).tolist(), expected.tolist())
    check.note("all 3764 pairs are counted, and every row of your table sums to 1")


def pairs(check, table, what="your table of counts"):
    """Return the entries of a table that are not zero, such as "ab: 1", after a claim about its shape."""
    try:
        array = np.asarray(table, float)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    shape = None if table is None else list(array.shape)
    check.equal(f"the shape of {what}", shape, [27, 27])
    return [f"{TOKENS[i]}{TOKENS[j]}: {array[i, j]:g}" for i, j in np.argwhere(array).tolist()]


def reference(names):
    inputs, after = data.Characters([TOKENS[1:]]).windows(names, context=1)
    table = np.zeros((27, 27))
    np.add.at(table, (inputs[:, 0], after), 1)
    return table
