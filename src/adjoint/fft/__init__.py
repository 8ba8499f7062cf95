"""Fourier transforms of real and complex arrays, with the names and arguments of `numpy.fft`.

A Value holds real numbers, so a spectrum is a pair of arrays, `Spectrum(real, imag)`. This is the public face of
`adjoint.arrays.functions.fourier`, where the rules are; it holds nothing else.
"""

from adjoint.arrays.functions.fourier import *  # noqa: F403
from adjoint.arrays.functions.fourier import __all__ as __all__


def __dir__() -> list[str]:
    return [*__all__]
