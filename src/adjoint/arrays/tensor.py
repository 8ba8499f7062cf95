"""Tensor: a Value that holds an array.

    W = Value([[1.0, 2.0], [3.0, 4.0]])     # a list or an array makes a Tensor
    loss = (X @ W).tanh().sum()             # plain arrays are constants
    loss.backward()
    W.grad                                  # an array of W's shape

An array node keeps its operands and its rule; the derivatives are computed in the backward pass, times the
gradient, by what `kernels.py` makes of a row, or by the vector-Jacobian product of an array operation.
The pass itself is in `pullback.py`.
"""

import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from adjoint.arrays import kernels
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.backends import (
    NUMPY,
    Backend,
    Resident,
    as_constant,
    backend_of,
    common_backend,
    mixed,
    quiet,
    require_real,
)
from adjoint.arrays.backward_pass import NotKept, assigned, by_hand, freed_back, store, tick
from adjoint.arrays.functions import indexing, products, shaping
from adjoint.engine import anomaly, native, ops
from adjoint.engine.modes import modes
from adjoint.engine.rule import Op, written
from adjoint.engine.value import Value
from adjoint.errors import (
    AdjointError,
    ArrayError,
    ArrayIndexError,
    MatrixError,
    MissingRuleError,
    NumberError,
    OperandError,
    ShapeError,
)
from adjoint.errors.given import described, is_array, is_number, number
from adjoint.errors.users_code import users_line

_ONE = np.float64(1.0)
_SEEN_BY_ONE = 3  # references to an array that a slot holds, while a function looks at it
_new: Callable[..., Any] = Value.__new__ if native.core else object.__new__


def array_back(g, node) -> Sequence:
    """Return what the operands of an array operation receive from a node with the gradient `g`."""
    op, operands = node._rule, node._operands
    datas = list(operands)
    for i, x in enumerate(operands):
        if isinstance(x, Value):
            datas[i] = node._numbers[i] if type(x) is Value else x._data
    m = common_backend(datas, op.name)
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Value)]
    found: list = [None] * len(operands)
    parts = op.contributions(m, g, node._data, _some_arrays(datas, m), node._static, wanted)
    for i, c in zip(wanted, parts):
        found[i] = c if c is None or type(datas[i]) is tuple else kernels.fit(c, datas[i], m)
    return found


def _back_of_one(g, node) -> tuple:
    """Return the same for an operation of one NumPy array."""
    x = node._operands[0]._data
    c = node._rule.vjps[0](NUMPY, g, node._data, x, **node._static)
    if c is None:
        return (None,)
    return (c if c.shape == x.shape and c.dtype is x.dtype else kernels.fit(c, x, NUMPY),)


def _back_of_two(g, node) -> tuple:
    """Return the same for an operation of two NumPy arrays, one of which may be a constant."""
    a, b = node._operands
    first, second = node._rule.vjps
    y, static = node._data, node._static
    x = a._data if type(a) is Tensor else a
    z = b._data if type(b) is Tensor else b
    c = d = None
    if x is not a:
        c = first(NUMPY, g, y, x, z, **static)
        if c.shape != x.shape or c.dtype is not x.dtype:
            c = kernels.fit(c, x, NUMPY)
    if z is not b:
        d = second(NUMPY, g, y, x, z, **static)
        if d.shape != z.shape or d.dtype is not z.dtype:
            d = kernels.fit(d, z, NUMPY)
    return c, d


def _back_of_many(g, node) -> list:
    """Return the same for an operation of several NumPy arrays, some of which may be constants."""
    operands, y, static, vjps = node._operands, node._data, node._static, node._rule.vjps
    datas = [x._data if type(x) is Tensor else x for x in operands]
    return [
        None if x is a else kernels.fit(vjp(NUMPY, g, y, *datas, **static), x, NUMPY)
        for a, x, vjp in zip(operands, datas, vjps)
    ]


