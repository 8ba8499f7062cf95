"""Scattering and choices, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint.cli.checks import Groups

_INDEX = np.array([[0, 2, 1, 1], [0, 0, 1, 2]])
_MASK = np.array([True, False, True, False])

GROUPS: Groups = {
    "scattering": {
        "gather": lambda x: adjoint.gather(x, 0, _INDEX[:, :2]),
        "scatter": lambda x: adjoint.scatter(x, 0, _INDEX, x * x),
        "scatter_add": lambda x: adjoint.scatter_add(x, 0, _INDEX, x * x),
        "scatter_reduce, mean": lambda x: adjoint.scatter_reduce(x, 0, _INDEX, x * x, "mean"),
        "scatter_reduce, prod": lambda x: adjoint.scatter_reduce(x, 0, _INDEX, x * x, "prod"),
        "scatter_reduce, amax": lambda x: adjoint.scatter_reduce(x, 0, _INDEX, x * x, "amax", include_self=False),
    },
    "choices": {
        "select": lambda x: adjoint.select([_MASK], [x * x], x),
        "choose": lambda x: adjoint.choose(_INDEX[0], [x, x * x, x**3]),
        "masked_fill": lambda x: adjoint.masked_fill(x, _MASK, 1.0),
        "masked_select": lambda x: adjoint.masked_select(x, _MASK),
    },
}
