"""Linear algebra: inverses, solutions, determinants, factorizations and norms.

A matrix is the last two axes of an array; the axes before them are a stack of matrices.

Where a derivative is not defined these follow PyTorch. Singular values or eigenvalues that coincide give
their vectors gradients that are infinite or NaN. For a singular matrix `inv`, `solve`, and the derivatives of
`slogdet` and `qr` raise an error; with JAX arrays the result is infinite or NaN.
The sign of singular vectors and eigenvectors is arbitrary: only results that do not depend on it have a meaningful
gradient. `cholesky` and `eigh` read the lower triangle of a matrix, take it for symmetric, and
give it a symmetric gradient.
"""

import math
import operator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from adjoint.arrays.array_rule import pick
from adjoint.arrays.axes import Axis, all_axes, either_axis, either_keepdims, keepdims_shape, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, linalg_rules as rules, norms, products, reductions, shaping
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


class SlogdetResult(NamedTuple):
    """A determinant as its sign and the logarithm of its size.

    >>> from adjoint import Value, linalg
    >>> sign, logabsdet = linalg.slogdet(Value([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logabsdet.item()
    (-1.0, 0.0)
    """

    sign: "Tensor"
    logabsdet: "Tensor"


class EighResult(NamedTuple):
    """The eigenvalues of symmetric matrices, ascending, and the eigenvectors, as columns.

    >>> from adjoint import Value, linalg
    >>> found = linalg.eigh(Value([[2.0, 1.0], [1.0, 2.0]]))
    >>> found.eigenvalues.data.round(6)
    array([1., 3.])
    >>> abs(found.eigenvectors).data.round(6)
    array([[0.707107, 0.707107],
           [0.707107, 0.707107]])
    """

    eigenvalues: "Tensor"
    eigenvectors: "Tensor"


class SVDResult(NamedTuple):
    """Singular vectors as columns of U and rows of Vh, and singular values, descending: x = U diag(S) Vh.

    >>> import numpy as np
    >>> from adjoint import Value, linalg
    >>> x = Value([[1.0, 2.0], [3.0, 4.0]])
    >>> U, S, Vh = linalg.svd(x)
    >>> np.allclose((U * S @ Vh).data, x.data)
    True
    """

    U: "Tensor"
    S: "Tensor"
    Vh: "Tensor"


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangle: x = Q R.

    >>> import numpy as np
    >>> from adjoint import Value, linalg
    >>> x = Value([[1.0, 2.0], [3.0, 4.0]])
    >>> Q, R = linalg.qr(x)
    >>> np.allclose((Q @ R).data, x.data), np.allclose((Q.T @ Q).data, np.eye(2))
    (True, True)
    """

    Q: "Tensor"
    R: "Tensor"


# --- the functions -------------------------------------------------------------------------------------


def _square(x, who: str):
    x = shaping.as_matrices(x, who)
    shape = shape_of(x)
    if shape[-2] != shape[-1]:
        raise ShapeError(f"{who} needs square matrices: the last two axes of the shape {shape} differ")
    return x


def inv(x) -> "Tensor":
    """Return the inverse of square matrices.

    >>> from adjoint import Value, linalg
    >>> x = Value([[2.0, 0.0], [0.0, 4.0]])
    >>> linalg.inv(x).sum().backward()
    >>> x.grad
    array([[-0.25  , -0.125 ],
           [-0.125 , -0.0625]])
    """
    return rules.inv(_square(x, "inv"))


def solve(a, b) -> "Tensor":
    """Return the x for which a @ x = b; a `b` of one axis is a vector, otherwise it is a matrix or a stack of matrices.

    >>> from adjoint import Value, linalg
    >>> linalg.solve(Value([[2.0, 0.0], [0.0, 4.0]]), [1.0, 1.0]).data
    array([0.5 , 0.25])
    """
    a, b = _square(a, "solve"), as_operand(b)
    n, given = shape_of(a)[-1], shape_of(b)
    if not given or given[-2:][0] != n:
        raise ShapeError(f"solve: b must have {n} rows for a of shape {shape_of(a)}, not shape {given}")
    try:
        np.broadcast_shapes(shape_of(a)[:-2], given[:-2])
    except ValueError:
        stacks = f"a of shape {shape_of(a)} and b of shape {given}"
        raise ShapeError(f"solve: {stacks} do not broadcast along the axes before the last two") from None
    if len(given) == 1:
        return shaping.squeeze(rules.solve(a, shaping.expand_dims(b, -1)), -1)
    return rules.solve(a, b)


def pinv(x, rtol: float | None = None, hermitian: bool = False) -> "Tensor":
    """Return the pseudo-inverse: pinv(a) @ b is the least-squares solution of minimal norm.

    Singular values up to `rtol` times the largest count as zero. Its derivative takes their number as given. With
    `hermitian`, only the lower triangle is read.

    >>> from adjoint import Value, linalg
    >>> linalg.pinv(Value([[2.0, 0.0], [0.0, 0.0]])).data
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    x = symmetric(x, "pinv") if hermitian else shaping.as_matrices(x, "pinv")
    if rtol is None:
        data = data_of(x)
        m = common_backend([data], "pinv")
        dtype = data.dtype if m.is_floating(data.dtype) else m.default_float()
        rtol = max(shape_of(x)[-2:]) * float(m.xp.finfo(dtype).eps)
    return rules.pinv(x, rtol=float(rtol))


