"""Reductions along axes, for `adjoint check`."""

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "reductions": {
        "sum": lambda x: adjoint.sum(x, axis=0),
        "mean": lambda x: adjoint.mean(x, axis=1),
        "prod": lambda x: adjoint.prod(x, axis=1),
        "var": lambda x: adjoint.var(x, axis=0),
        "std": lambda x: adjoint.std(x, axis=1),
        "max": lambda x: adjoint.max(x, axis=0),
        "amax": lambda x: adjoint.amax(x, dim=0),
        "amin": lambda x: adjoint.amin(x, dim=0),
        "min": lambda x: adjoint.min(x, axis=1),
        "logsumexp": lambda x: adjoint.logsumexp(x, axis=1),
        "norm": lambda x: adjoint.norm(x),
        "cumsum": lambda x: adjoint.cumsum(x, axis=1),
        "cumprod": lambda x: adjoint.cumprod(x, axis=0),
        "softmax": lambda x: adjoint.softmax(x, axis=-1),
        "log_softmax": lambda x: adjoint.log_softmax(x, axis=-1),
    },
}
