"""Fourier transforms. A spectrum is a pair of real arrays, so that everything is a function of real numbers.

In the rules, such a pair is one array with an axis of size 2 in front. The discrete Fourier transform without a factor
is linear, and its transpose is the transform with the other sign in the exponent: `_dft` is its own derivative. The
transform of real numbers computes half of the spectrum; its transpose is the inverse transform, up to a factor of 2 for
each element that stands for two: `_real_dft` and `_inverse_real_dft`.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import all_axes, either, either_axis, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, shaping
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

__all__ = [
    "Spectrum", "fft", "fft2", "fftfreq", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

Norm = str | None
_LAST_TWO = -2, -1


class Spectrum(NamedTuple):
    """Complex numbers as two arrays of real numbers: `real` and `imag`, each a Value or a plain array.

    Spectra can be added, subtracted, multiplied and divided, also by numbers and arrays. `abs(s)` is the magnitude,
    `s.power()` its square, `s.angle()` the phase.

    >>> from adjoint import Value, fft
    >>> s = fft.rfft(Value([1.0, 0.0, 0.0, 0.0]))
    >>> s.power().data
    array([1., 1., 1.])
    """

    real: "Tensor"
    imag: "Tensor"

    def __getitem__(self, index) -> Any:  # a Spectrum of the frequencies at an index
        return Spectrum(self.real[index], self.imag[index])

    def power(self) -> "Tensor":
        """Return the squares of the magnitudes."""
        return ops.add(ops.square(self.real), ops.square(self.imag))

    def angle(self) -> "Tensor":
        """Return the phases, from -π to π."""
        return ops.atan2(self.imag, self.real)

    def conj(self) -> "Spectrum":
        """Return the complex conjugates."""
        return Spectrum(self.real, ops.neg(self.imag))

    def __abs__(self) -> "Tensor":
        real, imag = data_of(self.real), data_of(self.imag)
        is_zero = (real == 0) & (imag == 0)  # there the derivative is 0, as in PyTorch
        return indexing.where(is_zero, 0.0, ops.hypot(indexing.where(is_zero, 1.0, self.real), self.imag))

    def __neg__(self) -> "Spectrum":
        return Spectrum(ops.neg(self.real), ops.neg(self.imag))

    def __add__(self, other) -> "Spectrum":
        if isinstance(other, Spectrum):
            return Spectrum(ops.add(self.real, other.real), ops.add(self.imag, other.imag))
        return Spectrum(ops.add(self.real, as_operand(other)), self.imag)

    def __sub__(self, other) -> "Spectrum":
        return self + (-other if isinstance(other, Spectrum) else ops.neg(as_operand(other)))

    def __mul__(self, other) -> "Spectrum":
        if not isinstance(other, Spectrum):
            factor = as_operand(other)
            return Spectrum(ops.mul(self.real, factor), ops.mul(self.imag, factor))
        (a, b), (c, d) = self, other
        return Spectrum(ops.sub(ops.mul(a, c), ops.mul(b, d)), ops.add(ops.mul(a, d), ops.mul(b, c)))

    def __truediv__(self, other) -> "Spectrum":
        if isinstance(other, Spectrum):
            return self * other.conj() / other.power()
        return Spectrum(ops.div(self.real, as_operand(other)), ops.div(self.imag, as_operand(other)))

    def __radd__(self, other) -> "Spectrum":
        return self + other

    def __rsub__(self, other) -> "Spectrum":
        return -self + other

    def __rmul__(self, other) -> "Spectrum":
        return self * other

    __array_ufunc__ = None  # array * spectrum calls __rmul__


# --- the rules -------------------------------------------------------------------------------------


def _complex(m, pair):
    if "16" in str(pair.dtype):  # no library transforms half precision
        pair = m.astype(pair, m.float32)
    return m.complex_of(pair[0], pair[1])


def _pair(m, z, dtype):
    return m.astype(m.stack([m.real(z), m.imag(z)]), dtype)


def _multiplicity(m, size: int, axis: int, like):
    """Return 2 for each element of half a spectrum that stands for two, and 1 for the others."""
    k = m.arange(size // 2 + 1, like)
    return m.reshape(m.select((k == 0) | (2 * k == size), 1.0, 2.0, like), (-1,) + (1,) * (-1 - axis))


def _dft_forward(m, x, axes, inverse):
    z = _complex(m, x)
    z = m.fft.ifftn(z, axes=axes, norm="forward") if inverse else m.fft.fftn(z, axes=axes)
    return _pair(m, z, x.dtype)


def _real_dft_forward(m, x, axis, doubled):
    wide = m.astype(x, m.float32) if "16" in str(x.dtype) else x
    y = _pair(m, m.fft.rfft(wide, axis=axis), x.dtype)
    return y * _multiplicity(m, x.shape[axis], axis, x) if doubled else y


def _inverse_real_dft_forward(m, x, axis, size, halved):
    z = x / _multiplicity(m, size, axis, x) if halved else x
    return m.astype(m.fft.irfft(_complex(m, z), n=size, axis=axis, norm="forward"), x.dtype)


# Axes are counted from the end: the pair has one more in front.
_dft = array_op(
    "fft",
    _dft_forward,
    lambda m, g, y, x, axes, inverse: _dft(g, axes=axes, inverse=not inverse),
    linear="jointly",
)
_real_dft = array_op(
    "rfft",
    _real_dft_forward,
    lambda m, g, y, x, axis, doubled: _inverse_real_dft(g, axis=axis, size=x.shape[axis], halved=not doubled),
    linear="jointly",
)
_inverse_real_dft = array_op(
    "irfft",
    _inverse_real_dft_forward,
    lambda m, g, y, x, axis, size, halved: _real_dft(g, axis=axis, doubled=not halved),
    linear="jointly",
)


# --- the functions ---------------------------------------------------------------------------------


def fft(x, n: int | None = None, axis: int = -1, norm: Norm = None, *, dim: int | None = None) -> Spectrum:
    """Return the discrete Fourier transform of an array, or of a `Spectrum`, along an axis.

    `n` is the length of the transform: the input is cut to it, or zeros are added. `norm` says where the factor 1/n is:
    in the inverse transform ("backward", the default), in this one ("forward"), or half in each ("ortho"). `dim` is
    PyTorch's name of `axis`, and of `axes` in the other functions.

    >>> from adjoint import Value, fft
    >>> x = Value([1.0, 2.0, 4.0, 8.0])
    >>> s = fft.fft(x)
    >>> s.real.data, s.imag.data
    (array([15., -3., -5., -3.]), array([ 0.,  6.,  0., -6.]))
    """
    return _transform("fft", x, None if n is None else (n,), (either_axis("fft", axis, dim, -1),), norm, inverse=False)


def ifft(x, n: int | None = None, axis: int = -1, norm: Norm = None, *, dim: int | None = None) -> Spectrum:
    """Return the inverse of `fft`.

    >>> from adjoint import Value, fft
    >>> s = fft.ifft(fft.fft(Value([1.0, 2.0, 4.0, 8.0])))
    >>> s.real.data.round(12), s.imag.data.round(12)
    (array([1., 2., 4., 8.]), array([0., 0., 0., 0.]))
    """
    return _transform("ifft", x, None if n is None else (n,), (either_axis("ifft", axis, dim, -1),), norm, inverse=True)


def rfft(x, n: int | None = None, axis: int = -1, norm: Norm = None, *, dim: int | None = None) -> Spectrum:
    """Return the discrete Fourier transform of real numbers along an axis: the first n // 2 + 1 elements of it.

    The other elements are the complex conjugates of these. The arguments are those of `fft`.

    >>> from adjoint import Value, fft
    >>> fft.rfft(Value([1.0, 2.0, 4.0, 8.0])).real.data
    array([15., -3., -5.])
    """
    return _real_transform("rfft", x, None if n is None else (n,), (either_axis("rfft", axis, dim, -1),), norm)


def irfft(x, n: int | None = None, axis: int = -1, norm: Norm = None, *, dim: int | None = None) -> "Tensor":
    """Return the inverse of `rfft`: real numbers. `n` is their number; 2 (m - 1) for m elements unless given.

    >>> from adjoint import Value, fft
    >>> x = Value([1.0, 2.0, 4.0])
    >>> fft.irfft(fft.rfft(x), n=3).data.round(12)
    array([1., 2., 4.])
    """
    return _inverse_real_transform(
        "irfft", x, None if n is None else (n,), (either_axis("irfft", axis, dim, -1),), norm
    )


def fft2(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST_TWO,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the discrete Fourier transform along two axes; `s` holds the lengths of the transform.

    >>> from adjoint import Value, fft
    >>> fft.fft2(Value([[1.0, 2.0], [3.0, 4.0]])).real.data
    array([[10., -2.],
           [-4.,  0.]])
    """
    return _transform("fft2", x, s, _either_axes("fft2", axes, dim, _LAST_TWO), norm, inverse=False)


