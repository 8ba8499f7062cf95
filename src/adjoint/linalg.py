"""Linear algebra: inverses, solutions, determinants, factorisations and norms. Their rules, and the functions.

A matrix is the last two axes of an array; the axes before them are a stack of matrices, each treated alike.

Where a derivative is not defined these follow PyTorch. Singular values, or eigenvalues, that coincide give their
vectors gradients that are infinite or NaN; a singular matrix is refused by `inv` and `solve`, and by the derivatives
of `slogdet` and `qr` (arrays of JAX cannot refuse: they get infinities or NaN). Singular and eigenvectors are defined
up to their sign, so only what does not depend on that sign has a meaningful gradient. `cholesky` and `eigh` read the
lower triangle of a matrix that is symmetric, and their gradients are symmetric.
"""

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adjoint import indexing, ops, products, reductions, shaping
from adjoint.axes import Axis, all_axes, as_operand, kept, shape_of
from adjoint.backends import common_backend
from adjoint.bundles import Bundle, pick
from adjoint.errors import ArgumentError, MatrixError, ShapeError
from adjoint.floats import described
from adjoint.rules import array_op
from adjoint.tensor import data_of


class SlogdetResult(NamedTuple):
    """A determinant as its sign and the logarithm of its size."""

    sign: Any
    logabsdet: Any


class EighResult(NamedTuple):
    """The eigenvalues of symmetric matrices, ascending, and the eigenvectors, as columns."""

    eigenvalues: Any
    eigenvectors: Any


class SVDResult(NamedTuple):
    """Singular vectors as columns of U and rows of Vh, and singular values, descending: x = U diag(S) Vh."""

    U: Any
    S: Any
    Vh: Any


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangle: x = Q R."""

    Q: Any
    R: Any


# --- what the rules share ----------------------------------------------------------------------------------------


def _require(compute: Callable, *operands, otherwise: str, **options):
    """Return what the library computes; where it refuses the numbers of a matrix, say what is wrong with them."""
    try:
        return compute(*operands, **options)
    except Exception as error:
        if type(error).__name__ not in ("LinAlgError", "_LinAlgError", "MatrixError"):
            raise
        raise MatrixError(otherwise) from error


def _which(x) -> str:
    shape = tuple(x.shape)
    return f"a matrix of shape {shape}" if len(shape) == 2 else f"a matrix in the stack of shape {shape}"


def _inverse(m, x, who: str):
    """Return the inverse that the derivatives of an operation are made of."""
    return _require(m.linalg.inv, x, otherwise=f"{who} has no derivative here: {_which(x)} is singular")


def _rows(m, s):
    """Return numbers for the columns of a matrix as a row, which multiplies each column by its own."""
    return m.expand_dims(s, axis=-2)


def _columns(m, s):
    return m.expand_dims(s, axis=-1)


def _for_matrices(m, y, x):
    """Return one number for each matrix in a shape that broadcasts against the matrices."""
    return m.reshape(y, (*x.shape[:-2], 1, 1)) if len(x.shape) > 2 else y


def _inner(m, x, z):
    """Return the sum of the products of two matrices' elements."""
    return m.sum(x * z, axis=(-2, -1))


def _symmetric(m, x):
    return (x + m.matrix_transpose(x)) / 2


def _mirrored(m, x):
    """Return the symmetric matrix that has the lower triangle of `x`."""
    return m.tril(x) + m.matrix_transpose(m.tril(x, k=-1))


def _skew(m, x):
    return x - m.matrix_transpose(x)


def _reciprocal_gaps(m, s):
    """Return 1 / (s[j] - s[i]) at i, j, and 0 on the diagonal."""
    eye = m.eye(s.shape[-1], s)
    return (1 - eye) / (_rows(m, s) - _columns(m, s) + eye)


# --- inverse and solution ----------------------------------------------------------------------------------------


def _inv_forward(m, x):
    return _require(m.linalg.inv, x, otherwise=f"inv: {_which(x)} is singular, so it has no inverse; pinv has a result")


def _inv_vjp(m, g, y, x):
    transposed = m.matrix_transpose(y)
    return -m.matmul(m.matmul(transposed, g), transposed)


_inv = array_op(
    "inv",
    _inv_forward,
    _inv_vjp,
    jvp=lambda m, ts, y, x: -m.matmul(m.matmul(y, ts[0]), y),
    reads="y",
)


