"""The rules of linear algebra: how inverses, determinants and factorizations are computed and differentiated.

A matrix is the last two axes of an array; `linalg.py` says what the rules do where a derivative is not defined.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.array_rule import Bundle, array_op
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import data_of
from adjoint.errors import MatrixError

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import Array

# --- what the rules share ------------------------------------------------------------------------------


def _require(compute: Callable, *operands, otherwise: str, **options):
    """Return what the library computes; if it rejects a matrix, raise an error with the message `otherwise`."""
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
    """Return the inverse that the derivatives of an operation use."""
    return _require(m.linalg.inv, x, otherwise=f"{who} has no derivative here: {_which(x)} is singular")


def _as_row(m, s):
    """Return numbers, one for each column of a matrix, in a shape that broadcasts against it."""
    return m.expand_dims(s, axis=-2)


def _as_column(m, s):
    return m.expand_dims(s, axis=-1)


def _for_matrices(m, y, x):
    """Return one number for each matrix in a shape that broadcasts against the matrices."""
    return m.reshape(y, (*x.shape[:-2], 1, 1)) if len(x.shape) > 2 else y


def _inner(m, x, z):
    """Return the sum of the products of two matrices' elements."""
    return m.sum(x * z, axis=(-2, -1))


def _symmetric(m, x):
    return (x + m.matrix_transpose(x)) / 2


def _mirror_lower(m, x):
    """Return the symmetric matrix that has the lower triangle of `x`."""
    return m.tril(x) + m.matrix_transpose(m.tril(x, k=-1))


def _skew(m, x):
    return x - m.matrix_transpose(x)


def _reciprocal_gaps(m, s):
    """Return 1 / (s[j] - s[i]) at i, j, and 0 on the diagonal."""
    eye = m.eye(s.shape[-1], s)
    return (1 - eye) / (_as_row(m, s) - _as_column(m, s) + eye)


# --- inverse and solution ------------------------------------------------------------------------------


def _inv_forward(m, x):
    refused = f"inv: {_which(x)} is singular, so it has no inverse; use pinv for the pseudoinverse"
    return _require(m.linalg.inv, x, otherwise=refused)


def _inv_vjp(m, g, y, x):
    transposed = m.matrix_transpose(y)
    return -m.matmul(m.matmul(transposed, g), transposed)


inv = array_op(
    "inv",
    _inv_forward,
    _inv_vjp,
    jvp=lambda m, ts, y, x: -m.matmul(m.matmul(y, ts[0]), y),
    reads="y",
)


def _solve_forward(m, a, b):
    if len(b.shape) < len(a.shape):  # CuPy and NumPy 1 would take some for stacks of vectors
        b = b[(None,) * (len(a.shape) - len(b.shape))]
    refused = f"solve: {_which(a)} is singular; pinv(a) @ b is the smallest x for which a @ x comes nearest to b"
    return _require(m.linalg.solve, a, b, otherwise=refused)


def _solve_vjp_b(m, g, y, a, b):
    return _solve_forward(m, m.matrix_transpose(a), g)


def _solve_vjp_a(m, g, y, a, b):
    return -m.matmul(_solve_vjp_b(m, g, y, a, b), m.matrix_transpose(y))


def _solve_jvp(m, ts, y, a, b):
    da, db = ts
    return _solve_forward(m, a, m.total(db, None if da is None else -m.matmul(da, y)))


solve = array_op("solve", _solve_forward, _solve_vjp_a, _solve_vjp_b, jvp=_solve_jvp, reads="xy")


def _pinv_forward(m, x, rtol):
    u, s, vh = _svd_forward(m, x, "pinv")
    counts = s > rtol * s[..., :1]
    inverted = m.where(counts, 1 / m.where(counts, s, 1.0), 0.0)
    return m.matmul(m.matrix_transpose(vh) * _as_row(m, inverted), m.matrix_transpose(u))


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


pinv = array_op("pinv", _pinv_forward, _pinv_vjp, jvp=_pinv_jvp, reads="xy")


# --- determinants --------------------------------------------------------------------------------------


