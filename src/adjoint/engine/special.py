"""Whatever is not "floats in, one float out": what `value.py` leaves to other modules, each case behind one name.

Arrays, subclasses, the first use of a rule, modes such as `no_grad()`, or one that does what Values do in place of the
engine, guards that warn of mistakes, user code that takes part in a backward pass, and the native core.
"""

import sys
from collections.abc import Callable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

from adjoint import engine, errors
from adjoint.engine import late, ops
from adjoint.engine.graph import backward_order
from adjoint.engine.locks import accumulating
from adjoint.engine.marks import GRAD_READ, clock
from adjoint.engine.mathematics.symbols import python_function
from adjoint.engine.modes import modes, number_in_charge
from adjoint.engine.native import twin
from adjoint.engine.row_docs import core_docs
from adjoint.engine.rule import Op, evaluate
from adjoint.errors.given import Operand, describe as described, is_array, number

if TYPE_CHECKING:
    from adjoint.engine.value import Value

__all__ = ["accumulating", "clock", "modes"]  # and the functions below
GRAD = "The gradient: a float, or a Value after `backward(create_graph=True)`."

# --- forward ---


def apply(value: type["Value"], make_node: Callable, op: Op, operands: tuple) -> "Value":
    """Do what `value.apply` does, for any operands and in any mode. `value` is the class Value itself."""
    if any(map(is_array, operands)):
        return late.tensor().Tensor._apply(op, operands)
    kind, operands, read = prepare(op, operands, value)
    if takeover := modes.takeover:
        return takeover.apply(make_node, kind, op, operands)
    try:
        data, derivatives = read(*operands)
    except ArithmeticError:
        data, derivatives = evaluate_at(op, operands)
    if modes.plain:
        return make_node(kind, data, op, operands, derivatives)
    if modes.anomaly:
        engine.anomaly.check_result(op, operands, data)
    if not modes.recording:
        node = make_node(kind, data)
        node._unrecorded = True
        if modes.anomaly:
            engine.anomaly.note_cut(node, operands)
        return node
    node = make_node(kind, data, op, operands, derivatives)
    node._made_at = engine.anomaly.users_line()
    return node


def prepare(op: Op, operands: tuple, value: type["Value"]) -> tuple[type["Value"], tuple, Callable]:
    """Return the class of the result, the operands with constants as floats, and a function that evaluates `op`.

    `value` is the class `Value` itself. If an operand is of a subclass, so is the result.
    """
    kind, prepared = value, []
    for operand in op.complete(operands):
        if not isinstance(operand, value):
            operand = number_in_charge(operand, op.name)
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


# --- construction ---


def class_for(data: object) -> Any:
    """Return the class of arrays if `data` is an array, nested lists or a table; None for a number."""
    return late.class_for(data)


def data(x: object) -> Any:
    """Return what a Value holds that is given `x`: a float, if no other mode is in charge."""
    takeover = modes.takeover
    return takeover.data(x) if takeover else number(x)


def leaf_like(value: "Value") -> "Value":
    """Return a new leaf with the number of a Value, of the same class."""
    return late.value().make_node(type(value), data(value.data))


def describe(value: Any, _children: Any, _op: object, label: Any, requires_grad: bool) -> None:
    """Set what a Value has that is made with more than its data, as in `Value(data, (a, b), "+", label="c")`."""
    value.parents, value._rule, value._derivatives, label = history(_children, _op, label)
    value._operands = value.parents
    if value.parents and not value._derivatives:
        value._by_hand = True  # its _backward is assigned by the user
    if label:
        value.label = label
    if requires_grad is not True:
        value.requires_grad = requires_grad


