"""The errors of adjoint: each is an `AdjointError`, and also the built-in kind that fits."""


class AdjointError(Exception):
    """The base class of all errors of adjoint: `except AdjointError` catches every one of them.

    A message of more than 2,000 characters, for instance with a huge label in it, is cut in the middle.

    >>> from adjoint import Value, errors
    >>> try:
    ...     Value([1.0, 2.0]) + Value([1.0, 2.0, 3.0])
    ... except errors.AdjointError as error:
    ...     print(type(error).__name__)
    ShapeError
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
    """A real number is needed, and something else was given.

    >>> import adjoint
    >>> adjoint.tanh("0.5")
    Traceback (most recent call last):
        ...
    adjoint.errors.NumberError: tanh needs a number, not str '0.5'
    """


class NumberRangeError(AdjointError, OverflowError):
    """An integer outside the range of floats.

    >>> from adjoint import Value
    >>> Value(10**400)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.NumberRangeError: Value needs a number that fits a float (up to about 1.8e308), not an integer of ...
    """


class OperandError(AdjointError, TypeError):
    """An operand of a type that the operator or function cannot compute with.

    >>> from adjoint import Value
    >>> Value(1.0) + "2"
    Traceback (most recent call last):
        ...
    adjoint.errors.OperandError: cannot compute Value + str: needs a number, an array or a Value, not str '2'
    """


class OpError(AdjointError, ValueError):
    """An operation made with `adjoint.op` is not a complete rule, or its rule failed.

    >>> import adjoint
    >>> adjoint.op("cube", lambda m, x: x * x * x)
    Traceback (most recent call last):
        ...
    adjoint.errors.OpError: op 'cube' needs one partial derivative for each operand (x): 1 in all, not 0
    """


class GraphError(AdjointError, RuntimeError):
    """The history that `backward()` needs is missing: freed, not recorded, or without derivatives.

    >>> from adjoint import Value, no_grad
    >>> with no_grad():
    ...     y = Value(2.0) * 3
    >>> y.backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.GraphError: backward() of Value(data=6.0000, grad=0.0000): it has no history, because it was ...
    """


class CopyError(AdjointError, TypeError):
    """A graph that cannot be copied or pickled, because one of its rules exists only as code.

    >>> import pickle
    >>> import adjoint
    >>> cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    >>> data = pickle.dumps(cube(adjoint.Value(2.0)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.CopyError: ... cannot be pickled...
    """


class AnomalyError(AdjointError, ArithmeticError):
    """The first NaN or infinity met under `detect_anomaly()`.

    >>> from adjoint import Value, detect_anomaly
    >>> with detect_anomaly():  # doctest: +ELLIPSIS
    ...     y = Value(-1.0).log()
    Traceback (most recent call last):
        ...
    adjoint.errors.AnomalyError: log(-1.0) gave nan, at ...
    """


class GradientError(AdjointError, AssertionError):
    """A gradient that differs from central differences.

    >>> import adjoint
    >>> cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 2 * x * x)
    >>> adjoint.check_gradients(cube, 2.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.GradientError: the gradient of x at 2 is 8 by backward() and 12 by central differences:
    input  ...
    """


class ArgumentError(AdjointError, ValueError):
    """A size, a name or a count that a function cannot work with.

    >>> from adjoint import nn
    >>> nn.Dropout(1.5)
    Traceback (most recent call last):
        ...
    adjoint.errors.ArgumentError: Dropout: p must be a probability from 0 to 1, not float 1.5
    """


class ShapeError(AdjointError, ValueError):
    """Shapes or axes that do not fit the operation.

    >>> from adjoint import nn
    >>> nn.Linear(3, 2)([1.0, 2.0])
    Traceback (most recent call last):
        ...
    adjoint.errors.ShapeError: in Linear(3, 2): expected an input of shape (…, 3), not (2,)
    """


class ArrayError(AdjointError, TypeError):
    """Data that cannot become the array of a Value: ragged lists, text, objects, complex numbers.

    >>> from adjoint import Value
    >>> Value([1.0, 1j])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.ArrayError: complex numbers are not supported (complex128): pass the real and imaginary parts as ...
    """


class ArrayIndexError(AdjointError, IndexError):
    """An index that is out of range, or of a type that arrays do not support.

    >>> from adjoint import Value
    >>> Value([1.0, 2.0])[5]
    Traceback (most recent call last):
        ...
    adjoint.errors.ArrayIndexError: index 5 is out of bounds for axis 0 with size 2; the array has shape (2,)
    """


class MatrixError(AdjointError, ValueError):
    """A matrix that the operation cannot work with: singular, or not positive definite.

    >>> from adjoint import linalg
    >>> linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.MatrixError: cholesky: a matrix of shape (2, 2) is not positive ...
    """


class LibraryError(AdjointError, TypeError):
    """Arrays of two libraries in one operation, or an array of a library that adjoint does not know.

    >>> import jax.numpy as jnp
    >>> from adjoint import Value
    >>> Value([1.0]) + jnp.ones(1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.LibraryError: +: NumPy and JAX arrays in one operation; convert one of them, for instance with ...
    """


class LaunchError(AdjointError, RuntimeError):
    """Processes that were started together, but cannot find each other, or do not run the same program.

    >>> from adjoint.distributed.launch import find_launch
    >>> find_launch({"WORLD_SIZE": "2"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.LaunchError: WORLD_SIZE=2 is set, but RANK is not: set RANK to the number of the process, from 0, ...
    """


class MissingRuleError(AdjointError, TypeError):
    """A function of another library that has no rule in adjoint, so its gradient would be lost.

    >>> import numpy as np
    >>> from adjoint import Value
    >>> np.unwrap(Value([1.0, 2.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.MissingRuleError: np.unwrap is not differentiable in adjoint; use ...
    """


class MissingExtraError(AdjointError, ImportError):
    """An optional library that is not installed; the message names the extra that installs it.

    >>> from adjoint.errors.optional import library
    >>> library("lapis", "draw", "images")
    Traceback (most recent call last):
        ...
    adjoint.errors.MissingExtraError: draw needs lapis, which is not installed: pip install 'adjoint-autograd[images]'
    """


class MissingProgramError(AdjointError, FileNotFoundError):
    """An external program that is not installed; the message says what works without it.

    >>> from adjoint import errors
    >>> issubclass(errors.MissingProgramError, FileNotFoundError)
    True
    """


class DataError(AdjointError, ValueError):
    """Data that a model cannot be trained on: an empty or broken file, text among numbers, NaN.

    >>> import numpy as np
    >>> from adjoint import data
    >>> data.require_finite(np.array([[1.0, np.inf]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.DataError: the data has inf in row 0, column 1 (rows and columns are counted from 0); remove or ...
    """


class ExpressionError(AdjointError, ValueError):
    """An expression that cannot be parsed; the message points at the place.

    >>> from adjoint.see.expression import Expression
    >>> Expression("tanh(a) + sni(b)")
    Traceback (most recent call last):
        ...
    adjoint.errors.ExpressionError: unknown function sni; did you mean sin?
      tanh(a) + sni(b)
                ^
    """


class CourseError(AdjointError, ValueError):
    """A course, lesson or exercise that cannot be read, or a name that it does not contain.

    >>> from adjoint import errors
    >>> issubclass(errors.CourseError, ValueError)
    True
    """


class LabError(AdjointError, ValueError):
    """A message that the lab cannot read, or an address that it cannot or should not use.

    >>> from adjoint import errors
    >>> issubclass(errors.LabError, ValueError)
    True
    """


class TraceError(AdjointError, TypeError):
    """A function that `jit` cannot compile, because it uses numbers that are unknown while it is traced.

    >>> import adjoint
    >>> absolute = adjoint.jit(lambda x: x if x > 0 else -x)
    >>> absolute(adjoint.Value(1.0))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.TraceError: jit cannot compile a function: it decides by a number, which is not known while jit ...
    """


class ConversionError(AdjointError, TypeError):
    """A layer or an operation without a counterpart in the target of a conversion: PyTorch, ONNX or adjoint.

    >>> import adjoint
    >>> adjoint.to_torch(lambda x: x)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.ConversionError: to_torch needs a model of adjoint.nn, not function ...
    """


class FileError(AdjointError, OSError):
    """A file that cannot be read or written: no such folder, no permission, a full disk.

    >>> import adjoint
    >>> adjoint.load("folder/model.safetensors")
    Traceback (most recent call last):
        ...
    adjoint.errors.FileError: cannot read 'folder/model.safetensors': the file does not exist; check its name and folder
    """


class CheckpointError(AdjointError, ValueError):
    """A file that is not a complete checkpoint: truncated, corrupt, or of another kind.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import adjoint
    >>> path = Path(tempfile.mkdtemp()) / "model.adjoint"
    >>> size = path.write_text("not a model")
    >>> adjoint.load(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adjoint.errors.CheckpointError: ... is not ...
    """


class StateError(AdjointError, ValueError):
    """A saved state that does not fit the model: tensors that are missing, unexpected, or of another shape.

    >>> from adjoint import nn
    >>> nn.Linear(2, 1).load_state_dict({})
    Traceback (most recent call last):
        ...
    adjoint.errors.StateError: the state does not fit Linear(2, 1): weight is missing; bias is missing
    """


__test__ = {name: x.__doc__ for name, x in globals().items() if isinstance(x, type)}  # the examples that doctest runs
for _name in __test__:
    globals()[_name].__module__ = "adjoint.errors"  # where programs find them
