"""Fourier transforms, for `adjoint check`."""

import adjoint
from adjoint import Tensor, fft
from adjoint.cli.checks import Groups
from adjoint.fft import Spectrum


def _pair(x: Tensor) -> Spectrum:
    """Return an array as complex numbers: its rows, and its rows in another order."""
    return Spectrum(x, adjoint.flip(x, 0))


def _joined(s: Spectrum) -> Tensor:
    return adjoint.concat([s.real, s.imag])


GROUPS: Groups = {
    "Fourier transforms": {
        "fft.fft": lambda x: _joined(fft.fft(x, axis=0)),
        "fft.ifft": lambda x: _joined(fft.ifft(_pair(x), norm="ortho")),
        "fft.rfft": lambda x: _joined(fft.rfft(x, 5)),
        "fft.irfft": lambda x: fft.irfft(_pair(x), 5),
        "fft.fft2": lambda x: _joined(fft.fft2(x)),
        "fft.ifft2": lambda x: _joined(fft.ifft2(_pair(x))),
        "fft.rfft2": lambda x: _joined(fft.rfft2(x)),
        "fft.irfft2": lambda x: fft.irfft2(_pair(x)),
        "fft.fftn": lambda x: fft.fftn(x).power(),
        "fft.ifftn": lambda x: fft.ifftn(_pair(x)).power(),
        "fft.rfftn": lambda x: _joined(fft.rfftn(x) * fft.rfftn(x)),
        "fft.irfftn": lambda x: fft.irfftn(_pair(x), (2, 3)),
        "fft.fftshift": lambda x: fft.fftshift(x),
        "fft.ifftshift": lambda x: fft.ifftshift(x, 1),
    },
}
