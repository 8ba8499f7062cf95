"""Preparing operands in the less common cases: the first use of a rule, a subclass, an int, an error."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from adjoint.engine import anomaly, recorded
from adjoint.engine.mathematics.symbols import python_function
from adjoint.engine.modes import modes
from adjoint.engine.rule import Op, evaluate
from adjoint.engine.traced import number_or_traced
from adjoint.errors import ArgumentError, MissingRuleError, NumberError, OperandError
from adjoint.errors.given import Operand, describe, number
from adjoint.errors.users_code import users_line

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def prepare(op: Op, operands: tuple, value: type["Value"]) -> tuple[type["Value"], tuple, Callable]:
    """Return the class of the result, the operands with constants as floats, and a function that evaluates `op`.

    `value` is the class `Value` itself. If an operand is of a subclass, so is the result.
    """
    kind, prepared = value, []
    for operand in op.complete(operands):
        if not isinstance(operand, value):
            operand = number_or_traced(operand, op.name) if modes.tracing else number(operand, op.name)
        elif type(operand) is not value:
            kind = type(operand)
        prepared.append(operand)
    if not op.is_row:  # a user's rule may be any Python code: it is evaluated each time
        return kind, tuple(prepared), lambda *operands: evaluate_at(op, operands)
    types = tuple([float if type(x) is float else value for x in prepared])
    if types not in op.readers:
        op.readers[types] = python_function(op, [i for i, x in enumerate(types) if x is value])
    return kind, tuple(prepared), op.readers[types]


def evaluate_at(op: Op, operands: tuple) -> tuple[float, tuple]:
    """Return the result and the local derivatives by evaluating the rule, also at poles, where Python's `/` raises."""
    inputs = [x if type(x) is float else x._data for x in operands]
    return evaluate(op, inputs, [i for i, x in enumerate(operands) if type(x) is not float])


def apply_in_mode(make_node: Callable, kind: type["Value"], op: Op, operands: tuple, read: Callable) -> "Value":
    """Create the result of an operation inside `no_grad()` or `detect_anomaly()`, or while a tape records."""
    if modes.tracing:
        return recorded.apply(make_node, kind, op, operands)
    try:
        data, derivatives = read(*operands)
    except ArithmeticError:
        data, derivatives = evaluate_at(op, operands)
    if modes.anomaly:
        anomaly.check_result(op, operands, data)
    if not modes.recording:
        node = make_node(kind, data)
        node._unrecorded = True
        return node
    node = make_node(kind, data, op, operands, derivatives)
    node._made_at = users_line()
    return node


def history(_children: Any, _op: object, label: object) -> tuple[tuple, str, Any]:
    """Return the parents, the name of the operation and the label that `Value(data, _children, _op, label)` gives.

    A string given as `_children` is the label. An empty `_op`, such as `None` or `()`, is the empty operation.
    """
    if isinstance(_children, str):
        _children, label = (), _children
    is_several = isinstance(_children, Iterable) and not isinstance(_children, Operand)
    parents: tuple = tuple(_children) if is_several else (_children,)
    for child in parents:
        if not isinstance(child, Operand) or child is _children:
            raise NumberError(f"a Value's children are a tuple of Values such as (x,), not {describe(child)}")
    if not isinstance(_op, str):
        if _op is not None and not (isinstance(_op, tuple) and not _op):
            raise ArgumentError(f"_op is the name of an operation, such as '+', not {describe(_op)}")
        _op = ""
    return parents if modes.recording else (), _op, label


def require_constant(value: "Value") -> None:
    """Raise if a transform, such as `grad`, would lose the derivative of a Value that becomes a plain number."""
    if modes.recording and (value.parents or value._is_variable):
        raise MissingRuleError(
            "float(), int(), item(), tolist() or a function of math on a Value inside grad, vjp, jvp or another "
            "transform would lose its derivative. Use adjoint's or NumPy's functions, such as adjoint.sin(x) for "
            "math.sin(x), and np.stack([...]) instead of assigning Values to elements of an array; x.detach() is a "
            "constant, and x.data a plain number"
        )


def unsupported(sign: str, left: object, right: object, other: object, method: str) -> Any:
    """Return NotImplemented if the class of `other` has a `method` for this operator, and raise if it has none."""
    names = f"{type(left).__name__} {sign} {type(right).__name__}"
    if sign == "@":
        message = "@ multiplies arrays, and a Value holds one number; use * to multiply numbers"
    elif hasattr(other, "dtype") and not isinstance(other, Operand):
        message = f"a Value holds one real number, the other holds {describe(other)}"
    else:
        message = f"needs a number, an array or a Value, not {describe(other)}"
    is_own = isinstance(other, Operand) or type(other).__module__ == "builtins"
    if is_own or hasattr(other, "dtype") or not hasattr(other, method):
        raise OperandError(f"cannot compute {names}: {message}") from None
    return NotImplemented
