"""NumPy, JAX, PyTorch and CuPy arrays behind one interface.

`base.py` says what a rule needs from a library, each other module adapts one library, and `choose.py` finds the
backend of given arrays. The operands select the library; only NumPy is imported here.
"""

from adjoint.arrays.backends.base import Backend, each_entry, is_bfloat16, is_half, total
from adjoint.arrays.backends.deferred_checks import axes_of, check_later
from adjoint.arrays.backends.lookup import (
    are_integers,
    as_base_array,
    as_constant,
    as_integers,
    as_plain,
    backend_of,
    common_backend,
    mixed_libraries_error,
    require_real,
    require_unmasked,
)
from adjoint.arrays.backends.numpy import NUMPY, keeps_memory, quiet
from adjoint.arrays.backends.resident import Resident

__all__ = [
    "NUMPY", "Backend", "Resident", "are_integers", "as_base_array", "as_constant", "as_integers", "as_plain",
    "axes_of", "backend_of", "check_later", "common_backend", "each_entry", "is_bfloat16", "is_half",
    "keeps_memory", "mixed_libraries_error", "quiet", "require_real", "require_unmasked", "total",
]  # fmt: skip
