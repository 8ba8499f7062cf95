"""Every error and warning that a user can meet, and what messages are made of.

This is the lowest layer and uses no other. An error is an `AdjointError` and also the built-in kind that fits.
`given.py` converts and describes what a caller gave, `suggest.py` finds the closest known name for a misspelt one,
`optional.py` imports optional libraries, and `guard_warnings.py` holds the warnings for common mistakes.
"""


class AdjointError(Exception):
    """The base of all errors raised by adjoint: `except AdjointError` catches every one of them."""


class NumberError(AdjointError, TypeError):
    """Something that is not a real number was given where one is needed."""


class NumberRangeError(AdjointError, OverflowError):
    """An integer that no float can hold."""


class OperandError(AdjointError, TypeError):
    """An operator or a function met something that it cannot compute with."""


class OpError(AdjointError, ValueError):
    """An operation made with `adjoint.op` is not a complete rule, or its rule failed."""


class GraphError(AdjointError, RuntimeError):
    """The history that `backward()` needs is not there: freed, not recorded, or without derivatives."""


class CopyError(AdjointError, TypeError):
    """A graph that cannot be pickled or copied, because a rule in it exists only as code."""


class AnomalyError(AdjointError, ArithmeticError):
    """The first NaN or infinity met under `detect_anomaly()`."""


class GradientError(AdjointError, AssertionError):
    """A gradient that central differences do not confirm."""


class ArgumentError(AdjointError, ValueError):
    """A size, a name or a count that a function cannot work with."""


class ShapeError(AdjointError, ValueError):
    """Arrays whose shapes, or an axis that, do not fit the operation."""


class ArrayError(AdjointError, TypeError):
    """Something that no Value can hold as an array: ragged lists, text, objects, complex numbers."""


class ArrayIndexError(AdjointError, IndexError):
    """An index that does not exist, or that arrays do not understand."""


class MatrixError(AdjointError, ValueError):
    """A matrix that the operation cannot work with: singular, or not positive definite."""


class LibraryError(AdjointError, TypeError):
    """Arrays of two libraries in one operation, or an array of a library that adjoint does not know."""


class MissingRuleError(AdjointError, TypeError):
    """A function of another library that has no rule here, so that its gradient would be lost."""


class MissingExtraError(AdjointError, ImportError):
    """An optional library that is not installed; the message names the extra that brings it."""


class MissingProgramError(AdjointError, FileNotFoundError):
    """A program of the system that is not installed; the message says what works without it."""


class DataError(AdjointError, ValueError):
    """Data that nothing can be learned from: an empty or broken file, text among numbers, NaN."""


class ExpressionError(AdjointError, ValueError):
    """An expression that cannot be read; the message points at the place."""


class LabError(AdjointError, ValueError):
    """A message to the lab that it cannot read, or an address at which it cannot or should not be."""


class TraceError(AdjointError, TypeError):
    """A function that `jit` cannot compile, because it looks at numbers that are not known yet."""


class ConversionError(AdjointError, TypeError):
    """A layer or an operation that has no counterpart where a model is to go: in PyTorch, in ONNX, or here."""


class FileError(AdjointError, OSError):
    """A file that cannot be read or written: no such folder, no permission, a full disk."""


class CheckpointError(AdjointError, ValueError):
    """A file that is no whole checkpoint: truncated, corrupt, or of another kind."""


class StateError(AdjointError, ValueError):
    """A saved state that does not fit the model: tensors that are missing, unexpected, or of another shape."""


class AdjointWarning(UserWarning):
    """The base of all warnings: a mistake that is easily made, explained once. `adjoint.guards` switches them."""


class StaleGradientWarning(AdjointWarning):
    """A step taken with gradients that an earlier step had used already, because nobody set them to zero."""


class MissingGradientWarning(AdjointWarning):
    """A parameter that an optimiser is to update, but that no gradient ever reaches."""


class MissingParameterWarning(AdjointWarning):
    """A parameter of a model that the optimiser was not given, so that training leaves it as it is."""


class NotFiniteLossWarning(AdjointWarning):
    """A loss that became NaN or infinite; training ends, for nothing can be learned from it."""