def _solve_forward(m, a, b):
    b = b[(None,) * (len(a.shape) - len(b.shape))]  # or some libraries take matrices for a stack of vectors
    return _require(
        m.linalg.solve,
        a,
        b,
        otherwise=f"solve: {_which(a)} is singular, so there is no one solution; pinv(a) @ b is the smallest nearest",
    )


def _solve_vjp_b(m, g, y, a, b):
    return m.linalg.solve(m.matrix_transpose(a), g)


def _solve_vjp_a(m, g, y, a, b):
    return -m.matmul(_solve_vjp_b(m, g, y, a, b), m.matrix_transpose(y))


def _solve_jvp(m, ts, y, a, b):
    da, db = ts
    return m.linalg.solve(a, m.total(db, None if da is None else -m.matmul(da, y)))


_solve = array_op("solve", _solve_forward, _solve_vjp_a, _solve_vjp_b, jvp=_solve_jvp, reads="xy")


def _pinv_forward(m, x, rtol):
    u, s, vh = _svd_forward(m, x, "pinv")
    least = rtol * s[..., :1] if s.shape[-1] else s
    inverted = m.where(s > least, 1 / m.where(s > least, s, 1.0), 0.0)
    return m.matmul(m.matrix_transpose(vh) * _rows(m, inverted), m.matrix_transpose(u))


def _pinv_vjp(m, g, y, x, rtol):
    t = m.matrix_transpose
    across = m.matmul(t(g), m.matmul(y, t(y)))
    along = m.matmul(m.matmul(t(y), y), t(g))
    reached = m.matmul(m.matmul(t(y), g), t(y))
    return across - m.matmul(x, m.matmul(y, across)) + along - m.matmul(m.matmul(along, y), x) - reached


def _pinv_jvp(m, ts, y, x, rtol):
    t, dx = m.matrix_transpose, ts[0]
    across = m.matmul(m.matmul(y, t(y)), t(dx))
    along = m.matmul(t(dx), m.matmul(t(y), y))
    reached = m.matmul(m.matmul(y, dx), y)
    return across - m.matmul(m.matmul(across, x), y) + along - m.matmul(y, m.matmul(x, along)) - reached


_pinv = array_op("pinv", _pinv_forward, _pinv_vjp, jvp=_pinv_jvp, reads="xy")


# --- determinants ------------------------------------------------------------------------------------------------


def _cofactors(m, x):
    """Return the derivative of det for each element, det(x) x⁻ᵀ, in a form that singular matrices have as well.

    Seen in the bases of its singular vectors, which count as constants, x is [[a, b], [c, d]] with the smallest
    singular values in d, so that a has an inverse, and det(x) = ± det(a) det(e) with e = d - c a⁻¹ b. Its derivative
    needs a⁻¹ and, of e, polynomials alone.
    """
    n = x.shape[-1]
    if n < 2:
        return m.ones_like(x)
    u, vh, k = _bases(data_of(x))
    seen = m.matmul(m.matmul(m.matrix_transpose(u), x), m.matrix_transpose(vh))
    a, b = seen[..., : n - k, : n - k], seen[..., : n - k, n - k :]
    c, d = seen[..., n - k :, : n - k], seen[..., n - k :, n - k :]
    inverse = m.linalg.inv(a)
    right, left = m.matmul(inverse, b), m.matmul(c, inverse)
    e = d - m.matmul(c, right)
    small = _adjugate(m, e)
    det_e = m.sum(e * m.matrix_transpose(small), axis=(-2, -1), keepdims=True) / k
    top = m.concat([det_e * inverse + m.matmul(m.matmul(right, small), left), -m.matmul(right, small)], axis=-1)
    bottom = m.concat([-m.matmul(small, left), small], axis=-1)
    adjugate = m.matrix_transpose(m.concat([top, bottom], axis=-2))
    sign = m.linalg.det(u) * m.linalg.det(vh)
    return m.matmul(m.matmul(u, adjugate), vh) * _for_matrices(m, m.linalg.det(a) * sign, x)


