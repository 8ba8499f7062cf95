"""The casts of products under a precision, which is a mode: see `adjoint.precision`."""

from typing import Any

from adjoint.arrays.backends import NUMPY, Backend, common_backend
from adjoint.arrays.functions.shaping import astype
from adjoint.arrays.kinds import data_of, is_tensor
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import ArrayError, PrecisionWarning
from adjoint.errors.guard_warnings import is_on, warn_once


def cast_operands(who: str, *operands: Any) -> tuple[Any, ...]:
    """Return the operands of a product in the precision of this context; None and integers stay as they are.

    NumPy has no products in bfloat16, and its float16 ones are slow and round each sum: its arrays keep their dtype.
    """
    name = modes.precision
    if name is None:
        return operands
    m = common_backend([data_of(x) for x in operands if x is not None], who)
    dtype = _dtype(m, name)
    if dtype is not None:
        return tuple([_cast(x, m, dtype) for x in operands])
    if is_on("precision"):
        warn_once(
            "precision",
            PrecisionWarning,
            f"{m.name} has no {name} products: they are computed in the dtype of their operands; "
            f"jit(…, precision={name!r}) computes them in {name}, and so do arrays of JAX and PyTorch",
        )
    return operands


def _dtype(m: Backend, name: str) -> Any:
    """Return a dtype of a library that computes products in it; None if it does not, such as CuPy in bfloat16."""
    try:
        return None if m is NUMPY else m.as_dtype(name)
    except ArrayError:
        return None


def _cast(x: Any, m: Any, dtype: Any) -> Any:
    found = getattr(data_of(x), "dtype", None)
    if found is None or found == dtype or not (m if m.owns(data_of(x)) else NUMPY).is_floating(found):
        return x
    if isinstance(x, Value):
        return astype(x, dtype) if is_tensor(x) else x
    return m.astype(x if m.owns(x) else m.from_numpy(x), dtype)