def symmetric(x, who: str) -> "Tensor":
    """Return the symmetric matrices that have the lower triangles of these."""
    x = _square(x, who)
    return ops.add(indexing.tril(x), shaping.matrix_transpose(indexing.tril(x, -1)))


def matrix_power(x, n: int) -> "Tensor":
    """Return the `n`-th power of square matrices; of their inverse if `n` is negative.

    >>> from adjoint import Value, linalg
    >>> x = Value([[1.0, 1.0], [0.0, 1.0]])
    >>> linalg.matrix_power(x, 3).data
    array([[1., 3.],
           [0., 1.]])
    >>> linalg.matrix_power(x, -2).data
    array([[ 1., -2.],
           [ 0.,  1.]])
    """
    x = _square(x, "matrix_power")
    try:
        n = operator.index(n)
    except TypeError:
        raise ArgumentError(f"matrix_power: the power must be an integer, not {describe(n)}") from None
    if n < 0:
        x, n = rules.inv(x), -n
    if n == 0:  # the identity, still a function of x
        data = data_of(x)
        eye = common_backend([data], "matrix_power").eye(shape_of(x)[-1], data)
        return ops.add(indexing.tril(indexing.triu(x, 1), -1), eye)
    found = None
    while n:
        if n % 2:
            found = x if found is None else products.matmul(found, x)
        n //= 2
        if n:
            x = products.matmul(x, x)
    assert found is not None
    return found


def det(x) -> "Tensor":
    """Return the determinant of square matrices.

    Its derivatives of any order are correct for singular matrices; under `jit`, where the numbers are unknown, only
    for those of rank n - 1.

    >>> from adjoint import Value, linalg
    >>> x = Value([[1.0, 2.0], [2.0, 4.0]])
    >>> linalg.det(x).backward()
    >>> x.grad.round(6)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    return rules.det(_square(x, "det"))


def slogdet(x) -> SlogdetResult:
    """Return the sign of the determinant and the logarithm of its size, which does not overflow.

    >>> import math
    >>> from adjoint import Value, linalg
    >>> x = Value([[2.0, 0.0], [0.0, -4.0]])
    >>> sign, size = linalg.slogdet(x)
    >>> sign.item(), round(math.exp(size.item()), 6)
    (-1.0, 8.0)
    >>> size.backward()
    >>> x.grad.diagonal()
    array([ 0.5 , -0.25])
    """
    found = rules.slogdet(_square(x, "slogdet"))
    return SlogdetResult(pick(found, 0), pick(found, 1))


def cholesky(x, upper: bool = False) -> "Tensor":
    """Return the lower triangle L, or the upper one Lᵀ, with L Lᵀ = x, for positive definite matrices.

    >>> from adjoint import Value, linalg
    >>> linalg.cholesky(Value([[4.0, 2.0], [2.0, 2.0]])).data
    array([[2., 0.],
           [1., 1.]])
    """
    found = rules.cholesky(_square(x, "cholesky"))
    return shaping.matrix_transpose(found) if upper else found


def eigh(x, UPLO: str = "L") -> EighResult:
    """Return the eigenvalues, ascending, and the eigenvectors, as columns, of symmetric matrices.

    Only the lower triangle of a matrix is read, or the upper one with `UPLO="U"`. The gradient is symmetric, as in
    PyTorch: both triangles receive half of it.

    >>> from adjoint import Value, linalg
    >>> x = Value([[2.0, 1.0], [1.0, 2.0]])
    >>> smallest = linalg.eigh(x).eigenvalues[0]
    >>> smallest.backward()
    >>> x.grad.round(6)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    found = rules.eigh(_lower(x, UPLO, "eigh"))
    return EighResult(pick(found, 0), pick(found, 1))


