"""Value: a number that records how it was computed, and passes gradients back along that history.

    a, b = Value(2.0), Value(-3.0)
    c = a * b + a      # each operation returns a new Value that refers to its parents
    c.backward()       # the chain rule, from c back to a and b
    a.grad             # dc/da = b + 1 = -2.0

Applying an operation looks up its rule in `ops.py`, computes the result, and keeps with it the local derivatives: how
fast the result changes with each parent. `backward()` visits every node once, each before its own parents, and adds to
the gradient of each parent the gradient of the node times that local derivative.

This file is the whole engine. Special cases are in separate modules: `operands.py` (other types, modes, errors),
`chain_rule.py` (hooks, higher derivatives, anomalies), `recorded.py` (while `jit` records a function),
`attachments.py` and `micrograd.py` (further methods). If the native core was built, the last lines replace the class by
its C version, which gives bit-identical results.
"""

import operator
from collections import defaultdict
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from adjoint.engine import backward_guards, chain_rule, late, native, ops, recorded
from adjoint.engine.backward_guards import clock
from adjoint.engine.graph import backward_order
from adjoint.engine.marks import BY_HAND, GRAD_USED, Rare
from adjoint.engine.micrograd import MicrogradNames
from adjoint.engine.modes import modes
from adjoint.engine.operands import apply_in_mode, evaluate_at, history, prepare, require_constant, unsupported
from adjoint.engine.row_docs import core_docs, document
from adjoint.engine.rule import Op
from adjoint.errors import NumberError, OpError, switched_on
from adjoint.errors.given import is_array, is_number, number


def apply(op: Op, operands: tuple) -> "Value":
    """Apply `op` to `operands` and return the result: Values are variables, numbers are constants."""
    kind, read = Value, op.readers.get(tuple(map(type, operands)))
    if read is None:  # the first use with these types; or an array, an int, a subclass
        if any(map(is_array, operands)):
            return late.tensor().Tensor._apply(op, operands)
        kind, operands, read = prepare(op, operands, Value)
    if not modes.plain:
        return apply_in_mode(make_node, kind, op, operands, read)
    try:
        data, derivatives = read(*operands)
    except ArithmeticError:  # a pole, where Python's `/` raises
        data, derivatives = evaluate_at(op, operands)
    return make_node(kind, data, op, operands, derivatives)


def make_node(
    kind: type["Value"], data: float, rule: Op | str = "", operands: tuple = (), derivatives: tuple = ()
) -> "Value":
    """Create the result of applying `rule`, with its local derivatives for the Values among `operands`."""
    node: Any = object.__new__(kind)
    node._data = data
    node._grad = 0.0
    node._rule = rule
    node._operands = node.parents = operands
    if len(derivatives) < len(operands):
        node.parents = tuple([x for x in operands if isinstance(x, Value)])
    node._derivatives = derivatives
    node._computed_at = clock.now
    node._marks, node._rare = 0, None
    return node


def _method(op: Op) -> Callable[..., "Value"]:
    return document(lambda *operands: apply(op, operands), op)


def _operator(op: Op, name: str) -> tuple[Callable[..., "Value"], Callable[..., "Value"]]:
    """Return the methods behind `value <op> other` and `other <op> value`."""

    def forward(self, other, modulus=None):
        if modulus is not None:
            return NotImplemented
        try:
            return apply(op, (self, other))
        except NumberError:
            return unsupported(op.name, self, other, other, f"__r{name}__")

    def reflected(self, other):
        try:
            return apply(op, (other, self))
        except NumberError:
            return unsupported(op.name, other, self, other, f"__{name}__")

    return forward, reflected


def _comparison(holds: Callable[..., bool]) -> Callable[..., bool]:
    def compare(self, other):
        if modes.tracing:
            return recorded.compare(holds, self, other)
        if isinstance(other, Value):
            return holds(self._data, other._data)
        return bool(holds(self._data, other)) if is_number(other) else NotImplemented

    return compare


