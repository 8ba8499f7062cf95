"""How operations are applied to arrays, and how their nodes pass gradients back.

Each of the two kinds of operation has one forward and one backward function: an elementwise operation, which is a
row of the table (`apply_op`; `kernels.py` compiles its backward function), and an operation on whole arrays
(`apply_array_op`, `array_back`). The fast variants for NumPy arrays in the default modes follow. They compute the
same numbers, and leave everything else to the general functions.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from adjoint.arrays import kernels
from adjoint.arrays.assignments import tick
from adjoint.arrays.backends import (
    NUMPY,
    Backend,
    are_integers,
    as_constant,
    as_integers,
    backend_of,
    common_backend,
    is_bfloat16,
    is_half,
    mixed_libraries_error,
    quiet,
)
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.convert import from_nested
from adjoint.arrays.kinds import data_of, is_number_value, is_tensor
from adjoint.arrays.own_slopes import with_own_slope
from adjoint.engine import anomaly, late
from adjoint.engine.modes import modes, require_no_takeover
from adjoint.engine.native import twin
from adjoint.engine.row_docs import document
from adjoint.engine.rule import Op, format_application
from adjoint.engine.value import Value
from adjoint.errors import (
    AdjointError,
    ArrayIndexError,
    MatrixError,
    NumberError,
    OperandError,
    ShapeError,
)
from adjoint.errors.given import describe, is_array, is_number, shortened
from adjoint.errors.interruptions import raise_interruption
from adjoint.errors.users_code import users_line

if TYPE_CHECKING:
    from adjoint.arrays.array_rule import ArrayOp
    from adjoint.arrays.tensor import Tensor

_tensor: "type[Tensor] | None" = None  # the class of the nodes, built from the operations below; see `start`


def start(kind: "type[Tensor]") -> None:
    """Make nodes of the class `kind` from now on. `tensor.py` calls this once."""
    global _tensor
    _tensor = kind
    _note(kind)


def _note(kind: "type[Tensor]") -> None:
    """Note the class of the nodes; the native core has a note of its own."""


_note = twin("start_arrays", _note)


def _load_class() -> "type[Tensor]":
    """Return the class of the nodes if `tensor.py` is not loaded yet: for instance to stack single numbers.

    An import at the top would be a cycle, and two threads that load a cycle of modules at once block each other.
    """
    return late.tensor().Tensor


# --- nodes ---------------------------------------------------------------------------------------


def make_leaf(data) -> "Tensor":
    """Return a Tensor without history that holds this array itself, not a copy."""
    return make_array_node(data, "", (), None, None)


def make_array_node(
    data,
    op: "Op | ArrayOp | str",
    operands: tuple,
    static: dict[str, object] | None,
    back: Callable | None,
    serial: int | None = None,
) -> "Tensor":
    """Create the node of the result of `op` on `operands`, whose data was read after the time `serial`."""
    if _tensor is None:
        _load_class()
    node = _fill(serial or tick(), data, op, operands, static, back)
    if any(map(is_number_value, operands)):
        node._numbers = tuple([x._data if is_number_value(x) else None for x in operands])
    return node


def _fill(
    serial: int,
    data: Any,
    op: "Op | ArrayOp | str",
    operands: tuple,
    static: dict[str, object] | None,
    back: Callable | None,
) -> "Tensor":
    node: Any = object.__new__(cast("type[Tensor]", _tensor))
    node._data, node._grad, node._rule, node._operands = data, None, op, operands
    node._static, node._back, node._serial = static, back, serial
    node._marks, node._rare = 0, None
    return node


_fill = twin("make_array_node", _fill)


def restore_node(data, op: "Op | ArrayOp | str", operands: tuple, static: dict[str, object] | None) -> "Tensor":
    """Return a node that was copied or pickled, with the function that passes its gradient back."""
    back = None
    if isinstance(op, Op) and operands:
        variables = tuple([isinstance(x, Value) for x in operands])
        datas = [data_of(x) for x in operands]
        back = kernels.reader(op, variables, datas, common_backend(datas, op.name))[1]
    elif operands:
        back = array_back
    return make_array_node(data, op, operands, static, back)


def _record(
    serial: int, y, op: "Op | ArrayOp", operands: tuple, static: dict[str, object] | None, back: Callable
) -> "Tensor":
    """Return the node of a result, as the modes of this thread want it."""
    if modes.anomaly:
        anomaly.check_array(op, operands, y)
    if not modes.recording:
        node = make_leaf(y)
        node._unrecorded = True
        if modes.anomaly:
            anomaly.note_cut(node, operands)
        return node
    node = make_array_node(y, op, operands, static, back, serial)
    if modes.anomaly:
        node._made_at = users_line()
    return node


# --- the general way: arrays of any library, in any mode ------------------------------------------


def apply_op(op: Op, operands: tuple) -> "Tensor":
    """Apply an elementwise `op` to operands, at least one of them an array, and return the result."""
    if not modes.active or modes.plain:
        node = _apply_row_to_numpy(op, operands)
        if node is not None:
            return node
    serial = tick()
    operands, datas, m = _prepare(op.name, op.complete(operands), weak=True)
    variables = tuple([isinstance(x, Value) for x in operands])
    read, back = kernels.reader(op, variables, datas, m)
    try:
        y = m.quietly(read, *datas)
        y = with_own_slope(op, m, datas, {}, y) if m.own_slopes else y
    except Exception as error:
        raise_interruption(error)
        raise _explain(op, datas, {}, error) from _cause(error)
    return _record(serial, y, op, operands, None, back)


def apply_array_op(op: "ArrayOp", operands: tuple, static: dict[str, object]) -> Any:
    """Apply an array operation and return the result: a Tensor, or an array if no operand is a Value."""
    if (not modes.active or modes.plain) and len(op.vjps) == len(operands):
        node = _apply_to_numpy(op, operands, static)
        if node is not None:
            return node
    serial = tick()
    operands, datas, m = _prepare(op.name, operands, weak=False, keeps_integers=op.keeps_integers)
    if m is NUMPY and op.name != "astype" and any(map(is_bfloat16, datas)):
        return _in_float32(op, operands, static)
    datas = _with_an_array(datas, m)
    try:
        forward = partial(op.forward, m, **static)
        y = m.quietly(forward, *datas)
        y = with_own_slope(op, m, datas, static, y) if m.own_slopes else y
    except Exception as error:
        raise_interruption(error)
        raise _explain(op, datas, static, error) from _cause(error)
    if not any(isinstance(x, Value) for x in operands):
        return y
    return _record(serial, y, op, operands, static, array_back)


def _in_float32(op: "ArrayOp", operands: tuple, static: dict[str, object]) -> Any:
    """Apply an operation to NumPy arrays of bfloat16: compute in float32, and round the result.

    As in other libraries, the result of these and a wider array has the wider dtype.
    """
    datas = [data_of(x) for x in operands]
    wide = tuple([late.astype(x, np.float32) if is_half(data) else x for x, data in zip(operands, datas)])
    y = apply_array_op(op, wide, static)
    if isinstance(data_of(y), tuple):  # several results, such as those of svd
        return y
    return late.astype(y, kernels.result_dtype(datas, NUMPY))


def array_back(g, node: "Tensor") -> list:
    """Return what each operand of an array operation receives if the result has the gradient `g`."""
    op, operands = node._rule, node._operands
    datas = list(operands)
    for i, x in enumerate(operands):
        if isinstance(x, Value):
            datas[i] = x._array if x._is_array else node._numbers[i]
    m = common_backend(datas, op.name)
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Value)]
    found: list = [None] * len(operands)
    parts = op.contributions(m, g, node._data, _with_an_array(datas, m), node._static, wanted)
    for i, c in zip(wanted, parts):
        found[i] = c if c is None or type(datas[i]) is tuple else unbroadcast(c, datas[i], m)
    return found


def _prepare(who: str, operands: Sequence, weak: bool, keeps_integers: bool = False) -> tuple[tuple, list, Backend]:
    """Return the operands of an operation with constants as floats, their arrays, and the backend of these.

    With `keeps_integers`, arrays of integers stay as they are where there are no others.
    """
    require_no_takeover()
    datas = [data_of(x) if isinstance(x, Value) else _as_array(x, who) for x in operands]
    m = common_backend(datas, who)
    if m is not NUMPY:
        _require_same_library(who, operands, datas, m)
    if keeps_integers and are_integers(datas) and not any(isinstance(x, Value) for x in operands):
        datas = [as_integers(x, m) for x in datas]
        return tuple(datas), datas, m
    dtype = next((x.dtype for x in operands if is_tensor(x) and hasattr(x._data, "dtype")), None)
    result = []
    for i, x in enumerate(operands):
        if not isinstance(x, Value):
            datas[i] = x = as_constant(datas[i], m, dtype, weak)
        result.append(x)
    return tuple(result), datas, m


def _as_array(x, who: str) -> Any:
    if is_number(x) or hasattr(x, "dtype"):
        return x
    if isinstance(x, (list, tuple)):
        return from_nested(x)
    raise NumberError(f"{who} needs a number, an array or a Value, not {describe(x)}")


def _require_same_library(who: str, operands: Sequence, datas: Sequence, m: Backend) -> None:
    """Raise if a Value holds NumPy arrays where JAX computes: its gradient would be an array of JAX.

    Under a trace this is allowed: NumPy arrays inside a compiled function are constants there.
    """
    datas = [d[0] if type(d) is tuple else d for d in datas]
    is_mixed = any(is_tensor(x) and backend_of(d) is NUMPY for x, d in zip(operands, datas))
    if is_mixed and not any(m.is_traced(d) for d in datas):
        raise mixed_libraries_error(who, NUMPY, m)


def _with_an_array(datas: list, m: Backend) -> list:
    """Return the operands of an array operation; if all of them are numbers, as arrays without axes."""
    return datas if any(type(x) is not float for x in datas) else [m.xp.asarray(x) for x in datas]


def _explain(op: "Op | ArrayOp", datas: Sequence, static: dict[str, object], error: Exception) -> Exception:
    """Return the error for an operation that failed: it names the shapes and the arguments."""
    if isinstance(error, (AdjointError, MemoryError)):
        return error
    if is_out_of_memory(error):
        return MemoryError(" ".join(str(error).split()))
    if type(error).__module__.startswith("jax"):
        return error  # jit explains what a tracer cannot do
    call = format_application(op.name, [f"{tuple(x.shape)}" if hasattr(x, "shape") else repr(x) for x in datas])
    arguments = ", ".join(f"{name}={shortened(value)}" for name, value in static.items() if not hasattr(value, "dtype"))
    call += f" with {arguments}" if arguments else ""
    reason = " ".join(str(error).split()) or type(error).__name__
    if type(error).__name__ in ("LinAlgError", "_LinAlgError"):
        return MatrixError(f"{call}: {reason}")
    if isinstance(error, IndexError):
        shape = tuple(getattr(datas[0], "shape", ()))
        return ArrayIndexError(f"{reason}; the array has shape {shape}")
    if len(datas) == 2 and isinstance(op, Op):
        return ShapeError(f"the shapes do not broadcast: {call}; aligned from the right, sizes must be equal or 1")
    return ShapeError(f"{call} cannot be computed: {reason}")


_NO_MEMORY = ("RESOURCE_EXHAUSTED", "allocate memory", "out of memory")  # what JAX and PyTorch write in a RuntimeError


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error of Python, JAX or PyTorch says that there is not enough memory."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY)


def _cause(error: Exception) -> BaseException | None:
    return error.__cause__ if isinstance(error, (AdjointError, MemoryError)) else error


# --- the fast way: NumPy arrays, in no mode -------------------------------------------------------

_NUMPY_TYPES = (np.ndarray, np.float64, np.float32)


def _apply_row_to_numpy(op: Op, operands: tuple) -> "Tensor | None":
    """Apply a row to floats and NumPy arrays of one dtype, at least one of them in a Value.

    Return None for anything else, and for the first time that the row is applied to such operands.
    """
    serial, datas, dtype = tick(), [], None
    for x in operands:
        is_constant = type(x) is not _tensor
        if not is_constant:
            x = x._data
        if type(x) in _NUMPY_TYPES:
            if dtype is None:
                dtype = x.dtype
            if x.dtype is not dtype or dtype.char not in "fd" or (is_constant and not x.shape):
                return None
        elif type(x) is not float or not is_constant:
            return None
        datas.append(x)
    variables = tuple([type(x) is _tensor for x in operands])
    found = op.array_readers.get((variables, tuple(map(type, datas))))
    if found is None or not any(variables) or len(operands) < len(op.operands):
        return None
    try:
        y = quiet.run(found[0], *datas)
    except Exception as error:
        raise_interruption(error)
        raise _explain(op, datas, {}, error) from _cause(error)
    return _fill(serial, y, op, operands, None, found[1])


def _apply_to_numpy(op: "ArrayOp", operands: tuple, static: dict[str, object]) -> "Tensor | None":
    """Apply an operation to NumPy arrays of one dtype, at least one of them in a Value; None for anything else."""
    serial, datas, dtype, constants = tick(), [], None, 0
    for x in operands:
        if type(x) is _tensor:
            x = x._data
        else:
            constants += 1
        if type(x) is not np.ndarray:
            return None
        if dtype is None:
            dtype = x.dtype
            if dtype.kind == "V":  # bfloat16
                return None
        elif x.dtype is not dtype:
            return None
        datas.append(x)
    if constants == len(datas):
        return None
    try:
        y = quiet.run(op.forward, NUMPY, *datas, **static)
    except Exception as error:
        raise_interruption(error)
        raise _explain(op, datas, static, error) from _cause(error)
    return _fill(serial, y, op, operands, static, _numpy_back)


def _numpy_back(g, node: "Tensor") -> list:
    """Return what `array_back` returns, for the nodes of `_apply_to_numpy`."""
    operands, y, static, found = node._operands, node._data, node._static, []
    op = node._rule
    datas = [x._data if type(x) is _tensor or isinstance(x, Value) else x for x in operands]
    if op.fast_vjps is not None:
        found = op.fast_vjps(g, y, *datas, **static)
        if found is not None:
            return [None if x is operand else c for operand, x, c in zip(operands, datas, found)]
        found = []
    for operand, x, vjp in zip(operands, datas, op.vjps):
        c = None if x is operand else vjp(NUMPY, g, y, *datas, **static)
        if c is not None and (c.shape != x.shape or c.dtype is not x.dtype):
            c = unbroadcast(c, x, NUMPY)
        found.append(c)
    return found


def _row_back(g, node: "Tensor") -> Sequence:
    """Return what the operands of a row receive, where the native core leaves it to Python."""
    variables = tuple([isinstance(x, Value) for x in node._operands])
    datas = [x._data if isinstance(x, Value) else x for x in node._operands]
    return kernels.reader(node._rule, variables, datas, NUMPY)[1](g, node)


# --- the methods of Tensor that are rows of the table ----------------------------------------------


def row_method(op: Op) -> Callable[..., "Tensor"]:
    """Return the method that applies a row, such as `v.exp()`."""
    known: dict[type, tuple[Callable, Callable]] = {}  # how to compute it and the way back, by the type of the data

    def method(self, *rest):
        serial, x = tick(), self._data
        found = known.get(type(x))
        if found is None or rest or (modes.active and not modes.plain) or x.dtype.itemsize == 2:  # float16 and bfloat16
            result = apply_op(op, (self, *rest))
            if not rest and len(op.operands) == 1 and type(x) in _NUMPY_TYPES and x.dtype.itemsize > 2:
                known[type(x)] = op.array_readers[(True,), (type(x),)]
            return result
        return _fill(serial, quiet.run(found[0], x), op, (self,), None, found[1])

    return _native_method(op, document(method, op))


def row_operator(op: Op, name: str) -> tuple[Callable[..., "Tensor"], Callable[..., "Tensor"]]:
    """Return the methods behind `tensor <op> other` and `other <op> tensor`."""

    def forward(self, other, modulus=None):
        if modulus is not None or not _is_operand(op, (self, other), other, f"__r{name}__"):
            return NotImplemented
        return apply_op(op, (self, other))

    def reflected(self, other):
        return apply_op(op, (other, self)) if _is_operand(op, (other, self), other, f"__{name}__") else NotImplemented

    return _native_method(op, forward), _native_method(op, reflected, reflected=True)


def _native_method(op: Op, method: Callable, reflected: bool = False) -> Callable:
    """Return a method that applies a row; with the native core, one that serves NumPy arrays in C."""
    return twin("row_method", method, kernels.PLACES[op], reflected, method, _row_back)


def _is_operand(op: Op, operands: tuple, other: object, method: str) -> bool:
    """Return whether an operator can take `other`; raise an error unless `other` itself may know how."""
    if isinstance(other, Value) or is_number(other) or is_array(other):
        return True
    if type(other).__module__ != "builtins" and hasattr(other, method):
        return False
    names = format_application(op.name, [type(x).__name__ for x in operands])
    hint = "; make it an array first" if isinstance(other, (list, tuple)) else ""
    raise OperandError(f"cannot compute {names}: needs a number, an array or a Value, not {describe(other)}{hint}")


class _Comparisons:
    """What is called with each comparison, and returns its result: a graph that is exported needs the operands."""

    note: Callable[[Callable, Any, Any, Any], Any] | None = None


comparisons = _Comparisons()


def comparison(holds: Callable) -> Callable:
    """Return the method behind a comparison such as `v < 0`, which gives a plain array of truth values."""

    def compare(self, other):
        second = other
        if isinstance(other, Value):
            other = other.data
        elif not is_number(other) and not is_array(other):
            return NotImplemented
        try:
            found = holds(self.data, other)
            return found if comparisons.note is None else comparisons.note(holds, self, second, found)
        except OverflowError:
            return holds(self.data, math.inf if other > 0 else -math.inf)  # an integer that is larger than every float
        except ValueError as error:
            raise ShapeError(f"cannot compare arrays of shapes {self.shape} and {np.shape(other)}") from error

    return compare
