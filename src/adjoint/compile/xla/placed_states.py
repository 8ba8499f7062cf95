"""States that are loaded into Values whose arrays are split over devices: each device gets only its own part."""

from typing import Any

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.compile.xla.device_arrays import device_array_of, set_device_array
from adjoint.compile.xla.jax_settings import precision
from adjoint.errors.optional_jax import load_jax


def load_split(value: Tensor, x: Any) -> bool:
    """Assign the numbers of an array to a Value whose array is split over devices; return whether it is.

    Only the parts that the devices of this process hold are read from the array.
    """
    held = device_array_of(value)
    if held is None or held.is_fully_replicated:
        return False
    jax = load_jax()

    def part(index: Any) -> np.ndarray:
        return np.asarray(x[index]).astype(held.dtype)

    with precision(x64=True):
        set_device_array(value, jax.make_array_from_callback(held.shape, held.sharding, part))
    return True
