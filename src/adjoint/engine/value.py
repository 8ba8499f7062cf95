"""Value: a number that records how it was computed, and passes gradients back along that history.

    a, b = Value(2.0), Value(-3.0)
    c = a * b + a      # each operation returns a new Value that refers to its parents
    c.backward()       # the chain rule, from c back to a and b
    a.grad             # dc/da = b + 1 = -2.0

This file is the engine of single numbers. The calculus is the table in `ops.py`, and `graph.py` carries gradients back.
Whatever is not "floats in, one float out" goes to `special.py`: arrays, subclasses, modes such as `no_grad()`, guards,
and passes with hooks, a `_backward` assigned by hand or higher derivatives. The base classes, in `micrograd.py` and
`attachments.py`, have the less common methods. If the native core was built, the last line replaces the class by its
twin in C, with the same results to the last bit; ADJOINT_PURE=1 in the environment keeps this one.
"""

from typing import TYPE_CHECKING, Any

from adjoint.engine import ops, special
from adjoint.engine.graph import pull
from adjoint.engine.micrograd import MicrogradNames
from adjoint.engine.operators import method, operator_pair
from adjoint.engine.rule import Op
from adjoint.engine.special import clock, modes


def apply(op: Op, operands: tuple, types: tuple[type, ...] = ()) -> "Value":
    """Compute the result of `op`, and how fast it changes with each parent: Values are variables, numbers constants."""
    read = op.readers.get(types or tuple(map(type, operands)))  # compiled for two Values, a Value and a float, …
    if read is None or modes.active:  # the first use; an int, an array, a subclass; inside no_grad() or another mode
        return special.apply(Value, make_node, op, operands)
    try:
        data, derivatives = read(*operands)
    except ArithmeticError:  # a pole, where Python's `/` raises
        data, derivatives = special.evaluate_at(op, operands)
    return make_node(Value, data, op, operands, derivatives)


def make_node(kind: type, data: float, rule: Op | str = "", operands: tuple = (), derivatives: tuple = ()) -> "Value":
    """Create the result of applying `rule`, with its local derivatives for the Values among `operands`."""
    node: Any = object.__new__(kind)
    node._data, node._grad, node._rule = data, 0.0, rule
    node._operands, node.parents, node._derivatives = operands, operands, derivatives
    if len(derivatives) < len(operands):  # some are constants
        node.parents = tuple([x for x in operands if isinstance(x, Value)])
    node._computed_at, node._marks, node._rare = clock.now, 0, None
    return node


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
        **dict.fromkeys(("_data", "_grad", "_rule", "_operands", "_derivatives", "_computed_at", "_marks", "_rare")),
    }
    parents: tuple["Value", ...]
    _data: Any  # a float
    _grad: Any  # a float, or a Value after `backward(create_graph=True)`
    _rule: Any  # the Op that computed it; the name of an operation by hand; "" for a leaf
    _operands: tuple[Any, ...]  # what it was computed from: Values, and constants as floats
    _derivatives: Any  # the local derivative for each parent; None once the graph was freed
    _computed_at: int  # the time: how often data had been assigned
    _marks: int  # bits, and
    _rare: Any  # None or a dictionary: the attributes that few nodes have, see `marks.py`

    if not TYPE_CHECKING:  # `array_methods.pyi` has the types of these methods

        def __new__(cls, data=0.0, *rest, **options):
            node = object.__new__(cls if type(data) is float or cls is not Value else special.class_for(data) or Value)
            node._marks, node._rare = 0, None
            return node

        def __init__(self, data, _children=(), _op: str | tuple = "", label: str = "", *, requires_grad=True):
            self._data, self._grad = data if type(data) is float and not modes.active else special.data(data), 0.0
            self._rule, self._computed_at = "", clock.now
            self._operands = self.parents = self._derivatives = ()
            given = type(_children) is not tuple or _children or type(_op) is not str or _op or label
            if given or requires_grad is not True:  # a node by hand, as tutorials make them
                special.describe(self, _children, _op, label, requires_grad)

        __new__.__wrapped__ = __init__  # help() and editors show how a Value is made

        # --- forward: every method is a row of the table ---

        _apply = staticmethod(apply)
        __add__, __radd__ = operator_pair(apply, ops.add, "add")
        __sub__, __rsub__ = operator_pair(apply, ops.sub, "sub")
        __mul__, __rmul__ = operator_pair(apply, ops.mul, "mul")
        __truediv__, __rtruediv__ = operator_pair(apply, ops.div, "truediv")
        __pow__, __rpow__ = operator_pair(apply, ops.pow, "pow")
        __mod__, __rmod__ = operator_pair(apply, ops.remainder, "mod")
        __floordiv__, __rfloordiv__ = operator_pair(apply, ops.floor_divide, "floordiv")
        __neg__, __abs__ = method(ops.neg), method(ops.abs)

    # --- backward: the chain rule ---

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
        leaves = None if create_graph or modes.active else pull(self, gradient)
        if leaves is None:  # more than arithmetic has to happen: a mode, code of the user, a guard with a warning
            return special.backward(self, gradient, retain_graph=retain_graph, create_graph=create_graph)
        with special.accumulating:  # two threads that add to one leaf both count
            for leaf, gradient in leaves.items():
                leaf._grad += gradient
        if not retain_graph:
            special.free(self)

    # --- what it holds ---

    data = property(special.read_data, special.assign_data, doc="The number itself, or the array.")
    grad = property(special.read_grad, special.assign_grad, doc=special.GRAD)


ops.install(Value, method)  # exp, tanh, relu, …: the rows of the table as methods
Value, make_node = special.native_twins(Value, make_node, apply)  # the same in C (PEP 399), if it was built