def eigvalsh(x, UPLO: str = "L") -> "Tensor":
    """Return the eigenvalues of symmetric matrices, ascending; `UPLO` says which triangle is read, "L" or "U".

    >>> from adjoint import Value, linalg
    >>> linalg.eigvalsh(Value([[2.0, 1.0], [1.0, 2.0]])).data.round(6)
    array([1., 3.])
    """
    return pick(rules.eigh(_lower(x, UPLO, "eigvalsh")), 0)


def _lower(x, UPLO: str, who: str) -> "Tensor":
    """Return matrices such that the triangle to read is the lower one."""
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise ArgumentError(f"{who}: UPLO must be 'L' (the lower triangle) or 'U' (the upper), not {describe(UPLO)}")
    x = _square(x, who)
    return x if UPLO.upper() == "L" else shaping.matrix_transpose(x)


@overload
def svd(x, full_matrices: bool = True, compute_uv: Literal[True] = True) -> SVDResult: ...
@overload
def svd(x, full_matrices: bool = True, *, compute_uv: Literal[False]) -> "Tensor": ...
def svd(x, full_matrices: bool = True, compute_uv: bool = True):
    """Return U, S, Vh with U diag(S) Vh = x, the singular values S descending; S alone with `compute_uv=False`.

    Matrices that are not square need `full_matrices=False`: the extra columns of U or rows of Vh have no derivative.

    >>> from adjoint import Value, linalg
    >>> linalg.svd(Value([[0.0, 3.0], [2.0, 0.0]])).S.data
    array([3., 2.])
    """
    if not compute_uv:
        return svdvals(x)
    x = shaping.as_matrices(x, "svd")
    rows, columns = shape_of(x)[-2:]
    if full_matrices and rows != columns:
        raise ShapeError(
            f"svd: full_matrices=True has no derivative for matrices of shape {(rows, columns)}, which are not square; "
            "use full_matrices=False"
        )
    found = rules.svd(x)
    return SVDResult(pick(found, 0), pick(found, 1), pick(found, 2))


def svdvals(x) -> "Tensor":
    """Return the singular values, descending.

    >>> from adjoint import Value, linalg
    >>> linalg.svdvals(Value([[0.0, 3.0], [2.0, 0.0]])).data.round(6)
    array([3., 2.])
    """
    return pick(rules.svd(shaping.as_matrices(x, "svdvals")), 1)


def qr(x, mode: str = "reduced") -> QRResult:
    """Return Q with orthonormal columns and the upper triangle R for which Q R = x.

    The derivative needs independent columns; for a wide matrix with n rows, only the first n columns.

    >>> from adjoint import Value, linalg
    >>> q, r = linalg.qr(Value([[3.0], [4.0]]))
    >>> abs(r).data
    array([[5.]])
    """
    x = shaping.as_matrices(x, "qr")
    if mode != "reduced":
        raise ArgumentError(f"qr: mode must be 'reduced', which has derivatives, not {mode!r}")
    rows, columns = shape_of(x)[-2:]
    if rows >= columns:
        found = rules.qr(x)
        return QRResult(pick(found, 0), pick(found, 1))
    first = rules.qr(x[..., :rows])
    q, r = pick(first, 0), pick(first, 1)
    rest = products.matmul(shaping.matrix_transpose(q), x[..., rows:])
    return QRResult(q, shaping.concat([r, rest], -1))


