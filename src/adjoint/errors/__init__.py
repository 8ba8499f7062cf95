"""All errors and warnings of adjoint, and the functions that word their messages.

This is the lowest layer and uses no other. An error is an `AdjointError` and also the built-in kind that fits.
`given.py` converts and describes what a caller gave, `suggest.py` finds the closest known name for a misspelled one,
`optional.py` imports optional libraries, and `guard_warnings.py` holds the warnings for common mistakes.
"""

# The guards that are off by default and that some context of the process has switched on. The engine looks for their
# mistakes only if there are any.
switched_on: set[str] = set()


class AdjointError(Exception):
    """The base class of all errors of adjoint: `except AdjointError` catches every one of them.

    A message of more than 2,000 characters, for instance with a huge label in it, is cut in the middle.
    """

    def __init__(self, *arguments: object):
        super().__init__(*[cut(x) if isinstance(x, str) else x for x in arguments])


def cut(message: str, limit: int = 2000) -> str:
    """Return a message without its middle, if it is longer than the limit."""
    extra = len(message) - limit
    if extra <= 0:
        return message
    return f"{message[: limit - 500]} … ({extra:,} characters left out) … {message[-500:]}"


class NumberError(AdjointError, TypeError):
    """A real number is needed, and something else was given."""


class NumberRangeError(AdjointError, OverflowError):
    """An integer outside the range of floats."""


class OperandError(AdjointError, TypeError):
    """An operand of a type that the operator or function cannot compute with."""


class OpError(AdjointError, ValueError):
    """An operation made with `adjoint.op` is not a complete rule, or its rule failed."""


class GraphError(AdjointError, RuntimeError):
    """The history that `backward()` needs is missing: freed, not recorded, or without derivatives."""


class CopyError(AdjointError, TypeError):
    """A graph that cannot be copied or pickled, because one of its rules exists only as code."""


class UnknownAttributeError(AdjointError, AttributeError):
    """A name that a module, a class or a Value does not have."""


class AnomalyError(AdjointError, ArithmeticError):
    """The first NaN or infinity met under `detect_anomaly()`."""


class GradientError(AdjointError, AssertionError):
    """A gradient that differs from central differences."""


class ArgumentError(AdjointError, ValueError):
    """A size, a name or a count that a function cannot work with."""


class ShapeError(AdjointError, ValueError):
    """Shapes or axes that do not fit the operation."""


class ArrayError(AdjointError, TypeError):
    """Data that cannot become the array of a Value: ragged lists, text, objects, complex numbers."""


class ArrayIndexError(AdjointError, IndexError):
    """An index that is out of range, or of a type that arrays do not support."""


class MatrixError(AdjointError, ValueError):
    """A matrix that the operation cannot work with: singular, or not positive definite."""


class LibraryError(AdjointError, TypeError):
    """Arrays of two libraries in one operation, or an array of a library that adjoint does not know."""


class MissingRuleError(AdjointError, TypeError):
    """A function of another library that has no rule in adjoint, so its gradient would be lost."""


class MissingExtraError(AdjointError, ImportError):
    """An optional library that is not installed; the message names the extra that installs it."""


class MissingProgramError(AdjointError, FileNotFoundError):
    """An external program that is not installed; the message says what works without it."""


class DataError(AdjointError, ValueError):
    """Data that a model cannot be trained on: an empty or broken file, text among numbers, NaN."""


class ExpressionError(AdjointError, ValueError):
    """An expression that cannot be parsed; the message points at the place."""


class CourseError(AdjointError, ValueError):
    """A course, lesson or exercise that cannot be read, or a name that it does not contain."""


class LabError(AdjointError, ValueError):
    """A message that the lab cannot read, or an address that it cannot or should not use."""


class TraceError(AdjointError, TypeError):
    """A function that `jit` cannot compile, because it uses numbers that are unknown while it is traced."""


class ConversionError(AdjointError, TypeError):
    """A layer or an operation without a counterpart in the target of a conversion: PyTorch, ONNX or adjoint."""


class FileError(AdjointError, OSError):
    """A file that cannot be read or written: no such folder, no permission, a full disk."""


class CheckpointError(AdjointError, ValueError):
    """A file that is not a complete checkpoint: truncated, corrupt, or of another kind."""


class StateError(AdjointError, ValueError):
    """A saved state that does not fit the model: tensors that are missing, unexpected, or of another shape."""


class AdjointWarning(UserWarning):
    """The base class of all warnings, each for a common mistake. `adjoint.guards` switches them."""


class StaleGradientWarning(AdjointWarning):
    """A step or a backward pass with gradients that an earlier step has used and that were not set to zero since."""


class StaleGraphWarning(AdjointWarning):
    """A backward pass through results that are older than the data they were computed from."""


class SecondBackwardWarning(AdjointWarning):
    """A second backward pass through the same graph, which adds to the gradients of the first one."""


class OverwrittenGradientWarning(AdjointWarning):
    """A `_backward` written by hand that assigns the gradient of a parent instead of adding to it."""


class MissingGradientWarning(AdjointWarning):
    """A parameter of an optimizer that no gradient ever reaches."""


class MissingParameterWarning(AdjointWarning):
    """A parameter of a model that the optimizer does not have, so training does not change it."""


class LostUpdateWarning(AdjointWarning):
    """An update such as `p -= lr * p.grad`, which makes a new Value and does not change the parameter."""


class IdentityComparisonWarning(AdjointWarning):
    """A Value of one number compared with a plain number by `==`, which compares identity and is always False."""


class RecompilationWarning(AdjointWarning):
    """A function that `jit` compiles again and again for the same shapes, because something else changes."""


class RandomNumbersWarning(AdjointWarning):
    """A compiled function drew random numbers while it was recorded: every call computes with the same ones."""


class NotFiniteLossWarning(AdjointWarning):
    """A loss that became NaN or infinite, which ends training."""


class InputScaleWarning(AdjointWarning):
    """Inputs or targets so large that training fails."""
