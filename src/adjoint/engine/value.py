"""Value: a number that remembers how it was made, and passes gradients back along that history.

    a, b = Value(2.0), Value(-3.0)
    c = a * b + a      # each operation makes a new Value that knows its parents
    c.backward()       # the chain rule, from c back to a and b
    a.grad             # dc/da = b + 1 = -2.0

Applying an operation looks its rule up in `ops.py`, computes the result, and keeps with it the local
derivatives: how fast the result changes with each parent. `backward()` then visits every node once,
each before its own parents, and hands each parent the gradient times that local derivative.

This file is the engine. Where a C compiler was at hand, the hot half of the class (construction,
operators, functions, `backward`, freeing) runs as C instead, with the same results to the last bit,
and calls the Python below for everything unusual.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from adjoint.engine import anomaly, late, native, ops
from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import backward_order
from adjoint.engine.hooks import hooked, register
from adjoint.engine.late import array_function, array_ufunc, class_for, explore, mimebundle, rich_text, tensor
from adjoint.engine.mathematics.symbols import python_function
from adjoint.engine.modes import modes
from adjoint.engine.rule import Op, evaluate
from adjoint.errors import GraphError, NumberError, OperandError, OpError
from adjoint.errors.given import described, is_array, is_number, number
from adjoint.errors.users_code import users_line


def apply(op: Op, operands: tuple) -> "Value":
    """Return the Value that `op` makes of `operands`: Values are variables, numbers are constants."""
    kind, read = Value, op.readers.get(tuple(map(type, operands)))
    if read is None:
        if any(map(is_array, operands)):
            return tensor().apply_op(op, operands)
        kind, operands, read = _prepare(op, operands)
    try:
        data, derivatives = read(*operands)
    except ArithmeticError:  # a pole, where Python's `/` raises
        data, derivatives = _evaluate(op, operands)
    if modes.plain:
        return make_node(kind, data, op, operands, derivatives)
    return _apply_in_mode(kind, data, op, operands, derivatives)


def make_node(
    kind: type["Value"], data: float, rule: Op | str = "", operands: tuple = (), derivatives: tuple = ()
) -> Any:
    """Make the result of applying `rule`, with its local derivatives for the Values among `operands`."""
    node: Any = object.__new__(kind)
    node._data = data
    node._grad = 0.0
    node._rule = rule
    node._operands = node.parents = operands
    if len(derivatives) < len(operands):
        node.parents = tuple([x for x in operands if isinstance(x, Value)])
    node._derivatives = derivatives
    return node


def _method(op: Op) -> Callable[..., "Value"]:
    def method(*operands):
        return apply(op, operands)

    return method


def _operator(op: Op, name: str) -> tuple[Callable[..., "Value"], Callable[..., "Value"]]:
    """Return the methods behind `value <op> other` and `other <op> value`."""

    def forward(self, other, modulus=None):
        if modulus is not None:
            return NotImplemented
        try:
            return apply(op, (self, other))
        except NumberError:
            return _unsupported(op, self, other, other, f"__r{name}__")

    def reflected(self, other):
        try:
            return apply(op, (other, self))
        except NumberError:
            return _unsupported(op, other, self, other, f"__{name}__")

    return forward, reflected


def _comparison(holds: Callable) -> Callable[..., bool]:
    def compare(self, other):
        if isinstance(other, Value):
            return holds(self._data, other._data)
        return bool(holds(self._data, other)) if is_number(other) else NotImplemented

    return compare


class Value:
    """A number, its gradient, and how it was made.

    >>> a = Value(2.0, label="a")
    >>> b = a * a + 1
    >>> b.backward()
    >>> a
    Value(data=2.0000, grad=4.0000, label='a')
    """

    __slots__ = ("_data", "_grad", "parents", "_operands", "_rule", "_derivatives", "__dict__")
    _rule: Any  # an Op; or the name that a node made by hand was given; or ""
    _derivatives: Any  # the local derivative for each parent; None once the graph was freed
    _made_at: str  # the user's line, kept under detect_anomaly()
    _closure: Any = None  # a _backward assigned by hand: like the label, few nodes have one of their own
    label: str = ""
    _hooks: tuple = ()  # functions that see each gradient on its way, and may change it
    _spent: bool = False  # whether an optimiser has used the gradient, and nobody set it since
    _constant: bool = False  # made by a transform of a number: nobody's variable
    _is_boundary: bool = False  # made by a transform of a Value: its variable
    _apply = staticmethod(apply)
    __array_ufunc__, __array_function__ = array_ufunc, array_function
    register_hook, _repr_mimebundle_, __rich__, explore = register, mimebundle, rich_text, explore

    def __new__(cls, data: Any = 0.0, *rest, **options):
        return object.__new__((class_for(data) if cls is Value else None) or cls)

    def __init__(self, data, _children=(), _op: str = "", label: str = ""):
        if isinstance(_children, str):
            _children, label = (), _children
        is_several = isinstance(_children, Iterable) and not isinstance(_children, Value)
        parents: tuple[Any, ...] = tuple(_children) if is_several else (_children,)
        for child in parents:
            if not isinstance(child, Value) or child is _children:
                raise NumberError(f"a Value's children are a tuple of Values such as (x,), not {described(child)}")
        if not modes.recording:
            parents = ()
        self._data, self._grad, self._rule, self._derivatives = number(data), 0.0, _op, ()
        self._operands = self.parents = parents
        if label:
            self.label = label

    def _free(self) -> None:
        """Forget the history; `_derivatives` being None tells a freed node from a leaf."""
        if self.parents:
            self._operands, self.parents, self._derivatives = (), (), None

    # --- the operations: every method is a row of the table ---

    __add__, __radd__ = _operator(ops.add, "add")
    __sub__, __rsub__ = _operator(ops.sub, "sub")
    __mul__, __rmul__ = _operator(ops.mul, "mul")
    __truediv__, __rtruediv__ = _operator(ops.div, "truediv")
    __pow__, __rpow__ = _operator(ops.pow, "pow")
    __neg__, __abs__ = _method(ops.neg), _method(ops.abs)

    abs, maximum, minimum = _method(ops.abs), _method(ops.maximum), _method(ops.minimum)
    exp, expm1, sqrt = _method(ops.exp), _method(ops.expm1), _method(ops.sqrt)
    log, log1p = _method(ops.log), _method(ops.log1p)
    log2, log10 = _method(ops.log2), _method(ops.log10)
    square, sign, floor = _method(ops.square), _method(ops.sign), _method(ops.floor)
    ceil, trunc, round = _method(ops.ceil), _method(ops.trunc), _method(ops.round)
    sin, cos, tan = _method(ops.sin), _method(ops.cos), _method(ops.tan)
    asin, acos, atan = _method(ops.asin), _method(ops.acos), _method(ops.atan)
    atan2 = _method(ops.atan2)
    sinh, cosh, tanh = _method(ops.sinh), _method(ops.cosh), _method(ops.tanh)
    asinh, acosh, atanh = _method(ops.asinh), _method(ops.acosh), _method(ops.atanh)
    sigmoid, softplus, silu = _method(ops.sigmoid), _method(ops.softplus), _method(ops.silu)
    relu, leaky_relu = _method(ops.relu), _method(ops.leaky_relu)
    elu, gelu, erf = _method(ops.elu), _method(ops.gelu), _method(ops.erf)

    # --- backward ---

    def backward(self, gradient=1.0, *, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Compute the gradient of this Value for all that it depends on, by the chain rule.

        Leaves accumulate: gradients are added to what they hold. Inner nodes are assigned. With
        `create_graph` the gradients are Values that can be differentiated again; without
        `retain_graph` the history is freed.

        >>> x = Value(2.0)
        >>> (x ** 3).backward(create_graph=True)
        >>> slope = x.grad
        >>> x.zero_grad()
        >>> slope.backward()
        >>> slope.data, x.grad
        (12.0, 12.0)
        """
        if not modes.recording:
            raise GraphError("backward() inside no_grad(): nothing is recorded there; call it outside")
        if create_graph:
            is_number_value = isinstance(gradient, Value) and not is_array(gradient)
            gradient = gradient if is_number_value else Value(number(gradient, "gradient"))
        else:
            gradient = number(gradient, "gradient")
        if any(map(is_array, self.parents)):  # a number made by hand from arrays
            return tensor().store(self, gradient, retain_graph, create_graph)
        received: dict[Value, Any] = defaultdict(float, {self: gradient})
        plain = modes.plain and not create_graph
        for node in backward_order(self):
            gradient = received[node]
            if node._hooks:
                gradient = received[node] = hooked(node, gradient)
            derivatives = node._derivatives
            if plain and derivatives and node._closure is None:
                for parent, derivative in zip(node.parents, derivatives):
                    received[parent] += derivative * gradient
            else:
                for parent, contribution in zip(node.parents, contributions(node, gradient, create_graph)):
                    received[parent] += contribution
                    if modes.anomaly:
                        anomaly.check_total(parent, received[parent])
        for node in received:
            if node._closure and not node.parents:
                raise GraphError(
                    f"{node!r} has a _backward but no parents, so backward() cannot tell when to run it: "
                    "make it with Value(data, (parents), 'op')"
                )
        for node, gradient in received.items():
            node._grad = gradient if node.parents else node.grad + hooked(node, gradient)
        if not retain_graph:
            for node in received:
                node._free()

    # --- what it holds ---

    @property
    def data(self) -> float:
        """The number itself."""
        return self._data

    @data.setter
    def data(self, data) -> None:
        self._data = number(data, "data")

    @property
    def grad(self) -> Any:
        """The gradient: a float, or a Value after `backward(create_graph=True)`."""
        return self._grad

    @grad.setter
    def grad(self, grad) -> None:
        self._grad = grad if isinstance(grad, Value) else 0.0 if grad is None else number(grad, "grad")
        if self._spent:
            del self._spent

    @property
    def op(self) -> str:
        """The name of the operation that made this Value; empty for a leaf."""
        return self._rule if isinstance(self._rule, str) else self._rule.name

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        self.grad = 0.0

    def detach(self) -> "Value":
        """Return a leaf with the same number and label, and no history."""
        leaf = make_node(type(self), self._data)
        if self.label:
            leaf.label = self.label
        return leaf

    def item(self) -> float:
        """Return the number as a plain float."""
        return self._data

    def __float__(self) -> float:
        if modes.reading:
            raise OpError("a rule is written in m, such as m.cos(x): with math.cos(x) its derivative is lost")
        return self._data

    def __format__(self, spec: str) -> str:
        return format(self._data, spec) if spec else repr(self)

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        return f"{type(self).__name__}(data={short(self._data)}, grad={short(float(self._grad))}{label})"

    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)

    def __copy__(self) -> "Value":
        return late.copying().copy_value(self)

    def __reduce__(self):
        return late.copying().reduce_value(self)

    # --- the spellings of the micrograd family ---

    @property
    def _prev(self) -> set["Value"]:
        """The operands as a set, constants among them as leaves."""
        return {x if isinstance(x, Value) else Value(x) for x in self._operands}

    @property
    def _op(self) -> str:
        return self.op

    @property
    def _backward(self) -> Callable[[], None]:
        return self._closure or self._add_to_parents

    @_backward.setter
    def _backward(self, closure: Callable[[], None]) -> None:
        self._closure = closure

    def _add_to_parents(self) -> None:
        for parent, contribution in zip(self.parents, contributions(self, self._grad)):
            parent._grad += contribution