def _cofactors(m, x):
    """Return the derivative of det for each element, det(x) x⁻ᵀ, in a form that exists for singular matrices too.

    Seen in the bases of its singular vectors, which count as constants, x is [[a, b], [c, d]] with the
    smallest singular values in d. So a has an inverse, and det(x) = ± det(a) det(e) with e = d - c a⁻¹ b. The
    derivative of that needs a⁻¹ and, of e, polynomials alone.
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
    coupling = m.matmul(right, small)
    top = m.concat([det_e * inverse + m.matmul(coupling, left), -coupling], axis=-1)
    bottom = m.concat([-m.matmul(small, left), small], axis=-1)
    adjugate = m.matrix_transpose(m.concat([top, bottom], axis=-2))
    sign = m.linalg.det(u) * m.linalg.det(vh)
    return m.matmul(m.matmul(u, adjugate), vh) * _for_matrices(m, m.linalg.det(a) * sign, x)


def _bases(x) -> tuple["Array", "Array", int]:
    """Return the singular vectors of plain matrices, and how many singular values must not be inverted.

    At least 1: the number of zeros, up to rounding, or 1 while tracing.
    """
    m = common_backend([x], "det")
    u, s, vh = m.linalg.svd(m.where(m.isfinite(x), x, m.zeros_like(x)))  # NaN still propagates through x itself
    if m.is_traced(s):
        return u, vh, 1
    s = m.to_numpy(s)
    is_zero = s <= s[..., :1] * (s.shape[-1] * np.finfo(s.dtype).eps)
    return u, vh, int(is_zero.sum(-1).max(initial=1))


def _adjugate(m, x):
    """Return det(x) x⁻¹ as a polynomial of x, by the Faddeev-LeVerrier algorithm, for small matrices."""
    eye = m.eye(x.shape[-1], x)
    found = m.broadcast_to(eye, x.shape)
    for k in range(1, x.shape[-1]):
        product = m.matmul(x, found)
        found = m.sum(product * eye, axis=(-2, -1), keepdims=True) / k * eye - product
    return found


det = array_op(
    "det",
    lambda m, x: m.linalg.det(x),
    lambda m, g, y, x: _for_matrices(m, g, x) * _cofactors(m, x),
    jvp=lambda m, ts, y, x: _inner(m, _cofactors(m, x), ts[0]),
    reads="x",
)


def _slogdet_vjp(m, g, y, x):
    if g[1] is None:  # the sign alone was used
        return m.zeros_like(x)
    return _for_matrices(m, g[1], x) * m.matrix_transpose(_inverse(m, x, "slogdet"))


def _slogdet_jvp(m, ts, y, x):
    inverse = m.matrix_transpose(_inverse(m, x, "slogdet"))
    return Bundle((m.zeros_like(y[0]), _inner(m, inverse, ts[0])))


slogdet = array_op("slogdet", lambda m, x: tuple(m.linalg.slogdet(x)), _slogdet_vjp, jvp=_slogdet_jvp, reads="x")


# --- factorizations ------------------------------------------------------------------------------------


def _cholesky_forward(m, x):
    refused = f"cholesky: {_which(x)} is not positive definite"
    return _require(m.linalg.cholesky, _mirror_lower(m, x), otherwise=refused)


def _half_lower(m, x):
    """Return the lower triangle with half of the diagonal: plus its transpose, it is a symmetric x again."""
    return m.tril(x) * (1 - m.eye(x.shape[-1], x) / 2)


def _cholesky_vjp(m, g, y, x):
    inverse = m.linalg.inv(y)
    inner = _half_lower(m, m.matmul(m.matrix_transpose(y), g))
    return _symmetric(m, m.matmul(m.matmul(m.matrix_transpose(inverse), inner), inverse))


def _cholesky_jvp(m, ts, y, x):
    inverse = m.linalg.inv(y)
    inner = m.matmul(m.matmul(inverse, _symmetric(m, ts[0])), m.matrix_transpose(inverse))
    return m.matmul(y, _half_lower(m, inner))


cholesky = array_op("cholesky", _cholesky_forward, _cholesky_vjp, jvp=_cholesky_jvp, reads="y")


def _eigh_forward(m, x):
    refused = f"eigh: {_which(x)} has no eigenvalues that could be found; is NaN or infinity in it?"
    return tuple(_require(m.linalg.eigh, _mirror_lower(m, x), otherwise=refused))


def _eigh_vjp(m, g, y, x):
    (w, v), (gw, gv) = y, g
    vt = m.matrix_transpose(v)
    terms = [None if gw is None else v * _as_row(m, gw)]
    terms += [None if gv is None else m.matmul(v, _reciprocal_gaps(m, w) * m.matmul(vt, gv))]
    return _symmetric(m, m.matmul(m.total(*terms), vt))


def _eigh_jvp(m, ts, y, x):
    w, v = y
    moved = m.matmul(m.matmul(m.matrix_transpose(v), _symmetric(m, ts[0])), v)
    dw = m.sum(moved * m.eye(w.shape[-1], w), axis=-1)
    return Bundle((dw, m.matmul(v, _reciprocal_gaps(m, w) * moved)))


eigh = array_op("eigh", _eigh_forward, _eigh_vjp, jvp=_eigh_jvp, reads="y")


def _svd_forward(m, x, who: str = "svd"):
    refused = f"{who}: {_which(x)} has no singular values that could be found; is NaN or infinity in it?"
    return tuple(_require(m.linalg.svd, x, full_matrices=False, otherwise=refused))


def _reciprocal_square_gaps(m, s):
    """Return 1 / (s[j]² - s[i]²) at i, j, and 0 on the diagonal."""
    return _reciprocal_gaps(m, s) / (_as_row(m, s) + _as_column(m, s) + m.eye(s.shape[-1], s))


def _svd_vjp(m, g, y, x):
    (u, s, vh), (gu, gs, gvh) = y, g
    ut, v = m.matrix_transpose(u), m.matrix_transpose(vh)
    rows, columns = x.shape[-2:]
    terms = [None if gs is None else m.matmul(u * _as_row(m, gs), vh)]
    if gu is not None:
        inner = m.matmul(ut, gu)
        turned = m.matmul(u, _reciprocal_square_gaps(m, s) * _skew(m, inner) * _as_row(m, s))
        if rows > columns:  # then there are directions orthogonal to those of u
            turned = turned + (gu - m.matmul(u, inner)) / _as_row(m, s)
        terms += [m.matmul(turned, vh)]
    if gvh is not None:
        inner = m.matmul(gvh, v)
        turned = m.matmul(_as_column(m, s) * _reciprocal_square_gaps(m, s) * -_skew(m, inner), vh)
        if columns > rows:
            turned = turned + (gvh - m.matmul(inner, vh)) / _as_column(m, s)
        terms += [m.matmul(u, turned)]
    return m.total(*terms)


def _svd_jvp(m, ts, y, x):
    (u, s, vh), dx = y, ts[0]
    ut, v = m.matrix_transpose(u), m.matrix_transpose(vh)
    rows, columns = x.shape[-2:]
    gaps, along = _reciprocal_square_gaps(m, s), m.matmul(dx, v)
    moved = m.matmul(ut, along)
    left, right = moved * _as_row(m, s), _as_column(m, s) * moved
    du = m.matmul(u, gaps * (left + m.matrix_transpose(left)))
    dv = m.matmul(v, gaps * (right + m.matrix_transpose(right)))
    if rows > columns:
        outside = along - m.matmul(u, moved)
        du = du + outside / _as_row(m, s)
    if columns > rows:
        outside = m.matmul(m.matrix_transpose(dx), u) - m.matmul(v, m.matrix_transpose(moved))
        dv = dv + outside / _as_row(m, s)
    ds = m.sum(moved * m.eye(s.shape[-1], s), axis=-1)
    return Bundle((du, ds, m.matrix_transpose(dv)))


svd = array_op("svd", _svd_forward, _svd_vjp, jvp=_svd_jvp, reads="y")


def _qr_vjp(m, g, y, x):
    (q, r), (gq, gr) = y, g
    t = m.matrix_transpose
    inner = m.total(
        None if gr is None else m.matmul(r, t(gr)),
        None if gq is None else -m.matmul(t(gq), q),
    )
    return m.matmul(m.total(gq, m.matmul(q, _mirror_lower(m, inner))), t(_inverse(m, r, "qr")))


def _qr_jvp(m, ts, y, x):
    q, r = y
    moved = m.matmul(ts[0], _inverse(m, r, "qr"))
    inner = m.matmul(m.matrix_transpose(q), moved)
    turned = _skew(m, m.tril(inner, k=-1))
    return Bundle((moved + m.matmul(q, turned - inner), m.matmul(inner - turned, r)))


qr = array_op("qr", lambda m, x: tuple(m.linalg.qr(x)), _qr_vjp, jvp=_qr_jvp, reads="y")
