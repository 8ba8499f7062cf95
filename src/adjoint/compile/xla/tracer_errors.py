"""Explains the errors that JAX raises in a function that is traced."""

from collections.abc import Sequence

from adjoint.compile.explanations import line_of_error, needs_numbers_error
from adjoint.errors import TraceError
from adjoint.errors.optional_jax import load_jax


def explain_error(error: BaseException, numbers: Sequence[str]) -> TraceError | None:
    """Return the error for a function that needs the numbers of a tracer; None if `error` is of another kind."""
    errors = load_jax().errors
    kinds = (errors.ConcretizationTypeError, errors.TracerArrayConversionError, errors.TracerIntegerConversionError,
             errors.NonConcreteBooleanIndexError, errors.UnexpectedTracerError)  # fmt: skip
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, kinds):
        cause = cause.__cause__ or cause.__context__
    at = line_of_error(error)
    if cause is None:
        if isinstance(error, TypeError) and "immutable" in str(error):
            return TraceError(f"jit cannot compile {at}: {str(error).splitlines()[0]}")
        return None
    if isinstance(cause, errors.UnexpectedTracerError):
        return TraceError(
            f"jit: {at} uses an array from an earlier trace, which was kept in a place that jit does not see; let the "
            "function return it instead"
        )
    if isinstance(cause, errors.NonConcreteBooleanIndexError):
        what = "selects with a mask, so the shape of the result depends on numbers"
    elif isinstance(cause, errors.TracerBoolConversionError):
        what = "has control flow that depends on a number"
    elif isinstance(cause, errors.TracerArrayConversionError):
        what = "needs a NumPy array (adjoint's own functions, such as adjoint.sqrt, do not)"
    else:
        what = "needs the number itself"
    return needs_numbers_error(at, what, numbers)
