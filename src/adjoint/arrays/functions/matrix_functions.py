"""Functions of matrices that are composed of others: condition numbers, products of several, least squares."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjoint.arrays.axes import Axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import linalg, norms, products, reductions, shaping
from adjoint.arrays.functions.vector_products import cross, vecdot
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_array

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array


def vector_norm(
    x, ord: float = 2, axis: Axis = None, keepdims: bool = False, *, dim: Axis = None, keepdim: bool | None = None
) -> "Tensor":
    """Return the norm of vectors along some axes, or of the whole array as one vector; see `adjoint.norm`.

    >>> from adjoint import Value, linalg
    >>> x = Value([3.0, 4.0])
    >>> norm = linalg.vector_norm(x)
    >>> norm.item(), linalg.vector_norm(x, 1).item()
    (5.0, 7.0)
    >>> norm.backward()
    >>> x.grad
    array([0.6, 0.8])
    """
    return norms.norm(x, ord, axis, keepdims, dim=dim, keepdim=keepdim)


def cond(x, p: float | str | None = None) -> "Tensor":
    """Return the condition number of matrices: the norm times that of the inverse.

    `p` is an order of `norm`. Without one it is the ratio of the largest and the smallest singular value, also for
    matrices that are not square.

    >>> from adjoint import Value, linalg
    >>> linalg.cond(Value([[2.0, 0.0], [0.0, 8.0]])).item()
    4.0
    """
    x = shaping.as_matrices(x, "cond")
    if 0 in shape_of(x)[-2:]:
        raise ShapeError(f"cond: matrices without elements, of shape {shape_of(x)}, have no condition number")
    if p is None or p in (2, -2):
        s = linalg.svdvals(x)
        first, last = s[..., 0], s[..., -1]
        return ops.div(last, first) if p == -2 else ops.div(first, last)
    return ops.mul(linalg.matrix_norm(x, p), linalg.matrix_norm(linalg.inv(x), p))


def multi_dot(arrays: Sequence) -> "Tensor":
    """Return the product of several matrices, multiplied in the order that needs the fewest operations.

    The first and the last may be vectors.

    >>> from adjoint import Value, linalg
    >>> linalg.multi_dot([[1.0, 2.0], Value([[1.0, 0.0], [0.0, 3.0]]), [1.0, 1.0]]).item()
    7.0
    """
    if not isinstance(arrays, Iterable) or (is_array(arrays) and not shape_of(arrays)):
        raise ArgumentError(f"multi_dot needs a list of matrices, not {describe(arrays)}")
    xs = [as_operand(x) for x in arrays]
    shapes = [shape_of(x) for x in xs]
    is_vector = [len(shape) == 1 and k in (0, len(xs) - 1) for k, shape in enumerate(shapes)]
    if len(xs) < 2 or any(len(shape) != 2 and not vector for shape, vector in zip(shapes, is_vector)):
        given = f"arrays of shapes {', '.join(map(str, shapes))}"
        raise ShapeError(f"multi_dot needs at least two matrices; the first and last may be vectors; not {given}")
    if is_vector[0]:
        xs[0] = shaping.expand_dims(xs[0], 0)
    if is_vector[-1]:
        xs[-1] = shaping.expand_dims(xs[-1], -1)
    sizes = [shape_of(xs[0])[0], *(shape_of(x)[1] for x in xs)]
    found = _multiply(xs, _splits(sizes), 0, len(xs) - 1)
    return shaping.squeeze(found, tuple(axis for axis, vector in ((0, is_vector[0]), (1, is_vector[-1])) if vector))


def _splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return where to split each product of the matrices i to j so that it costs least; matrix i has sizes[i] rows."""
    count = len(sizes) - 1
    costs: dict[tuple[int, int], int] = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs[i, j], splits[i, j] = min(
                (costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return splits


def _multiply(xs: list, splits: dict[tuple[int, int], int], i: int, j: int) -> "Tensor":
    if i == j:
        return xs[i]
    k = splits[i, j]
    return products.matmul(_multiply(xs, splits, i, k), _multiply(xs, splits, k + 1, j))


def matrix_rank(x, tol=None, rtol=None, hermitian: bool = False, *, atol=None) -> Any:
    """Return the number of singular values above the tolerance, as plain integers without a gradient.

    The tolerance is `tol`, or else `rtol` times the largest singular value; as `numpy.linalg.matrix_rank` does. As in
    PyTorch it is at least `atol`, if that is given. With `hermitian`, only the lower triangle is read.

    >>> from adjoint import linalg
    >>> int(linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    x = data_of(linalg.symmetric(x, "matrix_rank") if hermitian else shaping.as_matrices(x, "matrix_rank"))
    sizes = linalg.svdvals(x)
    m = common_backend([sizes], "matrix_rank")
    if not shape_of(sizes)[-1]:
        return (sizes > 0).sum(-1)  # matrices without elements have the rank 0
    if tol is None:
        largest = reductions.max(sizes, -1)
        if rtol is None:
            eps = float(np.finfo(str(sizes.dtype).rpartition(".")[2]).eps)
            rtol = max(shape_of(x)[-2:]) * eps if atol is None else 0.0
        tol = largest * data_of(as_operand(rtol))
        tol = tol if atol is None else m.maximum(tol, data_of(as_operand(atol)))
    return (sizes > m.xp.asarray(tol)[..., None]).sum(-1)


class LstsqResult(NamedTuple):
    """A least-squares solution, the sums of squared residuals, and the rank and singular values of the matrix.

    >>> from adjoint import Value, linalg
    >>> found = linalg.lstsq(Value([[1.0], [1.0]]), [1.0, 3.0])
    >>> found.solution.data.round(6), found.residuals.data.round(6), int(found.rank)
    (array([2.]), array([2.]), 1)
    """

    solution: "Tensor"
    residuals: "Tensor"
    rank: "Array"
    singular_values: "Tensor"


def lstsq(a, b, rcond: float | None = None, *, driver: str | None = None) -> LstsqResult:
    """Return the x for which a @ x comes nearest to b, the smallest if there are several.

    Singular values up to `rcond` times the largest count as zero; see `pinv`. As in NumPy, the residuals are empty
    unless a has more rows than columns and full rank. A stack of matrices is solved for a stack of matrices `b`.
    PyTorch's `driver`, which names a program of LAPACK, has no effect.

    >>> from adjoint import Value, linalg
    >>> linalg.lstsq(Value([[1.0], [1.0]]), [1.0, 3.0]).solution.data.round(6)
    array([2.])
    """
    a, b = shaping.as_matrices(a, "lstsq"), as_operand(b)
    (rows, columns), given = shape_of(a)[-2:], shape_of(b)
    is_vector = len(given) == 1
    if not given or (given[0] if is_vector else given[-2]) != rows:
        raise ShapeError(f"lstsq needs matrices and a vector or matrices of as many rows, not {shape_of(a)}, {given}")
    solution = products.matmul(linalg.pinv(a, rcond), b)
    residuals = reductions.sum(ops.square(ops.sub(b, products.matmul(a, solution))), -1 if is_vector else -2)
    rank = matrix_rank(a, rtol=rcond)
    residuals = shaping.reshape(residuals, (-1,)) if is_vector and len(shape_of(a)) == 2 else residuals
    if rows <= columns or bool((np.asarray(rank) < columns).any()):
        residuals = shaping.reshape(residuals, (-1,))[:0]
    return LstsqResult(solution, residuals, rank, linalg.svdvals(a))


__all__ = [
    "LstsqResult", "cond", "cross", "lstsq", "matrix_rank", "multi_dot", "vecdot", "vector_norm",
]  # fmt: skip