class Tensor(Value):
    """An array of numbers, its gradient, and how it was made.

    >>> w = Value([1.0, 2.0, 3.0], label="w")
    >>> (w * w).sum().backward()
    >>> w.grad
    array([2., 4., 6.])
    >>> w
    Tensor([1. 2. 3.], shape=(3,), float64, label='w')
    """

    __slots__ = ("_data", "_grad", "_operands", "_rule", "_static", "_back", "_serial", "_numbers", "__weakref__")
    _numbers: tuple  # what the numbers among the operands were, where there are any: they may be assigned later
    _changed = 0  # when its data was last assigned, as `tick` counts
    # The native core follows assignments to find cycles; a subclass is known to the collector anyway.
    __setattr__, __delattr__ = object.__setattr__, object.__delattr__

    def __init__(self, data, _children=(), _op: str = "", label: str = "", *, dtype=None):
        if isinstance(_children, str):
            _children, label = (), _children
        is_several = isinstance(_children, Iterable) and not isinstance(_children, Value)
        children = tuple(_children) if is_several else (_children,)
        for child in children:
            if not isinstance(child, Value) or child is _children:
                raise NumberError(f"a Value's children are a tuple of Values such as (x,), not {described(child)}")
        self._data, self._grad = as_data(data, dtype), None
        self._operands = children if modes.recording else ()
        self._rule, self._static, self._serial = _op, None, tick()
        self._back = by_hand if self._operands else None
        if label:
            self.label = label

    # --- what it holds ---

    @property
    def data(self) -> Any:
        """The array itself. Assigning to it, also by `-=`, is noticed by a backward that needs the old one."""
        data = self._data
        if type(data) is Resident:
            data = self._data = data.resolve()
        return data

    @data.setter
    def data(self, data) -> None:
        own = self.data
        if data is own:  # changed in place, and all views of it with it
            assigned.in_place(common_backend([own], "data").memory_of(own))
        else:
            data = self._like(data, "data")
            self._data = common_backend([own], "data").array(data)
        self._changed = assigned.last = tick()

    @property
    def grad(self) -> Any:
        """The gradient: an array of the shape of the data, or a Value after `backward(create_graph=True)`.

        It is zero before the first backward pass. An intermediate result keeps its gradient if it has a label or if
        something outside the graph, such as a variable, refers to it during `backward()`; otherwise reading it is an
        error.
        """
        grad = self._grad
        if type(grad) is NotKept:
            raise grad.error(self)
        if grad is None:
            m = backend_of(self.data)
            grad = self._grad = m.zeros_like(self._data) if m else 0.0
        elif type(grad) is Resident:
            grad = self._grad = grad.resolve()
        elif type(grad) is np.ndarray and self._operands and sys.getrefcount(grad) > _SEEN_BY_ONE:
            grad = self._grad = grad.copy()  # other nodes of the graph hold it too
        return grad

    @grad.setter
    def grad(self, grad) -> None:
        if self._spent:
            self._spent = False
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
        """Return what is given as an array of the shape and dtype of the data."""
        own = self.data
        m = backend_of(own)
        assert m is not None
        if isinstance(given, Value):
            raise NumberError(f"{who} needs an array or a number, not a Value; take its .data")
        if is_number(given):
            return m.broadcast_to(m.xp.asarray(number(given, who), dtype=own.dtype), own.shape)
        given = given if is_array(given) else m.from_numpy(from_nested(given, who))
        if backend_of(given) is not m and not (backend_of(given) is NUMPY and m.name == "JAX"):
            raise mixed(who, m, backend_of(given) or NUMPY)
        given = as_constant(given, m, own.dtype)
        if tuple(given.shape) != self.shape:
            raise ShapeError(f"{who} has the shape {self.shape}; what was given has {tuple(given.shape)}")
        return given if given.dtype == own.dtype else m.astype(given, own.dtype)

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        self._grad = None
        if self._spent:
            self._spent = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return tuple(self._data.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._data.shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements, as the array library names it."""
        return self._data.dtype

    def numpy(self) -> np.ndarray:
        """Return the data as a NumPy array, without history."""
        data = self.data
        m = backend_of(data)
        return np.asarray(m.to_numpy(data) if m else data)

    def item(self) -> float:
        """Return the only element as a plain float."""
        if type(self._data) is np.float64:
            return float(self._data)
        if self.size != 1:
            raise ShapeError(f"item() needs an array of one element, not one of shape {self.shape}")
        return float(self.data.item())

    def __float__(self) -> float:
        if modes.reading:
            return super().__float__()
        return self.item()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ArrayError(
                f"the truth value of an array of shape {self.shape} is ambiguous; say (v.data > 0).any() or .all()"
            )
        return bool(self.data.reshape(()) != 0)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        raise MissingRuleError(
            "a NumPy array of a Value would have no gradients; v.numpy() gives one, adjoint's functions keep the graph"
        )

    def __len__(self) -> int:
        if not self._data.shape:
            raise ShapeError("len() of a 0-d array: it has no axis to count along")
        return self._data.shape[0]

    def __iter__(self) -> Iterator["Tensor"]:
        return (self[i] for i in range(len(self)))

    def tolist(self) -> Any:
        """Return the data as nested lists of floats."""
        return self.numpy().tolist()

    def detach(self) -> "Tensor":
        """Return a leaf with the same data and label, and no history."""
        leaf = make_leaf(self.data)
        if self.label:
            leaf.label = self.label
        return leaf

    @property
    def T(self) -> "Tensor":
        """The array with its axes reversed."""
        return shaping.transpose(self)

    @property
    def mT(self) -> "Tensor":
        """The array with its last two axes exchanged."""
        return shaping.matrix_transpose(self)

    @property
    def at(self) -> indexing.At:
        """Functional updates: `v.at[i].set(x)`, `.add(x)`, `.multiply(x)` return a new Value."""
        return indexing.At(self)

    def __getitem__(self, index) -> "Tensor":
        return indexing.getitem(self, index)

    def __setitem__(self, index, x):
        raise ArrayIndexError(
            "a Value cannot be assigned to in part, for others were computed from it; v = v.at[i].set(x) makes a new "
            "one, with gradients, and v.data[i] = x changes the numbers of a leaf"
        )

    __matmul__ = products.matmul

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        reflected = _REFLECTED.get(ufunc, NotImplemented)
        is_usual = reflected is not NotImplemented and inputs[-1] is self and type(inputs[0]) is np.ndarray
        if is_usual and method == "__call__" and not options:  # array * tensor
            return reflected(self, inputs[0])
        return super().__array_ufunc__(ufunc, method, *inputs, **options)

    def __rmatmul__(self, other) -> "Tensor":
        return products.matmul(other, self)

    # --- history ---

    @property
    def _derivatives(self) -> tuple | None:
        return None if self._back is freed_back else ()

    @property
    def parents(self) -> tuple[Value, ...]:
        """The Values that this one was computed from."""
        return tuple([x for x in self._operands if isinstance(x, Value)])

    def _free(self) -> None:
        if self._operands:
            self._operands, self._static, self._back = (), None, freed_back

    def backward(self, gradient=None, *, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Compute the gradient of this Value for all that it depends on, by the chain rule.

        As for a scalar: leaves accumulate, `create_graph` makes gradients that can be differentiated again,
        and without `retain_graph` the history is freed on the way. An array of more than one element needs a
        `gradient` of its own shape: it is then its product with the Jacobian that is computed.

        >>> x = Value([1.0, 2.0])
        >>> (x ** 3).backward([1.0, 10.0])
        >>> x.grad
        array([  3., 120.])
        """
        if gradient is None:
            if self.size != 1:
                raise ShapeError(
                    f"backward() on an array of shape {self.shape} needs a gradient of that shape; or reduce it to "
                    "one number first, for instance with .sum()"
                )
            if type(self._data) is np.float64 and not create_graph:
                return store(self, _ONE, retain_graph, False)
            gradient = 1.0
        if isinstance(gradient, Value):
            if tuple(getattr(gradient, "shape", ())) != self.shape:
                raise ShapeError(f"a gradient of shape {self.shape} is needed, not {getattr(gradient, 'shape', ())}")
            seed = gradient if create_graph else gradient.data
        else:
            seed = self._like(gradient, "gradient")
            if seed is gradient:  # which stays the caller's
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
        return format(self.item(), spec) if spec else repr(self)

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        name = type(self).__name__
        if isinstance(self._data, tuple):
            return f"{name}({len(self._data)} results of {self.op})"
        try:
            text = np.array2string(self.numpy(), precision=4, threshold=50, edgeitems=3, prefix=f"{name}(")
        except Exception:  # a tracer of JAX has no numbers yet
            text = "…"
        return f"{name}({text}, shape={self.shape}, {self.dtype}{label})"


# --- making --------------------------------------------------------------------------------------


def make_leaf(data) -> Tensor:
    """Return a Tensor without history that holds this very array."""
    return make_array_node(data, "", (), None, None)


def make_array_node(data, op, operands: tuple, static: dict | None, back: Callable | None) -> Tensor:
    """Return the Tensor that `op` made of `operands`."""
    node = _new(Tensor)
    node._data, node._grad, node._rule, node._operands = data, None, op, operands
    node._static, node._back, node._serial = static, back, tick()
    if any(type(x) is Value for x in operands):
        node._numbers = tuple([x._data if type(x) is Value else None for x in operands])
    return node


def remade(data, rule, operands: tuple, static: dict | None) -> Tensor:
    """Return a node that was copied or pickled, with the function that passes its gradient back."""
    back = None
    if isinstance(rule, Op) and operands:
        variables = tuple([isinstance(x, Value) for x in operands])
        datas = [data_of(x) for x in operands]
        back = kernels.reader(rule, variables, datas, common_backend(datas, rule.name))[1]
    elif operands:
        back = array_back
    return make_array_node(data, rule, operands, static, back)


def as_data(x, dtype=None) -> Any:
    """Return a fresh array for a Value to hold: floats keep their dtype, integers become float64."""
    if isinstance(x, Tensor):
        raise NumberError(f"Value needs an array, not a Value: {x!r}; v.detach() gives one without history")
    if not is_array(x) and not (hasattr(x, "dtype") and hasattr(x, "shape")):
        x = from_nested(x)
    m = backend_of(x)
    if m is None:
        raise ArrayError(f"Value needs an array of numbers, not {described(x)}")
    require_real(x, m)
    if dtype is None:
        dtype = x.dtype if m.is_floating(x.dtype) else m.default_float()
    else:
        dtype = m.as_dtype(dtype)
        if not m.is_floating(m.xp.zeros((), dtype=dtype).dtype):
            raise ArrayError(f"a Value holds floating-point numbers, not {dtype}")
    return m.array(x, dtype)


def from_nested(x, who: str = "Value") -> np.ndarray:
    """Return nested lists of numbers as an array, or say what is wrong with them."""
    if any(isinstance(leaf, Value) for leaf in _leaves(x)):
        raise NumberError("a list of Values is no array; adjoint.stack([a, b]) makes one, with gradients")
    try:
        array = np.array(x)
    except ValueError:
        lengths = sorted({len(row) if isinstance(row, (list, tuple)) else 0 for row in x})
        raise ArrayError(
            f"ragged lists make no array: the rows of {described(x)} differ in length or depth ({lengths})"
        ) from None
    except Exception as error:
        raise ArrayError(f"{who} needs a number or an array of numbers, not {described(x)}: {error}") from None
    if array.dtype.kind not in "fiubc":
        raise ArrayError(f"{who} needs a number or an array of numbers, not {described(x)}")
    return array.astype(np.float64) if array.dtype.kind in "iub" else array


def _leaves(x) -> Iterator:
    waiting = [x]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting += item
        else:
            yield item


# --- applying -----------------------------------------------------------------------------------------


def data_of(x) -> Any:
    """Return the array or number that an operand stands for."""
    return x.data if isinstance(x, Value) else x


def prepared(who: str, operands: Sequence, weak: bool) -> tuple[tuple, list, Backend]:
    """Return the operands of an operation with constants as floats, their arrays, and the backend of these."""
    datas = [x.data if isinstance(x, Value) else _as_array(x, who) for x in operands]
    m = common_backend(datas, who)
    if m is not NUMPY:
        _require_same_library(who, operands, datas, m)
    dtype = next((x.dtype for x in operands if isinstance(x, Tensor) and hasattr(x._data, "dtype")), None)
    result = []
    for i, x in enumerate(operands):
        if not isinstance(x, Value):
            datas[i] = x = as_constant(datas[i], m, dtype, weak)
        result.append(x)
    return tuple(result), datas, m


def _require_same_library(who: str, operands: Sequence, datas: Sequence, m: Backend) -> None:
    """Raise if a Value holds NumPy arrays where JAX computes: its gradient would be one of JAX.

    Under a trace it may: what is made of NumPy arrays inside a compiled function is constant there.
    """
    datas = [d[0] if type(d) is tuple else d for d in datas]
    is_mixed = any(isinstance(x, Tensor) and backend_of(d) is NUMPY for x, d in zip(operands, datas))
    if is_mixed and not any(m.is_traced(d) for d in datas):
        raise mixed(who, NUMPY, m)


def _some_arrays(datas: list, m: Backend) -> list:
    """Return the operands of an array operation; if all of them are numbers, as arrays without axes."""
    return datas if any(type(x) is not float for x in datas) else [m.xp.asarray(x) for x in datas]


def _as_array(x, who: str):
    if is_number(x) or hasattr(x, "dtype"):
        return x
    if isinstance(x, (list, tuple)):
        return from_nested(x)
    raise NumberError(f"{who} needs a number, an array or a Value, not {described(x)}")


def apply_op(op: Op, operands: tuple) -> Tensor:
    """Return the Tensor that an elementwise `op` makes of operands, arrays among them."""
    operands, datas, m = prepared(op.name, op.complete(operands), weak=True)
    variables = tuple([isinstance(x, Value) for x in operands])
    read, back = kernels.reader(op, variables, datas, m)
    try:
        y = m.quietly(read, *datas)
    except Exception as error:
        raise failed(op, datas, {}, error) from _cause(error)
    return _made(y, op, operands, None, back)


def apply_array_op(op: ArrayOp, operands: tuple, static: dict) -> Any:
    """Return what an array operation makes of `operands`: a Tensor, or an array if none of them is a Value."""
    if modes.plain and len(op.vjps) == len(operands):
        found = (_apply_to_numpy if len(operands) < 3 else _apply_to_many)(op, operands, static)
        if found is not None:
            return found
    operands, datas, m = prepared(op.name, operands, weak=False)
    datas = _some_arrays(datas, m)
    try:
        y = m.quietly(op.forward, m, *datas, **static)
    except Exception as error:
        raise failed(op, datas, static, error) from _cause(error)
    if not any(isinstance(x, Value) for x in operands):
        return y
    return _made(y, op, operands, static, array_back)


def _apply_to_numpy(op: ArrayOp, operands: tuple, static: dict) -> Tensor | None:
    """Apply an operation of one or two NumPy arrays, the fast way; None if they are something else."""
    a, b = operands[0], operands[-1]
    x = a._data if type(a) is Tensor else a
    z = b._data if type(b) is Tensor else b
    if type(x) is not np.ndarray or type(z) is not np.ndarray or (x is a and z is b) or x.dtype is not z.dtype:
        return None
    back = _back_of_two
    try:
        if len(operands) == 1:
            back, y = _back_of_one, quiet.run(op.forward, NUMPY, x, **static)
        else:
            y = quiet.run(op.forward, NUMPY, x, z, **static)
    except Exception as error:
        raise failed(op, (x, z)[: len(operands)], static, error) from _cause(error)
    node = _new(Tensor)
    node._grad = None
    node._data, node._operands, node._rule, node._static = y, operands, op, static
    node._back, node._serial = back, tick()
    return node


ArrayOp.apply = staticmethod(apply_array_op)


def _apply_to_many(op: ArrayOp, operands: tuple, static: dict) -> Tensor | None:
    """The same for more operands."""
    datas = [x._data if type(x) is Tensor else x for x in operands]
    is_numpy = all(type(x) is np.ndarray and x.dtype is datas[0].dtype for x in datas)
    if not is_numpy or not any(type(x) is Tensor for x in operands):
        return None
    try:
        y = quiet.run(op.forward, NUMPY, *datas, **static)
    except Exception as error:
        raise failed(op, datas, static, error) from _cause(error)
    return make_array_node(y, op, operands, static, _back_of_many)


def _made(y, op, operands: tuple, static: dict | None, back: Callable) -> Tensor:
    if modes.anomaly:
        anomaly.check_array(op, operands, y)
    if not modes.recording:
        return make_leaf(y)
    node = make_array_node(y, op, operands, static, back)
    if modes.anomaly:
        node._made_at = users_line()
    return node


def failed(op: Op | ArrayOp, datas: Sequence, static: dict, error: Exception) -> Exception:
    """Return the error for an operation that could not be computed: it names the shapes and what was asked."""
    if isinstance(error, AdjointError):
        return error
    shapes = [f"{tuple(x.shape)}" if hasattr(x, "shape") else repr(x) for x in datas]
    call = written(op.name, shapes)
    asked = ", ".join(f"{name}={value!r}" for name, value in static.items() if not hasattr(value, "dtype"))
    asked = f" with {asked}" if asked else ""
    reason = " ".join(str(error).split()) or type(error).__name__
    if type(error).__module__.startswith("jax"):
        return error  # what a tracer cannot do is explained by jit
    if type(error).__name__ in ("LinAlgError", "_LinAlgError"):
        return MatrixError(f"{call}{asked}: {reason}")
    if isinstance(error, IndexError):
        return ArrayIndexError(f"{call}{asked}: {reason}")
    if len(datas) == 2 and isinstance(op, Op):
        return ShapeError(f"the shapes do not fit: {call}; they must be equal, or 1 where they differ, from the right")
    return ShapeError(f"{call}{asked} cannot be computed: {reason}")


def _cause(error: Exception) -> BaseException | None:
    return error.__cause__ if isinstance(error, AdjointError) else error


# --- operators and methods: the fast way for NumPy arrays, the general one for all else ---------------------


def _unary(op: Op) -> Callable[..., Tensor]:
    known: dict = {}

    def method(self, *rest):
        x = self._data
        found = known.get(type(x))
        if found is None or rest or not modes.plain:
            return _first(op, (self, *rest), known)
        node = _new(Tensor)
        node._data = quiet.run(found[0], x)
        node._grad = node._static = None
        node._operands, node._rule, node._back, node._serial = (self,), op, found[1], tick()
        return node

    return method


def _first(op: Op, operands: tuple, known: dict) -> Tensor:
    """Apply `op` by the general way, and let the fast way know what it found for NumPy arrays."""
    result = apply_op(op, operands)
    kind = type(operands[0]._data)
    if len(operands) == len(op.operands) == 1 and kind in _NUMPY_TYPES:
        known[kind] = op.array_readers[(True,), (kind,)]
    return result


def _binary(op: Op, name: str) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Return the methods behind `tensor <op> other` and `other <op> tensor`."""

    def forward(self, other: Any, modulus=None):
        if modulus is not None or not _is_operand(op, (self, other), other, f"__r{name}__"):
            return NotImplemented
        return apply_op(op, (self, other))

    def reflected(self, other: Any):
        return apply_op(op, (other, self)) if _is_operand(op, (other, self), other, f"__{name}__") else NotImplemented

    return forward, reflected


def _is_operand(op: Op, operands: tuple, other, method: str) -> bool:
    """Return whether an operator can take `other`; raise if nobody can, and not even `other` knows how."""
    if isinstance(other, Value) or is_number(other) or is_array(other):
        return True
    if type(other).__module__ != "builtins" and hasattr(other, method):
        return False
    names = written(op.name, [type(x).__name__ for x in operands])
    hint = "; make it an array first" if isinstance(other, (list, tuple)) else ""
    raise OperandError(f"cannot compute {names}: needs a number, an array or a Value, not {described(other)}{hint}")


_NUMPY_TYPES = (np.ndarray, np.float64, np.float32)


def _comparison(holds: Callable) -> Callable[..., Any]:
    def compare(self, other):
        if isinstance(other, Value):
            other = other.data
        elif not is_number(other) and not is_array(other):
            return NotImplemented
        try:
            return holds(self.data, other)
        except ValueError as error:
            raise ShapeError(f"cannot compare arrays of shapes {self.shape} and {np.shape(other)}") from error

    return compare


def _fast(op: Op, method: Callable, reflected: bool = False) -> Callable:
    """Return a method that applies a row; on the native core one that does the usual in C."""
    if not native.core:
        return method
    return native.core.row_method(kernels.PLACES[op], reflected, method, _row_back)


def _row_back(g, node) -> Sequence:
    """Return what the operands of a row receive, where the core leaves it to Python."""
    variables = tuple([isinstance(x, Value) for x in node._operands])
    datas = [x._data if isinstance(x, Value) else x for x in node._operands]
    return kernels.reader(node._rule, variables, datas, NUMPY)[1](g, node)


if native.core:
    native.core.start_arrays(Tensor)

_METHODS = {
    "reductions": "sum mean prod var std max min argmax argmin logsumexp norm cumsum cumprod softmax log_softmax",
    "shaping": "reshape flatten permute_dims transpose matrix_transpose swapaxes moveaxis squeeze expand_dims "
    "broadcast_to astype flip roll repeat tile pad split",
    "indexing": "clip take take_along_axis sort topk tril triu diagonal diag trace",
    "products": "matmul dot tensordot outer",
}
for _room, _names in _METHODS.items():
    for _name in _names.split():
        setattr(Tensor, _name, getattr(import_module(f"adjoint.arrays.functions.{_room}"), _name))

for _name, _op in {
    "add": ops.add,
    "sub": ops.sub,
    "mul": ops.mul,
    "truediv": ops.div,
    "pow": ops.pow,
}.items():
    _forward, _reflected = _binary(_op, _name)
    setattr(Tensor, f"__{_name}__", _fast(_op, _forward))
    setattr(Tensor, f"__r{_name}__", _fast(_op, _reflected, reflected=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _comparison(getattr(operator, _name)))
for _name, _op in ops.TABLE.items():
    if hasattr(Value, _name):
        setattr(Tensor, _name, _fast(_op, _unary(_op)))
Tensor.__neg__, Tensor.__abs__ = _fast(ops.neg, _unary(ops.neg)), _fast(ops.abs, _unary(ops.abs))
_REFLECTED: dict[Any, Any] = {
    np.add: Tensor.__radd__,
    np.subtract: Tensor.__rsub__,
    np.multiply: Tensor.__rmul__,
    np.divide: Tensor.__rtruediv__,
    np.matmul: Tensor.__rmatmul__,
}
Tensor._apply = staticmethod(lambda op, operands: apply_op(op, operands))  # pyright: ignore[reportAttributeAccessIssue]
