"""CuPy arrays as data."""

from adjoint.arrays.backends.base import Backend
from adjoint.errors.optional import library


class CuPyBackend(Backend):
    name = "CuPy"

    def __init__(self, cupy):
        super().__init__(library("array_api_compat.cupy", "data of CuPy", "torch"))
        self.cupy = cupy

    def owns(self, x):
        return isinstance(x, self.cupy.ndarray)

    def to_numpy(self, x):
        return x.get()

    def erf(self, x):
        from cupyx.scipy.special import erf  # pyright: ignore[reportMissingImports]

        return erf(x)

    def scatter_add(self, x, index, values):
        total = x.copy()
        self.cupy.add.at(total, index, values)
        return total

    def scatter_set(self, x, index, values):
        changed = x.copy()
        changed[index] = values
        return changed
