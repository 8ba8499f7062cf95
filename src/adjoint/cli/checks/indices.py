"""Indexing and selecting elements, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint.cli.checks import Groups

_MASK = np.array([[True, False, True, True], [False, True, False, True], [True, True, False, False]])

GROUPS: Groups = {
    "indexing": {
        "slices": lambda x: x[1:, ::2],
        "integer arrays": lambda x: x[np.array([0, 0, 2])],
        "a mask": lambda x: x[_MASK],
        "at.set": lambda x: x.at[0].set(x[1] * 2.0),
        "at.add": lambda x: x.at[0].add(x[1]),
        "at.multiply": lambda x: x.at[0].multiply(x[1]),
        "where": lambda x: adjoint.where(_MASK, x, x * x),
        "clip": lambda x: adjoint.clip(x, -0.9, 0.9),
        "clamp_min": lambda x: adjoint.clamp_min(x, -0.9),
        "clamp_max": lambda x: adjoint.clamp_max(x, 0.9),
        "take": lambda x: adjoint.take(x, np.array([1, 1]), axis=0),
        "take_along_axis": lambda x: adjoint.take_along_axis(x, np.array([[0], [2], [1]]), axis=1),
        "take_along_dim": lambda x: adjoint.take_along_dim(x, np.array([[0, 11], [5, 0]])),
        "embedding": lambda x: adjoint.embedding(x, np.array([[0, 2], [2, 1]])),
        "sort": lambda x: adjoint.sort(x, axis=1),
        "topk": lambda x: adjoint.topk(x, 2)[0],
        "tril": lambda x: adjoint.tril(x),
        "triu": lambda x: adjoint.triu(x),
        "trace": lambda x: adjoint.trace(x),
        "diagonal": lambda x: adjoint.diagonal(x),
        "diag": lambda x: adjoint.diag(x[0]),
    },
}
