"""Tensor: a Value that holds an array.

    W = Value([[1.0, 2.0], [3.0, 4.0]])     # a list or an array makes a Tensor
    loss = (X @ W).tanh().sum()             # plain arrays are constants
    loss.backward()
    W.grad                                  # an array of W's shape

An array node keeps its operands and its rule. The derivatives are computed in the backward pass, times the gradient:
for a row of the table by what `kernels.py` compiles from it, for an operation on whole arrays by its vector-Jacobian
product. `operations.py` has the operators and the methods that compute, `apply.py` makes the nodes, and
`backward_pass.py` runs the pass.
"""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import make_leaf, start
from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import (
    NUMPY,
    Resident,
    as_constant,
    as_plain,
    backend_of,
    common_backend,
    mixed_libraries_error,
)
from adjoint.arrays.backward_pass import NotKept, by_hand, fast_backward, freed_back, is_nonzero, store
from adjoint.arrays.convert import as_data, from_nested
from adjoint.arrays.functions import indexing, shaping
from adjoint.arrays.kinds import device_of
from adjoint.arrays.operations import Operations
from adjoint.engine.anomaly import note_cut
from adjoint.engine.backward_guards import check_history, check_update, note_not_finite, note_read_of_array
from adjoint.engine.modes import modes, require_no_takeover
from adjoint.engine.native import twin
from adjoint.engine.sizes import Size
from adjoint.engine.special import history, require_constant
from adjoint.engine.value import Value
from adjoint.errors import ArrayError, ArrayIndexError, MissingRuleError, NumberError, ShapeError
from adjoint.errors.given import is_array, is_number, number
from adjoint.errors.interruptions import raise_interruption

_ONE = np.float64(1.0)


