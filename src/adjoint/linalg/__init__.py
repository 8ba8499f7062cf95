"""Linear algebra on arrays: inverses, solutions, determinants, factorizations and norms.

This is the public face of `adjoint.arrays.functions.linalg`, where the rules are; it holds nothing else.
"""

from adjoint.arrays.functions.linalg import *  # noqa: F403
from adjoint.arrays.functions.linalg import __all__ as __all__
