"""Linear algebra on arrays: inverses, solutions, determinants, factorizations and norms.

This is the public face of `linalg` and `matrix_functions` in `adjoint.arrays.functions`, where the rules are; it holds
nothing else.
"""

from adjoint.arrays.functions import linalg, matrix_functions
from adjoint.arrays.functions.linalg import *  # noqa: F403
from adjoint.arrays.functions.matrix_functions import *  # noqa: F403

__all__ = [*linalg.__all__, *matrix_functions.__all__]  # pyright: ignore[reportUnsupportedDunderAll]


def __dir__() -> list[str]:
    return [*__all__]
