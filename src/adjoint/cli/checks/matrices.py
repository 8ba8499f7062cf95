"""Linear algebra, for `adjoint check`."""

from adjoint import linalg
from adjoint.cli.checks import Groups, positive_definite

GROUPS: Groups = {
    "linear algebra": {
        "linalg.inv": lambda x: linalg.inv(positive_definite(x)),
        "linalg.solve": lambda x: linalg.solve(positive_definite(x), x),
        "linalg.det": lambda x: linalg.det(positive_definite(x)),
        "linalg.slogdet": lambda x: linalg.slogdet(positive_definite(x))[1],
        "linalg.cholesky": lambda x: linalg.cholesky(positive_definite(x)),
        "linalg.eigh": lambda x: linalg.eigh(positive_definite(x))[0],
        "linalg.svd": lambda x: linalg.svd(x, full_matrices=False)[1],
        "linalg.qr": lambda x: linalg.qr(x.T)[1],
        "linalg.norm": lambda x: linalg.norm(x),
        "linalg.eigvalsh": lambda x: linalg.eigvalsh(positive_definite(x)),
        "linalg.matrix_norm": lambda x: linalg.matrix_norm(x, 1),
        "linalg.matrix_power": lambda x: linalg.matrix_power(positive_definite(x), 3),
        "linalg.pinv": lambda x: linalg.pinv(x),
        "linalg.svdvals": lambda x: linalg.svdvals(x),
    },
}
