"""Functions that work element by element and are no rows of the table: NumPy's and PyTorch's convenience functions.

Most are composed of rows. Those with a choice in them are ops of their own, with a rule as in `engine/ops.py`; like
rows they take numbers, arrays and Values. At kinks and ties they follow PyTorch.
"""

import math
import sys
from typing import TYPE_CHECKING

from adjoint.arrays.kinds import array_code, as_operand, data_of
from adjoint.engine import ops
from adjoint.engine.rule import op
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

__all__ = [
    "add",
    "deg2rad",
    "div",
    "divmod",
    "fmax",
    "fmin",
    "heaviside",
    "lerp",
    "logaddexp2",
    "mod",
    "nan_to_num",
    "positive",
    "rad2deg",
    "reciprocal",
    "round",
    "rsqrt",
    "sinc",
    "sub",
]


def add(x, z, *, alpha: float = 1) -> "Tensor":
    """Return x + z; with `alpha`, x + alpha * z.

    >>> from adjoint import add
    >>> add(1.0, 2.0), add(1.0, 2.0, alpha=10)
    (3.0, 21.0)
    """
    return ops.add(x, z if is_number(alpha) and alpha == 1 else ops.mul(z, alpha))


def sub(x, z, *, alpha: float = 1) -> "Tensor":
    """Return x - z; with `alpha`, x - alpha * z.

    >>> from adjoint import sub
    >>> sub(3.0, 2.0), sub(3.0, 2.0, alpha=10)
    (1.0, -17.0)
    """
    return ops.sub(x, z if is_number(alpha) and alpha == 1 else ops.mul(z, alpha))


def div(x, z, *, rounding_mode: str | None = None) -> "Tensor":
    """Return x / z; with `rounding_mode="floor"` the quotient rounded down, with `"trunc"` rounded toward zero.

    >>> from adjoint import div
    >>> div(7.0, -2.0), div(7.0, -2.0, rounding_mode="floor"), div(7.0, -2.0, rounding_mode="trunc")
    (-3.5, -4.0, -3.0)
    """
    if rounding_mode is None:
        return ops.div(x, z)
    if rounding_mode == "floor":
        return ops.floor_divide(x, z)
    if rounding_mode == "trunc":
        return _trunc_divide(x, z)
    raise ArgumentError(f"div: rounding_mode is None, 'floor' or 'trunc', not {describe(rounding_mode)}")


def mod(x, z) -> "Tensor":
    """Return x % z, with the sign of z: another name of `remainder`.

    >>> from adjoint import mod
    >>> mod(7.0, 4.0), mod(-7.0, 4.0)
    (3.0, 1.0)
    """
    return ops.remainder(x, z)


def divmod(x, z) -> "tuple[Tensor, Tensor]":
    """Return the pair `(x // z, x % z)`.

    >>> from adjoint import divmod
    >>> divmod(7.0, 2.0), divmod(-7.0, 2.0)
    ((3.0, 1.0), (-4.0, 1.0))
    """
    return ops.floor_divide(x, z), ops.remainder(x, z)


def positive(x) -> "Tensor":
    """Return x itself: what `+x` means.

    >>> from adjoint import Value, positive
    >>> positive(Value([-1.0, 2.0])).data
    array([-1.,  2.])
    """
    return +as_operand(x)


def round(x, decimals: int = 0) -> "Tensor":
    """Return the nearest number with so many decimals, the even one of two; a negative number of them rounds to tens.

    >>> from adjoint import round
    >>> round(2.5), round(3.14159, decimals=2), round(1250.0, decimals=-2)
    (2.0, 3.14, 1200.0)
    """
    if not decimals:
        return ops.round(x)
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return ops.mul(ops.round(ops.div(x, scale)), scale)
    return ops.div(ops.round(ops.mul(x, scale)), scale)


def reciprocal(x) -> "Tensor":
    """Return 1 / x.

    >>> from adjoint import grad, reciprocal
    >>> reciprocal(2.0), grad(reciprocal)(2.0)
    (0.5, -0.25)
    """
    return ops.div(1.0, x)


def rsqrt(x) -> "Tensor":
    """Return 1 / sqrt(x).

    >>> from adjoint import grad, rsqrt
    >>> rsqrt(4.0), grad(rsqrt)(4.0)
    (0.5, -0.0625)
    """
    return ops.div(1.0, ops.sqrt(x))


def deg2rad(x) -> "Tensor":
    """Return an angle given in degrees, in radians.

    >>> from adjoint import deg2rad
    >>> deg2rad(180.0)
    3.141592653589793
    """
    return ops.mul(x, math.pi / 180)


def rad2deg(x) -> "Tensor":
    """Return an angle given in radians, in degrees.

    >>> import math
    >>> from adjoint import rad2deg
    >>> rad2deg(math.pi)
    180.0
    """
    return ops.mul(x, 180 / math.pi)


def logaddexp2(x, z) -> "Tensor":
    """Return log2(2**x + 2**z), computed so that nothing overflows.

    >>> from adjoint import logaddexp2
    >>> logaddexp2(3.0, 3.0)
    4.0
    """
    return ops.div(ops.logaddexp(ops.mul(x, math.log(2)), ops.mul(z, math.log(2))), math.log(2))


# --- rules of their own -------------------------------------------------------------------------------------------

