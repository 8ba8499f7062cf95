"""Products of vectors and of arrays as NumPy defines them: inner, cross and Kronecker products."""

from typing import TYPE_CHECKING, Any

from adjoint.arrays.axes import either_axis, one_axis, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.arranging import ravel
from adjoint.arrays.functions.indexing import getitem
from adjoint.arrays.functions.products import matmul, tensordot
from adjoint.arrays.functions.shaping import as_matrices, expand_dims, moveaxis, reshape, squeeze, stack
from adjoint.engine import ops
from adjoint.errors import ShapeError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def inner(a, b) -> "Tensor":
    """Return the sums of products over the last axes of two arrays; of numbers, the product.

    >>> from adjoint import Value, inner
    >>> inner(Value([[1.0, 2.0], [3.0, 4.0]]), [1.0, 10.0]).data
    array([21., 43.])
    """
    a, b = as_operand(a), as_operand(b)
    if not shape_of(a) or not shape_of(b):
        return ops.mul(a, b)
    if shape_of(a)[-1] != shape_of(b)[-1]:
        raise ShapeError(f"inner: the last axes of the shapes {shape_of(a)} and {shape_of(b)} differ in size")
    return tensordot(a, b, ([-1], [-1]))


def vdot(a, b) -> "Tensor":
    """Return the sum of the products of all elements of two arrays of equal size.

    >>> from adjoint import Value, vdot
    >>> vdot(Value([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 0.0], [0.0, 10.0]]).item()
    41.0
    """
    a, b = ravel(a), ravel(b)
    if shape_of(a) != shape_of(b):
        raise ShapeError(f"vdot needs arrays of equal size, not of {shape_of(a)[0]} and {shape_of(b)[0]} elements")
    return matmul(a, b)


def vecdot(x1, x2, axis: int = -1, *, dim: int | None = None) -> "Tensor":
    """Return the sums of products of vectors along an axis; the other axes broadcast.

    As in PyTorch, `dim` is an axis of the arrays after broadcasting.

    >>> from adjoint import Value, vecdot
    >>> vecdot(Value([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 10.0], [10.0, 1.0]]).data
    array([21., 34.])
    """
    axis = either_axis("vecdot", axis, dim, -1)
    if dim is not None:
        return reductions.sum(ops.mul(as_operand(x1), as_operand(x2)), axis)
    x1, x2 = (_vectors(x, axis, "vecdot") for x in (x1, x2))
    if shape_of(x1)[-1] != shape_of(x2)[-1]:
        raise ShapeError(f"vecdot: vectors of {shape_of(x1)[-1]} and {shape_of(x2)[-1]} elements; make them equal")
    return reductions.sum(ops.mul(x1, x2), -1)


def matvec(x1, x2) -> "Tensor":
    """Return the products of matrices with vectors, which are the last axis of `x2`; the other axes broadcast.

    >>> from adjoint import Value, matvec
    >>> matvec(Value([[1.0, 2.0], [3.0, 4.0]]), [1.0, 10.0]).data
    array([21., 43.])
    """
    return squeeze(matmul(as_matrices(x1, "matvec"), expand_dims(_vectors(x2, -1, "matvec"), -1)), -1)


def vecmat(x1, x2) -> "Tensor":
    """Return the products of vectors, which are the last axis of `x1`, with matrices; the other axes broadcast.

    >>> from adjoint import Value, vecmat
    >>> vecmat([1.0, 10.0], Value([[1.0, 2.0], [3.0, 4.0]])).data
    array([31., 42.])
    """
    return squeeze(matmul(expand_dims(_vectors(x1, -1, "vecmat"), -2), as_matrices(x2, "vecmat")), -2)


def _vectors(x, axis: int, who: str) -> "Tensor":
    x = as_operand(x)
    return moveaxis(x, one_axis(axis, len(shape_of(x)), who), -1)


def cross(
    a, b, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None, *, dim: int | None = None
) -> "Tensor":
    """Return the cross products of vectors of three elements; `axis` names the axis of the vectors in all arrays.

    Vectors of two elements count as having a third that is 0; of two of these, the result is that third element alone.

    >>> from adjoint import Value, cross
    >>> cross(Value([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]).data
    array([0., 0., 1.])
    """
    axis = either_axis("cross", axis, dim)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _vectors(a, axisa, "cross"), _vectors(b, axisb, "cross")
    sizes = shape_of(a)[-1], shape_of(b)[-1]
    if not {*sizes} <= {2, 3}:
        raise ShapeError(f"cross needs vectors of 3 elements, or of 2, not of {sizes[0]} and {sizes[1]}")
    (a1, a2, a3), (b1, b2, b3) = (
        [getitem(x, (..., i)) if i < n else 0.0 for i in range(3)] for x, n in ((a, sizes[0]), (b, sizes[1]))
    )
    third: Any = ops.sub(ops.mul(a1, b2), ops.mul(a2, b1))
    if sizes == (2, 2):
        return third
    first = ops.sub(ops.mul(a2, b3), ops.mul(a3, b2))
    second = ops.sub(ops.mul(a3, b1), ops.mul(a1, b3))
    return moveaxis(stack([first, second, third], -1), -1, axisc)


def kron(a, b) -> "Tensor":
    """Return the Kronecker product: each element of `a` times all of `b`.

    >>> from adjoint import Value, kron
    >>> kron(Value([1.0, 10.0]), [1.0, 2.0]).data
    array([ 1.,  2., 10., 20.])
    """
    a, b = as_operand(a), as_operand(b)
    count = max(len(shape_of(a)), len(shape_of(b)))
    sizes = [(1,) * (count - len(shape_of(x))) + shape_of(x) for x in (a, b)]
    wide = reshape(a, tuple(n for size in sizes[0] for n in (size, 1)))
    return reshape(
        ops.mul(wide, reshape(b, tuple(n for size in sizes[1] for n in (1, size)))),
        tuple(m * n for m, n in zip(*sizes)),
    )
