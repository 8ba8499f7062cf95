import math

import numpy as np

from adjoint import data, nn


def check(check, learner):
    names = data.names()
    uniform = [[1 / 27] * 27 for _ in range(27)]
    for some in (["ab"], ["anna", "bo"], names):
        what = some if len(some) < 3 else "all names"
        check.close(f"mean_loss(uniform table, {what})", learner.mean_loss(uniform, list(some)), math.log(27))
    inputs, after = data.Characters(names).windows(names, context=1)
    before = inputs[:, 0]
    for _ in range(3):
        scores = np.random.default_rng(check.random.randrange(1000)).normal(size=(27, 27))
        table = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        expected = float(nn.cross_entropy(scores[before], after))
        check.close("the loss of a random table", learner.mean_loss(table.tolist(), list(names)), expected)
    counts = np.zeros((27, 27))
    np.add.at(counts, (before, after), 1)
    counted = (counts / counts.sum(axis=1, keepdims=True)).tolist()
    found = learner.mean_loss(counted, list(names))
    check.close("the loss of the counted table", found, 2.3143267)
    check.note(f"guessing costs {math.log(27):.4f} per letter, and the counted table {found:.4f}")