# --- what is not hot, or not usual ---


def _prepare(op: Op, operands: tuple) -> tuple[type["Value"], tuple, Callable]:
    """Return the class of the result, the operands with constants as floats, and how to read `op` on them."""
    kind, prepared = Value, []
    for operand in op.complete(operands):
        if not isinstance(operand, Value):
            operand = number(operand, op.name)
        elif type(operand) is not Value:  # a subclass makes its own kind
            kind = type(operand)
        prepared.append(operand)
    if not op.is_row:  # a user's rule may be any Python: it is read anew each time
        return kind, tuple(prepared), lambda *operands: _evaluate(op, operands)
    types = tuple([float if type(x) is float else Value for x in prepared])
    if types not in op.readers:
        op.readers[types] = python_function(op, [i for i, x in enumerate(types) if x is Value])
    return kind, tuple(prepared), op.readers[types]


def _evaluate(op: Op, operands: tuple) -> tuple[float, tuple]:
    inputs = [x if type(x) is float else x._data for x in operands]
    return evaluate(op, inputs, [i for i, x in enumerate(operands) if type(x) is not float])


def _apply_in_mode(kind: type["Value"], data: float, op: Op, operands: tuple, derivatives: tuple) -> "Value":
    if modes.anomaly:
        anomaly.check_result(op, operands, data)
    if not modes.recording:
        return make_node(kind, data)
    node = make_node(kind, data, op, operands, derivatives)
    node._made_at = users_line()
    return node


def _unsupported(op: Op, left, right, other, method: str):
    """Leave an operator to `other` if it is of a class with an answer of its own; else say no."""
    names = f"{type(left).__name__} {op.name} {type(right).__name__}"
    if hasattr(other, "dtype"):
        message = f"a Value holds one real number, the other holds {described(other)}"
    elif type(other).__module__ == "builtins" or not hasattr(other, method):
        message = f"needs a number, an array or a Value, not {described(other)}"
    else:
        return NotImplemented
    raise OperandError(f"cannot compute {names}: {message}") from None


def short(x: float) -> str:
    """Return a number with four decimals, or with an exponent where those would say nothing."""
    return f"{x:.4f}" if x == 0 or 1e-4 <= abs(x) < 1e9 or x != x else f"{x:.4e}"


if native.core:
    Value = native.core.accelerate(Value, tuple(ops.TABLE.values()), apply, number, class_for)
    make_node = native.core.make_node
