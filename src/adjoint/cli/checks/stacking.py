"""Joining, splitting and arranging, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "joining and splitting": {
        "append": lambda x: adjoint.append(x, x * x, axis=1),
        "array_split": lambda x: adjoint.array_split(x, 3, axis=1)[1],
        "atleast_1d": lambda x: adjoint.atleast_1d(x[0, 0]),
        "atleast_2d": lambda x: adjoint.atleast_2d(x[0]),
        "atleast_3d": lambda x: adjoint.atleast_3d(x),
        "block": lambda x: adjoint.block([[x, x * x], [x * 2.0, x]]),
        "broadcast_arrays": lambda x: adjoint.broadcast_arrays(x[:, :1], x[0])[0],
        "c_": lambda x: adjoint.c_[x[:, 0], x],
        "column_stack": lambda x: adjoint.column_stack([x[:, 0], x * x]),
        "dsplit": lambda x: adjoint.dsplit(adjoint.reshape(x, (3, 2, 2)), 2)[1],
        "dstack": lambda x: adjoint.dstack([x, x * x]),
        "hsplit": lambda x: adjoint.hsplit(x, 2)[1],
        "hstack": lambda x: adjoint.hstack([x, x * x]),
        "r_": lambda x: adjoint.r_[x[0], 0.5, x[1]],
        "unstack": lambda x: adjoint.unstack(x)[1],
        "vsplit": lambda x: adjoint.vsplit(x, 3)[1],
        "vstack": lambda x: adjoint.vstack([x, x[0]]),
    },
    "arranging": {
        "delete": lambda x: adjoint.delete(x, 1, axis=0),
        "fliplr": adjoint.fliplr,
        "flipud": adjoint.flipud,
        "geomspace": lambda x: adjoint.geomspace(x * x + 1.0, 3.0, 4),
        "insert": lambda x: adjoint.insert(x, 1, x[0], axis=0),
        "linspace": lambda x: adjoint.linspace(x[0], x[1], 5),
        "logspace": lambda x: adjoint.logspace(x[0], x[1], 5, base=2.0),
        "meshgrid": lambda x: adjoint.meshgrid(x[0], x[1])[1],
        "ravel": adjoint.ravel,
        "ravel_pytree": lambda x: adjoint.ravel_pytree([x, {"first": x[0]}])[0],
        "resize": lambda x: adjoint.resize(x, (2, 9)),
        "rollaxis": lambda x: adjoint.rollaxis(x, 1),
        "rot90": adjoint.rot90,
        "sliding_window_view": lambda x: adjoint.sliding_window_view(x, (2, 3)),
        "unflatten": lambda x: adjoint.unflatten(x, 1, (2, -1)),
        "unfold": lambda x: adjoint.unfold(x, 1, 2),
    },
    "NumPy's functions": {
        "np.sum, where": lambda x: np.sum(x, axis=0, where=np.arange(4) > 1, initial=2.0),
        "np.var, where": lambda x: np.var(x, axis=1, where=np.arange(4) > 1),
        "np.max, initial": lambda x: np.max(x, axis=1, initial=0.05),
        "np.exp, where": lambda x: np.exp(x, where=np.arange(4) > 1),
        "np.reshape, order": lambda x: np.reshape(x, (2, 6), order="F"),
        "np.multiply.outer": lambda x: np.multiply.outer(x[0], x),
    },
}