def _bases(x) -> tuple[Any, Any, int]:
    """Return the singular vectors of plain matrices, and how many singular values no inverse should meet.

    One at least; as many as are zero, up to rounding, unless a tracer hides the numbers.
    """
    m: Any = common_backend([x], "det")
    u, s, vh = m.linalg.svd(m.where(m.isfinite(x), x, m.zeros_like(x)))  # NaN goes on by way of x itself
    try:
        s = m.to_numpy(s)
    except TypeError:
        return u, vh, 1
    is_zero = s <= s[..., :1] * (s.shape[-1] * np.finfo(s.dtype).eps)
    return u, vh, int(is_zero.sum(-1).max(initial=1))


def _adjugate(m, x):
    """Return det(x) x⁻¹ as a polynomial of x (Faddeev and LeVerrier's): for few numbers, and those near zero."""
    eye = m.eye(x.shape[-1], x)
    found = m.broadcast_to(eye, x.shape)
    for k in range(1, x.shape[-1]):
        product = m.matmul(x, found)
        found = m.sum(product * eye, axis=(-2, -1), keepdims=True) / k * eye - product
    return found


_det = array_op(
    "det",
    lambda m, x: m.linalg.det(x),
    lambda m, g, y, x: _for_matrices(m, g, x) * _cofactors(m, x),
    jvp=lambda m, ts, y, x: _inner(m, _cofactors(m, x), ts[0]),
    reads="x",
)


def _slogdet_vjp(m, g, y, x):
    if g[1] is None:  # the sign alone was used
        return None
    return _for_matrices(m, g[1], x) * m.matrix_transpose(_inverse(m, x, "slogdet"))


def _slogdet_jvp(m, ts, y, x):
    inverse = m.matrix_transpose(_inverse(m, x, "slogdet"))
    return Bundle((m.zeros_like(y[0]), _inner(m, inverse, ts[0])))


_slogdet = array_op(
    "slogdet", lambda m, x: tuple(m.linalg.slogdet(x)), _slogdet_vjp, jvp=_slogdet_jvp, reads="x"
)


# --- factorisations ----------------------------------------------------------------------------------------------


def _cholesky_forward(m, x):
    return _require(m.linalg.cholesky, _mirrored(m, x), otherwise=f"cholesky: {_which(x)} is not positive definite")


def _half_lower(m, x):
    """Return the lower triangle with half of the diagonal: of a symmetric matrix, what with its transpose makes it."""
    return m.tril(x) * (1 - m.eye(x.shape[-1], x) / 2)


def _cholesky_vjp(m, g, y, x):
    inverse = m.linalg.inv(y)
    inner = _half_lower(m, m.matmul(m.matrix_transpose(y), g))
    return _symmetric(m, m.matmul(m.matmul(m.matrix_transpose(inverse), inner), inverse))


def _cholesky_jvp(m, ts, y, x):
    inverse = m.linalg.inv(y)
    inner = m.matmul(m.matmul(inverse, _symmetric(m, ts[0])), m.matrix_transpose(inverse))
    return m.matmul(y, _half_lower(m, inner))


_cholesky = array_op("cholesky", _cholesky_forward, _cholesky_vjp, jvp=_cholesky_jvp, reads="y")


def _eigh_forward(m, x):
    does_not = f"eigh: {_which(x)} has no eigenvalues that could be found; is NaN or infinity in it?"
    return tuple(_require(m.linalg.eigh, _mirrored(m, x), otherwise=does_not))


def _eigh_vjp(m, g, y, x):
    (w, v), (gw, gv) = y, g
    vt = m.matrix_transpose(v)
    terms = [None if gw is None else v * _rows(m, gw)]
    terms += [None if gv is None else m.matmul(v, _reciprocal_gaps(m, w) * m.matmul(vt, gv))]
    return _symmetric(m, m.matmul(m.total(*terms), vt))


def _eigh_jvp(m, ts, y, x):
    w, v = y
    moved = m.matmul(m.matmul(m.matrix_transpose(v), _symmetric(m, ts[0])), v)
    dw = m.sum(moved * m.eye(w.shape[-1], w), axis=-1)
    return Bundle((dw, m.matmul(v, _reciprocal_gaps(m, w) * moved)))


_eigh = array_op("eigh", _eigh_forward, _eigh_vjp, jvp=_eigh_jvp, reads="y")


def _svd_forward(m, x, who: str = "svd"):
    does_not = f"{who}: {_which(x)} has no singular values that could be found; is NaN or infinity in it?"
    return tuple(_require(m.linalg.svd, x, full_matrices=False, otherwise=does_not))


