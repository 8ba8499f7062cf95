"""The dtypes that programs name: those of NumPy.

>>> from adjoint import Value, float32
>>> Value([1.0, 2.0]).astype(float32).dtype
dtype('float32')
"""

import numpy as np

float32 = np.float32
"""NumPy's `float32`."""
float64 = np.float64
"""NumPy's `float64`."""
int32 = np.int32
"""NumPy's `int32`."""
int64 = np.int64
"""NumPy's `int64`."""
long = np.int64
"""PyTorch's name of `int64`."""
