"""The `m` of a rule that is read with Values: adjoint's own functions, so that the result can be differentiated."""

from typing import Any

from adjoint.arrays.backends import Backend, common_backend, total
from adjoint.arrays.functions import attention, convolution, indexing, linalg, products, reductions, shaping
from adjoint.arrays.tensor import data_of
from adjoint.engine import ops
from adjoint.engine.value import Value

_ROOMS = (ops, reductions, shaping, indexing, products, linalg, convolution, attention)
_STANDARD = {"cumulative_sum": "cumsum", "cumulative_prod": "cumprod"}


class Maths:
    """adjoint's functions by the names of the array API standard."""

    def __getattr__(self, name: str) -> Any:
        for room in _ROOMS:
            found = getattr(room, _STANDARD.get(name, name), None)
            if (found is not None and name not in ("where", "equal")) or (room is indexing and found is not None):
                setattr(self, name, found)
                return found
        raise AttributeError(f"no function {name!r} that Values know")

    def _backend(self, *xs) -> Backend:
        return common_backend([data_of(x) for x in xs], "a rule")

    @property
    def linalg(self) -> Any:
        return linalg

    def result(self, node: Value) -> Any:
        """Return a node as a rule sees the result: several results as a tuple of Values."""
        from adjoint.arrays.several_results import pick

        data: Any = node._data
        return tuple(pick(node, k) for k in range(len(data))) if isinstance(data, tuple) else node

    def equal(self, x, z):
        return data_of(x) == data_of(z)

    def as_condition(self, condition):
        return condition

    def rows_in_memory(self, x):
        return x

    def getitem(self, x, index):
        return x[index]

    def less(self, x, z):
        return data_of(x) < data_of(z)

    def select(self, condition, x, z, like):
        return self._backend(like).select(condition, x, z, data_of(like))

    def zeros_like(self, x):
        return self._backend(x).zeros_like(data_of(x))

    def ones_like(self, x):
        return self._backend(x).ones_like(data_of(x))

    def triangle(self, x, k, upper):
        return self._backend(x).triangle(data_of(x), k, upper)

    def upper_triangle(self, n, k, like):
        return self._backend(like).upper_triangle(n, k, data_of(like))

    def eye(self, n, like):
        return self._backend(like).eye(n, data_of(like))

    def full_like(self, x, number):
        return self._backend(x).full_like(data_of(x), number)

    def quietly(self, function, *operands, **static):
        return function(*operands, **static)

    total = staticmethod(total)

    def cumulative_sum(self, x, axis):
        from adjoint.arrays.functions.reductions import cumsum

        return cumsum(x, axis)

    def max(self, x, axis=None, keepdims=False):
        """Return a maximum that is only subtracted and added again: it needs no gradient."""
        return self._backend(x).max(data_of(x), axis=axis, keepdims=keepdims)


maths = Maths()