def _reciprocal_square_gaps(m, s):
    """Return 1 / (s[j]² - s[i]²) at i, j, and 0 on the diagonal."""
    return _reciprocal_gaps(m, s) / (_rows(m, s) + _columns(m, s) + m.eye(s.shape[-1], s))


def _svd_vjp(m, g, y, x):
    (u, s, vh), (gu, gs, gvh) = y, g
    ut, v = m.matrix_transpose(u), m.matrix_transpose(vh)
    rows, columns = x.shape[-2:]
    terms = [None if gs is None else m.matmul(u * _rows(m, gs), vh)]
    if gu is not None:
        inner = m.matmul(ut, gu)
        turned = m.matmul(u, _reciprocal_square_gaps(m, s) * _skew(m, inner) * _rows(m, s))
        if rows > columns:  # u has directions beside it to move to
            turned = turned + (gu - m.matmul(u, inner)) / _rows(m, s)
        terms += [m.matmul(turned, vh)]
    if gvh is not None:
        inner = m.matmul(gvh, v)
        turned = m.matmul(_columns(m, s) * _reciprocal_square_gaps(m, s) * -_skew(m, inner), vh)
        if columns > rows:
            turned = turned + (gvh - m.matmul(inner, vh)) / _columns(m, s)
        terms += [m.matmul(u, turned)]
    return m.total(*terms)


def _svd_jvp(m, ts, y, x):
    (u, s, vh), dx = y, ts[0]
    ut, v = m.matrix_transpose(u), m.matrix_transpose(vh)
    rows, columns = x.shape[-2:]
    gaps, along = _reciprocal_square_gaps(m, s), m.matmul(dx, v)
    moved = m.matmul(ut, along)
    left, right = moved * _rows(m, s), _columns(m, s) * moved
    du = m.matmul(u, gaps * (left + m.matrix_transpose(left)))
    dv = m.matmul(v, gaps * (right + m.matrix_transpose(right)))
    if rows > columns:
        du = du + (along - m.matmul(u, moved)) / _rows(m, s)
    if columns > rows:
        dv = dv + (m.matmul(m.matrix_transpose(dx), u) - m.matmul(v, m.matrix_transpose(moved))) / _rows(m, s)
    ds = m.sum(moved * m.eye(s.shape[-1], s), axis=-1)
    return Bundle((du, ds, m.matrix_transpose(dv)))


_svd = array_op("svd", _svd_forward, _svd_vjp, jvp=_svd_jvp, reads="y")


def _qr_vjp(m, g, y, x):
    (q, r), (gq, gr) = y, g
    t = m.matrix_transpose
    inner = m.total(
        None if gr is None else m.matmul(r, t(gr)),
        None if gq is None else -m.matmul(t(gq), q),
    )
    return m.matmul(m.total(gq, m.matmul(q, _mirrored(m, inner))), t(_inverse(m, r, "qr")))


def _qr_jvp(m, ts, y, x):
    q, r = y
    moved = m.matmul(ts[0], _inverse(m, r, "qr"))
    inner = m.matmul(m.matrix_transpose(q), moved)
    turned = _skew(m, m.tril(inner, k=-1))
    return Bundle((moved + m.matmul(q, turned - inner), m.matmul(inner - turned, r)))


_qr = array_op("qr", lambda m, x: tuple(m.linalg.qr(x)), _qr_vjp, jvp=_qr_jvp, reads="y")


# --- the functions -----------------------------------------------------------------------------------------------


def _matrices(x, who: str) -> Any:
    x = as_operand(x)
    shape = shape_of(x)
    if len(shape) < 2:
        given = f"an array of shape {shape}" if hasattr(x, "shape") else described(x)
        raise ShapeError(f"{who} needs a matrix, or a stack of them: an array of two axes or more, not {given}")
    return x


def _square(x, who: str) -> Any:
    x = _matrices(x, who)
    shape = shape_of(x)
    if shape[-2] != shape[-1]:
        raise ShapeError(f"{who} needs square matrices: the last two axes of the shape {shape} differ")
    return x


def inv(x) -> Any:
    """Return the inverse of square matrices.

    >>> from adjoint import Value, linalg
    >>> x = Value([[2.0, 0.0], [0.0, 4.0]])
    >>> linalg.inv(x).sum().backward()
    >>> x.grad
    array([[-0.25  , -0.125 ],
           [-0.125 , -0.0625]])
    """
    return _inv(_square(x, "inv"))


