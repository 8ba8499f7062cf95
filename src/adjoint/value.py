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
from collections.abc import Callable
from typing import Any, Self

from adjoint import anomaly, native, ops
from adjoint.errors import GraphError, NumberError, OperandError
from adjoint.floats import described, is_number, number
from adjoint.modes import modes
from adjoint.rules import Op, evaluate


def apply(op: Op, operands: tuple) -> "Value":
    """Return the Value that `op` makes of `operands`: Values are variables, numbers are constants."""
    kind, recorded, inputs, variables = Value, [], [], []
    for operand in op.complete(operands):
        if isinstance(operand, Value):
            variables.append(len(inputs))
            inputs.append(operand._data)
            if type(operand) is not Value:  # a subclass makes its own kind
                kind = type(operand)
        else:
            operand = number(operand, f"{op.name} needs a number or a Value")
            inputs.append(operand)
        recorded.append(operand)
    data, derivatives = evaluate(op, inputs, variables)
    if modes.anomaly:
        anomaly.check_result(op, recorded, data)
    if not modes.recording:
        return kind._node(data, None, (), ())
    node = kind._node(data, op, tuple(recorded), derivatives)
    if modes.anomaly:
        node._made_at = anomaly.users_line()
    return node


def backward_order(root: "Value") -> list["Value"]:
    """Return `root` and all that it depends on, each node before its own parents.

    A node is ready once all nodes that use it have been visited. No recursion: a history may be a
    million nodes deep.
    """
    uses, found = {root: 0}, [root]
    while found:
        node = found.pop()
        if node._derivatives is None:
            raise GraphError(
                f"the graph below {node!r} was freed by backward(retain_graph=False); compute the "
                "result again, or leave retain_graph as it is"
            )
        for parent in node.parents:
            if parent not in uses:
                uses[parent] = 0
                found.append(parent)
            uses[parent] += 1
    order, ready = [], [root]
    while ready:
        node = ready.pop()
        order.append(node)
        for parent in node.parents:
            uses[parent] -= 1
            if not uses[parent]:
                ready.append(parent)
    return order


def _method(op: Op) -> Callable[..., "Value"]:
    def method(*operands):
        return apply(op, operands)

    return method


def _operator(op: Op, name: str) -> tuple[Callable[..., "Value"], Callable[..., "Value"]]:
    """Return the methods behind `value <op> other` and `other <op> value`."""

    def forward(self, other):
        if isinstance(other, Value) or is_number(other):
            return apply(op, (self, other))
        return _unsupported(op, self, other, other, f"__r{name}__")

    def reflected(self, other):
        if is_number(other):
            return apply(op, (other, self))
        return _unsupported(op, other, self, other, f"__{name}__")

    return forward, reflected


def _unsupported(op: Op, left, right, other, method: str):
    """Leave an operator to `other` if it is of a class with an answer of its own; else say no."""
    if type(other).__module__ != "builtins" and hasattr(other, method):
        return NotImplemented
    names = f"{type(left).__name__} {op.name} {type(right).__name__}"
    raise OperandError(f"cannot compute {names}: needs a number or a Value, not {described(other)}")


def _comparison(holds: Callable) -> Callable[..., bool]:
    def compare(self, other):
        if isinstance(other, Value):
            return holds(self._data, other._data)
        return bool(holds(self._data, other)) if is_number(other) else NotImplemented

    return compare


def short(x: float) -> str:
    """Return a number with four decimals, or with an exponent where those would say nothing."""
    return f"{x:.4f}" if x == 0 or 1e-4 <= abs(x) < 1e9 or x != x else f"{x:.4e}"