def history(_children: Any, _op: object, label: object) -> tuple[tuple, str, tuple, Any]:
    """Return parents, operation, local derivatives and label that `Value(data, _children, _op, label)` gives.

    A string given as `_children` is the label. An empty `_op`, such as `None` or `()`, is the empty operation. Numbers
    given as `_op` are the derivatives: `Value(data, (a, b), (b.data, a.data))`.
    """
    if isinstance(_children, str):
        _children, label = (), _children
    is_several = isinstance(_children, Iterable) and not isinstance(_children, Operand)
    parents: tuple = tuple(_children) if is_several else (_children,)
    for child in parents:
        if not isinstance(child, Operand) or child is _children:
            raise errors.NumberError(f"a Value's children are a tuple of Values such as (x,), not {described(child)}")
    derivatives = local_gradients(parents, _op) if isinstance(_op, (tuple, list)) and _op else ()
    if not isinstance(_op, str):
        if _op is not None and not isinstance(_op, (tuple, list)):
            raise errors.ArgumentError(
                f"_op is the name of an operation, such as '+', or a tuple of local gradients, not {described(_op)}"
            )
        _op = ""
    return (parents, _op, derivatives, label) if modes.recording else ((), _op, (), label)


def local_gradients(parents: tuple, given: Any) -> tuple:
    """Return the local gradients of a node that is made by hand: a number for each of its children."""
    if len(given) != len(parents):
        raise errors.ArgumentError(
            f"a Value has one local gradient for each child: got {len(given)} for {len(parents)} "
            f"{'child' if len(parents) == 1 else 'children'}"
        )
    if any(parent._is_array for parent in parents):
        raise errors.ArrayError(
            "local gradients are numbers, and a child is an array; make its operation with adjoint.op"
        )
    return tuple([number_in_charge(x, "a local gradient") for x in given])


# --- data and gradient ---


def read_data(value: "Value") -> Any:
    takeover = modes.takeover
    if type(value._data) is float and not takeover:
        return value._data
    return (takeover or _takeover_of(value)).read_data(value)


def _takeover_of(value: "Value") -> Any:
    """Return the mode that put something else than a float into a Value, or raise an error if it has ended."""
    return value._data.takeover


def assign_data(value: "Value", data: object) -> None:
    if takeover := modes.takeover:
        return takeover.assign_data(value, data)
    value._data = number(data, "data")
    engine.backward_guards.note_assignment(value)


def read_grad(value: "Value") -> Any:
    takeover = modes.takeover
    if type(value._data) is not float or takeover:
        return (takeover or _takeover_of(value)).read_grad(value)
    value._marks |= GRAD_READ
    if value.parents:
        engine.backward_guards.note_read_of_inner(value)
    return value._grad


def assign_grad(value: "Value", grad: Any) -> None:
    if takeover := modes.takeover:
        return takeover.assign_grad(value, grad)
    value._grad = grad if isinstance(grad, Operand) else 0.0 if grad is None else number(grad, "grad")
    engine.backward_guards.note_assigned_grad(value)


# --- backward ---


def backward(root: "Value", gradient: Any = 1.0, *, retain_graph: bool = True, create_graph: bool = False) -> None:
    """Do what `Value.backward` does, for any graph and in any mode."""
    if type(root._data) is float and not isfinite(root._data):
        engine.backward_guards.note_not_finite(root)
    engine.chain_rule.backward(root, gradient, retain_graph, create_graph)


def free(root: "Value") -> None:
    """Free the history of a Value: `_derivatives` is None for a freed node and () for a leaf."""
    for node in backward_order(root):
        node._free()


def require_constant(value: "Value") -> None:
    """Raise if a transform, such as `grad`, would lose the derivative of a Value that becomes a plain number."""
    if modes.recording and (value.parents or value._is_variable):
        raise errors.MissingRuleError(
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
        message = f"a Value holds one real number, the other holds {described(other)}"
    else:
        message = f"needs a number, an array or a Value, not {described(other)}"
    is_own = isinstance(other, Operand) or type(other).__module__ == "builtins"
    if is_own or hasattr(other, "dtype") or not hasattr(other, method):
        raise errors.OperandError(f"cannot compute {names}: {message}") from None
    return NotImplemented


# --- the native core ---


def native_twins(value: type, make_node: Callable, apply: Callable) -> tuple[Any, Callable]:
    """Return the class and the function of the native core that replace those of `value.py`, if it was built."""
    unusual = (apply, number, class_for, engine, core_docs(value), sys.modules[__name__])
    return twin("accelerate", value, value, tuple(ops.TABLE.values()), *unusual), twin("make_node", make_node)
