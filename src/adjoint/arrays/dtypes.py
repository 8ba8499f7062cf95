"""The dtypes that programs name, as NumPy's: `adjoint.float32` is `numpy.float32`, and `long` is PyTorch's `int64`."""

from numpy import float32 as float32, float64 as float64, int32 as int32, int64 as int64

long = int64