def solve(a, b) -> Any:
    """Return the x for which a @ x = b; `b` is a vector if it has one axis, and else a matrix or a stack of them.

    >>> from adjoint import Value, linalg
    >>> linalg.solve(Value([[2.0, 0.0], [0.0, 4.0]]), [1.0, 1.0]).data
    array([0.5 , 0.25])
    """
    a, b = _square(a, "solve"), as_operand(b)
    n, given = shape_of(a)[-1], shape_of(b)
    if not given or given[-2:][0] != n:
        raise ShapeError(f"solve: a of shape {shape_of(a)} needs a b with {n} rows, not one of shape {given}")
    if len(given) == 1:
        return shaping.squeeze(_solve(a, shaping.expand_dims(b, -1)), -1)
    return _solve(a, b)


def pinv(x, rtol: float | None = None) -> Any:
    """Return the pseudo-inverse: the inverse where there is one, else what solves for the smallest nearest.

    Singular values up to `rtol` times the largest count as zero. Its derivative takes their number as given.
    """
    x = _matrices(x, "pinv")
    if rtol is None:
        data = data_of(x)
        m = common_backend([data], "pinv")
        dtype = data.dtype if m.is_floating(data.dtype) else m.default_float()
        rtol = max(shape_of(x)[-2:]) * float(m.xp.finfo(dtype).eps)
    return _pinv(x, rtol=float(rtol))


def matrix_power(x, n: int) -> Any:
    """Return the product of `n` times the same square matrix; of its inverse if `n` is negative."""
    x = _square(x, "matrix_power")
    try:
        n = operator.index(n)
    except TypeError:
        raise ArgumentError(f"matrix_power: the power is a whole number, not {described(n)}") from None
    if n < 0:
        x, n = _inv(x), -n
    if n == 0:  # the identity, still a function of x
        eye = np.broadcast_to(np.eye(shape_of(x)[-1], dtype=bool), shape_of(x))
        m: Any = common_backend([data_of(x)], "matrix_power")
        return ops.add(indexing.tril(indexing.triu(x, 1), -1), m.astype(m.from_numpy(eye.copy()), x.dtype))
    found = None
    while True:
        if n % 2:
            found = x if found is None else products.matmul(found, x)
        n //= 2
        if not n:
            return found
        x = products.matmul(x, x)


def det(x) -> Any:
    """Return the determinant of square matrices.

    Its derivatives of any order exist for singular matrices, too. Under `jit` they need all singular values but one to
    be other than zero.

    >>> from adjoint import Value, linalg
    >>> x = Value([[1.0, 2.0], [2.0, 4.0]])
    >>> linalg.det(x).backward()
    >>> x.grad.round(6)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    return _det(_square(x, "det"))


def slogdet(x) -> SlogdetResult:
    """Return the sign of the determinant, and the logarithm of its size, which neither overflows nor vanishes."""
    found = _slogdet(_square(x, "slogdet"))
    return SlogdetResult(pick(found, 0), pick(found, 1))


def cholesky(x, upper: bool = False) -> Any:
    """Return the lower triangle L with L Lᵀ = x, of symmetric positive definite matrices; or the upper one, Lᵀ.

    >>> from adjoint import Value, linalg
    >>> linalg.cholesky(Value([[4.0, 2.0], [2.0, 2.0]])).data
    array([[2., 0.],
           [1., 1.]])
    """
    found = _cholesky(_square(x, "cholesky"))
    return shaping.matrix_transpose(found) if upper else found


def eigh(x) -> EighResult:
    """Return the eigenvalues, ascending, and the eigenvectors, as columns, of symmetric matrices.

    >>> from adjoint import Value, linalg
    >>> x = Value([[2.0, 1.0], [1.0, 2.0]])
    >>> smallest = linalg.eigh(x).eigenvalues[0]
    >>> smallest.backward()
    >>> x.grad.round(6)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    found = _eigh(_square(x, "eigh"))
    return EighResult(pick(found, 0), pick(found, 1))


def eigvalsh(x) -> Any:
    """Return the eigenvalues of symmetric matrices, ascending."""
    return pick(_eigh(_square(x, "eigvalsh")), 0)