class Value(MicrogradNames):
    """A number, its gradient, and how it was computed.

    >>> from adjoint import Value
    >>> a = Value(2.0, label="a")
    >>> b = a * a + 1
    >>> b.backward()
    >>> a
    Value(data=2.0000, grad=4.0000, label='a')
    """

    __slots__ = {
        "parents": "The Values that this one was computed from.",
        **dict.fromkeys(("_data", "_grad", "_operands", "_rule", "_derivatives", "_computed_at", "_marks", "_rare")),
    }
    _data: Any  # a float; while `jit` records a function, a TracedNumber
    _grad: Any  # a float, or a Value after `backward(create_graph=True)`
    parents: tuple["Value", ...]  # the Values that it was computed from
    _operands: tuple[Any, ...]  # the same, and constants as floats
    _rule: Any  # an Op; or the name that was given to a node made by hand; or ""
    _derivatives: Any  # the local derivative for each parent; None once the graph was freed
    _computed_at: int  # the time of its computation, for `backward_guards.py`
    _marks: int  # bits, and
    _rare: Any  # a dictionary or None: the attributes of few nodes, see `marks.py`
    label = Rare("", "The name that drawings, explanations and errors show; empty by default.")
    _apply = staticmethod(apply)

    if not TYPE_CHECKING:  # `array_methods.pyi` has the types of these methods

        def __new__(cls, data: object = 0.0, *rest, **options):
            node = object.__new__((late.class_for(data) if cls is Value else None) or cls)
            node._marks, node._rare = 0, None
            return node

        def __init__(self, data, _children=(), _op: str = "", label: str = "", *, requires_grad=True):
            self.parents, self._rule, label = history(_children, _op, label)
            self._data = recorded.as_data(data) if modes.tracing else number(data)
            self._grad, self._operands, self._derivatives, self._computed_at = 0.0, self.parents, (), clock.now
            if self.parents:
                self._by_hand = True  # without derivatives: its _backward is assigned by the user
            if label:
                self.label = label
            if requires_grad is not True:
                self.requires_grad = requires_grad

        # --- the operations: every method is a row of the table ---

        __add__, __radd__ = _operator(ops.add, "add")
        __sub__, __rsub__ = _operator(ops.sub, "sub")
        __mul__, __rmul__ = _operator(ops.mul, "mul")
        __truediv__, __rtruediv__ = _operator(ops.div, "truediv")
        __pow__, __rpow__ = _operator(ops.pow, "pow")
        __mod__, __rmod__ = _operator(ops.remainder, "mod")
        __floordiv__, __rfloordiv__ = _operator(ops.floor_divide, "floordiv")
        __neg__, __abs__ = _method(ops.neg), _method(ops.abs)
        __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
        __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)

        add, sub, mul, pow, neg = map(_method, (ops.add, ops.sub, ops.mul, ops.pow, ops.neg))
        abs, maximum, minimum = _method(ops.abs), _method(ops.maximum), _method(ops.minimum)
        remainder, floor_divide, fmod = _method(ops.remainder), _method(ops.floor_divide), _method(ops.fmod)
        copysign, hypot, logaddexp = _method(ops.copysign), _method(ops.hypot), _method(ops.logaddexp)
        exp, exp2, expm1 = _method(ops.exp), _method(ops.exp2), _method(ops.expm1)
        sqrt, cbrt = _method(ops.sqrt), _method(ops.cbrt)
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
        softsign, logsigmoid, tanhshrink = _method(ops.softsign), _method(ops.logsigmoid), _method(ops.tanhshrink)
        mish, quick_gelu, gelu_tanh = _method(ops.mish), _method(ops.quick_gelu), _method(ops.gelu_tanh)
        hardtanh, relu6, hardsigmoid = _method(ops.hardtanh), _method(ops.relu6), _method(ops.hardsigmoid)
        hardswish, hardshrink, softshrink = _method(ops.hardswish), _method(ops.hardshrink), _method(ops.softshrink)
        selu, celu = _method(ops.selu), _method(ops.celu)

    def __pos__(self):
        return self

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def backward(self, gradient=1.0, *, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Compute the gradient of this Value with respect to everything it depends on, by the chain rule.

        Gradients of leaves accumulate; gradients of inner nodes are overwritten. With `create_graph` the
        gradients are Values that can be differentiated again; without `retain_graph` the history is freed.

        >>> x = Value(2.0)
        >>> (x ** 3).backward(create_graph=True)
        >>> slope = x.grad
        >>> x.zero_grad()
        >>> slope.backward()
        >>> slope.data, x.grad
        (12.0, 12.0)
        """
        if type(self._data) is float and not isfinite(self._data):
            backward_guards.note_not_finite(self)
        if create_graph or not modes.plain or isinstance(gradient, Value) or not self.parents:
            return chain_rule.backward(self, gradient, retain_graph, create_graph)
        received: dict[Value, float] = defaultdict(float, {self: number(gradient, "gradient")})
        now, is_checked = clock.now, native.accelerated  # the native core leaves few passes to Python
        for node in backward_order(self):
            gradient_of_node = received[node]
            if node._computed_at != now:  # data was assigned since
                is_checked = True
            for parent, derivative in zip(node.parents, node._derivatives):
                received[parent] += derivative * gradient_of_node
        if any([node._marks & (BY_HAND | GRAD_USED) for node in received]):  # user code runs, or a guard looks at it
            return chain_rule.backward(self, gradient, retain_graph, create_graph)
        if switched_on:
            backward_guards.check_second_pass(self)
        if is_checked:
            backward_guards.check(self)
        chain_rule.add_to_leaves(self, received)
        if not retain_graph:
            for node in received:
                node._free()

    def _free(self) -> None:
        """Free the history; `_derivatives` is None for a freed node and () for a leaf."""
        if self.parents:
            self._operands, self.parents, self._derivatives = (), (), None

    # --- what it holds ---

    @property
    def data(self) -> Any:
        """The number itself, or the array."""
        data = self._data
        return data if type(data) is float and not modes.active else recorded.read_data(self)

    @data.setter
    def data(self, data) -> None:
        if modes.tracing:
            return recorded.set_data(self, data)
        self._data = number(data, "data")
        backward_guards.note_assignment(self)

    @property
    def grad(self) -> Any:
        """The gradient: a float, or a Value after `backward(create_graph=True)`."""
        if type(self._data) is not float or modes.active:
            return recorded.read_grad(self)
        self._grad_read = True
        return self._grad

    @grad.setter
    def grad(self, grad) -> None:
        if modes.tracing:
            return recorded.set_grad(self, grad)
        self._grad = grad if isinstance(grad, Value) else 0.0 if grad is None else number(grad, "grad")
        backward_guards.note_assigned_grad(self)

    @property
    def op(self) -> str:
        """The name of the operation that computed this Value; empty for a leaf."""
        return self._rule if isinstance(self._rule, str) else self._rule.name

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        self.grad = 0.0

    def detach(self) -> "Value":
        """Return a leaf with the same number and label, and no history."""
        data = self.data
        leaf = make_node(type(self), recorded.as_data(data) if modes.tracing else data)
        leaf._unrecorded = True
        if self.label:
            leaf.label = self.label
        return leaf

    def item(self) -> float:
        """Return the number as a plain float."""
        return float(self)

    def __float__(self) -> float:
        if modes.reading:
            raise OpError("a rule must use the functions of m, such as m.cos(x); math.cos(x) loses the derivative")
        if modes.differentiating:
            require_constant(self)
        return float(self.data)

    def __format__(self, spec: str) -> str:
        return format(self.data, spec) if spec else repr(self)

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        data, grad = short(recorded.shown(self, "data")), short(recorded.shown(self, "grad"))
        return f"{type(self).__name__}(data={data}, grad={grad}{label})"


def short(x: float | str) -> str:
    """Return a number with four decimals, or with an exponent if it is too small or too large for them."""
    if isinstance(x, str):
        return x
    return f"{x:.4f}" if x == 0 or 1e-4 <= abs(x) < 1e9 or x != x else f"{x:.4e}"


if native.core:  # the same class in C: its methods replace those above, and it keeps the rest
    Value = native.accelerate(
        Value, tuple(ops.TABLE.values()), apply, number, late.class_for, backward_guards, core_docs(Value)
    )
    make_node = native.core.make_node
