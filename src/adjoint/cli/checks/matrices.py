"""Linear algebra, for `adjoint check`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import adjoint
from adjoint import linalg


def _spd(x: Any) -> Any:
    """Return a positive definite matrix computed from any matrix."""
    return x @ adjoint.matrix_transpose(x) + 3.0 * np.eye(3)


GROUPS: dict[str, dict[str, Callable[..., Any]]] = {
    "linear algebra": {
        "linalg.inv": lambda x: linalg.inv(_spd(x)),
        "linalg.solve": lambda x: linalg.solve(_spd(x), x),
        "linalg.det": lambda x: linalg.det(_spd(x)),
        "linalg.slogdet": lambda x: linalg.slogdet(_spd(x))[1],
        "linalg.cholesky": lambda x: linalg.cholesky(_spd(x)),
        "linalg.eigh": lambda x: linalg.eigh(_spd(x))[0],
        "linalg.svd": lambda x: linalg.svd(x, full_matrices=False)[1],
        "linalg.qr": lambda x: linalg.qr(x.T)[1],
        "linalg.norm": lambda x: linalg.norm(x),
        "linalg.eigvalsh": lambda x: linalg.eigvalsh(_spd(x)),
        "linalg.matrix_norm": lambda x: linalg.matrix_norm(x, 1),
        "linalg.matrix_power": lambda x: linalg.matrix_power(_spd(x), 3),
        "linalg.pinv": lambda x: linalg.pinv(x),
        "linalg.svdvals": lambda x: linalg.svdvals(x),
    },
}