def svd(x, full_matrices: bool = True) -> SVDResult:
    """Return U, S, Vh with U diag(S) Vh = x, the singular values S descending.

    Matrices that are not square need `full_matrices=False`: what fills up U or Vh has no derivative.

    >>> from adjoint import Value, linalg
    >>> linalg.svd(Value([[0.0, 3.0], [2.0, 0.0]])).S.data
    array([3., 2.])
    """
    x = _matrices(x, "svd")
    rows, columns = shape_of(x)[-2:]
    if full_matrices and rows != columns:
        raise ShapeError(
            f"svd: of matrices of shape {shape_of(x)} the {abs(rows - columns)} vectors that fill up U or Vh are "
            "arbitrary and have no derivative; say full_matrices=False"
        )
    found = _svd(x)
    return SVDResult(pick(found, 0), pick(found, 1), pick(found, 2))


def svdvals(x) -> Any:
    """Return the singular values, descending."""
    return pick(_svd(_matrices(x, "svdvals")), 1)


def qr(x, mode: str = "reduced") -> QRResult:
    """Return Q with orthonormal columns and the upper triangle R for which Q R = x.

    >>> from adjoint import Value, linalg
    >>> q, r = linalg.qr(Value([[3.0], [4.0]]))
    >>> abs(r).data
    array([[5.]])
    """
    x = _matrices(x, "qr")
    if mode != "reduced":
        raise ArgumentError(f"qr: the mode is 'reduced', the one that has derivatives, not {mode!r}")
    rows, columns = shape_of(x)[-2:]
    if rows >= columns:
        found = _qr(x)
        return QRResult(pick(found, 0), pick(found, 1))
    first = _qr(x[..., :rows])
    q, r = pick(first, 0), pick(first, 1)
    rest = products.matmul(shaping.matrix_transpose(q), x[..., rows:])
    return QRResult(q, shaping.concat([r, rest], -1))


def norm(x, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return a norm of vectors, along one axis, or of matrices, along two; as NumPy does.

    Without `axis` a vector or a matrix is taken as such, and anything, if `ord` is not given either, as one long
    vector. A vector's `ord` is any number from 1 up, or infinity: 2 unless given. A matrix's is 'fro' unless given,
    'nuc' (the sum of the singular values), 2 or -2 (the largest, the smallest), 1 or -1 (the largest, the smallest sum
    of a column), inf or -inf (of a row).

    >>> from adjoint import Value, linalg
    >>> x = Value([[3.0, 0.0], [4.0, 0.0]])
    >>> linalg.norm(x).item(), linalg.norm(x, 1).item(), linalg.norm(x, "nuc").item()
    (5.0, 7.0, 5.0)
    """
    x = as_operand(x)
    shape = shape_of(x)
    axes = all_axes(axis, len(shape), "norm")
    if axis is None and ord is None or len(axes) == 1:
        return reductions.norm(x, ord, axes, keepdims)
    if len(axes) != 2:
        raise ShapeError(f"norm is of vectors, along one axis, or of matrices, along two, not {axes} of shape {shape}")
    return _matrix_norm(x, ord, axes, bool(keepdims))


def matrix_norm(x, ord: Any = "fro", keepdims: bool = False) -> Any:
    """Return a norm of matrices, the last two axes; see `norm`."""
    return norm(_matrices(x, "matrix_norm"), ord, (-2, -1), keepdims)


_EXTREMES = {1: reductions.max, 2: reductions.max, math.inf: reductions.max}
_EXTREMES |= {-order: reductions.min for order in _EXTREMES}


def _matrix_norm(x, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if ord is None or ord == "fro":
        return reductions.norm(x, None, axes, keepdims)
    if ord not in (*_EXTREMES, "nuc"):
        raise ArgumentError(f"norm: of matrices it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    shape = shape_of(x)
    rest = tuple(size for i, size in enumerate(shape) if i not in axes)
    if ord in ("nuc", 2, -2):
        sizes = svdvals(shaping.moveaxis(x, axes, (-2, -1)))
        found = (_EXTREMES.get(ord) or reductions.sum)(sizes, -1)
    else:
        summed, compared = axes if abs(ord) == 1 else axes[::-1]
        sums = reductions.sum(ops.abs(x), summed, keepdims=True)
        found = _EXTREMES[ord](sums, compared, keepdims=True)
    return shaping.reshape(found, kept(shape, axes) if keepdims else rest)
