"""Activations with options, for `adjoint check`. Those without are rows of the table."""

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "activations": {
        "gelu": lambda x: adjoint.gelu(x, approximate="tanh"),
        "softplus": lambda x: adjoint.softplus(x, beta=2.0, threshold=20.0),
        "hardtanh": lambda x: adjoint.hardtanh(x, -0.9, 1.1),
        "threshold": lambda x: adjoint.threshold(x, 0.1, -1.0),
        "prelu": lambda x: adjoint.prelu(x, x[0] * 0.1),
        "softmin": lambda x: adjoint.softmin(x, axis=0),
        "glu": lambda x: adjoint.glu(x),
    },
}