def ifft2(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST_TWO,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the inverse of `fft2`.

    >>> from adjoint import Value, fft
    >>> fft.ifft2(fft.fft2(Value([[1.0, 2.0], [3.0, 4.0]]))).real.data
    array([[1., 2.],
           [3., 4.]])
    """
    return _transform("ifft2", x, s, _either_axes("ifft2", axes, dim, _LAST_TWO), norm, inverse=True)


def rfft2(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST_TWO,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the discrete Fourier transform of real numbers along two axes; the last one holds half of it.

    >>> import numpy as np
    >>> from adjoint import Value, fft
    >>> fft.rfft2(Value(np.ones((4, 6)))).real.shape
    (4, 4)
    """
    return _real_transform("rfft2", x, s, _either_axes("rfft2", axes, dim, _LAST_TWO), norm)


def irfft2(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = _LAST_TWO,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> "Tensor":
    """Return the inverse of `rfft2`: real numbers.

    >>> from adjoint import Value, fft
    >>> x = Value([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> fft.irfft2(fft.rfft2(x), s=(2, 3)).data.round(12)
    array([[1., 2., 3.],
           [4., 5., 6.]])
    """
    return _inverse_real_transform("irfft2", x, s, _either_axes("irfft2", axes, dim, _LAST_TWO), norm)


def fftn(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the discrete Fourier transform along several axes; along all of them, if none is named.

    >>> from adjoint import Value, fft
    >>> fft.fftn(Value([[1.0, 2.0], [3.0, 4.0]]), axes=[0]).real.data
    array([[ 4.,  6.],
           [-2., -2.]])
    """
    return _transform("fftn", x, s, _either_axes("fftn", axes, dim), norm, inverse=False)


def ifftn(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the inverse of `fftn`.

    >>> from adjoint import Value, fft
    >>> fft.ifftn(fft.fftn(Value([[1.0, 2.0], [3.0, 4.0]]))).real.data
    array([[1., 2.],
           [3., 4.]])
    """
    return _transform("ifftn", x, s, _either_axes("ifftn", axes, dim), norm, inverse=True)


def rfftn(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> Spectrum:
    """Return the discrete Fourier transform of real numbers along several axes; the last one holds half of it.

    >>> import numpy as np
    >>> from adjoint import Value, fft
    >>> fft.rfftn(Value(np.ones((2, 4, 6)))).real.shape
    (2, 4, 4)
    """
    return _real_transform("rfftn", x, s, _either_axes("rfftn", axes, dim), norm)


def irfftn(
    x,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = None,
    *,
    dim: int | Sequence[int] | None = None,
) -> "Tensor":
    """Return the inverse of `rfftn`: real numbers.

    >>> import numpy as np
    >>> from adjoint import Value, fft
    >>> x = Value(np.arange(24.0).reshape(2, 3, 4))
    >>> np.allclose(fft.irfftn(fft.rfftn(x)).data, x.data)
    True
    """
    return _inverse_real_transform("irfftn", x, s, _either_axes("irfftn", axes, dim), norm)


def fftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """Return the frequencies of the elements of `fft`, for n samples at distances `d`, as a plain array.

    >>> from adjoint import fft
    >>> fft.fftfreq(4, d=0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return np.fft.fftfreq(whole(n, "fftfreq: n"), _distance(d, "fftfreq"))


def rfftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """Return the frequencies of the elements of `rfft`, for n samples at distances `d`, as a plain array.

    >>> from adjoint import fft
    >>> fft.rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    return np.fft.rfftfreq(whole(n, "rfftfreq: n"), _distance(d, "rfftfreq"))


def fftshift(x, axes: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None) -> Any:
    """Return an array, or a `Spectrum`, with the frequency 0 in the middle of the axes; of all, if none is named.

    >>> from adjoint import fft
    >>> fft.fftshift(fft.fftfreq(4, d=0.5))
    array([-1. , -0.5,  0. ,  0.5])
    """
    return _shift("fftshift", x, _either_axes("fftshift", axes, dim), lambda size: size // 2)


def ifftshift(x, axes: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None) -> Any:
    """Return the inverse of `fftshift`.

    >>> from adjoint import fft
    >>> fft.ifftshift([-2.0, -1.0, 0.0, 1.0])
    array([ 0.,  1., -2., -1.])
    """
    return _shift("ifftshift", x, _either_axes("ifftshift", axes, dim), lambda size: -(size // 2))


# --- from arguments to rules -----------------------------------------------------------------------


def _either_axes(who: str, axes, dim, default: Sequence[int] | None = None) -> Any:
    """Return the axes, given as `axes` or, as in PyTorch, as `dim`, which may be one axis."""
    dim = (dim,) if hasattr(dim, "__index__") else dim
    return either(who, "axes", axes, "dim", dim, default)


def _transform(who: str, x, s, axes, norm: Norm, inverse: bool) -> Spectrum:
    pair = _as_pair(x, who)
    shape = shape_of(pair)[1:]
    axes, sizes = _axes_and_sizes(who, shape, s, axes)
    y = _dft(_resize(pair, axes, sizes), axes=axes, inverse=inverse) if axes else pair
    return _spectrum(_scale(y, sizes, norm, who, inverse))


def _real_transform(who: str, x, s, axes, norm: Norm) -> Spectrum:
    if isinstance(x, Spectrum):
        raise ArgumentError(f"{who} transforms real numbers, not a Spectrum; use {who[1:]}")
    x = as_operand(x)
    axes, sizes = _axes_and_sizes(who, shape_of(x), s, axes)
    if not axes:
        raise ShapeError(f"{who} needs at least one axis")
    y = _real_dft(_resize(x, axes, sizes), axis=axes[-1], doubled=False)
    if axes[:-1]:
        y = _dft(y, axes=axes[:-1], inverse=False)
    return _spectrum(_scale(y, sizes, norm, who, inverse=False))


def _inverse_real_transform(who: str, x, s, axes, norm: Norm) -> "Tensor":
    pair = _as_pair(x, who)
    shape = shape_of(pair)[1:]
    axes, sizes = _axes_and_sizes(who, shape, s, axes)
    if not axes:
        raise ShapeError(f"{who} needs at least one axis")
    if s is None:
        sizes = (*sizes[:-1], 2 * (sizes[-1] - 1))
        if not sizes[-1]:
            raise ShapeError(f"{who}: an axis of size 1 is the spectrum of one number; give its length, 1")
    pair = _resize(pair, axes, (*sizes[:-1], sizes[-1] // 2 + 1))
    if axes[:-1]:
        pair = _dft(pair, axes=axes[:-1], inverse=True)
    y = _inverse_real_dft(pair, axis=axes[-1], size=sizes[-1], halved=False)
    return _scale(y, sizes, norm, who, inverse=True)


def _as_pair(x, who: str) -> "Tensor":
    """Return the real and imaginary parts side by side along a new first axis."""
    if isinstance(x, Spectrum):
        real, imag = as_operand(x.real), as_operand(x.imag)
        if shape_of(real) != shape_of(imag):
            raise ShapeError(
                f"{who}: the real and imaginary parts have the shapes {shape_of(real)} and {shape_of(imag)}; they must "
                "be equal"
            )
        return shaping.stack([real, imag])
    x = as_operand(x)
    data = data_of(x)
    m = common_backend([data], who)
    return shaping.stack([x, m.zeros(shape_of(x), data) if shape_of(x) else 0.0])


def _spectrum(pair) -> Spectrum:
    return Spectrum(pair[0], pair[1])


def _axes_and_sizes(who: str, shape: tuple[int, ...], s, axes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes, counted from the end, and the length of the transform along each."""
    ndim = len(shape)
    if s is not None and not isinstance(s, (tuple, list)):
        raise ArgumentError(f"{who}: s holds the length of each axis, not {describe(s)}")
    if axes is None:
        axes = range(ndim) if s is None else range(-len(s), 0)
    if not isinstance(axes, (tuple, list, range)):
        raise ArgumentError(f"{who}: axes holds the number of each axis, as in axes=(0, 1), not {describe(axes)}")
    found = tuple(one_axis(axis, ndim, who) for axis in axes)
    if len(set(found)) < len(found):
        raise ShapeError(f"{who}: axes {tuple(axes)} contains the same axis twice")
    if s is not None and len(s) != len(found):
        raise ShapeError(f"{who}: got {len(s)} lengths for {len(found)} axes; give one length per axis")
    sizes = [shape[axis] for axis in found] if s is None else [whole(n, f"{who}: a length") for n in s]
    if 0 in sizes:
        raise ShapeError(f"{who}: an array of shape {shape} has an axis without elements, which has no transform")
    return tuple(axis - ndim for axis in found), tuple(sizes)


def _resize(x, axes: tuple[int, ...], sizes: tuple[int, ...]) -> "Tensor":
    """Return the array with its axes cut to these sizes, or with zeros at their ends."""
    shape = shape_of(x)
    if all(shape[axis] == size for axis, size in zip(axes, sizes)):
        return x
    wanted = dict(zip((axis % len(shape) for axis in axes), sizes))
    x = indexing.getitem(x, tuple(slice(wanted.get(i)) for i in range(len(shape))))
    return shaping.pad_constant(x, [(0, wanted.get(i, size) - size) for i, size in enumerate(shape_of(x))])


def _scale(y, sizes: tuple[int, ...], norm: Norm, who: str, inverse: bool) -> "Tensor":
    if norm not in (None, "backward", "ortho", "forward"):
        raise unknown_name_error(f"norm of {who}", norm, ("backward", "ortho", "forward"))
    count = math.prod(sizes)
    if norm == "ortho":
        return y * (1 / math.sqrt(count))
    return y * (1 / count) if inverse == (norm != "forward") else y


def _shift(who: str, x, axes, by) -> Any:
    if isinstance(x, Spectrum):
        return Spectrum(*(_shift(who, part, axes, by) for part in x))
    x = as_operand(x)
    found = all_axes(axes, len(shape_of(x)), who)
    return shaping.roll(x, tuple(by(shape_of(x)[axis]) for axis in found), found)


def _distance(d, who: str) -> float:
    if not is_number(d) or not d:
        raise ArgumentError(f"{who}: d, the distance of samples, must be a number other than 0, not {describe(d)}")
    return float(d)