_trunc_divide = op("trunc_divide", lambda m, x, z: m.trunc(x / z), lambda m, y, x, z: 0.0, lambda m, y, x, z: 0.0)
# NaN gives way to a number, and a tie belongs to the first operand
_fmax = op(
    "fmax",
    lambda m, x, z: m.where(m.equal(x, x), m.where(m.equal(z, z), m.maximum(x, z), x), z),
    lambda m, y, x, z: m.where(x >= z, 1.0, m.where(m.equal(z, z), 0.0, 1.0)),
    lambda m, y, x, z: m.where(x >= z, 0.0, m.where(m.equal(z, z), 1.0, 0.0)),
)
_fmin = op(
    "fmin",
    lambda m, x, z: m.where(m.equal(x, x), m.where(m.equal(z, z), m.minimum(x, z), x), z),
    lambda m, y, x, z: m.where(x <= z, 1.0, m.where(m.equal(z, z), 0.0, 1.0)),
    lambda m, y, x, z: m.where(x <= z, 0.0, m.where(m.equal(z, z), 1.0, 0.0)),
)
_heaviside = op(
    "heaviside",
    lambda m, x, z: m.where(x > 0, 1.0, m.where(x < 0, 0.0, m.where(m.equal(x, 0), z, x + z))),
    lambda m, y, x, z: 0.0,
    lambda m, y, x, z: m.where(m.equal(x, 0), 1.0, 0.0),
)
# exact at both ends, as in PyTorch
_lerp = op(
    "lerp",
    lambda m, x, z, w: m.where(w < 0.5, x + w * (z - x), z - (z - x) * (1 - w)),
    lambda m, y, x, z, w: 1 - w,
    lambda m, y, x, z, w: w,
    lambda m, y, x, z, w: z - x,
)

# sin(t)/t as a power series in t², for |t| < π/2; beyond that, sin(t)/t itself is accurate in all derivatives
_SINC = [(-1) ** k / math.factorial(2 * k + 1) for k in range(14)]


def _power_series(coefficients, t) -> "Tensor":
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * t + c
    return total


def _sinc_forward(m, x):
    far = math.pi * m.where(m.abs(x) < 0.5, 1.0, x)
    near = m.where(m.abs(x) < 0.5, x, 0.0)
    return m.where(m.abs(x) < 0.5, _power_series(_SINC, math.pi**2 * near * near), m.sin(far) / far)


def _sinc_slope(m, y, x):
    far, near = m.where(m.abs(x) < 0.5, 1.0, x), m.where(m.abs(x) < 0.5, x, 0.0)
    slopes = [2 * (k + 1) * math.pi**2 * c for k, c in enumerate(_SINC[1:])]
    series = near * _power_series(slopes, math.pi**2 * near * near)
    phase = far - 2 * m.round(0.5 * far)  # exact, where πx is rounded
    return m.where(m.abs(x) < 0.5, series, (m.cos(math.pi * phase) - y) / far)


_sinc = op("sinc", _sinc_forward, _sinc_slope)


def fmax(x, z) -> "Tensor":
    """Return the larger of two numbers; where one is NaN, the other.

    >>> from adjoint import Value, fmax
    >>> fmax(Value([1.0, float("nan")]), [3.0, 4.0]).data
    array([3., 4.])
    """
    return _fmax(x, z)


def fmin(x, z) -> "Tensor":
    """Return the smaller of two numbers; where one is NaN, the other.

    >>> from adjoint import Value, fmin
    >>> fmin(Value([1.0, float("nan")]), [3.0, 4.0]).data
    array([1., 4.])
    """
    return _fmin(x, z)


def heaviside(x, z) -> "Tensor":
    """Return 0 where x is negative, 1 where it is positive, and z where it is 0.

    >>> from adjoint import Value, heaviside
    >>> heaviside(Value([-1.0, 0.0, 2.0]), 0.5).data
    array([0. , 0.5, 1. ])
    """
    return _heaviside(x, z)


def lerp(start, end, weight) -> "Tensor":
    """Return start + weight * (end - start): a point between two, or a mean with a weight.

    >>> from adjoint import lerp
    >>> lerp(0.0, 10.0, 0.25), lerp(0.0, 10.0, 1.0)
    (2.5, 10.0)
    """
    return _lerp(start, end, weight)


def sinc(x) -> "Tensor":
    """Return sin(πx) / (πx), which is 1 at 0; all of its derivatives are exact at 0 too.

    >>> import math
    >>> from adjoint import sinc
    >>> sinc(0.0), sinc(0.5) == 2 / math.pi
    (1.0, True)
    """
    return _sinc(x)


# x - x is 0 for finite numbers alone
finite_or = op(
    "nan_to_num",
    lambda m, x, nan, posinf, neginf: m.where(
        m.equal(x - x, 0), x, m.where(x > 0, posinf, m.where(x < 0, neginf, nan))
    ),
    lambda m, y, x, nan, posinf, neginf: m.where(m.equal(x - x, 0), 1.0, 0.0),
    *[lambda m, y, x, nan, posinf, neginf: 0.0] * 3,
)


def nan_to_num(x, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> "Tensor":
    """Replace NaN by `nan`, and infinities by `posinf` and `neginf`; by default by the largest numbers of the dtype.

    Replaced elements receive no gradient.

    >>> from adjoint import Value, nan_to_num
    >>> nan_to_num(Value([1.0, float("nan"), float("inf")]), posinf=9.0).tolist()
    [1.0, 0.0, 9.0]
    """
    data = data_of(x)
    largest = _LARGEST
    if hasattr(data, "dtype"):
        backends = array_code("backends")
        m = backends.common_backend([data], "nan_to_num")
        if backends.are_integers([data]):
            return m.array(data)
        largest = float(m.xp.finfo(data.dtype).max) if m.is_floating(data.dtype) else _LARGEST
    for name, number in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if number is not None and not is_number(number):
            raise ArgumentError(f"nan_to_num: {name} is a number, not {describe(number)}")
    return finite_or(x, nan, largest if posinf is None else posinf, -largest if neginf is None else neginf)


_LARGEST = sys.float_info.max