class Tensor(Operations):
    """A Value that holds an array: its numbers, its gradient, and how it was computed. `Value([...])` makes one.

    >>> from adjoint import Value
    >>> w = Value([1.0, 2.0, 3.0], label="w")
    >>> (w * w).sum().backward()
    >>> w.grad
    array([2., 4., 6.])
    >>> w
    Tensor(data=[1. 2. 3.], grad=[2. 4. 6.], shape=(3,), dtype=float64, label='w')
    """

    __slots__ = ("_data", "_grad", "_operands", "_rule", "_static", "_back", "_serial", "_numbers", "__weakref__")
    _data: Any  # an array of any library; a tuple of them for several results
    _operands: tuple[Any, ...]  # Values, and constants as arrays or floats
    _static: Any  # the static arguments of the operation, by name
    _numbers: tuple  # the data of number operands, if there are any, as it was then: it may be assigned later
    _is_array = True

    def __init__(self, data, _children=(), _op: str = "", label: str = "", *, dtype=None, requires_grad=True):
        require_no_takeover()
        self._operands, _op, local_gradients, label = history(_children, _op, label)
        if local_gradients:
            raise ArrayError(
                "local gradients are numbers, and this Value is an array; make its operation with adjoint.op"
            )
        self._data, self._grad = as_data(data, dtype), None
        self._rule, self._static, self._serial = _op, None, tick()
        self._back = by_hand if self._operands else None
        if label:
            self.label = label
        if requires_grad is not True:
            self.requires_grad = requires_grad

    # --- what it holds ---

    @property
    def _array(self) -> Any:
        """The data as operations take it: JAX may differentiate what they compute from it."""
        require_no_takeover()
        data = self._data
        if type(data) is Resident:
            data = data.fetch(self, "_data")
        return data

    @property
    def data(self) -> Any:
        """The array itself. A backward pass that needs the old array notices an assignment, also one by `-=`."""
        data = self._array
        return data if type(data) is np.ndarray else as_plain(data)

    @data.setter
    def data(self, data) -> None:
        own = self._array
        if data is own:  # changed in place, and all views of it with it
            assigned.in_place(common_backend([own], "data").memory_of(own))
            self._changed = assigned.last = tick()
        else:
            assigned.replace(self, common_backend([own], "data").array(self._like(data, "data")))
        if self._grad_read:
            self._grad_read, self._grad_used = False, self._grad is not None and not self._operands
            if self._doubtful:
                check_update(self)

    @property
    def grad(self) -> Any:
        """The gradient: an array of the shape of the data, or a Value after `backward(create_graph=True)`.

        It is zero before the first backward pass. An intermediate result keeps its gradient if it has a label, or after
        `retain_grad()`. Otherwise reading it computes it again, by a second pass. If that is impossible, because the
        result on which `backward()` was called is gone, the graph was freed or data was changed, it is an error.
        """
        require_no_takeover()
        grad = self._grad
        if type(grad) is NotKept:
            grad = self._grad = grad.gradient_of(self)
        elif grad is None:
            m = backend_of(self._array)
            grad = self._grad = m.zeros_like(self._data) if m else 0.0
        elif type(grad) is Resident:
            grad = grad.fetch(self, "_grad")
        self._grad_read = True
        if self._operands and self._grad is not None:
            note_read_of_array(self, self._serial, tick)
        return grad

    @grad.setter
    def grad(self, grad) -> None:
        require_no_takeover()
        self._note_assigned_grad()
        if type(grad) is NotKept:  # of a node that is copied
            self._grad = grad
        elif grad is None or (type(grad) is not Resident and is_number(grad) and float(grad) == 0.0):
            self._grad = None
        elif isinstance(grad, Value):
            if tuple(grad.data.shape if isinstance(grad, Tensor) else ()) != self.shape:
                raise ShapeError(f"grad has the shape of the data, {self.shape}, not that of {grad!r}")
            self._grad = grad
        else:
            grad = self._like(grad, "grad")
            self._grad = grad if getattr(grad, "base", None) is None else common_backend([grad], "grad").array(grad)

    def _like(self, given, who: str) -> Any:
        """Return `given` as an array of the shape and dtype of the data."""
        own = self.data
        m = backend_of(own)
        assert m is not None
        if isinstance(given, Value):
            raise NumberError(f"{who} needs an array or a number, not a Value; take its .data")
        if is_number(given):
            return m.broadcast_to(m.xp.asarray(number(given, who), dtype=own.dtype), own.shape)
        given = given if is_array(given) else m.from_numpy(from_nested(given, who))
        if backend_of(given) is not m and not (backend_of(given) is NUMPY and m.name == "JAX"):
            raise mixed_libraries_error(who, m, backend_of(given) or NUMPY)
        given = as_constant(given, m, own.dtype)
        if tuple(given.shape) != self.shape:
            raise ShapeError(f"{who} must have the shape {self.shape}, not {tuple(given.shape)}")
        return given if given.dtype == own.dtype else m.astype(given, own.dtype)

    def _has_gradient(self) -> bool:
        return self._grad is not None and (hasattr(type(self), "traces") or is_nonzero(self._grad))

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        require_no_takeover()
        self._grad = None
        self._note_assigned_grad()

    def retain_grad(self) -> None:
        """Keep the gradient of this intermediate result in every `backward()`, as in PyTorch. A label does the same.

        >>> x = Value([1.0, 2.0])
        >>> h = x * 3
        >>> h.retain_grad()
        >>> h.sum().backward()
        >>> h.grad
        array([1., 1.])
        """
        self._retains_grad = True

    def _note_assigned_grad(self) -> None:
        """Note that the gradient is assigned, for the guards of optimizers and of `backward_guards.py`."""
        self._grad_replaced, self._grad_read = not self._grad_read, False
        if self._spent:
            self._spent = False
        if self._grad_used:
            self._grad_used = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return tuple(self._data.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data.shape)

    @property
    def size(self) -> Size:
        """The number of elements. As in PyTorch, `x.size()` is the shape and `x.size(0)` the size of an axis."""
        return Size.of(self._data.shape)

    @property
    def device(self) -> str:
        """The device that holds the array, such as "cpu"."""
        return device_of(self)

    @property
    def dtype(self) -> Any:
        """The type of the elements, as the array library names it."""
        return self._data.dtype

    def numpy(self) -> np.ndarray:
        """Return the data as a NumPy array, without history."""
        require_no_takeover()
        return _to_numpy(self.data)

    def item(self) -> float:
        """Return the only element as a plain float."""
        if modes.differentiating:
            require_constant(self)
        require_no_takeover()
        if type(self._data) is np.float64:
            return float(self._data)
        if math.prod(self._data.shape) != 1:
            raise ShapeError(f"float() and item() need an array with one element, not an array of shape {self.shape}")
        return float(self.data.item())

    def __float__(self) -> float:
        if modes.reading:
            return super().__float__()
        return self.item()

    def __bool__(self) -> bool:
        if math.prod(self._data.shape) != 1:
            raise ArrayError(
                f"the truth value of an array of shape {self.shape} is ambiguous; use (v.data > 0).any() or .all()"
            )
        return bool(self.data.reshape(()) != 0)

    if not TYPE_CHECKING:  # NumPy's types would take a Value for a plain array

        def __array__(self, dtype=None, copy=None) -> np.ndarray:
            raise MissingRuleError(
                "a NumPy array of a Value would have no gradients; call v.numpy() for one, or use adjoint's functions "
                "to keep the graph"
            )

    def __len__(self) -> int:
        if not self._data.shape:
            raise ShapeError("len() of a 0-d array: it has no axis to count along")
        return self._data.shape[0]

    def __contains__(self, x: object) -> bool:
        return bool(np.any(self.numpy() == (x.data if isinstance(x, Value) else x)))

    def __iter__(self) -> Iterator["Tensor"]:
        return (self[i] for i in range(len(self)))

    def tolist(self) -> Any:
        """Return the data as nested lists of floats."""
        if modes.differentiating:
            require_constant(self)
        return self.numpy().tolist()

    def detach(self) -> "Tensor":
        """Return a leaf with the same data and label, and no history."""
        data = self._array
        m = backend_of(data)
        leaf = make_leaf(data if m is None else m.without_gradient(data))
        leaf._unrecorded = True
        if modes.anomaly:
            note_cut(leaf, (self,))
        if self.label:
            leaf.label = self.label
        return leaf

    @property
    def at(self) -> indexing.At:
        """Functional updates: `v.at[i].set(x)`, `.add(x)`, `.multiply(x)` return a new Value."""
        return indexing.At(self)

    def __setitem__(self, index, x):
        raise ArrayIndexError(
            "a Value does not support item assignment; use v = v.at[i].set(x), which returns a new Value with "
            "gradients, or v.data[i] = x on a leaf"
        )

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        reflected = _REFLECTED.get(ufunc)
        is_plain = method == "__call__" and not options and inputs[-1] is self and type(inputs[0]) is np.ndarray
        if reflected is not None and is_plain:  # the common case: array * tensor
            return reflected(self, inputs[0])
        return super().__array_ufunc__(ufunc, method, *inputs, **options)

    # --- history ---

    @property
    def _derivatives(self) -> tuple | None:
        return None if self._back is freed_back else ()

    if not TYPE_CHECKING:  # an attribute of other Values

        @property
        def parents(self) -> tuple[Value, ...]:
            """The Values that this one was computed from."""
            return tuple([x for x in self._operands if isinstance(x, Value)])

    def _free(self) -> None:
        if self._operands:
            self._operands, self._static, self._back = (), None, freed_back

    def backward(self, gradient=None, *, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Compute the gradient of this Value with respect to everything it depends on, by the chain rule.

        As for a scalar, gradients of leaves accumulate, `create_graph` gives gradients that can be differentiated
        again, and without `retain_graph` the history is freed during the pass. An array of more than one element needs
        a `gradient` of its shape; the pass then computes the product of that gradient with the Jacobian.

        >>> x = Value([1.0, 2.0])
        >>> (x ** 3).backward([1.0, 10.0])
        >>> x.grad
        array([  3., 120.])
        """
        if modes.active:
            require_no_takeover()
        if gradient is None:
            if math.prod(self._data.shape) != 1:
                raise ShapeError(
                    f"backward() on an array of shape {self.shape} needs a gradient of that shape; or reduce it to "
                    "one number first, for instance with .sum()"
                )
            if isinstance(self._data, np.floating) and not math.isfinite(self._data):
                note_not_finite(self)
            if not self._operands and not self._unrecorded:
                check_history(self)
            if type(self._data) is np.float64 and not create_graph:
                return store(self, _ONE, retain_graph, False)
            gradient = 1.0
        if isinstance(gradient, Value):
            if shaping.shape_of(gradient) != self.shape:
                raise ShapeError(f"a gradient of shape {self.shape} is needed, not {shaping.shape_of(gradient)}")
            if not isinstance(gradient, Tensor):  # a number, for a result without axes
                gradient = shaping.reshape(gradient, ())
            seed = gradient if create_graph else gradient.data
        else:
            seed = self._like(gradient, "gradient")
            if seed is gradient:  # the caller keeps it
                seed = common_backend([seed], "backward").array(seed)
            if create_graph:
                seed = make_leaf(seed)
        store(self, seed, retain_graph, create_graph)

    @property
    def _backward(self) -> Callable[[], None]:
        return self._closure or self._add_to_parents

    @_backward.setter
    def _backward(self, closure: Callable[[], None]) -> None:
        self._closure, self._back = closure, by_hand

    # --- how it is shown ---

    def __format__(self, spec: str) -> str:
        return format(self.data.item() if self.size == 1 else self.item(), spec) if spec else repr(self)

    def __repr__(self) -> str:
        name = type(self).__name__
        if isinstance(self._data, tuple):
            return f"{name}({len(self._data)} results of {self.op})"
        grad = None if type(self._grad) is NotKept else self._grad
        if type(grad) is Resident:
            grad = grad.fetch(self, "_grad")
        arrays = {"data": self.data} if grad is None else {"data": self.data, "grad": grad}
        shown = [f"{what}={_as_text(x, f'{name}({what}=')}" for what, x in arrays.items()]
        between = f",\n{' ' * len(name)} " if any("\n" in text for text in shown) else ", "
        label = f", label={self.label!r}" if self.label else ""
        return f"{name}({between.join(shown)}{between}shape={self.shape}, dtype={self.dtype}{label})"


def _to_numpy(x: Any) -> np.ndarray:
    m = backend_of(x)
    return np.asarray(m.to_numpy(x) if m else x)


def _as_text(x: Any, prefix: str) -> str:
    """Return an array as text for a repr that starts with `prefix`; large arrays are abbreviated."""
    try:
        x = _to_numpy(x.data if isinstance(x, Value) else x)
        return np.array2string(x, precision=4, threshold=50, edgeitems=3, prefix=prefix)
    except Exception as error:  # a tracer of JAX has no numbers yet
        raise_interruption(error)
        return "…"


start(Tensor)
_REFLECTED: dict[Callable, Callable[..., Tensor]] = {
    np.add: Tensor.__radd__,
    np.subtract: Tensor.__rsub__,
    np.multiply: Tensor.__rmul__,
    np.divide: Tensor.__rtruediv__,
    np.matmul: Tensor.__rmatmul__,
}
# The native core has the same without the frames of Python.
Tensor.__array_ufunc__ = twin("array_ufunc", Tensor.__array_ufunc__, Tensor.__array_ufunc__, _REFLECTED)
Tensor.backward = fast_backward(Tensor.backward)
Tensor.data = Tensor.data.setter(twin("assignment", Tensor.data.fset, Tensor.data.fset, assigned))