def norm(
    x, ord: Any = None, axis: Axis = None, keepdims: bool = False, *, dim: Axis = None, keepdim: bool | None = None
) -> "Tensor":
    """Return a norm of vectors, along one axis, or of matrices, along two; as NumPy does.

    Without `axis`, 1-D and 2-D inputs are vectors and matrices; without `axis` and `ord`, any array is flattened to
    a vector. The `ord` of a vector is as in `adjoint.norm`. That of a matrix is 'fro' unless given, 'nuc' (the
    sum of the singular values), 2 or -2 (the largest and the smallest of them), 1 or -1 (the largest and the
    smallest sum of a column), inf or -inf (of a row).

    >>> from adjoint import Value, linalg
    >>> x = Value([[3.0, 0.0], [4.0, 0.0]])
    >>> linalg.norm(x).item(), linalg.norm(x, 1).item(), linalg.norm(x, "nuc").item()
    (5.0, 7.0, 5.0)
    """
    x = as_operand(x)
    axis, keepdims = either_axis("norm", axis, dim), either_keepdims("norm", keepdims, keepdim)
    shape = shape_of(x)
    axes = all_axes(axis, len(shape), "norm")
    if (axis is None and ord is None) or len(axes) == 1:
        return norms.norm(x, ord, axes, keepdims)
    if len(axes) != 2:
        along = f"{len(axes)} axes of an array of shape {shape}"
        raise ShapeError(f"norm with ord={ord!r} along {along}: give axis, one for vectors or two for matrices")
    return _matrix_norm(x, ord, axes, bool(keepdims))


def matrix_norm(
    x,
    ord: float | str = "fro",
    axis: tuple[int, int] = (-2, -1),
    keepdims: bool = False,
    *,
    dim: tuple[int, int] | None = None,
    keepdim: bool | None = None,
    dtype=None,
) -> "Tensor":
    """Return a norm of matrices, the last two axes unless others are given; computed in `dtype`, if one is given.

    The orders are those of `norm`.

    >>> from adjoint import Value, linalg
    >>> x = Value([[3.0, 0.0], [4.0, 0.0]])
    >>> round(linalg.matrix_norm(x).item(), 6), linalg.matrix_norm(x, 1).item()
    (5.0, 7.0)
    """
    axes = tuple(either_axis("matrix_norm", axis, dim, (-2, -1)))
    if len(axes) != 2:
        raise ShapeError(f"matrix_norm: axis must be two axes, not {describe(axes)}")
    x = shaping.as_matrices(x, "matrix_norm")
    x = x if dtype is None else shaping.astype(x, dtype)
    return norm(x, ord, axes, either_keepdims("matrix_norm", keepdims, keepdim))


_EXTREMES = {1: reductions.max, 2: reductions.max, math.inf: reductions.max}
_EXTREMES |= {-order: reductions.min for order in _EXTREMES}


def _matrix_norm(x, ord: Any, axes: tuple[int, ...], keepdims: bool) -> "Tensor":
    if ord is None or ord == "fro":
        return norms.norm(x, None, axes, keepdims)
    if ord not in (*_EXTREMES, "nuc"):
        raise ArgumentError(f"norm: ord of a matrix norm must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    shape = shape_of(x)
    rest = tuple(size for i, size in enumerate(shape) if i not in axes)
    if ord in ("nuc", 2, -2):
        sizes = svdvals(shaping.moveaxis(x, axes, (-2, -1)))
        found = (_EXTREMES.get(ord) or reductions.sum)(sizes, -1)
    else:
        summed, compared = axes if abs(ord) == 1 else axes[::-1]
        sums = reductions.sum(ops.abs(x), summed, keepdims=True)
        found = _EXTREMES[ord](sums, compared, keepdims=True)
    return shaping.reshape(found, keepdims_shape(shape, axes) if keepdims else rest)


__all__ = [
    "EighResult", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_norm",
    "matrix_power", "norm", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
]  # fmt: skip