class Value:
    """A number, its gradient, and how it was made.

    >>> a = Value(2.0, label="a")
    >>> b = a * a + 1
    >>> b.backward()
    >>> a
    Value(data=2.0000, grad=4.0000, label='a')
    """

    __slots__ = (
        "__dict__",
        "_closure",
        "_data",
        "_derivatives",
        "_grad",
        "_operands",
        "_rule",
        "label",
        "parents"
    )  # fmt: skip
    __array_ufunc__ = None  # NumPy then leaves `np.float64(2) * v` to v, and refuses `np.exp(v)`
    _apply = staticmethod(apply)

    def __init__(self, data, _children=(), _op: str = "", label: str = ""):
        if isinstance(_children, str):
            _children, label = (), _children
        for child in _children:
            if not isinstance(child, Value):
                raise NumberError(f"the children of a Value are Values, not {described(child)}")
        self._data, self._grad, self.label = number(data), 0.0, label
        self._rule, self._derivatives, self._closure = _op, (), None
        self._operands = self.parents = tuple(_children)

    @classmethod
    def _node(cls, data: float, rule: Op | None, operands: tuple, derivatives: tuple) -> Self:
        """Make the result of applying `rule`, with its local derivatives for the Values among `operands`."""
        node = cls.__new__(cls)
        node._data, node._grad, node.label, node._rule = data, 0.0, "", rule or ""
        node._operands = node.parents = operands
        if len(derivatives) < len(operands):
            node.parents = tuple([x for x in operands if isinstance(x, Value)])
        node._derivatives, node._closure = derivatives, None
        return node

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
            gradient = gradient if isinstance(gradient, Value) else Value(gradient)
        else:
            gradient = number(gradient, "a gradient must be a number")
        order = backward_order(self)
        received: dict[Value, Any] = dict.fromkeys(order, 0.0)
        received[self] = gradient
        for node in order:
            for parent, contribution in zip(node.parents, node._pass_on(received[node], create_graph)):
                received[parent] += contribution
        for node, gradient in received.items():
            node._grad = gradient if node.parents else node._grad + gradient
            if not retain_graph:
                node._free()

    def _pass_on(self, gradient, create_graph: bool = False) -> list:
        """Return what each parent receives from a node with this gradient: one step of the chain rule."""
        if not self.parents:
            return []
        if self._closure:
            return self._run_closure(gradient, create_graph)
        if not isinstance(self._rule, Op):
            raise GraphError(
                f"{self!r} was made by hand from {len(self.parents)} parents and has no derivatives: "
                "assign its _backward, or make its operation with adjoint.op"
            )
        derivatives = self._derivatives
        if create_graph:
            partials = [p for p, x in zip(self._rule.partials, self._operands) if isinstance(x, Value)]
            derivatives = [partial(ops, self, *self._operands) for partial in partials]
        contributions = [derivative * gradient for derivative in derivatives]
        if modes.anomaly:
            for parent, contribution in zip(self.parents, contributions):
                anomaly.check_contribution(self, parent, contribution, gradient)
        return contributions

    def _run_closure(self, gradient, create_graph: bool) -> list:
        """Return what a `_backward` assigned by hand adds to the gradient of each parent."""
        if create_graph:
            raise GraphError(
                f"{self!r} has a _backward written by hand, which cannot be differentiated again; "
                "make its operation with adjoint.op"
            )
        before, self._grad = [parent._grad for parent in self.parents], gradient
        for parent in self.parents:
            parent._grad = 0.0
        try:
            self._closure()
            added = {parent: parent._grad for parent in self.parents}
        finally:
            for parent, grad in zip(self.parents, before):
                parent._grad = grad
        return [added.pop(parent, 0.0) for parent in self.parents]

    # --- what it holds ---

    @property
    def data(self) -> float:
        """The number itself."""
        return self._data

    @data.setter
    def data(self, data) -> None:
        self._data = number(data, "data must be a number")

    @property
    def grad(self) -> Any:
        """The gradient: a float, or a Value after `backward(create_graph=True)`."""
        return self._grad

    @grad.setter
    def grad(self, grad) -> None:
        if not isinstance(grad, Value):
            grad = 0.0 if grad is None else number(grad, "grad must be a number, a Value or None")
        self._grad = grad

    @property
    def op(self) -> str:
        """The name of the operation that made this Value; empty for a leaf."""
        return self._rule.name if isinstance(self._rule, Op) else self._rule

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        self._grad = 0.0

    def detach(self) -> "Value":
        """Return a leaf with the same number and label, and no history."""
        leaf = type(self)._node(self._data, None, (), ())
        leaf.label = self.label
        return leaf

    def item(self) -> float:
        """Return the number as a plain float."""
        return self._data

    __float__ = item

    def __format__(self, spec: str) -> str:
        return format(self._data, spec) if spec else repr(self)

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        return f"{type(self).__name__}(data={short(self._data)}, grad={short(float(self._grad))}{label})"

    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)

    def __copy__(self) -> "Value":
        from adjoint.copying import copy_value

        return copy_value(self)

    def __reduce__(self):
        from adjoint.copying import reduce_value

        return reduce_value(self)

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
        for parent, contribution in zip(self.parents, self._pass_on(self._grad)):
            parent._grad += contribution


if native.core:
    Value = native.core.accelerate(Value, tuple(ops.TABLE.values()), apply, number)
