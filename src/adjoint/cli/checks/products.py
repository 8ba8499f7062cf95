"""Products of vectors, matrices and arrays, for `adjoint check`."""

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "products": {
        "matmul": lambda x: x @ x.T,
        "addmm": lambda x: adjoint.addmm(x[:, :3], x, x.T, alpha=2.0),
        "linear": lambda x: adjoint.linear(x, x, x[:, 0]),
        "einsum": lambda x: adjoint.einsum("ij,kj->ik", x, x),
        "dot": lambda x: adjoint.dot(x[0], x[1]),
        "tensordot": lambda x: adjoint.tensordot(x, x, 2),
        "outer": lambda x: adjoint.outer(x[0], x[1]),
    },
}
